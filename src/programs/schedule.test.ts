import { describe, expect, it } from 'vitest';
import type { RunSeries } from './schedule.ts';
import { inOrder, nextOccurrence, repetitionOf, runsIn } from './schedule.ts';

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

const series = (farmEventId: number, first: number, interval = minute, count = 1000): RunSeries => ({
  ...{ farmEventId, sequence: { id: farmEventId, name: 'Water' }, regimen: null, updatedAt: start_time },
  ...{ start: first, interval, count },
});

describe('runs of a series', () => {
  const daily = { start: Date.parse('2026-05-01T06:00:00.000Z'), interval: day, count: 10 };
  it.each([
    ['2026-05-01T06:00:00.000Z', '2026-05-01T06:00:00.000Z', 0],
    ['2026-05-01T06:00:00.000Z', '2026-05-02T06:00:00.000Z', 1],
    ['2026-04-01T06:00:00.000Z', '2026-06-02T06:00:00.000Z', 10],
    ['2026-05-10T06:00:00.001Z', '2026-06-02T06:00:00.000Z', 0],
    // The end before the start.
    ['2026-05-04T06:00:00.000Z', '2026-05-02T06:00:00.000Z', 0],
  ])('from %s until %s: %s', (from, to, count) =>
    expect(runsIn(daily, Date.parse(from), Date.parse(to)).count).toBe(count),
  );
});

it('lists runs of several series in order, each in its own span, unless there are too many', async () => {
  const spans = [
    { runs: series(2, start), from: start + minute, to: start + 2 * minute + 1 },
    { runs: series(1, start + minute, 0, 1), from: start, to: start + day },
    { runs: series(3, start, 0, 1), from: start + 1, to: start + day },
  ];
  const found = await inOrder(spans, 3);
  expect(found?.map(({ runs, at }) => [runs.farmEventId, (at - start) / minute])).toEqual([
    [1, 1],
    [2, 1],
    [2, 2],
  ]);
  expect(await inOrder(spans, 2)).toBeNull();
});

describe('the next run', () => {
  const next = async (...all: RunSeries[]) => {
    const found = await nextOccurrence({ runs: () => all }, start, start + day);
    return found && [found.runs.farmEventId, found.at - start];
  };

  it('is the earliest of all events, of the first event at one time', async () => {
    expect(await next(series(3, start + 5), series(2, start + 4 - 7 * minute), series(1, start + 4))).toEqual([1, 4]);
    expect(await next(series(1, start - 1, 0, 1), series(2, start + day), series(3, start - minute, 1, 2))).toBe(
      undefined,
    );
  });

  it('is found without the further runs of an event', async () => {
    let reads = 0;
    const counted = { valueOf: () => start + ++reads } as unknown as number;
    expect(await next(series(1, counted))).toEqual([1, expect.any(Number)]);
    expect(reads).toBeLessThan(5);
  });
});
