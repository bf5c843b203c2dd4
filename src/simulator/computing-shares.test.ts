import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ComputingShares } from './computing-shares.ts';

const { signal } = new AbortController();

/** Shares whose scripts compute until they are ended, and the names of scripts that began. */
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
  const reasons: string[] = [];
  const compute = (garden: number, person: number, { waiting = signal, isDemo = false } = {}) =>
    shares.schedulerOf({ garden, person, isDemo })(
      () => {
        began.push(`garden ${garden}`);
        return new Promise((resolve) => ends.push(resolve));
      },
      waiting,
      (reason) => reasons.push(reason),
    );
  /** Ends computing scripts after a time in ms. */
  const end = async (after: number) => {
    await turn();
    time += after;
    for (const wake of sleepers) wake();
    ends.shift()?.();
    for (let i = 0; i < 5; i++) await turn();
  };
  return { began, reasons, compute, end };
}

it('lets one script compute at a time, and the least used person first', async () => {
  const { began, compute, end } = createShares();
  const all = [compute(1, 1), compute(2, 1), compute(3, 1), compute(4, 2)];
  await turn();
  expect(began).toEqual(['garden 1']);
  for (let i = 0; i < 4; i++) await end(50);
  await Promise.all(all);
  expect(began).toEqual(['garden 1', 'garden 4', 'garden 2', 'garden 3']);
});

it('lets a garden compute for 10 s per minute, and other gardens of the same person besides', async () => {
  const { began, reasons, compute, end } = createShares();
  void compute(1, 1);
  await end(10_000);
  const controller = new AbortController();
  const aborted = compute(1, 1, { waiting: controller.signal });
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
  expect(new Set(reasons)).toEqual(new Set(['this garden computed for 10 s in this minute']));
});

it('lets a person who computed little go before all who computed more', async () => {
  const { began, compute, end } = createShares();
  for (const person of [1, 2, 3]) void compute(person, person);
  for (let i = 0; i < 3; i++) await end(50);
  began.length = 0;
  // Two scripts each, one of which waits while the other one computes.
  for (const person of [1, 2, 3, 1, 2, 3]) void compute(person, person);
  for (let i = 0; i < 3; i++) {
    void compute(4, 4);
    await end(i === 0 ? 50 : 1);
    expect(began.at(-1)).toBe('garden 4');
  }
});

it('counts the part beyond 100 ms without a pause four times', async () => {
  const { began, compute, end } = createShares();
  void compute(1, 1);
  void compute(2, 2);
  await end(200);
  await end(450);
  // 200 ms count 500 ms, and 450 ms 1,500 ms.
  for (let i = 0; i < 11; i++) {
    void compute(1, 1);
    await end(90);
  }
  void compute(3, 3);
  void compute(1, 1);
  void compute(2, 2);
  for (let i = 0; i < 3; i++) await end(1);
  expect(began.slice(-3)).toEqual(['garden 3', 'garden 1', 'garden 2']);
});

it('lets all demo gardens together compute for 20 s per minute', async () => {
  const { began, reasons, compute, end } = createShares();
  for (let i = 0; i < 200; i++) {
    void compute(i, i, { isDemo: true });
    await end(100);
  }
  // One that waited for the permit when the budget was used up, too.
  void compute(201, 201, { isDemo: true });
  void compute(202, 202);
  await end(0);
  expect(began).toHaveLength(201);
  expect(began.at(-1)).toBe('garden 202');
  expect(reasons).toEqual(['demo gardens computed for 20 s in this minute']);
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
