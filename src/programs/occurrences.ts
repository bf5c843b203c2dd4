/** How often something repeats. */
export interface Recurrence {
  /** ISO 8601. */
  readonly start_time: string;
  readonly end_time: string;
  readonly repeat: number;
  readonly time_unit: keyof typeof minutesOf | 'never';
}

/** Minutes of each unit. A month counts as 30 weeks and a year as 12 of these, as always; no span is long enough for it to matter. [reference 7.5] */
const minutesOf = {
  minutely: 1,
  hourly: 60,
  daily: 1440,
  weekly: 10_080,
  monthly: 302_400,
  yearly: 3_628_800,
} as const;

/** Occurrences of one event at most. [reference 7.5] */
export const maxOccurrences = 500;

/** How often an event takes place. Plain elapsed time counts, without any time zone. An end before the start counts as a minute. [reference 7.5] */
export function countOccurrences({ start_time, end_time, repeat, time_unit }: Recurrence): number {
  if (time_unit === 'never') return 1;
  const minutes = Math.max((Date.parse(end_time) - Date.parse(start_time)) / 60_000, 1);
  const interval = Math.max(minutesOf[time_unit] * repeat, 1);
  // Half away from zero: nothing here is negative.
  return Math.round(minutes / interval);
}
