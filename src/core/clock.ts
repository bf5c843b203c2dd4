import { uptime } from 'node:os';

/** The source of the current time, in milliseconds since the epoch. Code never calls `Date.now()`, so that tests can set the time. */
export interface Clock {
  now(): number;
  /** Monotonic time in milliseconds, which runs on while the machine sleeps, and which no correction of the clock changes; `now` is used where it is missing. */
  elapsed?(): number;
}

/** The system clock. */
export const systemClock: Clock = { now: () => Date.now(), elapsed: () => uptime() * 1000 };

/** ISO 8601 in UTC with milliseconds, as stored and sent: `2026-11-21T10:00:00.000Z`. [rule V1] */
export type Timestamp = string;

let latest = { ms: Number.NaN, text: '' };

/** Formats milliseconds since the epoch as a {@link Timestamp}. */
export function timestamp(ms: number): Timestamp {
  // A change formats the time of now four times, and the changes of one millisecond the same one.
  if (ms !== latest.ms) latest = { ms, text: new Date(ms).toISOString() };
  return latest.text;
}

/** Returns the clock's current time as a {@link Timestamp}. */
export const currentTimestamp = (clock: Clock): Timestamp => timestamp(clock.now());

/** Returns the later of two times. */
export const laterOf = (a: Timestamp, b: Timestamp): Timestamp => (b > a ? b : a);
