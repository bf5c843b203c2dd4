import { ZoneOffsets } from '../core/local-day.ts';

const dayLength = 86_400_000;

/** Those of each zone that was asked for: its offsets take long to find. */
const known = new Map<string, LocalDays>();

/** Returns the days of a time zone. */
export function daysIn(zone: string): LocalDays {
  const days = known.get(zone) ?? new LocalDays(new ZoneOffsets(zone));
  known.set(zone, days);
  return days;
}

/** The days of a time zone, by their numbers since the epoch. */
export class LocalDays {
  readonly #offsets: ZoneOffsets;
  /** Asked for once for each series of a schedule. */
  readonly #starts = new Map<number, number>();

  constructor(offsets: ZoneOffsets) {
    this.#offsets = offsets;
  }

  /** Returns the day of a time in ms. */
  of(at: number): number {
    return Math.floor((at + this.#offsets.at(at)) / dayLength);
  }

  /** Returns when a day begins, in ms. */
  start(day: number): number {
    let start = this.#starts.get(day);
    if (start === undefined) {
      const midnight = day * dayLength;
      start = midnight - this.#offsets.at(midnight - this.#offsets.at(midnight));
      this.#starts.set(day, start);
    }
    return start;
  }

  /** Returns the date of a day: `2027-03-01`. */
  date(day: number): string {
    return new Date(day * dayLength).toISOString().slice(0, 10);
  }
}
