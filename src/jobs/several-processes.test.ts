import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeEngines } from '../../test/support/engines.ts';
import { JobDatabase } from '../../test/support/job-database.ts';
import { systemClock } from '../core/clock.ts';
import { jobs } from './job-rows.ts';

describeEngines('jobs of several processes', (engine) => {
  let database: JobDatabase;
  beforeEach(async () => {
    database = await JobDatabase.create(engine, systemClock);
  });
  afterEach(() => database.remove());

  it('run once each, under load', { timeout: 60_000 }, async () => {
    const number = 300;
    const [one, other] = [database.addProcess({ concurrency: 8 }), database.addProcess({ concurrency: 8 })];
    const ran: { readonly job: number; readonly process: number }[] = [];
    for (const [process, { runner }] of [one, other].entries()) {
      runner.register('count', async (_server, { job }) => {
        await sleep(Math.random() * 4);
        ran.push({ job: Number(job), process });
      });
      runner.start();
    }
    // Both are asked for work while both do some.
    await Promise.all(
      Array.from({ length: number }, async (_, job) => {
        await sleep(Math.random() * 1000);
        const { queue, scope } = job % 2 === 0 ? one : other;
        await queue.enqueue(scope(), 'count', { job });
      }),
    );
    await expect.poll(async () => one.scope().count(jobs), { timeout: 30_000 }).toBe(0);
    expect(ran.map(({ job }) => job).sort((a, b) => a - b)).toEqual(Array.from({ length: number }, (_, job) => job));
    expect(new Set(ran.map(({ process }) => process))).toEqual(new Set([0, 1]));
  });

  it('are left to the one that works on them, however long it takes', async () => {
    const lease = 1000;
    const [first, second] = [database.addProcess({ lease }), database.addProcess({ lease })];
    let runs = 0;
    for (const { runner } of [first, second])
      runner.register('slow', async () => {
        runs++;
        await sleep(3 * lease);
      });
    await first.queue.enqueue(first.scope(), 'slow', {});
    const work = first.runner.runDue();
    await expect.poll(() => runs).toBe(1);
    const end = Date.now() + 2.5 * lease;
    while (Date.now() < end) {
      await second.runner.runDue();
      await sleep(20);
    }
    expect(runs).toBe(1);
    await work;
    expect([runs, await first.scope().count(jobs)]).toEqual([1, 0]);
  });
});
