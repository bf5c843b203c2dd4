import { expect, it } from 'vitest';
import { Failure } from './errors.ts';
import { Semaphore } from './semaphore.ts';

it('lets a few work at once, the others in their order, and refuses when too many wait', async () => {
  const line = new Semaphore(2, 2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (number: number) =>
    line.run(async () => {
      begun.push(number);
      await new Promise<void>((resolve) => ends.push(resolve));
      return number;
    });
  const all = [1, 2, 3, 4].map(work);
  await expect(work(5)).rejects.toThrow(Failure);
  expect(begun).toEqual([1, 2]);
  ends[0]?.();
  expect(await all[0]).toBe(1);
  await expect.poll(() => begun).toEqual([1, 2, 3]);
  for (let i = 1; i < 4; i++) {
    await expect.poll(() => ends.length).toBeGreaterThan(i);
    ends[i]?.();
  }
  expect(await Promise.all(all)).toEqual([1, 2, 3, 4]);
});

it('goes on after a work that failed', async () => {
  const line = new Semaphore(1, 1);
  await expect(line.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await line.run(async () => 'yes')).toBe('yes');
});
