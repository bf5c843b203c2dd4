import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JobDatabase } from '../../test/support/job-database.ts';
import type { ServerScope } from '../db/scope.ts';
import { failedJobs } from './job-counts.ts';
import { jobRecord, jobs } from './job-rows.ts';
import type { JobQueue } from './queue.ts';
import type { JobRunner } from './runner.ts';
import { pauseAfter } from './runner.ts';

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

describe('jobs', () => {
  it('run after the commit that made them, and are gone then', async () => {
    const seen: unknown[] = [];
    one.register('greet', async (_server, payload) => {
      seen.push(payload);
    });
    one.start();
    await scope().transaction(async (inner) => {
      await queue.enqueue(inner, 'greet', { name: 'Ada' });
      await new Promise((resolve) => setImmediate(resolve));
      expect(seen).toEqual([]);
    });
    await until(() => seen.length === 1);
    expect(seen).toEqual([{ name: 'Ada' }]);
    await one.stop();
    expect(await left()).toEqual([]);
  });

  it('wait for their time', async () => {
    let runs = 0;
    one.register('later', async () => {
      runs++;
    });
    await queue.enqueue(scope(), 'later', {}, { runAt: '2026-04-01T00:00:10.000Z' });
    await one.runDue();
    expect(runs).toBe(0);
    clock.time += 10_000;
    await one.runDue();
    expect(runs).toBe(1);
  });

  it('that fail come again later and later, then stay as dead letters', async () => {
    let runs = 0;
    one.register('fail', async () => {
      runs++;
      throw new Error(`attempt ${runs}`);
    });
    await queue.enqueue(scope(), 'fail', {}, { deviceId: 7 });
    await one.runDue();
    await one.runDue();
    expect(runs).toBe(1);
    expect(await left()).toMatchObject([{ attempts: 1, last_error: 'attempt 1', locked_until: null, failed_at: null }]);
    for (const pause of [15_000, 60_000, 240_000]) {
      clock.time += pause;
      await one.runDue();
    }
    expect(runs).toBe(4);
    clock.time += 24 * 3600_000;
    await one.runDue();
    expect(runs).toBe(4);
    expect(await failedJobs(scope())).toMatchObject([
      { kind: 'fail', attempts: 4, last_error: 'attempt 4', failed_at: '2026-04-01T00:05:15.000Z', device_id: 7 },
    ]);
  });

  it('pause 5 to 15 s after the first failure, four times as long after each further one', () => {
    for (let i = 0; i < 50; i++) {
      expect(pauseAfter(1)).toBeGreaterThanOrEqual(5_000);
      expect(pauseAfter(1)).toBeLessThan(15_000);
      expect(pauseAfter(3)).toBeGreaterThanOrEqual(80_000);
      expect(pauseAfter(3)).toBeLessThan(240_000);
    }
  });

  it('run once though several runners look at once', async () => {
    const seen: number[] = [];
    const several = [one, database.addProcess().runner, database.addProcess().runner];
    for (const one of several)
      one.register('count', async (_server, payload) => {
        await new Promise((resolve) => setTimeout(resolve, 2));
        seen.push(Number(payload.number));
      });
    for (let i = 0; i < 20; i++) await queue.enqueue(scope(), 'count', { number: i });
    await Promise.all(several.map((one) => one.runDue()));
    expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(await left()).toEqual([]);
  });

  it('of a process that is gone are taken over when its lease ends', async () => {
    await queue.enqueue(scope(), 'orphan', {});
    await scope().update(jobs, { attempts: 1, locked_until: '2026-04-01T00:01:00.000Z', locked_by: 'gone' }, {});
    let runs = 0;
    one.register('orphan', async () => {
      runs++;
    });
    await one.runDue();
    expect(runs).toBe(0);
    clock.time += 60_001;
    await one.runDue();
    expect(runs).toBe(1);
  });

  it('that run here are not begun again though their lease has passed, as after a sleep of the machine', async () => {
    let runs = 0;
    let finish: () => void = () => undefined;
    one.register('long', async () => {
      runs++;
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    await queue.enqueue(scope(), 'long', {});
    const first = one.runDue();
    await until(() => runs === 1);
    clock.time += 3600_000;
    const second = one.runDue();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(runs).toBe(1);
    finish();
    await Promise.all([first, second]);
    expect([runs, await left()]).toEqual([1, []]);
  });

  it('that ended their process at each attempt are given up', async () => {
    await queue.enqueue(scope(), 'poison', {}, { maxAttempts: 2 });
    await scope().update(jobs, { attempts: 2, locked_until: '2026-03-31T00:00:00.000Z', locked_by: 'gone' }, {});
    one.register('poison', async () => expect.unreachable());
    await one.runDue();
    expect(await failedJobs(scope())).toMatchObject([{ kind: 'poison', last_error: 'abandoned' }]);
  });

  it('of a kind that nobody here knows stay', async () => {
    await queue.enqueue(scope(), 'unknown', {});
    one.register('other', async () => undefined);
    await one.runDue();
    expect(await left()).toHaveLength(1);
  });

  it('of a kind with a limit leave room for the others', async () => {
    let fetching = 0;
    let most = 0;
    let fetched = 0;
    let mailed = 0;
    let finish: () => void = () => undefined;
    const isAnswered = new Promise<void>((resolve) => {
      finish = resolve;
    });
    one.register(
      'fetch',
      async () => {
        most = Math.max(most, ++fetching);
        await isAnswered;
        fetching--;
        fetched++;
      },
      { concurrency: 1 },
    );
    one.register('mail', async () => {
      mailed++;
    });
    for (let i = 0; i < 8; i++) await queue.enqueue(scope(), 'fetch', { i });
    one.start();
    await until(() => fetching === 1);
    for (let i = 0; i < 8; i++) await queue.enqueue(scope(), 'mail', { i });
    await until(() => mailed === 8);
    expect(fetched).toBe(0);
    finish();
    await until(() => fetched === 8);
    expect(most).toBe(1);
    await one.stop();
    expect(await left()).toEqual([]);
  });

  it('are never more at once than there are places', async () => {
    let running = 0;
    let most = 0;
    one.register('work', async () => {
      most = Math.max(most, ++running);
      await until(() => most >= 4);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
    });
    one.start();
    for (let i = 0; i < 20; i++) await queue.enqueue(scope(), 'work', { i });
    await Promise.all([one.runDue(), one.runDue()]);
    await one.stop();
    expect([most, await left()]).toEqual([4, []]);
  });

  it('show nothing about anybody', async () => {
    const row = await queue.enqueue(scope(), 'destroy_account', { user_id: 5 }, { deviceId: 17 });
    expect(jobRecord(row)).toEqual({
      id: 1,
      priority: 0,
      attempts: 0,
      handler: 'destroy_account',
      last_error: null,
      run_at: '2026-04-01T00:00:00.000Z',
      locked_at: null,
      failed_at: null,
      locked_by: null,
      queue: null,
      created_at: '2026-04-01T00:00:00.000Z',
      updated_at: '2026-04-01T00:00:00.000Z',
    });
  });
});
