import { describe, expect, it } from 'vitest';
import { ByteBudget, FairScheduler, type Task } from './fair-sharing.ts';

const nextIteration = () => new Promise((resolve) => setImmediate(resolve));

/** Returns a task with a number of slices that records each. */
function task(name: string, slices: number, scheduler: FairScheduler, done: string[]): Task {
  let left = slices;
  const subject: Task = {
    runSlice() {
      done.push(name);
      left--;
      if (left > 0) scheduler.schedule(subject);
    },
  };
  return subject;
}

describe('a fair scheduler', () => {
  it('runs one slice of each task in turn', async () => {
    const scheduler = new FairScheduler({ maxRoundTime: 1_000, maxRoundSlices: 100 });
    const done: string[] = [];
    for (const [name, slices] of [
      ['a', 3],
      ['b', 1],
      ['c', 2],
    ] as const)
      scheduler.schedule(task(name, slices, scheduler, done));
    expect(done).toEqual([]);
    await nextIteration();
    expect(done).toEqual(['a', 'b', 'c', 'a', 'c', 'a']);
    scheduler.schedule(task('d', 1, scheduler, done));
    await nextIteration();
    expect(done.at(-1)).toBe('d');
  });

  it('returns to the event loop after some slices', async () => {
    const scheduler = new FairScheduler({ maxRoundTime: 1_000, maxRoundSlices: 4 });
    const done: string[] = [];
    scheduler.schedule(task('a', 10, scheduler, done));
    const counts: number[] = [];
    for (let index = 0; index < 4; index++) {
      await nextIteration();
      counts.push(done.length);
    }
    expect(counts).toEqual([4, 8, 10, 10]);
  });

  it('returns to the event loop after some milliseconds', async () => {
    const scheduler = new FairScheduler({ maxRoundTime: 5, maxRoundSlices: 100 });
    const done: string[] = [];
    const slow: Task = {
      runSlice() {
        for (const start = performance.now(); performance.now() - start < 6; );
        done.push('slow');
        if (done.length < 3) scheduler.schedule(slow);
      },
    };
    scheduler.schedule(slow);
    await nextIteration();
    expect(done).toHaveLength(1);
    await nextIteration();
    expect(done).toHaveLength(2);
  });

  it('counts work in the tick after a slice as part of the slice', async () => {
    const scheduler = new FairScheduler({ maxRoundTime: 1_000, maxRoundSlices: 100 });
    const done: string[] = [];
    const late = (name: string): Task => ({
      runSlice() {
        done.push(`${name} begins`);
        process.nextTick(() => done.push(`${name} ends`));
      },
    });
    scheduler.schedule(late('a'));
    scheduler.schedule(late('b'));
    await nextIteration();
    expect(done).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });
});

function budget(limit: number) {
  const real = new Map<string, number>();
  const evicted: string[] = [];
  const subject = new ByteBudget<string>(
    limit,
    (name) => real.get(name) ?? 0,
    (name) => evicted.push(name),
  );
  const report = (name: string, bytes: number) => {
    real.set(name, bytes);
    subject.report(name, bytes);
  };
  return { real, evicted, subject, report };
}

describe('a byte budget', () => {
  it('evicts the largest holders until the total is within the limit', () => {
    const { evicted, report, subject } = budget(100);
    report('a', 30);
    report('b', 40);
    report('c', 30);
    expect(evicted).toEqual([]);
    report('d', 35);
    expect(evicted).toEqual(['b']);
    expect(subject.total).toBe(95);
    report('a', 80);
    expect(evicted).toEqual(['b', 'a']);
    expect(subject.total).toBe(65);
  });

  it('measures all holders before it evicts one', () => {
    const { evicted, real, report, subject } = budget(100);
    report('a', 90);
    real.set('a', 0);
    report('b', 50);
    expect(evicted).toEqual([]);
    expect(subject.total).toBe(50);
  });

  it('removes a holder of 0 bytes', () => {
    const { report, subject } = budget(100);
    report('a', 90);
    report('a', 0);
    expect(subject.total).toBe(0);
  });
});
