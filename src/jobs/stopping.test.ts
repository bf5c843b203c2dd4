import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JobDatabase } from '../../test/support/job-database.ts';
import type { ServerScope } from '../db/scope.ts';
import { jobs } from './job-rows.ts';
import type { JobQueue } from './queue.ts';
import type { JobRunner } from './runner.ts';

const clock = { time: 0, now: () => clock.time };

let database: JobDatabase;
let scope: () => ServerScope;
let queue: JobQueue;
let one: JobRunner;

beforeEach(async () => {
  clock.time = Date.UTC(2026, 3, 1);
  database = await JobDatabase.create('sqlite', clock);
  ({ scope, queue, runner: one } = database.addProcess());
});

afterEach(() => database.remove());

/** What other connections committed is seen in the next turn of the event loop. */
const left = async () => {
  await nextTurn();
  return scope().rows(jobs);
};

/** Waits until a condition holds; the runner works on its own then. */
async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 400 && !holds(); i++) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(holds()).toBe(true);
}

describe('jobs of a runner that stops', () => {
  it('are waited for when they run', async () => {
    let isDone = false;
    let isStarted = false;
    one.register('slow', async () => {
      isStarted = true;
      await new Promise((resolve) => setTimeout(resolve, 60));
      isDone = true;
    });
    one.start();
    await queue.enqueue(scope(), 'slow', {});
    await until(() => isStarted);
    await one.stop();
    expect(isDone).toBe(true);
    expect(await left()).toEqual([]);
  });

  it('that it overtakes while they are being claimed are as if nobody had looked', async () => {
    for (let i = 0; i < 3; i++) await queue.enqueue(scope(), 'late', { i });
    one.register('late', async () => expect.unreachable());
    one.start();
    await one.stop();
    const untouched = { attempts: 0, locked_until: null, locked_by: null, last_error: null };
    expect(await left()).toMatchObject([untouched, untouched, untouched]);
    await one.runDue();
    expect(await left()).toMatchObject([untouched, untouched, untouched]);
  });

  it('that outlast its patience keep their lease, and others take them over after it', async () => {
    let finish: () => void = () => undefined;
    let isStarted = false;
    one.register('endless', async () => {
      isStarted = true;
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      throw new Error('the process has ended');
    });
    one.start();
    await queue.enqueue(scope(), 'endless', {});
    await until(() => isStarted);
    await one.stop(20);
    expect(await left()).toMatchObject([{ attempts: 1, locked_until: '2026-04-01T00:01:00.000Z', failed_at: null }]);
    clock.time += 60_001;
    let runs = 0;
    const other = database.addProcess().runner;
    other.register('endless', async () => {
      runs++;
    });
    await other.runDue();
    expect([runs, await left()]).toEqual([1, []]);
    finish();
  });
});
