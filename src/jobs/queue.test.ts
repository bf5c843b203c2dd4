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

describe('jobs', () => {
  it('never run if their transaction was rolled back', async () => {
    runner.register('greet', async () => expect.unreachable());
    const failing = scope().transaction(async (inner) => {
      await queue.enqueue(inner, 'greet', {});
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await runner.runDue();
    expect(await remaining()).toEqual([]);
  });

  it('are enqueued once per kind, device and payload', async () => {
    const [one, two] = [{ deviceId: 1 }, { deviceId: 2 }];
    for (let i = 0; i < 2; i++) {
      await queue.enqueueOnce(scope(), 'sweep', {});
      await queue.enqueueOnce(scope(), 'fetch', { id: 5, of: 'x' }, one);
      await queue.enqueueOnce(scope(), 'fetch', { of: 'x', id: 5 }, one);
      await queue.enqueueOnce(scope(), 'fetch', { id: 6, of: 'x' }, one);
      await queue.enqueueOnce(scope(), 'fetch', { id: 5, of: 'x' }, two);
      await queue.enqueueOnce(scope(), 'mail', { id: 5, of: 'x' }, two);
    }
    expect((await remaining()).map(({ kind, device_id, payload }) => [kind, device_id, payload.id])).toEqual([
      ['sweep', null, undefined],
      ['fetch', 1, 5],
      ['fetch', 1, 6],
      ['fetch', 2, 5],
      ['mail', 2, 5],
    ]);
  });

  it('run at the earliest time if they are enqueued once, and again if one was running', async () => {
    let runs = 0;
    let finish: () => void = () => undefined;
    runner.register('sweep', async () => {
      runs++;
      if (runs === 1)
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
    });
    await queue.enqueueOnce(scope(), 'sweep', {}, { runAt: '2026-04-01T10:00:00.000Z' });
    await queue.enqueueOnce(scope(), 'sweep', {}, { runAt: '2026-04-01T11:00:00.000Z' });
    expect(await remaining()).toMatchObject([{ run_at: '2026-04-01T10:00:00.000Z' }]);
    runner.start();
    await queue.enqueueOnce(scope(), 'sweep', {});
    await until(() => runs === 1);
    expect(await remaining()).toHaveLength(1);
    // The first run started before these.
    await queue.enqueueOnce(scope(), 'sweep', {});
    await queue.enqueueOnce(scope(), 'sweep', {});
    await until(() => runs === 2);
    finish();
    await runner.stop();
    expect([runs, await remaining()]).toEqual([2, []]);
  });
});
