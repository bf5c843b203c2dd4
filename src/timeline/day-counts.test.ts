import { describe, expect, it } from 'vitest';
import { DayCounts } from './day-counts.ts';
import { daysIn } from './local-days.ts';

const hour = 3_600_000;
const series = (start: string, interval: number, count: number) => ({
  farmEventId: 1,
  sequence: { id: 1, name: 'Water' },
  regimen: null,
  updatedAt: start,
  start: Date.parse(start),
  interval,
  count,
});
const paris = daysIn('Europe/Paris');
const counting = (from: string, to: string) => new DayCounts(paris, Date.parse(from), Date.parse(to));

describe('the days of a zone', () => {
  it('begin at midnight, also where the clock is set', () => {
    const day = paris.of(Date.parse('2026-03-28T23:30:00.000Z'));
    expect(paris.date(day)).toBe('2026-03-29');
    expect([day, day + 1].map((each) => new Date(paris.start(each)).toISOString())).toEqual([
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ]);
  });
});

describe('runs of a series', () => {
  const daily = series('2026-05-01T06:00:00.000Z', 24 * hour, 10);
  it('are counted by day, from a time on', () => {
    const counts = counting('2026-05-02T00:00:00.000Z', '2026-05-04T12:00:00.000Z');
    counts.addSeries(daily, Date.parse('2026-05-02T06:00:00.001Z'));
    counts.addSeries(series('2026-05-03T20:00:00.000Z', hour, 5), 0);
    counts.addSeries(series('2026-05-03T12:00:00.000Z', 0, 1), 0);
    counts.addSeries(series('2026-05-01T12:00:00.000Z', 0, 1), 0);
    expect(counts.list()).toEqual([
      { date: '2026-05-03', waterings: 4 },
      { date: '2026-05-04', waterings: 4 },
    ]);
  });
});

it('counts events of the span only, in the order of the days', () => {
  const counts = counting('2026-05-02T00:00:00.000Z', '2026-05-04T12:00:00.000Z');
  counts.add('photos', Date.parse('2026-05-04T12:00:00.000Z'), 2);
  counts.add('photos', Date.parse('2026-05-01T21:59:00.000Z'));
  counts.addRun('Weed', Date.parse('2026-05-02T12:00:00.000Z'));
  counts.add('photos', Date.parse('2026-05-04T12:00:00.000Z'));
  expect(counts.list()).toEqual([
    { date: '2026-05-02', runs: 1 },
    { date: '2026-05-04', photos: 3 },
  ]);
});
