import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ComputingShares } from './computing-shares.ts';

const { signal } = new AbortController();

/** Shares whose scripts compute until they are ended, and the names of those that began. */
function createShares() {
  let time = 0;
  const sleepers: (() => void)[] = [];
  const shares = new ComputingShares({
    now: () => time,
    sleep: (ms, waiting) =>
      new Promise((resolve, reject) => {
        const until = time + ms;
        waiting.addEventListener('abort', () => reject(waiting.reason));
        sleepers.push(() => time >= until && resolve());
      }),
  });
  const began: string[] = [];
  const ends: (() => void)[] = [];
  const compute = (garden: number, person: number, waiting = signal) =>
    shares.turnsOf({ garden, person })(() => {
      began.push(`garden ${garden}`);
      return new Promise((resolve) => ends.push(resolve));
    }, waiting);
  /** Ends what computes, after a time in ms. */
  const end = async (after: number) => {
    time += after;
    for (const wake of sleepers) wake();
    ends.shift()?.();
    for (let i = 0; i < 5; i++) await turn();
  };
  return { began, compute, end };
}

it('lets one script compute at a time, and persons take turns', async () => {
  const { began, compute, end } = createShares();
  const all = [compute(1, 1), compute(2, 1), compute(3, 1), compute(4, 2)];
  expect(began).toEqual(['garden 1']);
  for (let i = 0; i < 4; i++) await end(50);
  await Promise.all(all);
  expect(began).toEqual(['garden 1', 'garden 2', 'garden 4', 'garden 3']);
});

it('lets a garden compute for 10 s per minute, and other gardens of the same person besides', async () => {
  const { began, compute, end } = createShares();
  void compute(1, 1);
  await end(10_000);
  const controller = new AbortController();
  const aborted = compute(1, 1, controller.signal);
  const late = compute(1, 1);
  void compute(2, 1);
  await end(0);
  expect(began).toEqual(['garden 1', 'garden 2']);
  controller.abort(new Error('stop'));
  await expect(aborted).rejects.toThrow();
  await end(49_999);
  expect(began).toHaveLength(2);
  await end(1);
  await end(0);
  await late;
  expect(began).toEqual(['garden 1', 'garden 2', 'garden 1']);
});

it('counts a call of a function of the robot as 1 ms', async () => {
  const { began, compute, end } = createShares();
  for (let i = 0; i < 10_000; i++) {
    const stretch = compute(1, 1);
    await end(0);
    await stretch;
  }
  void compute(1, 1);
  await end(0);
  expect(began).toHaveLength(10_000);
});
