import type { JobRow } from './job-rows.ts';

/** Due jobs that are not read. */
export interface Exceptions {
  /** Persons whose turn it is not. */
  readonly busy?: readonly number[];
  readonly chosen?: readonly number[];
}

/** The persons whose jobs are chosen. */
export interface Round {
  /** Maximum number of running and chosen jobs of each person. */
  readonly limit: number;
  /** Persons who had a turn already. */
  readonly served?: ReadonlySet<number>;
}

/** Chooses due jobs for free slots in turns of persons: persons with the fewest running jobs first. Jobs of no person wait for no turn. */
export class TurnChoice {
  readonly #slots: number;
  readonly jobs: JobRow[] = [];
  /** Running and chosen jobs by person. */
  readonly #counts = new Map<number, number>();

  /** `running`: the persons whose jobs run. */
  constructor(slots: number, running: readonly (number | null)[]) {
    this.#slots = slots;
    for (const person of running) this.#count(person);
  }

  get isComplete(): boolean {
    return this.jobs.length >= this.#slots;
  }

  /** Chooses among jobs, oldest first. */
  add(rows: readonly JobRow[], { limit, served }: Round): void {
    const left = new Set(rows.filter((row) => !this.jobs.includes(row)));
    for (let turn = 1; turn <= limit; turn++)
      for (const row of left) {
        if (this.isComplete) return;
        const { turn_of } = row;
        if (turn_of !== null && (served?.has(turn_of) || (this.#counts.get(turn_of) ?? 0) >= turn)) continue;
        left.delete(row);
        this.jobs.push(row);
        this.#count(turn_of);
      }
  }

  /** Returns the rows that need not be read. */
  exceptions({ limit, served = new Set() }: Round): Exceptions {
    const busy = [...this.#counts].filter(([, count]) => count >= limit).map(([person]) => person);
    return { busy: [...busy, ...served], chosen: this.jobs.map(({ id }) => id) };
  }

  #count(person: number | null): void {
    if (person !== null) this.#counts.set(person, (this.#counts.get(person) ?? 0) + 1);
  }
}
