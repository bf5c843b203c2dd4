import { describe, expect, it } from 'vitest';
import { updateHours } from './devices.ts';

const summer = Date.UTC(2026, 6, 1, 12);

describe('the hour of updates', () => {
  it.each([
    ['Africa/Addis_Ababa', 6, 3],
    ['Africa/Kampala', 22, 19],
    ['Africa/Lagos', 15, 14],
    ['Asia/Makassar', 2, 18],
    ['Asia/Omsk', 11, 5],
    ['Asia/Qatar', 0, 21],
    ['Asia/Seoul', 18, 9],
    ['Australia/Perth', 21, 13],
    ['Etc/GMT+4', 20, 0],
    ['US/Arizona', 4, 11],
    ['Asia/Kolkata', 4, 23],
    ['Pacific/Marquesas', 4, 14],
  ])('in %s, %i is %i in UTC', (timezone, ota_hour, ota_hour_utc) => {
    expect(updateHours({ ota_hour, timezone }, summer)).toEqual({ ota_hour, ota_hour_utc });
  });

  it('follows daylight saving time', () => {
    const row = { ota_hour: 3, timezone: 'Europe/Berlin' };
    expect(updateHours(row, summer).ota_hour_utc).toBe(1);
    expect(updateHours(row, Date.UTC(2026, 0, 1)).ota_hour_utc).toBe(2);
  });

  it('is null without a time zone or an hour', () => {
    const none = { ota_hour: null, ota_hour_utc: null };
    expect(updateHours({ ota_hour: 5, timezone: null }, summer)).toEqual(none);
    expect(updateHours({ ota_hour: null, timezone: 'UTC' }, summer)).toEqual(none);
  });
});
