import { expect, it } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

it('keeps keys that are in use, and drops others beyond its size', () => {
  const map = new BoundedMap<number>(4);
  map.set('used', 1);
  map.set('unused', 2);
  map.set('used', 3);
  map.set('a', 4);
  expect([map.get('used'), map.size]).toEqual([3, 3]);
  for (const key of ['b', 'c', 'd']) {
    map.set(key, 5);
    expect(map.get('used')).toBe(3);
    expect(map.size).toBeLessThanOrEqual(4);
  }
  expect([map.get('unused'), map.get('nothing')]).toEqual([undefined, undefined]);
});
