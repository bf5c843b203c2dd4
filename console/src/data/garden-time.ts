import { type CalendarDate, toCalendarDate, today, type ZonedDateTime } from '@internationalized/date';
import { useEffect, useState } from 'react';
import { getLanguage } from '../ui/language.ts';
import { formatInstant } from '../ui/time-format.ts';
import { useDevice, useWebAppConfig } from './singles.ts';
import { dataText } from './text.ts';
import { zoned } from './zoned-days.ts';

/** Returns the name of the garden's time zone; UTC if it has none. Renders again when times are to be written differently. Suspends. */
export function useZone(): string {
  useWebAppConfig();
  return useDevice().timezone ?? 'UTC';
}

/** `07:30`, as fields for times have it. */
export const clockOf = (at: ZonedDateTime): string =>
  `${String(at.hour).padStart(2, '0')}:${String(at.minute).padStart(2, '0')}`;

/** An instant as localized date and time. */
export const formatMoment = (at: string | number, zone: string, options: Intl.DateTimeFormatOptions = {}): string =>
  formatInstant(at, zone, { dateStyle: 'medium', timeStyle: 'short', ...options });

/** Returns {@link formatMoment} in the garden's time zone. Suspends. */
export function useFormatTime(): (at: string | number, options?: Intl.DateTimeFormatOptions) => string {
  const zone = useZone();
  return (at, options) => formatMoment(at, zone, options);
}

/** The localized time of day of an instant. */
export const formatClock = (at: string | number, zone: string): string =>
  formatInstant(at, zone, { timeStyle: 'short' });

/** The localized time of day of a field for times, `07:30`; empty if the field is. */
export const formatTyped = (clock: string): string => (clock === '' ? '' : formatClock(`1970-01-01T${clock}Z`, 'UTC'));

const dayLength = 86_400_000;
/** As many days ahead a weekday names one day only. */
const namedDays = 7;

/** An instant from today on, in words: `tomorrow at 07:30`. */
export function formatComing(at: string, zone: string): string {
  const text = dataText();
  const [day, now] = [toCalendarDate(zoned(at, zone)).toDate('UTC'), today(zone).toDate('UTC')];
  const days = Math.round((day.getTime() - now.getTime()) / dayLength);
  const name =
    days < 2
      ? new Intl.RelativeTimeFormat(getLanguage(), { numeric: 'auto' }).format(days, 'day')
      : days < namedDays
        ? day.toLocaleDateString(getLanguage(), { weekday: 'long', timeZone: 'UTC' })
        : text.onDay(day.toLocaleDateString(getLanguage(), { dateStyle: 'medium', timeZone: 'UTC' }));
  return text.atTime(name, formatClock(at, zone));
}

/** How often {@link useNow} advances, in ms. */
const tick = 60_000;

/** Returns the time in ms since the epoch, to the minute. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tick);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** The day of an instant with its year: `Monday, November 23, 2026`. */
export const formatDate = (at: string, zone: string): string =>
  new Date(at).toLocaleDateString(getLanguage(), { dateStyle: 'full', timeZone: zone });

/** `Monday, November 23`. */
export const formatDay = (day: CalendarDate): string =>
  day
    .toDate('UTC')
    .toLocaleDateString(getLanguage(), { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });

/** `November 2026`. */
export const formatMonth = (day: CalendarDate): string =>
  day.toDate('UTC').toLocaleDateString(getLanguage(), { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `Nov 23 – 29, 2026`: from a day to the one before `end`. */
export const formatSpan = (first: CalendarDate, end: CalendarDate): string =>
  new Intl.DateTimeFormat(getLanguage(), { dateStyle: 'medium', timeZone: 'UTC' }).formatRange(
    first.toDate('UTC'),
    end.subtract({ days: 1 }).toDate('UTC'),
  );

/** `Mon`. */
export const formatWeekday = (day: CalendarDate): string =>
  day.toDate('UTC').toLocaleDateString(getLanguage(), { weekday: 'short', timeZone: 'UTC' });
