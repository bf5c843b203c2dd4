import { expect, it } from 'vitest';
import { RobotHarness, step } from '../../test/support/robot-harness.ts';
import { ScheduledRuns } from './scheduled-runs.ts';

const occurrence = (seconds: number) => ({
  at: new Date(seconds * 1000).toISOString(),
  local: `1970-01-01T01:0${Math.floor(seconds / 60)}:00+01:00`,
  farm_event_id: 1,
  sequence_id: 2,
  sequence_name: 'Rest',
  regimen_id: null,
});

function open(runs: readonly object[]) {
  const bench = new RobotHarness();
  const locals = { kind: 'scope_declaration', args: {}, body: [] };
  bench.sequences.applyChange(2, { name: 'Rest', args: { locals }, body: [step('wait', { milliseconds: 1000 })] });
  const asked: string[] = [];
  const answer = { runs, error: null as Error | null };
  const schedule = new ScheduledRuns({
    api: {
      async get(path) {
        asked.push(path);
        if (answer.error) throw answer.error;
        return path.startsWith('/api/farm_events/occurrences') ? answer.runs : { body: [] };
      },
    },
    clock: bench.time,
    enqueue: (work) => bench.handler.enqueue(work),
    print: (line) => bench.performed.push(line),
  });
  const until = async (seconds: number) => {
    while (bench.time.now() < seconds * 1000) {
      bench.send(step('wait', { milliseconds: Math.min(seconds * 1000 - bench.time.now(), 60_000) }));
      await bench.waitForResponses();
    }
  };
  const reported = () => bench.performed.filter((line) => /schedule/.test(line));
  return { bench, asked, answer, schedule, until, reported };
}

it('finds due runs once, at most a minute late', async () => {
  const { schedule, until, reported } = open([occurrence(60), occurrence(180), occurrence(420)]);
  await schedule.check();
  expect(reported()).toEqual([]);
  await until(60);
  await schedule.check();
  await schedule.check();
  await until(62);
  expect(reported()).toEqual(['info|Runs "Rest", scheduled for 01:01.']);
  // 61 s late.
  await until(241);
  await schedule.check();
  await until(243);
  expect(reported()).toHaveLength(1);
  // 60 s late.
  await until(480);
  await schedule.check();
  await until(482);
  expect(reported()).toEqual(['info|Runs "Rest", scheduled for 01:01.', 'info|Runs "Rest", scheduled for 01:07.']);
});

it.each([
  [900, 'info|Runs "Rest", scheduled for 01:01.'],
  [901, 'warn|Skipped "Rest", scheduled for 01:01: the robot was busy for too long.'],
])('lets runs wait for other work: %s seconds', async (seconds, log) => {
  const { bench, schedule, until, reported } = open([occurrence(60)]);
  await until(60);
  for (let rest = seconds; rest > 0; rest -= 60) bench.send(step('wait', { milliseconds: Math.min(rest, 60) * 1000 }));
  await schedule.check();
  await until(60 + seconds + 5);
  expect(reported()).toEqual([log]);
});

it('leaves out runs that were due before its start', async () => {
  const { bench, answer } = open([]);
  bench.send(step('wait', { milliseconds: 60_000 }));
  await bench.waitForResponses();
  const begun: unknown[] = [];
  const later = new ScheduledRuns({
    api: { get: async () => answer.runs },
    clock: bench.time,
    enqueue: (work) => begun.push(work),
    print: () => undefined,
  });
  answer.runs = [occurrence(59)];
  await later.check();
  expect(begun).toHaveLength(0);
  answer.runs = [occurrence(60)];
  later.changed('FarmEvent');
  await later.check();
  expect(begun).toHaveLength(1);
});

it('asks every five minutes, after changes of the calendar, and again after a failure', async () => {
  const { schedule, asked, answer, until, reported } = open([]);
  await schedule.check();
  await schedule.check();
  expect(asked).toEqual(['/api/farm_events/occurrences?from=1969-12-31T23:59:00.000Z&to=1970-01-01T00:10:00.000Z']);
  schedule.changed('Tool');
  await schedule.check();
  expect(asked).toHaveLength(1);
  answer.error = new Error();
  schedule.changed('Regimen');
  await schedule.check();
  expect(asked).toHaveLength(2);
  expect(reported()).toEqual([expect.stringMatching(/^Could not fetch the schedule: /)]);
  answer.error = null;
  await schedule.check();
  expect(asked).toHaveLength(2);
  await until(10);
  await schedule.check();
  expect(asked).toHaveLength(3);
  await until(310);
  await schedule.check();
  expect(asked).toHaveLength(4);
});
