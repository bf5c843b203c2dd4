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

  it('of a serial key are one, with the last request, at the earliest time', async () => {
    const key = { serialKey: 'bed 1' };
    const at = (hour: number) => ({ ...key, runAt: `2026-04-01T${hour}:00:00.000Z` });
    await queue.enqueueSerial(scope(), 'water', { bed: 1 }, { ...at(11), turnOf: 7 });
    await queue.enqueueSerial(scope(), 'weed', { bed: 2 }, { ...at(12), turnOf: 8 });
    await queue.enqueueSerial(scope(), 'water', { bed: 3 }, { ...at(12), serialKey: 'bed 2' });
    expect(await remaining()).toMatchObject([
      { kind: 'weed', payload: { bed: 2 }, run_at: '2026-04-01T11:00:00.000Z', turn_of: 8 },
      { kind: 'water', payload: { bed: 3 }, run_at: '2026-04-01T12:00:00.000Z', serial_key: 'bed 2' },
    ]);
    await queue.enqueueSerial(scope(), 'weed', { bed: 2 }, at(10));
    expect(await remaining()).toMatchObject([{ run_at: '2026-04-01T10:00:00.000Z' }, {}]);
  });

  it('of a serial key are enqueued once by many callers', async () => {
    await Promise.all(Array.from({ length: 20 }, () => queue.enqueueSerial(scope(), 'water', {}, { serialKey: 'a' })));
    expect(await remaining()).toMatchObject([{ serial_key: 'a', attempts: 0 }]);
  });

  it('of a serial key that enqueue themselves run again then, with all their attempts', async () => {
    const starts: number[] = [];
    const again = async (inner: ServerScope) => {
      starts.push(clock.time);
      if (starts.length > 5) return;
      const runAt = new Date(clock.time + 60_000).toISOString();
      await queue.enqueueSerial(inner, 'water', {}, { serialKey: 'a', runAt });
    };
    runner.register('water', again);
    await queue.enqueueSerial(scope(), 'water', {}, { serialKey: 'a' });
    const first = clock.time;
    for (let minute = 0; minute < 8; minute++, clock.time += 60_000) {
      await runner.runDue();
      await runner.runDue();
    }
    expect(starts.map((time) => time - first)).toEqual([0, 60_000, 120_000, 180_000, 240_000, 300_000]);
    expect(await remaining()).toEqual([]);
  });

  it('of a serial key run again after they failed, immediately if they are enqueued', async () => {
    let runs = 0;
    runner.register('water', async () => {
      runs++;
      throw new Error('the well is dry');
    });
    const enqueue = () => queue.enqueueSerial(scope(), 'water', {}, { serialKey: 'a', maxAttempts: 1 });
    await enqueue();
    await runner.runDue();
    expect([runs, await remaining()]).toMatchObject([1, [{ attempts: 1, last_error: 'the well is dry' }]]);
    expect((await remaining())[0]?.failed_at).not.toBeNull();
    await enqueue();
    expect(await remaining()).toMatchObject([{ attempts: 0, failed_at: null }]);
    await runner.runDue();
    expect(runs).toBe(2);
  });
});
