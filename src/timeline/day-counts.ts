import { aboutWater } from '../core/about-water.ts';
import type { RunSeries } from '../programs/schedule.ts';
import { runsIn } from '../programs/schedule.ts';
import type { LocalDays } from './local-days.ts';

/** What is counted of each day. */
export const countedEvents = {
  planted: 'Plants by their date of planting.',
  removed: 'Points that were deleted.',
  moved: 'Points that were moved.',
  ripe: 'Plants whose harvest begins.',
  photos: 'Photos.',
  runs: 'Runs of sequences that were or will be due, and runs over several places that began; without waterings.',
  waterings: 'Those that are named for water.',
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
    const day = this.#days.of(at);
    if (day < this.#first || day > this.#last) return;
    const counts = this.#counts.get(day) ?? {};
    counts[event] = (counts[event] ?? 0) + count;
    this.#counts.set(day, counts);
  }

  /** Counts a run by its name. */
  addRun(name: string, at: number, count = 1): void {
    this.add(aboutWater.test(name) ? 'waterings' : 'runs', at, count);
  }

  /** Counts the runs of a series from `from` on (ms): frequent ones by day, not one by one. */
  addSeries(series: RunSeries, from: number): void {
    const { start, interval, count, sequence } = series;
    if (interval === 0) {
      if (start >= from) this.addRun(sequence.name, start, count);
      return;
    }
    const first = Math.max(this.#days.of(from), this.#first, this.#days.of(start));
    const last = Math.min(this.#last, this.#days.of(start + (count - 1) * interval));
    for (let day = first; day <= last; day++) {
      const dayStart = Math.max(from, this.#days.start(day));
      const runs = runsIn(series, dayStart, this.#days.start(day + 1)).count;
      if (runs > 0) this.addRun(sequence.name, dayStart, runs);
    }
  }

  /** Returns the counts of days on which something happens, in their order. */
  list(): ({ readonly date: string } & Partial<Record<CountedEvent, number>>)[] {
    return [...this.#counts]
      .sort(([one], [other]) => one - other)
      .map(([day, counts]) => ({ date: this.#days.date(day), ...counts }));
  }
}
