import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeEngines } from '../../test/support/engines.ts';
import type { JobProcess } from '../../test/support/job-database.ts';
import { JobDatabase } from '../../test/support/job-database.ts';
import { Failure } from '../core/errors.ts';
import { failedJobs } from './job-counts.ts';
import { jobs } from './job-rows.ts';
import { retryFailedJobs } from './retries.ts';
import { JobRunner } from './runner.ts';

const minute = 60_000;
const hour = 60 * minute;
const start = Date.UTC(2026, 3, 1);
const clock = { time: start, now: () => clock.time };

const diskError = (code: string): Error => Object.assign(new Error(`${code}: write`), { code });

describeEngines('jobs during an outage of the installation', (engine) => {
  let database: JobDatabase;
  let process: JobProcess;
  let runs: number;
  let problem: Error | null;
  beforeEach(async () => {
    clock.time = start;
    runs = 0;
    database = await JobDatabase.create(engine, clock);
    process = database.addProcess();
    process.runner.register('store', async () => {
      runs++;
      if (problem) throw problem;
    });
    await process.queue.enqueue(process.scope(), 'store', {});
  });
  afterEach(() => database.remove());

  const runFor = async (duration: number, step: number): Promise<void> => {
    for (const end = clock.time + duration; clock.time < end; clock.time += step) await process.runner.runDue();
  };

  it.each([new Failure('unavailable'), diskError('ENOSPC'), diskError('EACCES'), diskError('EMFILE')])(
    'continue for days with pauses of minutes: %s',
    async (error) => {
      problem = error;
      await runFor(5 * minute, 15_000);
      expect(runs).toBeGreaterThan(4);
      await runFor(3 * 24 * hour, 6 * hour);
      const before = runs;
      await runFor(hour, minute);
      // Every ten minutes, more or less.
      expect(runs - before).toBeGreaterThanOrEqual(4);
      expect(runs - before).toBeLessThanOrEqual(9);
      expect(await process.scope().rows(jobs)).toMatchObject([{ attempts: 0, failed_at: null }]);
      problem = null;
      await runFor(20 * minute, minute);
      expect(await process.scope().count(jobs)).toBe(0);
    },
  );

  it('are reported once when they cannot be read, and once when they can be read again', async () => {
    const lines: string[] = [];
    const add = (_object: object, message: string) => void lines.push(message);
    let isDown = true;
    let polls = 0;
    const scope = () => {
      polls++;
      if (isDown) throw new Failure('unavailable');
      return process.scope();
    };
    const log = { debug: add, info: add, warn: add, error: add };
    const runner = new JobRunner({ queue: process.queue, scope, clock, log });
    runner.start();
    try {
      for (let count = 1; count <= 3; count++) {
        const before = polls;
        await process.queue.enqueue(process.scope(), 'other', {});
        await expect.poll(() => polls).toBeGreaterThan(before);
      }
      isDown = false;
      await process.queue.enqueue(process.scope(), 'other', {});
      await expect.poll(() => lines.length).toBe(2);
      expect(lines).toEqual([
        'background jobs cannot be read; the server tries again',
        'background jobs can be read again',
      ]);
    } finally {
      await runner.stop();
    }
  });

  it('have all their attempts after it', async () => {
    problem = new Failure('unavailable');
    await runFor(hour, minute);
    runs = 0;
    problem = new Error('a defect');
    await runFor(hour, minute);
    expect(runs).toBe(4);
    expect(await failedJobs(process.scope())).toMatchObject([{ attempts: 4, last_error: 'a defect' }]);
  });

  it('fail after two weeks, and can be run again', async () => {
    problem = new Failure('unavailable');
    await runFor(14 * 24 * hour, 6 * hour);
    await runFor(2 * hour, 10 * minute);
    const { scope, queue, runner } = process;
    const [failed] = await failedJobs(scope());
    expect(failed).toMatchObject({ kind: 'store' });
    problem = null;
    expect(await retryFailedJobs(scope(), queue, { kind: 'another' })).toEqual([]);
    expect(await retryFailedJobs(scope(), queue, { id: failed?.id ?? 0 })).toMatchObject([
      { attempts: 0, failed_at: null, paused_since: null },
    ]);
    await runner.runDue();
    expect(await scope().count(jobs)).toBe(0);
  });

  it('do not count if the database is unavailable, too, until it responds again', async () => {
    const { scope, queue } = process;
    let isAway = false;
    const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
    const runner = new JobRunner({
      queue,
      clock,
      log,
      scope: () => {
        if (isAway) throw new Failure('unavailable');
        return scope();
      },
    });
    runner.register('store', async () => {
      isAway = true;
      setTimeout(() => {
        isAway = false;
      }, 100);
      throw new Failure('unavailable');
    });
    await runner.runDue();
    expect(await scope().rows(jobs)).toMatchObject([
      { attempts: 0, failed_at: null, locked_until: null, locked_by: null },
    ]);
  });
});
