import { describe, expect, it } from 'vitest';
import { startOfLocalDay, TimeFormat, ZoneOffsets } from './local-day.ts';

const dayStart = (zone: string, at: string): string => new Date(startOfLocalDay(zone, Date.parse(at))).toISOString();

describe('startOfLocalDay', () => {
  it.each([
    ['UTC', '2026-11-21T15:14:48.123Z', '2026-11-21T00:00:00.000Z'],
    ['UTC', '2026-11-21T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
    ['Europe/Berlin', '2026-11-21T22:59:59.999Z', '2026-11-20T23:00:00.000Z'],
    ['Europe/Berlin', '2026-11-21T23:00:00.000Z', '2026-11-21T23:00:00.000Z'],
    ['America/Los_Angeles', '2026-07-01T03:00:00.000Z', '2026-06-30T07:00:00.000Z'],
    ['Asia/Kolkata', '2026-01-01T18:29:59.000Z', '2025-12-31T18:30:00.000Z'],
    ['Pacific/Kiritimati', '2026-01-01T10:00:00.000Z', '2026-01-01T10:00:00.000Z'],
    ['Pacific/Pago_Pago', '2026-01-01T10:59:00.000Z', '2025-12-31T11:00:00.000Z'],
  ])('%s: the day of %s starts at %s', (zone, at, start) => {
    expect(dayStart(zone, at)).toBe(start);
  });

  it('handles days with a daylight saving change', () => {
    // Berlin, 29 March 2026: from 02:00 to 03:00. 25 October 2026: from 03:00 back to 02:00.
    for (const at of ['2026-03-29T00:30:00.000Z', '2026-03-29T12:00:00.000Z', '2026-03-29T21:59:59.000Z'])
      expect(dayStart('Europe/Berlin', at)).toBe('2026-03-28T23:00:00.000Z');
    expect(dayStart('Europe/Berlin', '2026-03-29T22:00:00.000Z')).toBe('2026-03-29T22:00:00.000Z');
    for (const at of ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z', '2026-10-25T22:59:59.000Z'])
      expect(dayStart('Europe/Berlin', at)).toBe('2026-10-24T22:00:00.000Z');
  });

  it('starts at the end of the gap where midnight is skipped', () => {
    // Cairo, 24 April 2026: from 00:00 to 01:00.
    expect(dayStart('Africa/Cairo', '2026-04-24T12:00:00.000Z')).toBe('2026-04-23T22:00:00.000Z');
  });

  it('starts at the first of two midnights', () => {
    // Havana, 1 November 2026: from 01:00 back to 00:00.
    expect(dayStart('America/Havana', '2026-11-01T12:00:00.000Z')).toBe('2026-11-01T04:00:00.000Z');
  });

  it('throws RangeError for an unknown zone', () => {
    expect(() => startOfLocalDay('Mars/Olympus', 0)).toThrow(RangeError);
  });
});

describe('TimeFormat', () => {
  it('formats times of several hours, before 1970 too', () => {
    const format = new TimeFormat();
    for (const time of [
      '2026-11-21T23:59:59.999Z',
      '2026-11-22T00:00:00.000Z',
      '2026-11-21T09:05:07.040Z',
      '2026-11-21T09:59:00.005Z',
      '1969-12-31T23:59:58.001Z',
    ])
      expect([format.timestamp(Date.parse(time)), format.seconds(Date.parse(time))]).toEqual([time, time.slice(0, 19)]);
  });
});

describe('ZoneOffsets', () => {
  it.each([
    ['UTC', '2026-11-21T15:14:48.123Z', '2026-11-21T15:14:48+00:00'],
    ['Europe/Berlin', '2026-11-21T15:14:48.123Z', '2026-11-21T16:14:48+01:00'],
    // The change of a day: before and after.
    ['Europe/Berlin', '2026-03-29T00:59:59.999Z', '2026-03-29T01:59:59+01:00'],
    ['Europe/Berlin', '2026-03-29T01:00:00.000Z', '2026-03-29T03:00:00+02:00'],
    ['Europe/Berlin', '2026-10-25T00:59:59.000Z', '2026-10-25T02:59:59+02:00'],
    ['Europe/Berlin', '2026-10-25T01:00:00.000Z', '2026-10-25T02:00:00+01:00'],
    ['America/St_Johns', '2026-01-01T00:00:00.000Z', '2025-12-31T20:30:00-03:30'],
    // A change by half an hour.
    ['Australia/Lord_Howe', '2026-04-04T14:59:59.000Z', '2026-04-05T01:59:59+11:00'],
    ['Australia/Lord_Howe', '2026-04-04T15:00:00.000Z', '2026-04-05T01:30:00+10:30'],
  ])('%s: %s is %s', (zone, at, local) => {
    const offsets = new ZoneOffsets(zone);
    for (const _again of [1, 2]) expect(offsets.format(Date.parse(at))).toBe(local);
  });

  it('throws RangeError for an unknown zone', () => {
    expect(() => new ZoneOffsets('Mars/Olympus')).toThrow(RangeError);
  });
});
