import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeEngines } from '../../test/support/engines.ts';
import { JobDatabase } from '../../test/support/job-database.ts';
import { Failure } from '../core/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import { jobs } from './job-rows.ts';
import type { JobQueue } from './queue.ts';
import type { JobRunner } from './runner.ts';

const clock = { time: 0, now: () => clock.time };

describeEngines('a job of a serial key', (engine) => {
  const key = { serialKey: 'bed 1' };
  let database: JobDatabase;
  let scope: () => ServerScope;
  let queue: JobQueue;
  let runner: JobRunner;
  let runs: number;
  beforeEach(async () => {
    runs = 0;
    clock.time = Date.UTC(2026, 3, 1);
    database = await JobDatabase.create(engine, clock);
    ({ scope, queue, runner } = database.addProcess());
  });

  afterEach(() => database.remove());

  /** Commits of other connections are visible in the next turn of the event loop. */
  const remaining = async () => {
    await nextTurn();
    return scope().rows(jobs);
  };
  const enqueue = () => queue.enqueueSerial(scope(), 'water', {}, key);
  const runFor = async (duration: number, step: number): Promise<void> => {
    for (const end = clock.time + duration; clock.time < end; clock.time += step) await runner.runDue();
  };

  it('runs again if it was enqueued during its last attempt, which failed, then with all its attempts', async () => {
    runner.register('water', async () => {
      runs++;
      if (runs === 4) await enqueue();
      if (runs < 8) throw new Error('the well is dry');
    });
    await enqueue();
    await runFor(3_600_000, 60_000);
    expect([runs, await remaining()]).toEqual([8, []]);
  });

  it('runs again immediately if it was enqueued during its first attempt, which failed', async () => {
    runner.register('water', async () => {
      runs++;
      if (runs > 1) return;
      await enqueue();
      throw new Error('the well is dry');
    });
    await enqueue();
    await runner.runDue();
    expect([runs, await remaining()]).toEqual([2, []]);
  });

  it('has all its attempts if it was enqueued while an outage interrupted it', async () => {
    runner.register('water', async () => {
      if (++runs < 3) throw new Error('the well is dry');
      await enqueue();
      throw new Failure('unavailable');
    });
    await enqueue();
    for (let attempt = 0; attempt < 3; attempt++, clock.time += 60_000) await runner.runDue();
    expect([runs, await remaining()]).toMatchObject([3, [{ attempts: 0, again: null, failed_at: null }]]);
  });

  it.each(['while it waits', 'while it runs'])(
    'backs off if it always fails and is enqueued frequently %s',
    async (when) => {
      runner.register('water', async () => {
        runs++;
        if (when === 'while it runs') await enqueue();
        throw new Error('the well is dry');
      });
      for (let second = 0; second < 180; second += 5, clock.time += 5000) {
        await enqueue();
        await runner.runDue();
      }
      expect(runs).toBeGreaterThanOrEqual(3);
      expect(runs).toBeLessThanOrEqual(8);
    },
  );

  it('is abandoned if it crashes its process at each attempt, however frequently it is enqueued', async () => {
    await enqueue();
    runner.register('water', async () => expect.unreachable());
    const ended = { locked_by: 'ended', locked_until: '2026-03-31T00:00:00.000Z' };
    await scope().update(jobs, { ...ended, attempts: 4, last_error: 'the well is dry' }, {});
    for (let times = 0; times < 2; times++) {
      await enqueue();
      await runner.runDue();
      expect(await remaining()).toMatchObject([{ attempts: 4, last_error: 'abandoned' }]);
      expect((await remaining())[0]?.failed_at).not.toBeNull();
    }
  });
});
