/** A repetition between two times. */
export interface Recurrence {
  /** ISO 8601. */
  readonly start_time: string;
  readonly end_time: string;
  readonly repeat: number;
  readonly time_unit: keyof typeof minutesOf | 'never';
}

/** Minutes per unit. A month counts as 30 weeks and a year as 12 of these; events are too short for it to matter. [rule P44] */
const minutesOf = {
  minutely: 1,
  hourly: 60,
  daily: 1440,
  weekly: 10_080,
  monthly: 302_400,
  yearly: 3_628_800,
} as const;

/** Maximum number of occurrences of one event. [rule P44] */
export const maxOccurrences = 500;

/** Counts the occurrences of an event by elapsed time, without time zones. An end before the start counts as one minute. [rule P44] */
export function countOccurrences({ start_time, end_time, repeat, time_unit }: Recurrence): number {
  if (time_unit === 'never') return 1;
  const minutes = Math.max((Date.parse(end_time) - Date.parse(start_time)) / 60_000, 1);
  const interval = Math.max(minutesOf[time_unit] * repeat, 1);
  return Math.round(minutes / interval);
}
