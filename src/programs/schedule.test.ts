import { expect, it } from 'vitest';
import { repetitionOf } from './schedule.ts';

const start_time = '2026-03-01T06:00:00.000Z';
const start = Date.parse(start_time);
const minute = 60_000;
const day = 1440 * minute;

it.each([
  ['never', 1, '2026-03-01T06:01:00.000Z', 0, 1],
  // The end is not part of the span.
  ['minutely', 10, '2026-03-01T07:00:00.000Z', 10 * minute, 6],
  ['minutely', 10, '2026-03-01T07:00:00.001Z', 10 * minute, 7],
  ['hourly', 4, '2026-03-02T06:00:00.000Z', 240 * minute, 6],
  ['daily', 2, '2026-03-06T06:00:00.000Z', 2 * day, 3],
  ['weekly', 1, '2026-03-29T07:00:00.000Z', 7 * day, 5],
  ['monthly', 1, '2026-05-01T06:00:00.000Z', 30 * day, 3],
  ['yearly', 1, '2028-02-29T06:00:00.000Z', 365 * day, 2],
  ['daily', 1, '2026-03-01T06:00:00.000Z', day, 0],
  ['daily', 1, '2026-02-01T06:00:00.000Z', day, 0],
  ['daily', 1, null, day, 0],
] as const)('repeats %s, every %d, until %s', (time_unit, repeat, end_time, interval, count) => {
  expect(repetitionOf({ start_time, end_time, repeat, time_unit })).toEqual({ start, interval, count });
});

it('knows no runs of an event without a start', () => {
  expect(repetitionOf({ start_time: null, end_time: null, repeat: 1, time_unit: 'daily' })).toBeNull();
});
