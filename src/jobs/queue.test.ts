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

describe('jobs', () => {
  it('of a transaction that failed never run', async () => {
    one.register('greet', async () => expect.unreachable());
    const failing = scope().transaction(async (inner) => {
      await queue.enqueue(inner, 'greet', {});
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await one.runDue();
    expect(await left()).toEqual([]);
  });

  it('that do the work of several are queued once: same kind, same device, same payload', async () => {
    const [one, two] = [{ deviceId: 1 }, { deviceId: 2 }];
    for (let i = 0; i < 2; i++) {
      await queue.enqueueOnce(scope(), 'sweep', {});
      await queue.enqueueOnce(scope(), 'fetch', { id: 5, of: 'x' }, one);
      await queue.enqueueOnce(scope(), 'fetch', { of: 'x', id: 5 }, one);
      await queue.enqueueOnce(scope(), 'fetch', { id: 6, of: 'x' }, one);
      await queue.enqueueOnce(scope(), 'fetch', { id: 5, of: 'x' }, two);
      await queue.enqueueOnce(scope(), 'mail', { id: 5, of: 'x' }, two);
    }
    expect((await left()).map(({ kind, device_id, payload }) => [kind, device_id, payload.id])).toEqual([
      ['sweep', null, undefined],
      ['fetch', 1, 5],
      ['fetch', 1, 6],
      ['fetch', 2, 5],
      ['mail', 2, 5],
    ]);
  });

  it('that are queued once run at the earliest time that was asked for, and again if one runs already', async () => {
    let runs = 0;
    let finish: () => void = () => undefined;
    one.register('sweep', async () => {
      runs++;
      if (runs === 1)
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
    });
    await queue.enqueueOnce(scope(), 'sweep', {}, { runAt: '2026-04-01T10:00:00.000Z' });
    await queue.enqueueOnce(scope(), 'sweep', {}, { runAt: '2026-04-01T11:00:00.000Z' });
    expect(await left()).toMatchObject([{ run_at: '2026-04-01T10:00:00.000Z' }]);
    one.start();
    await queue.enqueueOnce(scope(), 'sweep', {});
    await until(() => runs === 1);
    expect(await left()).toHaveLength(1);
    // It began before this was asked for.
    await queue.enqueueOnce(scope(), 'sweep', {});
    await queue.enqueueOnce(scope(), 'sweep', {});
    await until(() => runs === 2);
    finish();
    await one.stop();
    expect([runs, await left()]).toEqual([2, []]);
  });
});
