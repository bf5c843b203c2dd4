import { expect, it } from 'vitest';
import { Failure } from './errors.ts';
import { FairSemaphore } from './fair-semaphore.ts';

/** A semaphore of one permit whose tasks end one after the other. */
function recorder(maxQueued: number, maxQueuedPerKey?: number) {
  const semaphore = new FairSemaphore(1, maxQueued, maxQueuedPerKey);
  const started: string[] = [];
  const finish: (() => void)[] = [];
  const run = (name: string): Promise<string> =>
    semaphore
      .run(name.charAt(0), async () => {
        started.push(name);
        await new Promise<void>((resolve) => finish.push(resolve));
        return 'done';
      })
      .catch((error: unknown) => (error instanceof Failure ? String(error.status) : 'error'));
  const finishAll = async (tasks: readonly Promise<string>[]): Promise<string[]> => {
    const all = Promise.all(tasks);
    let ended = false;
    void all.then(() => {
      ended = true;
    });
    while (!ended) {
      finish.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return all;
  };
  return { started, run, finishAll };
}

it('starts one task of each key in turn, and the tasks of a key in order', async () => {
  const { started, run, finishAll } = recorder(10);
  await finishAll(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(run));
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

it('rejects the newest task of the longest queue when a shorter one needs room', async () => {
  const { started, run, finishAll } = recorder(4);
  const results = await finishAll(['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'b2', 'b3', 'c1'].map(run));
  expect(results).toEqual(['done', 'done', '429', '429', '429', '429', 'done', 'done', '429', 'done']);
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'b2']);
});

it('rejects tasks of a key beyond the length of its queue, however much room there is', async () => {
  const { started, run, finishAll } = recorder(10, 2);
  const results = await finishAll(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3'].map(run));
  expect(results).toEqual(['done', 'done', 'done', '429', 'done', 'done', '429']);
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
});

it('runs as many tasks as it has permits, queues the next ones in order and rejects beyond the queue', async () => {
  const semaphore = new FairSemaphore(2, 2);
  const started: number[] = [];
  const finish: (() => void)[] = [];
  const task = (number: number) =>
    semaphore.run('', async () => {
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
  const semaphore = new FairSemaphore(1, 1);
  await expect(semaphore.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await semaphore.run('a', async () => 'yes')).toBe('yes');
});
