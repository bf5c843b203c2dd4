import { describe, expect, it } from 'vitest';
import { parseIds } from './point-routes.ts';
import { parseSearchQuery } from './point-search.ts';

describe('parseIds', () => {
  it.each([
    ['1,4,23', [1, 4, 23]],
    ['4,4', [4]],
    ['12abc', [12]],
    ['abc,,0,-3, 7', [7]],
    ['99999999999999999999,2', [2]],
  ])('%s', (text, ids) => expect(parseIds(text)).toEqual(ids));
});

describe('parseSearchQuery', () => {
  it('collects bracketed names', () => {
    expect(parseSearchQuery({ x: '1', 'meta[a]': '1', 'meta[b c]': '' })).toMatchObject({
      x: '1',
      meta: { a: '1', 'b c': '' },
    });
  });
  it('has no `meta` by default', () => {
    expect(parseSearchQuery({ name: 'Kale' })).toEqual({ name: 'Kale' });
  });
});
