import { describe, expect, it } from 'vitest';
import type { Recurrence } from './occurrences.ts';
import { countOccurrences } from './occurrences.ts';

const year = { start_time: '2041-01-01T00:00:00.000Z', end_time: '2042-01-01T00:00:00.000Z' };

describe('occurrences', () => {
  it.each([
    ['yearly', 27, 0],
    ['weekly', 37, 1],
    ['weekly', 4, 13],
    ['daily', 57, 6],
    ['daily', 38, 10],
    ['daily', 24, 15],
    ['daily', 1, 365],
    ['hourly', 59, 148],
    ['hourly', 25, 350],
    ['hourly', 23, 381],
    ['hourly', 17, 515],
    ['minutely', 59, 8908],
    ['minutely', 1, 525_600],
    ['never', 1, 1],
    ['never', 5000, 1],
    ['monthly', 1, 2],
    ['yearly', 2_147_483_647, 0],
  ] as const)('%s, each %i: %i in 365 days', (time_unit, repeat, count) => {
    expect(countOccurrences({ ...year, time_unit, repeat })).toBe(count);
  });

  it.each([
    ['2040-01-01T00:00:00.000Z', '2040-01-01T08:20:29.000Z', 500],
    ['2040-01-01T00:00:00.000Z', '2040-01-01T08:20:29.999Z', 500],
    ['2040-01-01T00:00:00.000Z', '2040-01-01T08:20:30.000Z', 501],
    ['2040-01-01T00:00:00.000Z', '2040-01-01T00:00:00.000Z', 1],
    ['2040-01-01T00:00:00.000Z', '2040-01-01T00:01:30.000Z', 2],
    ['2040-01-01T00:00:00.000Z', '2039-01-01T00:00:00.000Z', 1],
  ])('each minute from %s to %s: %i', (start_time, end_time, count) => {
    const each: Recurrence = { start_time, end_time, repeat: 1, time_unit: 'minutely' };
    expect(countOccurrences(each)).toBe(count);
  });

  it('count elapsed time, independent of daylight saving time', () => {
    // In Berlin one of these two days has 25 hours.
    const span = { start_time: '2026-10-24T22:00:00.000Z', end_time: '2026-10-26T23:00:00.000Z' };
    expect(countOccurrences({ ...span, repeat: 1, time_unit: 'hourly' })).toBe(49);
    expect(countOccurrences({ ...span, repeat: 1, time_unit: 'daily' })).toBe(2);
  });
});
