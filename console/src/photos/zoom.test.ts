import { expect, it } from 'vitest';
import { moved, whole, zoomed } from './zoom.ts';

const size = { width: 200, height: 100 };

it('keeps the point under the pointer, and the picture over its frame', () => {
  const twice = zoomed(whole, 2, [50, -20], size);
  expect(twice).toEqual({ scale: 2, x: -50, y: 20 });
  expect(moved(twice, 500, 500, size)).toEqual({ scale: 2, x: 100, y: 50 });
  expect(zoomed(twice, 0.1, [0, 0], size).scale).toBe(1);
  expect(zoomed(whole, 100, [0, 0], size).scale).toBe(8);
});
