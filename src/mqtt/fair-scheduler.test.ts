import { describe, expect, it } from 'vitest';
import { FairScheduler, type Task } from './fair-scheduler.ts';

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
