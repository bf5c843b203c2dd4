import type { PercentageProgress } from 'farmbot';
import { type Clock, timestamp } from '../core/clock.ts';
import { toPrintable } from './nodes.ts';

/** Maximum number of jobs; the oldest are removed. */
const maxJobs = 100;
/** Maximum length of names and statuses: the state of the robot is one message of limited size. */
const maxText = 100;

/** The progress of a job; scripts use any text as status, which clients show. */
export type Job = Omit<PercentageProgress, 'status'> & { readonly status: string };

/** The progress of work that scripts report, by name. */
export class JobList {
  readonly #jobs = new Map<string, Job>();
  readonly #clock: Clock;
  readonly #changed: () => void;

  /** `changed` is called after every change. */
  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  /** Adds or changes a job. `percent` is limited to 0 to 100, texts are shortened. */
  set(title: string, percent: number, status: string): void {
    const now = this.#clock.now();
    const name = toPrintable(title, maxText);
    const known = this.#jobs.get(name);
    this.#jobs.delete(name);
    this.#jobs.set(name, {
      unit: 'percent',
      percent: Math.min(Math.max(percent, 0), 100),
      status: toPrintable(status, maxText),
      type: 'unknown',
      file_type: '',
      time: known?.time ?? timestamp(now),
      updated_at: Math.floor(now / 1000),
    });
    for (const oldest of this.#jobs.keys()) {
      if (this.#jobs.size <= maxJobs) break;
      this.#jobs.delete(oldest);
    }
    this.#changed();
  }

  /** The jobs for the state tree. */
  get tree(): Record<string, Job> {
    return Object.fromEntries(this.#jobs);
  }
}
