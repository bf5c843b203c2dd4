import { LRUCache } from 'lru-cache';
import { expect, it } from 'vitest';
import { maxEntries } from './cache-limits.ts';

it('a cache with a maximum number of entries drops the one that was not used for longest', () => {
  const cache = new LRUCache<string, number>(maxEntries(2));
  cache.set('a', 1).set('b', 2);
  expect(cache.get('a')).toBe(1);
  cache.set('c', 3).set('a', 4);
  expect([...cache.entries()]).toEqual([
    ['a', 4],
    ['c', 3],
  ]);
});
