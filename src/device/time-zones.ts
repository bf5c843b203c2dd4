import { readFileSync } from 'node:fs';
import type { Language } from '../core/languages.ts';
import { defaultLanguage } from '../core/languages.ts';

/** Names of zones and links in the tz database (2025b), except `Factory`. A list, because Intl also accepts other forms and offsets. [rule D4] */
export const timeZoneNames: ReadonlySet<string> = new Set(
  readFileSync(new URL('./time-zone-names.txt', import.meta.url), 'utf8')
    .trim()
    .split(/\s+/),
);

/** Returns whether this is exactly the name of a zone or link in the tz database. [rule D4] */
export const isTimeZone = (name: string): boolean => timeZoneNames.has(name);

const offsetFormats = new Map<string, Intl.DateTimeFormat>();

/** Returns the offset of a time zone from UTC at a time (ms since the epoch), in hours rounded down: -03:30 → -4. Null → 0. */
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
  // Turns -0 into 0.
  return Math.floor(ahead) + 0;
}

/** Formats a time (ms since the epoch) in a time zone, UTC if null: `2026-11-21 03:45 PM`, in French `21/11/2026 15:45`. */
export function localTime(zone: string | null, at: number, language: Language = defaultLanguage): string {
  const timeZone = zone !== null && isTimeZone(zone) ? zone : 'UTC';
  if (language === 'fr')
    return new Intl.DateTimeFormat('fr-FR', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(at);
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
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
