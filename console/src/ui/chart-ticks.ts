/** Seconds. */
const day = 24 * 60 * 60;

export interface TickOptions {
  /** Seconds between two of them. */
  readonly step: number;
  /** The time zone of the chart. */
  readonly zone: string;
  readonly language: string;
}

/** Returns what stands below a chart at a time, in seconds since the epoch: the clock, and where a day begins its date. */
export function tickOf(time: number, { step, zone, language }: TickOptions): string {
  const formatted = (locale: string, options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: zone }).format(time * 1000);
  const isDay = step >= day || formatted('en', { timeStyle: 'short', hourCycle: 'h23' }) === '00:00';
  return formatted(language, isDay ? { day: 'numeric', month: 'short' } : { timeStyle: 'short' });
}
