import { describe, expect, it } from 'vitest';
import { orderedPoints, pointOrders } from './point-order.ts';

/** Named by their places: two rows along y at x 1 and 2, and one far away at x 9. */
const places = ['2 3', '1 1', '9 2', '1 3', '2 1', '1 2'].map((name) => {
  const [x = 0, y = 0] = name.split(' ').map(Number);
  return { name, x, y };
});

const namesIn = (order: string, random?: () => number): string =>
  orderedPoints(places, order, random)
    .map(({ name }) => name)
    .join(', ');

describe('the order of points', () => {
  it('is by rows along an axis, up, down or to and fro', () => {
    expect(namesIn('xy_ascending')).toBe('1 1, 1 2, 1 3, 2 1, 2 3, 9 2');
    expect(namesIn('xy_descending')).toBe('9 2, 2 3, 2 1, 1 3, 1 2, 1 1');
    expect(namesIn('yx_ascending')).toBe('1 1, 2 1, 1 2, 9 2, 1 3, 2 3');
    expect(namesIn('yx_descending')).toBe('2 3, 1 3, 9 2, 1 2, 2 1, 1 1');
    expect(namesIn('xy_alternating')).toBe('1 1, 1 2, 1 3, 2 3, 2 1, 9 2');
    expect(namesIn('yx_alternating')).toBe('1 1, 2 1, 9 2, 1 2, 1 3, 2 3');
  });

  it('goes from the origin to the nearest point, and from each to the nearest that remains', () => {
    expect(namesIn('nn')).toBe('1 1, 2 1, 1 2, 1 3, 2 3, 9 2');
  });

  it('is random, with each point once', () => {
    expect(namesIn('random', () => 0)).toBe('2 3, 1 1, 9 2, 1 3, 2 1, 1 2');
    expect(namesIn('random', () => 0.999)).toBe('1 2, 2 1, 1 3, 9 2, 1 1, 2 3');
  });

  it('is the default for an unknown name, and leaves its input unchanged', () => {
    expect(namesIn('by name')).toBe(namesIn('xy_ascending'));
    for (const order of pointOrders) expect(orderedPoints([], order)).toEqual([]);
    expect(places[0]?.name).toBe('2 3');
  });
});
