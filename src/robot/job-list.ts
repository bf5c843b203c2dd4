import type { PercentageProgress } from 'farmbot';
import { type Clock, timestamp } from '../core/clock.ts';
import { toPrintable } from './nodes.ts';

/** Maximum number of jobs; the oldest are removed. */
const maxJobs = 100;
/** Maximum length of names, types and statuses: the state of the robot is one message of limited size. */
const maxText = 100;

/** The fields of a job that scripts set. */
export interface JobFields {
  readonly percent: number;
  /** Any text, which clients show. */
  readonly status: string;
  readonly type: string;
  /** When it began, in ms since the epoch. */
  readonly time: number;
}

/** The progress of a job in the state tree; scripts use any text as status. */
export type Job = Omit<PercentageProgress, 'status'> & { readonly status: string };

/** The progress of work that scripts report, by name. */
export class JobList {
  readonly #jobs = new Map<string, JobFields & { readonly updatedAt: number }>();
  readonly #clock: Clock;
  readonly #changed: () => void;

  /** `changed` is called after every change. */
  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  get(title: string): JobFields | undefined {
    return this.#jobs.get(toPrintable(title, maxText));
  }

  /** Adds or replaces a job. `percent` is limited to 0 to 100, texts are shortened; without a `time`, it begins now. */
  set(title: string, { percent = 0, status = 'Working', type = 'unknown', time }: Partial<JobFields>): void {
    const now = this.#clock.now();
    const name = toPrintable(title, maxText);
    this.#jobs.delete(name);
    this.#jobs.set(name, {
      percent: Math.min(Math.max(percent, 0), 100),
      status: toPrintable(status, maxText),
      type: toPrintable(type, maxText),
      time: time ?? Math.floor(now / 1000) * 1000,
      updatedAt: now,
    });
    for (const oldest of this.#jobs.keys()) {
      if (this.#jobs.size <= maxJobs) break;
      this.#jobs.delete(oldest);
    }
    this.#changed();
  }

  /** Removes all jobs. */
  clear(): void {
    this.#jobs.clear();
    this.#changed();
  }

  /** The jobs for the state tree. */
  get tree(): Record<string, Job> {
    const job = ({ time, updatedAt, ...fields }: JobFields & { readonly updatedAt: number }): Job => ({
      unit: 'percent',
      ...fields,
      file_type: '',
      time: timestamp(time),
      updated_at: Math.floor(updatedAt / 1000),
    });
    return Object.fromEntries([...this.#jobs].map(([name, fields]) => [name, job(fields)]));
  }
}
