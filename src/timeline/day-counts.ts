import type { RunSeries } from '../programs/schedule.ts';
import type { LocalDays } from './local-days.ts';

/** What is counted of each day. */
export const countedEvents = {
  planted: 'Plants by their date of planting.',
  removed: 'Points that were deleted.',
  moved: 'Points that were moved.',
  ripe: 'Plants whose harvest begins.',
  photos: 'Photos.',
  readings: 'Readings of sensors.',
  runs: 'Runs over several places that began, without waterings.',
  waterings: 'Runs over several places that are named for water.',
  scheduled: 'Runs of sequences that the schedule will cause.',
} as const;

export type CountedEvent = keyof typeof countedEvents;

/** Counts of events by day, of the days from the first to the last one. */
export class DayCounts {
  readonly #days: LocalDays;
  readonly #first: number;
  readonly #last: number;
  readonly #counts = new Map<number, Partial<Record<CountedEvent, number>>>();

  /** `from`, `to`: in ms. */
  constructor(days: LocalDays, from: number, to: number) {
    this.#days = days;
    this.#first = days.of(from);
    this.#last = days.of(to);
  }

  /** Counts events at a time in ms. */
  add(event: CountedEvent, at: number, count = 1): void {
    this.addOn(event, this.#days.of(at), count);
  }

  addOn(event: CountedEvent, day: number, count: number): void {
    if (count === 0 || !(day >= this.#first && day <= this.#last)) return;
    const counts = this.#counts.get(day) ?? {};
    counts[event] = (counts[event] ?? 0) + count;
    this.#counts.set(day, counts);
  }

  /** Counts the runs of a series from `from` on (ms): frequent ones by day, not one by one. */
  addRuns(series: RunSeries, from: number): void {
    const start = Math.max(this.#days.of(from), this.#first);
    if (series.interval === 0) {
      if (series.start >= from) this.add('scheduled', series.start, series.count);
      return;
    }
    const lastRun = series.start + (series.count - 1) * series.interval;
    const first = Math.max(start, this.#days.of(series.start));
    const last = Math.min(this.#last, this.#days.of(lastRun));
    for (let day = first; day <= last; day++) {
      const { count } = runsBetween(series, Math.max(from, this.#days.start(day)), this.#days.start(day + 1));
      this.addOn('scheduled', day, count);
    }
  }

  /** Returns the counts of days on which something happens, in their order. */
  list(): ({ readonly date: string } & Partial<Record<CountedEvent, number>>)[] {
    return [...this.#counts]
      .sort(([one], [other]) => one - other)
      .map(([day, counts]) => ({ date: this.#days.date(day), ...counts }));
  }
}

/** Returns the first run of a series from `from` until before `to` (ms), and how many there are. */
export function runsBetween(
  { start, interval, count }: RunSeries,
  from: number,
  to: number,
): { readonly first: number; readonly count: number } {
  if (interval === 0) return { first: start, count: start >= from && start < to ? count : 0 };
  const indexAt = (at: number): number => Math.min(count, Math.max(0, Math.ceil((at - start) / interval)));
  const index = indexAt(from);
  return { first: start + index * interval, count: Math.max(0, indexAt(to) - index) };
}
