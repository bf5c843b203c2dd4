import { expect, it } from 'vitest';
import { ZoneOffsets } from '../core/local-day.ts';
import { endOfBucket, segmentsOf, startOfBucket } from './series-query.ts';

const berlin = new ZoneOffsets('Europe/Berlin');
const ms = (time: string): number => Date.parse(time);
const iso = (at: number): string => new Date(at).toISOString();

it.each([
  ['1m', '2026-03-01T10:20:31.500Z', '2026-03-01T10:20:00.000Z', '2026-03-01T10:21:00.000Z'],
  ['15m', '2026-03-01T10:20:00.000Z', '2026-03-01T10:15:00.000Z', '2026-03-01T10:30:00.000Z'],
  ['1h', '2026-03-01T10:20:00.000Z', '2026-03-01T10:00:00.000Z', '2026-03-01T11:00:00.000Z'],
  ['1h', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z'],
  ['1d', '2026-03-01T10:20:00.000Z', '2026-02-28T23:00:00.000Z', '2026-03-01T23:00:00.000Z'],
  ['1d', '2026-02-28T23:00:00.000Z', '2026-02-28T23:00:00.000Z', '2026-02-28T23:00:00.000Z'],
  // Days of 23 and 25 hours.
  ['1d', '2026-03-29T20:00:00.000Z', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  ['1d', '2026-10-25T22:30:00.000Z', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
  // The hour from 2 to 3 is there twice.
  ['1h', '2026-10-25T00:30:00.000Z', '2026-10-25T00:00:00.000Z', '2026-10-25T01:00:00.000Z'],
  ['1h', '2026-10-25T01:30:00.000Z', '2026-10-25T01:00:00.000Z', '2026-10-25T02:00:00.000Z'],
] as const)('a bucket of %s around %s is from %s to %s', (name, at, start, end) => {
  expect(iso(startOfBucket(ms(at), name, berlin))).toBe(start);
  expect(iso(endOfBucket(ms(at), name, berlin))).toBe(end);
});

it('begins hours of zones with half hours at their full hours', () => {
  const kolkata = new ZoneOffsets('Asia/Kolkata');
  expect(iso(startOfBucket(ms('2026-03-01T10:20:00Z'), '1h', kolkata))).toBe('2026-03-01T09:30:00.000Z');
});

it.each([
  // The half hour from 1:30 to 2 is there twice: hours of 60, 30 and 60 minutes.
  ['2026-04-04T14:59:59.999Z', '2026-04-04T14:00:00.000Z', '2026-04-04T15:00:00.000Z'],
  ['2026-04-04T15:00:00.000Z', '2026-04-04T15:00:00.000Z', '2026-04-04T15:00:00.000Z'],
  ['2026-04-04T15:29:59.999Z', '2026-04-04T15:00:00.000Z', '2026-04-04T15:30:00.000Z'],
  ['2026-04-04T15:30:00.001Z', '2026-04-04T15:30:00.000Z', '2026-04-04T16:30:00.000Z'],
  // The one from 2 to 2:30 is left out.
  ['2026-10-03T15:29:59.999Z', '2026-10-03T14:30:00.000Z', '2026-10-03T15:30:00.000Z'],
  ['2026-10-03T15:30:00.001Z', '2026-10-03T15:30:00.000Z', '2026-10-03T16:00:00.000Z'],
  ['2026-10-03T16:00:00.001Z', '2026-10-03T16:00:00.000Z', '2026-10-03T17:00:00.000Z'],
] as const)('clocks that change by half an hour cut the hour around %s: %s to %s', (at, start, end) => {
  const lordHowe = new ZoneOffsets('Australia/Lord_Howe');
  expect(iso(startOfBucket(ms(at), '1h', lordHowe))).toBe(start);
  expect(iso(endOfBucket(ms(at), '1h', lordHowe))).toBe(end);
});

const year = 366 * 86_400_000;

const shown = (from: string, to: string, zone: ZoneOffsets, max = year) =>
  segmentsOf(ms(from), ms(to), zone, max).map(
    (each) => `${iso(each.from).slice(0, 16)} ${iso(each.to).slice(0, 16)} ${each.offset / 60_000}`,
  );

it('divides spans where the offset changes', () => {
  expect(shown('2026-03-20T00:05:00Z', '2026-04-05T00:10:00Z', berlin)).toEqual([
    '2026-03-20T00:05 2026-03-29T01:00 60',
    '2026-03-29T01:00 2026-04-05T00:10 120',
  ]);
  expect(shown('2026-03-29T00:59:00Z', '2026-03-29T01:01:00Z', berlin)).toEqual([
    '2026-03-29T00:59 2026-03-29T01:00 60',
    '2026-03-29T01:00 2026-03-29T01:01 120',
  ]);
  expect(shown('2026-04-04T14:00:00Z', '2026-04-04T16:00:00Z', new ZoneOffsets('Australia/Lord_Howe'))).toEqual([
    '2026-04-04T14:00 2026-04-04T15:00 660',
    '2026-04-04T15:00 2026-04-04T16:00 630',
  ]);
  // A change at midnight, a week after the start.
  expect(shown('2025-10-18T21:00:00Z', '2025-10-30T22:00:00Z', new ZoneOffsets('Asia/Beirut'))).toEqual([
    '2025-10-18T21:00 2025-10-25T21:00 180',
    '2025-10-25T21:00 2025-10-30T22:00 120',
  ]);
  // Clocks that are changed for less than a week.
  expect(shown('2040-10-19T23:15:00Z', '2040-10-27T12:00:00Z', new ZoneOffsets('Asia/Gaza'))).toEqual([
    '2040-10-19T23:15 2040-10-20T00:00 120',
    '2040-10-20T00:00 2040-10-26T23:00 180',
    '2040-10-26T23:00 2040-10-27T12:00 120',
  ]);
});

it('divides long spans', () => {
  expect(shown('2026-01-01T00:00:00Z', '2026-01-01T05:00:00Z', berlin, 2 * 3_600_000)).toEqual([
    '2026-01-01T00:00 2026-01-01T02:00 60',
    '2026-01-01T02:00 2026-01-01T04:00 60',
    '2026-01-01T04:00 2026-01-01T05:00 60',
  ]);
  expect(shown('2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z', berlin)).toHaveLength(3);
});
