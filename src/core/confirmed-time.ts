import type { Clock } from './clock.ts';

/** How long a clock must stay ahead before its new time is confirmed, in ms. */
const confirmationTime = 3600_000;
/** Maximum difference between clock and elapsed time that does not count as a jump, in ms. */
const tolerance = 60_000;

/** The time for decisions that cannot be undone, as long as one clock runs. */
class ConfirmedTime {
  readonly #clock: Clock;
  /** Both were read at the same moment. */
  #time: number;
  #elapsed: number;
  /** When the clock was first read ahead, in elapsed ms. */
  #aheadSince: number | null = null;

  readonly #newest: number;
  readonly #startedAt: number;

  constructor(clock: Clock, newest = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    const now = clock.now();
    this.#time = Math.min(now, newest);
    this.#elapsed = clock.elapsed?.() ?? now;
    this.#newest = Number.isFinite(newest) ? newest : now;
    this.#startedAt = this.#elapsed;
  }

  latest(): number {
    const time = this.#clock.now();
    return Math.max(time, this.#newest + (this.#clock.elapsed?.() ?? time) - this.#startedAt);
  }

  now(): number {
    const time = this.#clock.now();
    const elapsed = this.#clock.elapsed?.() ?? time;
    const expected = this.#time + elapsed - this.#elapsed;
    const isAhead = time > expected + tolerance;
    if (isAhead) {
      this.#aheadSince ??= elapsed;
      if (elapsed - this.#aheadSince < confirmationTime) return expected;
    }
    this.#aheadSince = null;
    this.#time = time;
    this.#elapsed = elapsed;
    return time;
  }
}

const times = new WeakMap<Clock, ConfirmedTime>();

/**
 * Begins the confirmed time of a clock when a server starts. `newest`: the newest time in its data, in ms since the epoch: a
 * clock that is ahead of it counts as one that has jumped, since how long the server was stopped is unknown. Null: no data,
 * and the clock is trusted.
 */
export function beginConfirmedTime(clock: Clock, newest: number | null): void {
  // Without a time that no correction changes, a correct clock that has run on could not be recognized.
  times.set(clock, new ConfirmedTime(clock, clock.elapsed ? (newest ?? undefined) : undefined));
}

/**
 * Returns the time for deleting old records, in ms since the epoch. After the clock has jumped ahead, it continues from the
 * time before, until the clock has stayed ahead for an hour: a wrong clock must not delete recent records. Without
 * {@link beginConfirmedTime}, the first call for a clock trusts it.
 */
export const confirmedNow = (clock: Clock): number => timeOf(clock).now();

/** Returns the latest time that clock and data can be at, in ms since the epoch: a clock that is behind the data has lost time. */
export const latestNow = (clock: Clock): number => timeOf(clock).latest();

function timeOf(clock: Clock): ConfirmedTime {
  let time = times.get(clock);
  if (!time) {
    time = new ConfirmedTime(clock);
    times.set(clock, time);
  }
  return time;
}
