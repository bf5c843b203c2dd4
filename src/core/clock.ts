/** Milliseconds since the epoch, from the machine or from a test. All time in Potager comes through a clock. */
export interface Clock {
  now(): number;
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** A point in time as it is stored and sent: ISO 8601 UTC with exactly three decimals, `2026-11-21T10:00:00.000Z`. [Spec Shared conventions 2] */
export type Timestamp = string;

/** Renders milliseconds since the epoch as a {@link Timestamp}. */
export const timestamp = (ms: number): Timestamp => new Date(ms).toISOString();

/** The clock's present time as a {@link Timestamp}. */
export const currentTimestamp = (clock: Clock): Timestamp => timestamp(clock.now());
