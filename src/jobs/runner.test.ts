import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JobDatabase, silent, until } from '../../test/support/job-database.ts';
import type { ServerScope } from '../db/scope.ts';
import { backoffAfter } from './attempt-outcome.ts';
import { failedJobs } from './job-counts.ts';
import type { JobPayload } from './job-rows.ts';
import { jobRecord, jobs } from './job-rows.ts';
import type { JobQueue } from './queue.ts';
import { JobRunner } from './runner.ts';

const clock = { time: 0, now: () => clock.time };

let database: JobDatabase;
let scope: () => ServerScope;
let queue: JobQueue;
let runner: JobRunner;

beforeEach(async () => {
  clock.time = Date.UTC(2026, 3, 1);
  database = await JobDatabase.create('sqlite', clock);
  ({ scope, queue, runner } = database.addProcess());
});

afterEach(() => database.remove());

/** Commits of other connections are visible in the next turn of the event loop. */
const remaining = async () => {
  await nextTurn();
  return scope().rows(jobs);
};

describe('jobs', () => {
  it('run after the commit that enqueued them, and are deleted then', async () => {
    const seen: unknown[] = [];
    runner.register('greet', async (_server, payload) => {
      seen.push(payload);
    });
    runner.start();
    await scope().transaction(async (inner) => {
      await queue.enqueue(inner, 'greet', { name: 'Ada' });
      await new Promise((resolve) => setImmediate(resolve));
      expect(seen).toEqual([]);
    });
    await until(() => seen.length === 1);
    expect(seen).toEqual([{ name: 'Ada' }]);
    await runner.stop();
    expect(await remaining()).toEqual([]);
  });

  it('wait for their scheduled time', async () => {
    let runs = 0;
    runner.register('later', async () => {
      runs++;
    });
    await queue.enqueue(scope(), 'later', {}, { runAt: '2026-04-01T00:00:10.000Z' });
    await runner.runDue();
    expect(runs).toBe(0);
    clock.time += 10_000;
    await runner.runDue();
    expect(runs).toBe(1);
  });

  it('are retried with backoff when they fail, then kept as failed', async () => {
    let runs = 0;
    runner.register('fail', async () => {
      runs++;
      throw new Error(`attempt ${runs}`);
    });
    await queue.enqueue(scope(), 'fail', {}, { deviceId: 7 });
    await runner.runDue();
    await runner.runDue();
    expect(runs).toBe(1);
    expect(await remaining()).toMatchObject([
      { attempts: 1, last_error: 'attempt 1', locked_until: null, failed_at: null },
    ]);
    for (const pause of [15_000, 60_000, 240_000]) {
      clock.time += pause;
      await runner.runDue();
    }
    expect(runs).toBe(4);
    clock.time += 24 * 3600_000;
    await runner.runDue();
    expect(runs).toBe(4);
    expect(await failedJobs(scope())).toMatchObject([
      { kind: 'fail', attempts: 4, last_error: 'attempt 4', failed_at: '2026-04-01T00:05:15.000Z', device_id: 7 },
    ]);
  });

  it('back off 5 to 15 s after the first failure, four times as long after each further one', () => {
    for (let i = 0; i < 50; i++) {
      expect(backoffAfter(1)).toBeGreaterThanOrEqual(5_000);
      expect(backoffAfter(1)).toBeLessThan(15_000);
      expect(backoffAfter(3)).toBeGreaterThanOrEqual(80_000);
      expect(backoffAfter(3)).toBeLessThan(240_000);
    }
  });

  it('run once although several runners claim them concurrently', async () => {
    const seen: number[] = [];
    const runners = [runner, database.addProcess().runner, database.addProcess().runner];
    for (const runner of runners)
      runner.register('count', async (_server, payload) => {
        await new Promise((resolve) => setTimeout(resolve, 2));
        seen.push(Number(payload.number));
      });
    for (let i = 0; i < 20; i++) await queue.enqueue(scope(), 'count', { number: i });
    await Promise.all(runners.map((each) => each.runDue()));
    expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(await remaining()).toEqual([]);
  });

  it('are claimed by another process when the lease of an ended process expires', async () => {
    await queue.enqueue(scope(), 'orphan', {});
    await scope().update(jobs, { attempts: 1, locked_until: '2026-04-01T00:01:00.000Z', locked_by: 'ended' }, {});
    let runs = 0;
    runner.register('orphan', async () => {
      runs++;
    });
    await runner.runDue();
    expect(runs).toBe(0);
    clock.time += 60_001;
    await runner.runDue();
    expect(runs).toBe(1);
  });

  it('are not started again while they run, even if their lease has expired, as after the machine was suspended', async () => {
    let runs = 0;
    let others = 0;
    let finish: () => void = () => undefined;
    runner.register('other', async () => void others++);
    runner.register('long', async () => {
      runs++;
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    await queue.enqueue(scope(), 'long', {});
    const first = runner.runDue();
    await until(() => runs === 1);
    clock.time += 3600_000;
    await queue.enqueue(scope(), 'other', {});
    const second = runner.runDue();
    // The claim that found this one has seen the other too.
    await until(() => others === 1);
    expect(runs).toBe(1);
    finish();
    await Promise.all([first, second]);
    expect([runs, await remaining()]).toEqual([1, []]);
  });

  it('fail permanently if they crash their process at each attempt', async () => {
    await queue.enqueue(scope(), 'poison', {}, { maxAttempts: 2 });
    await scope().update(jobs, { attempts: 2, locked_until: '2026-03-31T00:00:00.000Z', locked_by: 'ended' }, {});
    runner.register('poison', async () => expect.unreachable());
    await runner.runDue();
    expect(await failedJobs(scope())).toMatchObject([{ kind: 'poison', last_error: 'abandoned' }]);
  });

  it('are not claimed without a handler', async () => {
    await queue.enqueue(scope(), 'unknown', {});
    runner.register('other', async () => undefined);
    await runner.runDue();
    expect(await remaining()).toHaveLength(1);
  });

  it('of kinds that wait for other servers take no slots of others', async () => {
    const waiting: (() => void)[] = [];
    const wait = () => new Promise<void>((resolve) => void waiting.push(resolve));
    let done = 0;
    runner.register('reset', wait, { waitsFor: 'mail' });
    runner.register('welcome', wait, { waitsFor: 'mail' });
    runner.register('remove', wait, { waitsFor: 'storage' });
    runner.register('work', async () => void done++);
    for (let i = 0; i < 8; i++)
      for (const kind of ['reset', 'welcome', 'remove']) await queue.enqueue(scope(), kind, { i });
    runner.start();
    // Four wait for the mail server and three for the storage.
    await until(() => waiting.length === 7);
    await queue.enqueue(scope(), 'work', {});
    await until(() => done === 1);
    expect(waiting).toHaveLength(7);
    const stopped = runner.stop();
    for (const resolve of waiting) resolve();
    await stopped;
  });

  it('leave slots for others if their kind has a limit', async () => {
    let fetching = 0;
    let most = 0;
    let fetched = 0;
    let mailed = 0;
    let finish: () => void = () => undefined;
    const isAnswered = new Promise<void>((resolve) => {
      finish = resolve;
    });
    runner.register(
      'fetch',
      async () => {
        most = Math.max(most, ++fetching);
        await isAnswered;
        fetching--;
        fetched++;
      },
      { concurrency: 1 },
    );
    runner.register('mail', async () => {
      mailed++;
    });
    for (let i = 0; i < 8; i++) await queue.enqueue(scope(), 'fetch', { i });
    runner.start();
    await until(() => fetching === 1);
    for (let i = 0; i < 8; i++) await queue.enqueue(scope(), 'mail', { i });
    await until(() => mailed === 8);
    expect(fetched).toBe(0);
    finish();
    await until(() => fetched === 8);
    expect(most).toBe(1);
    await runner.stop();
    expect(await remaining()).toEqual([]);
  });

  it('take turns of persons, also if one has more due jobs than are read', async () => {
    const started: unknown[] = [];
    const waiting: (() => void)[] = [];
    const handle = async (_server: ServerScope, { name }: JobPayload) => {
      started.push(name);
      await new Promise<void>((resolve) => void waiting.push(resolve));
    };
    runner.register('post', handle, { waitsFor: 'mail', concurrency: 4, perPerson: 2 });
    for (let i = 0; i < 300; i++) await queue.enqueue(scope(), 'post', { name: `a${i}` }, { turnOf: 1 });
    for (let i = 0; i < 3; i++) await queue.enqueue(scope(), 'post', { name: `b${i}` }, { turnOf: 2 });
    await queue.enqueue(scope(), 'post', { name: 'c0' }, { turnOf: 3 });
    await queue.enqueue(scope(), 'post', { name: 'none' });
    runner.start();
    await until(() => started.length === 4);
    expect(started.toSorted()).toEqual(['a0', 'b0', 'c0', 'none']);
    // The next of each person who has fewer than two.
    waiting[started.indexOf('none')]?.();
    await until(() => started.length === 5);
    expect(started[4]).toBe('a1');
    waiting[started.indexOf('c0')]?.();
    await until(() => started.length === 6);
    expect(started[5]).toBe('b1');
    // A new person comes before persons who wait longer.
    await queue.enqueue(scope(), 'post', { name: 'd0' }, { turnOf: 4 });
    waiting[started.indexOf('a0')]?.();
    await until(() => started.length === 7);
    expect(started[6]).toBe('d0');
    const stopped = runner.stop();
    for (const resolve of waiting) resolve();
    await stopped;
  });

  it.each([10, 150])('of persons who have %i take turns with other persons’', async (count) => {
    const started: unknown[] = [];
    const waiting: (() => void)[] = [];
    const handle = async (_server: ServerScope, { name }: JobPayload) => {
      started.push(name);
      await new Promise<void>((resolve) => void waiting.push(resolve));
    };
    runner.register('post', handle, { waitsFor: 'mail', concurrency: 2, perPerson: 1 });
    for (let i = 0; i < count; i++)
      for (const turnOf of [1, 2]) await queue.enqueue(scope(), 'post', { name: `${turnOf}${i}` }, { turnOf });
    runner.start();
    await until(() => started.length === 2);
    clock.time += 1;
    for (const turnOf of [3, 4]) await queue.enqueue(scope(), 'post', { name: `${turnOf}` }, { turnOf });
    for (let ended = 0; ended < 6; ended++) {
      waiting[ended]?.();
      await until(() => started.length === ended + 3);
    }
    expect(started).toEqual(['10', '20', '3', '4', '11', '21', '12', '22']);
    const stopped = runner.stop();
    for (const resolve of waiting) resolve();
    await stopped;
  });

  it('of one person leave slots free', async () => {
    let running = 0;
    const waiting: (() => void)[] = [];
    const handle = () => {
      running++;
      return new Promise<void>((resolve) => void waiting.push(resolve));
    };
    runner.register('post', handle, { waitsFor: 'mail', perPerson: 2 });
    for (let i = 0; i < 5; i++) await queue.enqueue(scope(), 'post', { i }, { turnOf: 1 });
    runner.start();
    await until(() => running === 2);
    await queue.enqueue(scope(), 'post', {}, { turnOf: 2 });
    await until(() => running === 3);
    await sleep(50);
    expect(running).toBe(3);
    const stopped = runner.stop();
    for (const resolve of waiting) resolve();
    await stopped;
  });

  it('are waited for while a poll claims them', async () => {
    /** As on a slow connection: the claims are known long after their commit. */
    const slowly = (): ServerScope => {
      const inner = scope();
      const transaction = inner.transaction.bind(inner);
      return Object.assign(inner, {
        transaction: async (work: (scope: ServerScope) => Promise<unknown>) => {
          const result = await transaction(work);
          await sleep(50);
          return result;
        },
      });
    };
    const slow = new JobRunner({ queue, scope: slowly, clock, log: silent });
    let isDone = false;
    slow.register('second', async () => {
      isDone = true;
    });
    slow.register('first', async (server) => {
      await queue.enqueue(server, 'second', {});
      await until(async () =>
        (await remaining()).some(({ kind, locked_by }) => kind === 'second' && locked_by !== null),
      );
    });
    await queue.enqueue(scope(), 'first', {});
    slow.start();
    await slow.runDue();
    await slow.stop();
    expect(isDone).toBe(true);
  });

  it('use all four slots', async () => {
    const running: (() => void)[] = [];
    const seen: number[] = [];
    runner.register('work', async () => {
      await new Promise<void>((resolve) => {
        running.push(resolve);
        seen.push(running.length);
      });
    });
    runner.start();
    for (let i = 0; i < 20; i++) await queue.enqueue(scope(), 'work', { i });
    const due = Promise.all([runner.runDue(), runner.runDue()]);
    for (let done = 0; done < 20; done++) {
      await until(() => running.length === Math.min(4, 20 - done));
      running.shift()?.();
    }
    await due;
    await runner.stop();
    expect([Math.max(...seen), seen.length, await remaining()]).toEqual([4, 20, []]);
  });

  it('are shown without personal data', async () => {
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
