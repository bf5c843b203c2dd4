import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EventDispatcher } from '../db/event-dispatcher.ts';
import { migrate } from '../db/migrator.ts';
import type { ServerScope } from '../db/scope.ts';
import { scopeSource } from '../db/scopes.ts';
import type { Database } from '../db/session.ts';
import { openSqlite } from '../db/sqlite.ts';
import { deadJobs } from './dead-letters.ts';
import { jobRecord, jobs } from './job-rows.ts';
import { JobQueue } from './queue.ts';
import { JobRunner, pauseAfter } from './runner.ts';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const clock = { time: 0, now: () => clock.time };

let database: Database;
let scope: () => ServerScope;
let queue: JobQueue;
const runners: JobRunner[] = [];

beforeEach(async () => {
  clock.time = Date.UTC(2026, 3, 1);
  const folder = await mkdtemp(join(tmpdir(), 'potager-jobs-'));
  database = openSqlite(join(folder, 'test.sqlite'));
  const { id: _id, created_at: _created, updated_at: _updated, ...columns } = jobs.columns;
  const first = {
    number: 1,
    name: 'jobs',
    change: (schema: Parameters<Parameters<typeof migrate>[1][number]['change']>[0]) =>
      schema.createTable('jobs', columns),
  };
  await migrate(database, [first], { clock, log: silent, copies: folder });
  const source = scopeSource({ database, clock, events: new EventDispatcher(clock), bodies: async () => new Map() });
  scope = () => source(silent);
  queue = new JobQueue();
});

afterEach(async () => {
  for (const one of runners.splice(0)) await one.stop(100);
  await database.close();
});

function runner(): JobRunner {
  const made = new JobRunner({ queue, scope, clock, log: silent });
  runners.push(made);
  return made;
}

const left = () => scope().rows(jobs);

/** Waits until a condition holds; the runner works on its own then. */
async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 400 && !holds(); i++) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(holds()).toBe(true);
}

describe('jobs', () => {
  it('run after the commit that made them, and are gone then', async () => {
    const seen: unknown[] = [];
    const one = runner();
    one.handle('greet', async (_server, payload) => {
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

  it('of a transaction that failed never run', async () => {
    const one = runner();
    one.handle('greet', async () => expect.unreachable());
    const failing = scope().transaction(async (inner) => {
      await queue.enqueue(inner, 'greet', {});
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await one.runDue();
    expect(await left()).toEqual([]);
  });

  it('wait for their time', async () => {
    let runs = 0;
    const one = runner();
    one.handle('later', async () => {
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
    const one = runner();
    one.handle('fail', async () => {
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
    expect(await deadJobs(scope())).toMatchObject([
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
    const several = [runner(), runner(), runner()];
    for (const one of several)
      one.handle('count', async (_server, payload) => {
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
    const one = runner();
    one.handle('orphan', async () => {
      runs++;
    });
    await one.runDue();
    expect(runs).toBe(0);
    clock.time += 60_001;
    await one.runDue();
    expect(runs).toBe(1);
  });

  it('that ended their process at each attempt are given up', async () => {
    await queue.enqueue(scope(), 'poison', {}, { maxAttempts: 2 });
    await scope().update(jobs, { attempts: 2, locked_until: '2026-03-31T00:00:00.000Z', locked_by: 'gone' }, {});
    const one = runner();
    one.handle('poison', async () => expect.unreachable());
    await one.runDue();
    expect(await deadJobs(scope())).toMatchObject([{ kind: 'poison', last_error: 'abandoned' }]);
  });

  it('of a kind that nobody here knows stay', async () => {
    await queue.enqueue(scope(), 'unknown', {});
    const one = runner();
    one.handle('other', async () => undefined);
    await one.runDue();
    expect(await left()).toHaveLength(1);
  });

  it('that sweep are queued once', async () => {
    await queue.enqueueOnce(scope(), 'sweep', {});
    await queue.enqueueOnce(scope(), 'sweep', {});
    expect(await left()).toHaveLength(1);
  });

  it('that run are waited for when the runner stops', async () => {
    let isDone = false;
    let isStarted = false;
    const one = runner();
    one.handle('slow', async () => {
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
