import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeEngines } from '../../test/support/engines.ts';
import { JobDatabase, until } from '../../test/support/job-database.ts';
import { timestamp } from '../core/clock.ts';
import { jobs } from './job-rows.ts';

const clock = { time: null as number | null, now: () => clock.time ?? Date.now() };

describeEngines('jobs of several processes', (engine) => {
  let database: JobDatabase;
  beforeEach(async () => {
    clock.time = null;
    database = await JobDatabase.create(engine, clock);
  });
  afterEach(() => database.remove());

  it('run once each, under load', async () => {
    const number = 300;
    const [one, other] = [database.addProcess({ concurrency: 8 }), database.addProcess({ concurrency: 8 })];
    const began = new Set<number>();
    const ran: { readonly job: number; readonly process: number }[] = [];
    for (const [process, { runner }] of [one, other].entries()) {
      runner.register('count', async (_server, { job }) => {
        began.add(process);
        // On a busy machine, one may begin when the other has run all.
        await until(() => began.size === 2);
        await sleep(Math.random() * 4);
        ran.push({ job: Number(job), process });
      });
      runner.start();
    }
    // Both enqueue jobs while both run some.
    await Promise.all(
      Array.from({ length: number }, async (_, job) => {
        await sleep(Math.random() * 1000);
        const { queue, scope } = job % 2 === 0 ? one : other;
        await queue.enqueue(scope(), 'count', { job });
      }),
    );
    // By the runs: on SQLite, a process sees another's last commit in the next turn of the event loop.
    await expect.poll(() => ran.length).toBe(number);
    await expect.poll(async () => one.scope().count(jobs)).toBe(0);
    expect(ran.map(({ job }) => job).sort((a, b) => a - b)).toEqual(Array.from({ length: number }, (_, job) => job));
    expect(new Set(ran.map(({ process }) => process))).toEqual(new Set([0, 1]));
  });

  it('of one serial key run one at a time, and again if they were enqueued while one ran', async () => {
    const processes = [database.addProcess(), database.addProcess()];
    const keys = ['north', 'south', 'west'];
    const wanted = new Map<unknown, number>();
    const done = new Map<unknown, number>();
    const running = new Set<unknown>();
    let [runs, overlaps] = [0, 0];
    for (const { runner } of processes) {
      runner.register('water', async (_server, { bed }) => {
        if (running.has(bed)) overlaps++;
        running.add(bed);
        runs++;
        const seen = wanted.get(bed) ?? 0;
        await sleep(Math.random() * 20);
        done.set(bed, seen);
        running.delete(bed);
      });
      runner.start();
    }
    await Promise.all(
      Array.from({ length: 240 }, async (_, number) => {
        await sleep(Math.random() * 1500);
        const process = processes[number % 2] ?? expect.unreachable();
        const bed = keys[number % 3] ?? '';
        await process.scope().transaction(async (scope) => {
          await process.queue.enqueueSerial(scope, 'water', { bed }, { serialKey: bed });
          wanted.set(bed, (wanted.get(bed) ?? 0) + 1);
        });
      }),
    );
    const { scope } = processes[0] ?? expect.unreachable();
    await expect.poll(() => scope().count(jobs)).toBe(0);
    expect([...done].sort()).toEqual(keys.map((key) => [key, 80]));
    expect(overlaps).toBe(0);
    expect(runs).toBeLessThan(240);
  });

  it('of a serial key are taken over from a process that ended, however often they were enqueued since', async () => {
    const [one, other] = [database.addProcess(), database.addProcess()];
    clock.time = Date.now();
    const claim = { attempts: 1, locked_by: 'ended', locked_until: timestamp(clock.time + 8000) };
    await one.queue.enqueueSerial(one.scope(), 'water', { bed: 1 }, { serialKey: 'bed 1' });
    await one.scope().update(jobs, claim, {});
    const runs: unknown[] = [];
    other.runner.register('water', async (_server, { bed }) => void runs.push(bed));
    for (let i = 0; i < 3; i++)
      await other.queue.enqueueSerial(other.scope(), 'water', { bed: 1 }, { serialKey: 'bed 1' });
    await other.runner.runDue();
    expect(runs).toEqual([]);
    clock.time += 8001;
    await other.runner.runDue();
    expect([runs, await one.scope().count(jobs)]).toEqual([[1], 0]);
  });

  it('are not claimed by others while their process renews the lease', async () => {
    const lease = 90;
    const [first, second] = [database.addProcess({ lease }), database.addProcess({ lease })];
    let runs = 0;
    let finish: (() => void) | undefined;
    clock.time = Date.now();
    for (const { runner } of [first, second])
      runner.register('slow', async () => {
        runs++;
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
      });
    await first.queue.enqueue(first.scope(), 'slow', {});
    const work = first.runner.runDue();
    await until(() => runs === 1);
    // The clock advances by three leases, half of one after each renewal.
    for (let step = 0; step < 6; step++) {
      clock.time += lease / 2;
      const expiry = timestamp(clock.time + lease);
      await expect
        .poll(async () => (await first.scope().rows(jobs)).map(({ locked_until }) => locked_until))
        .toEqual([expiry]);
      await second.runner.runDue();
      expect(runs).toBe(1);
    }
    finish?.();
    await work;
    expect([runs, await first.scope().count(jobs)]).toEqual([1, 0]);
  });
});
