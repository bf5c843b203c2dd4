import { expect, it } from 'vitest';
import { loadedOnce } from './loaded-once.ts';

it('loads once, and again after a load that failed', async () => {
  let loads = 0;
  const value = loadedOnce(async () => {
    loads++;
    if (loads === 1) throw new Error('Out of memory');
    return loads;
  });
  const failed = await Promise.allSettled([value(), value()]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(loads).toBe(1);
  expect(await Promise.all([value(), value()])).toEqual([2, 2]);
  expect(await value()).toBe(2);
});
