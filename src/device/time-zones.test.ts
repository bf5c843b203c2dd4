import { describe, expect, it } from 'vitest';
import { isTimeZone, localTime, timeZoneNames, utcOffsetHours } from './time-zones.ts';

const summer = Date.UTC(2026, 6, 1, 12);
const winter = Date.UTC(2026, 0, 1, 12);

describe('time zones', () => {
  it('are zones and links of the tz database, spelled exactly', () => {
    for (const name of [
      'Europe/Berlin',
      'US/Arizona',
      'W-SU',
      'Etc/GMT+4',
      'UTC',
      'Asia/Kolkata',
      'America/Argentina/Ushuaia',
    ])
      expect(isTimeZone(name), name).toBe(true);
    for (const name of ['europe/berlin', '+05:00', 'Mars/Base', 'Factory', '', 'Europe/Berlin '])
      expect(isTimeZone(name), name).toBe(false);
  });

  it('are all known to Intl', () => {
    for (const timeZone of timeZoneNames) expect(() => new Intl.DateTimeFormat('en', { timeZone })).not.toThrow();
  });

  it('have an offset from UTC in whole hours, rounded down', () => {
    expect(utcOffsetHours(null, summer)).toBe(0);
    expect(utcOffsetHours('UTC', summer)).toBe(0);
    expect(utcOffsetHours('Etc/GMT+4', summer)).toBe(-4);
    expect(utcOffsetHours('Asia/Kolkata', summer)).toBe(5);
    expect(utcOffsetHours('Pacific/Marquesas', summer)).toBe(-10);
    expect(utcOffsetHours('America/St_Johns', winter)).toBe(-4);
    expect(utcOffsetHours('Europe/Berlin', summer)).toBe(2);
    expect(utcOffsetHours('Europe/Berlin', winter)).toBe(1);
  });

  it('format local times', () => {
    expect(localTime(null, Date.UTC(2026, 10, 21, 0, 5))).toBe('2026-11-21 12:05 AM');
    expect(localTime('Asia/Tokyo', Date.UTC(2026, 10, 21, 6, 45))).toBe('2026-11-21 03:45 PM');
    expect(localTime('Asia/Tokyo', Date.UTC(2026, 10, 21, 6, 45), 'fr')).toBe('21/11/2026 15:45');
  });
});
