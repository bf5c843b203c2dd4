import { describe, expect, it } from 'vitest';
import { parseIds } from './point-routes.ts';
import { parseSearchQuery } from './point-search.ts';

describe('ids of a comma-separated list', () => {
  it.each([
    ['1,4,23', [1, 4, 23]],
    ['4,4', [4]],
    ['12abc', [12]],
    ['abc,,0,-3, 7', [7]],
    ['99999999999999999999,2', [2]],
  ])('%s', (text, ids) => expect(parseIds(text)).toEqual(ids));
});

describe('a search by query parameters', () => {
  it('gathers bracketed names', () => {
    expect(parseSearchQuery({ x: '1', 'meta[a]': '1', 'meta[b c]': '' })).toMatchObject({
      x: '1',
      meta: { a: '1', 'b c': '' },
    });
  });
  it('has no texts where none are asked for', () => {
    expect(parseSearchQuery({ name: 'Kale' })).toEqual({ name: 'Kale' });
  });
});
