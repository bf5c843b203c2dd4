import { expect, it } from 'vitest';
import { outcomesOf } from './run-outcomes.ts';

const now = Date.parse('2026-05-02T00:00:00Z');
const log = (time: string, message: string, type = 'info') => ({
  at: Date.parse(`2026-05-01T${time}:00Z`),
  type,
  message,
});
const run = (time: string, sequence_name: string) => ({ at: `2026-05-01T${time}:00.000Z`, sequence_name });

it('finds what became of runs in the logs of a virtual robot and of a real one', () => {
  const runs = [
    run('07:00', 'Water'),
    run('07:00', 'Mow'),
    run('09:00', 'Water'),
    run('10:00', 'Weed'),
    run('11:00', 'Water'),
  ];
  const logs = [
    log('07:00', 'Runs "Water", scheduled for 07:00.'),
    log('07:01', 'Completed "Water".', 'success'),
    log('07:20', 'Skipped "Mow", scheduled for 07:00: the robot was busy for too long.', 'warn'),
    log('09:02', 'Completed "Water".', 'success'),
    log('09:03', 'Failed to run "Water", scheduled for 09:00: The Y axis is stuck: twice.', 'error'),
    log('10:05', 'Completed Weed'),
  ];
  expect(outcomesOf(runs, { now, logs, missed: [{ message: 'Water', at: '2026-05-01T11:00:00.000Z' }] })).toEqual([
    { state: 'done', reason: '' },
    { state: 'skipped', reason: '' },
    { state: 'failed', reason: 'The Y axis is stuck: twice.' },
    { state: 'done', reason: '' },
    { state: 'missed', reason: '' },
  ]);
});

it('takes an error of a robot that reports no ends for the run before it, and knows nothing otherwise', () => {
  const runs = [run('07:00', 'Water'), run('08:00', 'Mow'), run('12:00', 'Mow')];
  const logs = [
    log('06:30', 'Stuck before', 'error'),
    log('07:10', 'Pin 8 does not exist', 'error'),
    log('08:05', 'Moving'),
    // Hours later, by hand.
    log('11:00', 'Stuck', 'error'),
    log('13:30', 'Completed Water'),
  ];
  expect(outcomesOf(runs, { now, logs, missed: [] })).toEqual([
    { state: 'failed', reason: 'Pin 8 does not exist' },
    { state: 'unknown', reason: '' },
    { state: 'unknown', reason: '' },
  ]);
});

it('takes a failure that names a run for no other run', () => {
  const logs = [log('07:01', 'Failed to run "Mow", scheduled for 07:00: Rain.', 'error')];
  expect(outcomesOf([run('07:00', 'Mow'), run('07:00', 'Water')], { now, logs, missed: [] })).toEqual([
    { state: 'failed', reason: 'Rain.' },
    { state: 'unknown', reason: '' },
  ]);
});

it('waits for the end of a run that has just begun', () => {
  const reports = (minutes: number) => ({
    now: Date.parse('2026-05-01T07:00:00Z') + minutes * 60_000,
    logs: [],
    missed: [],
  });
  expect(outcomesOf([run('07:00', 'Water')], reports(14))).toEqual([null]);
  expect(outcomesOf([run('07:00', 'Water')], reports(15))).toEqual([{ state: 'unknown', reason: '' }]);
});
