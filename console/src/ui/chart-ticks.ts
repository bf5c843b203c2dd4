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

/** Returns as many digits after the point as values need that are a step of an axis apart: 0.25 two. */
export const digitsOf = (step: number): number => Math.max(1, Math.ceil(-Math.log10(step)) + 1);

/** Returns the label below a chart at a time, in seconds since the epoch: the clock, and where a day begins its date; none between two minutes. */
export function tickOf(time: number, { step, zone, format }: TickOptions): string {
  if (time % 60 !== 0) return '';
  const clock = format(time * 1000, zone, { timeStyle: 'short' });
  const midnight = format(0, 'UTC', { timeStyle: 'short' });
  return step >= day || clock === midnight ? format(time * 1000, zone, { day: 'numeric', month: 'short' }) : clock;
}
