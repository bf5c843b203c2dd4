import { expect, it } from 'vitest';
import { mayWait } from './import-limits.ts';
import { ImportLine } from './import-line.ts';

it('lets one work at a time, in order, and sends away who would wait too long', async () => {
  const line = new ImportLine();
  const began: number[] = [];
  const ends: (() => void)[] = [];
  const work = (n: number) =>
    line.inTurn(async () => {
      began.push(n);
      await new Promise<void>((resolve) => ends.push(resolve));
      return n;
    });
  const all = Array.from({ length: mayWait + 1 }, (_, n) => work(n));
  await expect(work(99)).rejects.toMatchObject({ code: 'throttled' });
  expect(began).toEqual([0]);
  for (let n = 0; n <= mayWait; n++) {
    ends[n]?.();
    expect(await all[n]).toBe(n);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(began).toEqual(Array.from({ length: mayWait + 1 }, (_, n) => n));
});

it('goes on after a failure', async () => {
  const line = new ImportLine();
  await expect(line.inTurn(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await line.inTurn(async () => 'yes')).toBe('yes');
});
