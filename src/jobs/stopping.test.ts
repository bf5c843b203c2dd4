import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JobDatabase, until } from '../../test/support/job-database.ts';
import type { ServerScope } from '../db/scope.ts';
import { jobs } from './job-rows.ts';
import type { JobQueue } from './queue.ts';
import type { JobRunner } from './runner.ts';

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

describe('jobs of a runner that stops', () => {
  it('are finished if they are running', async () => {
    let finish: (() => void) | undefined;
    runner.register('slow', async () => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    runner.start();
    await queue.enqueue(scope(), 'slow', {});
    await until(() => finish !== undefined);
    const stopped = runner.stop(30_000).then(() => 'stopped');
    await nextTurn();
    expect(await Promise.race([stopped, nextTurn('running')])).toBe('running');
    finish?.();
    await stopped;
    expect(await remaining()).toEqual([]);
  });

  it('are released unchanged if they are being claimed', async () => {
    for (let i = 0; i < 3; i++) await queue.enqueue(scope(), 'late', { i });
    runner.register('late', async () => expect.unreachable());
    runner.start();
    await runner.stop();
    const untouched = { attempts: 0, locked_until: null, locked_by: null, last_error: null };
    expect(await remaining()).toMatchObject([untouched, untouched, untouched]);
    await runner.runDue();
    expect(await remaining()).toMatchObject([untouched, untouched, untouched]);
  });

  it('keep their lease if they exceed the timeout, and are claimed by another process when it expires', async () => {
    let finish: () => void = () => undefined;
    let isStarted = false;
    runner.register('endless', async () => {
      isStarted = true;
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      throw new Error('the process has ended');
    });
    runner.start();
    await queue.enqueue(scope(), 'endless', {});
    await until(() => isStarted);
    await runner.stop(20);
    expect(await remaining()).toMatchObject([
      { attempts: 1, locked_until: '2026-04-01T00:00:08.000Z', failed_at: null },
    ]);
    clock.time += 10_000;
    let runs = 0;
    const other = database.addProcess().runner;
    other.register('endless', async () => {
      runs++;
    });
    await other.runDue();
    expect([runs, await remaining()]).toEqual([1, []]);
    finish();
  });
});
