import { timeZoneNames } from './time-zone-names.ts';

/** Whether this is exactly one of the tz database's names, zone or link. [reference] */
export const isTimeZone = (name: string): boolean => timeZoneNames.has(name);

const offsetFormats = new Map<string, Intl.DateTimeFormat>();

/** Hours by which a time zone is ahead of UTC at a point in time (ms since the epoch), rounded down: -03:30 → -4. Null (no time zone) → 0. */
export function utcOffsetHours(zone: string | null, at: number): number {
  if (zone === null || !isTimeZone(zone)) return 0;
  let format = offsetFormats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    offsetFormats.set(zone, format);
  }
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d+):(\d+)/.exec(name) ?? [];
  const ahead = (Number(hours) + Number(minutes) / 60) * (sign === '-' ? -1 : 1);
  // -0 would be a different number to JSON's readers only, but tests would see it.
  return Math.floor(ahead) + 0;
}

/** A time as people at the device read it: `2026-11-21 03:45 PM`. Without a time zone it is UTC. */
export function localTime(zone: string | null, at: number): string {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone !== null && isTimeZone(zone) ? zone : 'UTC',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h12',
  });
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${parts.year}-${parts.month}-${parts.day} ${parts.hour}:${parts.minute} ${parts.dayPeriod}`;
}
