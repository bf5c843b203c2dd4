import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeEngines } from '../../test/support/engines.ts';
import type { JobProcess } from '../../test/support/job-database.ts';
import { JobDatabase } from '../../test/support/job-database.ts';
import { failedJobs } from './job-counts.ts';
import { jobs } from './job-rows.ts';

const clock = { time: 0, now: () => clock.time };

describeEngines('onGiveUp of a job', (engine) => {
  let database: JobDatabase;
  let process: JobProcess;
  let calls: unknown[];

  beforeEach(async () => {
    clock.time = Date.UTC(2026, 3, 1);
    database = await JobDatabase.create(engine, clock);
    process = database.addProcess();
    calls = [];
  });
  afterEach(() => database.remove());

  const onGiveUp = async (_server: unknown, payload: unknown, error: unknown) =>
    void calls.push([payload, error instanceof Error ? error.message : error]);

  it('is called after the last attempt, and not before', async () => {
    const { runner, queue, scope } = process;
    const fail = async () => {
      throw new Error('no');
    };
    runner.register('fail', fail, { onGiveUp: onGiveUp });
    await queue.enqueue(scope(), 'fail', { id: 5 }, { maxAttempts: 2 });
    await runner.runDue();
    expect(calls).toEqual([]);
    clock.time += 60_000;
    await runner.runDue();
    expect(calls).toEqual([[{ id: 5 }, 'no']]);
    expect(await failedJobs(scope())).toMatchObject([{ kind: 'fail', last_error: 'no' }]);
  });

  it('is called when the process ended in every attempt', async () => {
    const { runner, queue, scope } = process;
    await queue.enqueue(scope(), 'poison', { id: 6 }, { maxAttempts: 2 });
    await scope().update(jobs, { attempts: 2, locked_until: '2026-03-31T00:00:00.000Z', locked_by: 'ended' }, {});
    runner.register('poison', async () => expect.unreachable(), { onGiveUp: onGiveUp });
    await runner.runDue();
    expect(calls).toEqual([[{ id: 6 }, undefined]]);
  });

  it('is rolled back when it throws, and the job still fails permanently', async () => {
    const { runner, queue, scope } = process;
    await queue.enqueue(scope(), 'fail', {}, { maxAttempts: 1 });
    const fail = async () => {
      throw new Error('no');
    };
    runner.register('fail', fail, {
      async onGiveUp(server) {
        await queue.enqueue(server, 'other', {});
        throw new Error('nor this');
      },
    });
    await runner.runDue();
    expect(await scope().rows(jobs)).toMatchObject([{ kind: 'fail', failed_at: '2026-04-01T00:00:00.000Z' }]);
  });
});
