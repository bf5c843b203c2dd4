import { expect, it } from 'vitest';
import { Failure } from './errors.ts';
import { Semaphore } from './semaphore.ts';

it('runs tasks up to the limit, queues the next ones in order and rejects beyond the queue', async () => {
  const semaphore = new Semaphore(2, 2);
  const started: number[] = [];
  const finish: (() => void)[] = [];
  const task = (number: number) =>
    semaphore.run(async () => {
      started.push(number);
      await new Promise<void>((resolve) => finish.push(resolve));
      return number;
    });
  const all = [1, 2, 3, 4].map(task);
  await expect(task(5)).rejects.toThrow(Failure);
  expect(started).toEqual([1, 2]);
  finish[0]?.();
  expect(await all[0]).toBe(1);
  await expect.poll(() => started).toEqual([1, 2, 3]);
  for (let i = 1; i < 4; i++) {
    await expect.poll(() => finish.length).toBeGreaterThan(i);
    finish[i]?.();
  }
  expect(await Promise.all(all)).toEqual([1, 2, 3, 4]);
});

it('releases the permit of a task that fails', async () => {
  const semaphore = new Semaphore(1, 1);
  await expect(semaphore.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await semaphore.run(async () => 'yes')).toBe('yes');
});
