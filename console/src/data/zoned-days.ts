import { parseAbsolute, parseDateTime, toCalendarDate, toZoned, type ZonedDateTime } from '@internationalized/date';

/** A moment in the garden's time zone. `at`: ISO 8601. */
export const zoned = (at: string, zone: string): ZonedDateTime => parseAbsolute(at, zone);

/** The day of a moment in the garden's time zone, `2026-11-23`. */
export const dayAt = (at: string, zone: string): string => toCalendarDate(zoned(at, zone)).toString();

/** Returns the moment of a wall-clock time in a time zone, as ISO 8601 in UTC. Throws for malformed texts. */
export const momentOf = (date: string, time: string, zone: string): string =>
  toZoned(parseDateTime(`${date}T${time}`), zone).toAbsoluteString();

/** Like {@link momentOf}; null for malformed texts, such as an empty field. */
export function momentAt(date: string, time: string, zone: string): string | null {
  try {
    return momentOf(date, time, zone);
  } catch {
    return null;
  }
}

/** The moment of planting on a chosen day: noon, or now if it is today, so that the first day has begun. */
export function plantingOn(day: string, zone: string, now: number): string | null {
  const at = new Date(now).toISOString();
  return day === dayAt(at, zone) ? at : momentAt(day, '12:00', zone);
}
