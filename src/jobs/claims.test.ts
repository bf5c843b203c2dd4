import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeEngines } from '../../test/support/engines.ts';
import type { JobProcess } from '../../test/support/job-database.ts';
import { JobDatabase } from '../../test/support/job-database.ts';
import { timestamp } from '../core/clock.ts';
import { jobs } from './job-rows.ts';
import { jobSchedules } from './schedules.ts';

const start = Date.UTC(2026, 3, 1);
const minute = 60_000;
const day = 24 * 60 * minute;
const clock = { time: start, now: () => clock.time };

describeEngines('after the clock was set back', (engine) => {
  let database: JobDatabase;
  let process: JobProcess;
  let runs: number;
  beforeEach(async () => {
    clock.time = start;
    runs = 0;
    database = await JobDatabase.create(engine, clock);
    process = database.addProcess();
  });
  afterEach(() => database.remove());

  const count = async () => void runs++;
  const leased = async (until: number) => {
    const { queue, scope } = process;
    await queue.enqueue(scope(), 'work', {});
    const claim = {
      attempts: 1,
      locked_until: timestamp(until),
      locked_by: 'ended',
      run_at: timestamp(until - minute),
    };
    await scope().update(jobs, claim, {});
  };

  it('a lease that ends far in the future is released', async () => {
    process.runner.register('work', count);
    await leased(start + 365 * day);
    await process.runner.runDue();
    expect([runs, await process.scope().count(jobs)]).toEqual([1, 0]);
  });

  it('a lease of a machine whose clock is slightly ahead is kept', async () => {
    process.runner.register('work', count);
    await leased(start + 65_000);
    await process.runner.runDue();
    expect(runs).toBe(0);
  });

  it('a job of a process that renewed its lease since and was killed is taken over', async () => {
    process.runner.register('work', count);
    await leased(start + 365 * day);
    await process.scope().update(jobs, { locked_until: timestamp(start + 8000) }, {});
    await process.runner.runDue();
    expect(runs).toBe(0);
    // Times are repaired once a minute.
    clock.time += minute;
    await process.runner.runDue();
    expect([runs, await process.scope().count(jobs)]).toEqual([1, 0]);
  });

  it('a failed job is retried after its backoff', async () => {
    const { runner, queue, scope } = process;
    clock.time = start + 365 * day;
    runner.register('work', async () => {
      runs++;
      throw new Error('not now');
    });
    await queue.enqueue(scope(), 'work', {});
    await runner.runDue();
    clock.time = start;
    await runner.runDue();
    expect(runs).toBe(1);
    clock.time += 15_000;
    await runner.runDue();
    expect(runs).toBe(2);
  });

  it('a job enqueued in the future runs in a process that started later', async () => {
    const { queue, scope } = process;
    clock.time = start + 365 * day;
    await queue.enqueue(scope(), 'work', {});
    clock.time = start;
    const { runner } = database.addProcess();
    runner.register('work', count);
    await runner.runDue();
    expect(runs).toBe(1);
  });

  it('periodic jobs continue', async () => {
    const { runner, scope } = process;
    runner.register('tidy', count, { interval: day });
    await runner.planSchedules();
    clock.time = start + 365 * day;
    const stopped = database.addProcess();
    stopped.runner.register('tidy', async () => expect.unreachable(), { interval: day });
    await stopped.runner.stop();
    // Enqueued, but not run.
    await process.queue.enqueue(scope(), 'tidy', {});
    await scope().update(jobSchedules, { next_at: timestamp(start + 366 * day) }, {});
    clock.time = start + minute;
    await runner.runDue();
    expect([runs, await scope().count(jobs)]).toEqual([1, 0]);
    clock.time += day;
    await runner.runDue();
    expect(runs).toBe(2);
  });

  it('scheduled jobs keep their time', async () => {
    const { runner, queue, scope } = process;
    runner.register('later', count);
    const runAt = timestamp(start + 100 * day);
    await queue.enqueue(scope(), 'later', {}, { runAt });
    await runner.runDue();
    expect(await scope().rows(jobs)).toMatchObject([{ run_at: runAt }]);
  });
});

describeEngines('jobs of a process that ended', (engine) => {
  let database: JobDatabase;
  beforeEach(async () => {
    clock.time = start;
    database = await JobDatabase.create(engine, clock);
  });
  afterEach(() => database.remove());

  it('run immediately when a single process releases their leases', async () => {
    const { runner, queue, scope } = database.addProcess();
    let runs = 0;
    runner.register('work', async () => void runs++);
    runner.register('poison', async () => expect.unreachable());
    await queue.enqueue(scope(), 'work', {});
    await queue.enqueue(scope(), 'poison', {}, { maxAttempts: 2 });
    const claim = { attempts: 2, locked_until: timestamp(start + minute), locked_by: 'ended' };
    await scope().update(jobs, claim, {});
    await runner.runDue();
    expect(runs).toBe(0);
    await runner.releaseLeases();
    await runner.runDue();
    expect(runs).toBe(1);
    // A job that crashed its process at each attempt is not started again.
    expect(await scope().rows(jobs)).toMatchObject([{ kind: 'poison', last_error: 'abandoned' }]);
  });
});

describeEngines('the last error of a job', (engine) => {
  let database: JobDatabase;
  beforeEach(async () => {
    clock.time = start;
    database = await JobDatabase.create(engine, clock);
  });
  afterEach(() => database.remove());

  it('contains no e-mail addresses and no passwords', async () => {
    const { runner, queue, scope } = database.addProcess();
    const messages = [
      '550 5.1.1 <ada.lovelace+potager@mail.example.com>: Recipient address rejected',
      'no such user: ADA@EXAMPLE.COM, "ada b"@example.com and ada%40example.com; postgres://ada:secret@db/potager',
      `${'x'.repeat(490)} ada@example.com`,
      'status 500 at http://a.example/x?y=1',
    ];
    runner.register('fail', async (_server, { number }) => {
      throw new Error(messages[Number(number)]);
    });
    for (const number of messages.keys()) await queue.enqueue(scope(), 'fail', { number });
    await runner.runDue();
    const errors = (await scope().rows(jobs)).map(({ last_error }) => last_error);
    expect(errors).toEqual([
      '550 5.1.1 <…@…>: Recipient address rejected',
      'no such user: …@…, …@… and …@…; postgres://ada:…@…',
      `${'x'.repeat(490)} …@…`,
      'status 500 at http://a.example/x?y=1',
    ]);
  });
});
