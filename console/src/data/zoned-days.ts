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
