/** Seconds. */
const day = 24 * 60 * 60;

export interface TickOptions {
  /** Seconds between two of them. */
  readonly step: number;
  /** The time zone of the chart. */
  readonly zone: string;
  /** Writes a time, in ms since the epoch. */
  readonly format: (at: number, zone: string, options: Intl.DateTimeFormatOptions) => string;
}

/** Returns what stands below a chart at a time, in seconds since the epoch: the clock, and where a day begins its date. */
export function tickOf(time: number, { step, zone, format }: TickOptions): string {
  const clock = new Intl.DateTimeFormat('en', { timeStyle: 'short', hourCycle: 'h23', timeZone: zone });
  const isDay = step >= day || clock.format(time * 1000) === '00:00';
  return format(time * 1000, zone, isDay ? { day: 'numeric', month: 'short' } : { timeStyle: 'short' });
}
