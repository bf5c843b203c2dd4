import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeEngines } from '../../test/support/engines.ts';
import { JobDatabase } from '../../test/support/job-database.ts';
import { jobs } from './job-rows.ts';
import type { JobRunner } from './runner.ts';
import { jobSchedules } from './schedules.ts';

const start = Date.UTC(2026, 3, 1);
const hour = 3_600_000;
const clock = { time: start, now: () => clock.time };

describeEngines('periodic jobs', (engine) => {
  let database: JobDatabase;
  let runs: string[];
  beforeEach(async () => {
    clock.time = start;
    runs = [];
    database = await JobDatabase.create(engine, clock);
  });
  afterEach(() => database.remove());

  const process = (name: string) => {
    const created = database.addProcess();
    created.runner.register('tidy', async (_server, payload) => void runs.push(`${name} ${JSON.stringify(payload)}`), {
      interval: hour,
    });
    return created;
  };
  const at = async (time: number, ...runners: JobRunner[]): Promise<number> => {
    clock.time = time;
    const before = runs.length;
    for (const runner of runners) {
      await nextTurn();
      await runner.runDue();
    }
    return runs.length - before;
  };

  it('run once per interval, first after one interval', async () => {
    const { runner, scope } = process('one');
    await runner.planSchedules();
    expect(await scope().rows(jobSchedules)).toMatchObject([{ name: 'tidy', next_at: '2026-04-01T01:00:00.000Z' }]);
    expect(await at(start, runner)).toBe(0);
    expect(await at(start + hour - 1, runner)).toBe(0);
    expect(await at(start + hour, runner)).toBe(1);
    expect(await at(start + hour, runner)).toBe(0);
    expect(await at(start + 2 * hour - 1, runner)).toBe(0);
    expect(await at(start + 2 * hour, runner)).toBe(1);
    expect(runs).toEqual(['one {}', 'one {}']);
  });

  it('keep the schedule of an earlier process', async () => {
    const first = process('first');
    await first.runner.planSchedules();
    await first.runner.stop();
    clock.time = start + hour - 60_000;
    const second = process('second');
    await second.runner.planSchedules();
    expect(await at(start + hour, second.runner)).toBe(1);
  });

  it('run once after downtime, then at the original times', async () => {
    const { runner } = process('one');
    await runner.planSchedules();
    expect(await at(start + 100 * hour + 60_000, runner)).toBe(1);
    expect(await at(start + 101 * hour - 1, runner)).toBe(0);
    expect(await at(start + 101 * hour, runner)).toBe(1);
  });

  it('run once for all processes', async () => {
    const processes = ['a', 'b', 'c'].map(process);
    await Promise.all(processes.map(({ runner }) => runner.planSchedules()));
    for (let round = 1; round <= 5; round++) {
      clock.time = start + round * hour;
      await Promise.all(processes.map(({ runner }) => runner.runDue()));
      await nextTurn();
      await Promise.all(processes.map(({ runner }) => runner.runDue()));
      expect(runs.length).toBe(round);
    }
    const { scope } = processes[0] ?? expect.unreachable();
    expect(await scope().count(jobSchedules)).toBe(1);
    expect(await scope().count(jobs)).toBe(0);
  });

  it('are not enqueued again while one is retried', async () => {
    const { runner, scope } = database.addProcess();
    let attempts = 0;
    runner.register(
      'tidy',
      async () => {
        attempts++;
        throw new Error('not now');
      },
      { interval: hour },
    );
    await runner.planSchedules();
    await at(start + hour, runner);
    // The first backoff is at most 15 s: the job is retried, and no other is enqueued.
    await at(start + 2 * hour, runner);
    expect(await scope().rows(jobs)).toMatchObject([{ kind: 'tidy', attempts: 2, failed_at: null }]);
    await at(start + 3 * hour, runner);
    await at(start + 4 * hour, runner);
    expect(await scope().rows(jobs)).toMatchObject([{ attempts: 4, failed_at: '2026-04-01T04:00:00.000Z' }]);
    expect(attempts).toBe(4);
    // The failed job is replaced by the next.
    await at(start + 5 * hour, runner);
    expect(await scope().rows(jobs)).toMatchObject([{ attempts: 1, failed_at: null }]);
  });

  it('follow the clock when it is set back', async () => {
    clock.time = start + 1000 * hour;
    const { runner } = process('one');
    await runner.planSchedules();
    expect(await at(start + 1000 * hour, runner)).toBe(0);
    expect(await at(start, runner)).toBe(0);
    expect(await at(start + hour - 1, runner)).toBe(0);
    expect(await at(start + hour, runner)).toBe(1);
  });

  it('are not enqueued by a process that did not register them', async () => {
    const one = process('one');
    await one.runner.planSchedules();
    const other = database.addProcess();
    expect(await at(start + hour, other.runner)).toBe(0);
    expect(await at(start + hour, one.runner)).toBe(1);
  });

  it('need an interval', () => {
    const { runner } = database.addProcess();
    expect(() => runner.register('never', async () => undefined, { interval: 0 })).toThrow();
  });
});
