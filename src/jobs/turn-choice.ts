import type { JobRow } from './job-rows.ts';

/** Due jobs that are not read. */
export interface Exceptions {
  /** Persons whose turn it is not. */
  readonly busy?: readonly number[];
  readonly chosen?: readonly number[];
}

/** Chooses due jobs for free slots in turns of persons: those with the fewest running jobs first. Jobs of no person wait for no turn. */
export class TurnChoice {
  readonly #slots: number;
  readonly jobs: JobRow[] = [];
  /** Running and chosen jobs by person. */
  readonly #counts = new Map<number, number>();

  /** `running`: whose jobs run. */
  constructor(slots: number, running: readonly (number | null)[]) {
    this.#slots = slots;
    for (const person of running) this.#count(person);
  }

  get isComplete(): boolean {
    return this.jobs.length >= this.#slots;
  }

  /** Chooses among further jobs, oldest first, up to a number of each person; returns all chosen ones. */
  add(rows: readonly JobRow[], limit: number): JobRow[] {
    const left = new Set(rows);
    for (let turn = 1; turn <= limit; turn++)
      for (const row of left) {
        if (this.isComplete) return this.jobs;
        if (row.turn_of !== null && (this.#counts.get(row.turn_of) ?? 0) >= turn) continue;
        left.delete(row);
        this.jobs.push(row);
        this.#count(row.turn_of);
      }
    return this.jobs;
  }

  /** Returns what need not be read when each person may have a number of jobs. */
  exceptions(limit: number): Exceptions {
    const busy = [...this.#counts].filter(([, count]) => count >= limit).map(([person]) => person);
    return { busy, chosen: this.jobs.map(({ id }) => id) };
  }

  #count(person: number | null): void {
    if (person !== null) this.#counts.set(person, (this.#counts.get(person) ?? 0) + 1);
  }
}
