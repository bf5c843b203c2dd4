import type { Clock } from '../core/clock.ts';
import type { ServerScope } from '../db/scope.ts';
import type { JobCounts } from '../jobs/job-counts.ts';
import { countJobs } from '../jobs/job-counts.ts';

/** How the server fares, for whoever asks: fixed sentences, so that no address and no version gets out. */
export interface Health {
  readonly status: 'ok' | 'failing';
  readonly database: { readonly ok: boolean; readonly message: string };
  readonly broker: { readonly ok: boolean; readonly message: string };
  readonly jobs: {
    /** None was given up. */
    readonly ok: boolean;
    readonly message: string;
    /** Due and not begun; null when the database does not say. */
    readonly waiting: number | null;
    readonly failed: number | null;
  };
}

export interface HealthOptions {
  /** A fresh scope. */
  readonly server: () => ServerScope;
  /** How the broker fares; null: there is none. */
  readonly broker: () => { readonly ok: boolean } | null;
  readonly clock: Clock;
  /** How long the database may take, in ms. */
  readonly timeout?: number;
}

/** How long an answer counts, in ms: anybody may ask as often as they like. */
const fresh = 1000;
const usualPatience = 2000;

/** Looks at what the server needs, at most once a second. */
export class HealthCheck {
  readonly #options: HealthOptions;
  #seen: { readonly at: number; readonly health: Promise<Health> } | null = null;
  /** The question to the database that is under way: while it is not answered no other is asked. */
  #asked: Promise<JobCounts> | null = null;

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  check(): Promise<Health> {
    const now = this.#options.clock.now();
    // A clock that was set back must not keep an old answer.
    if (!this.#seen || now - this.#seen.at >= fresh || now < this.#seen.at)
      this.#seen = { at: now, health: this.#look() };
    return this.#seen.health;
  }

  async #look(): Promise<Health> {
    const [database, counts] = await this.#database();
    const broker = this.#broker();
    return {
      status: database.ok && broker.ok ? 'ok' : 'failing',
      database,
      broker,
      jobs: jobsOf(counts),
    };
  }

  async #database(): Promise<readonly [Health['database'], JobCounts | null]> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, this.#options.timeout ?? usualPatience, 'late').unref();
    });
    try {
      this.#asked ??= countJobs(this.#options.server()).finally(() => {
        this.#asked = null;
      });
      const counts = await Promise.race([this.#asked, late]);
      if (counts === 'late') return [{ ok: false, message: 'The database does not answer in time.' }, null];
      return [{ ok: true, message: 'The database answers.' }, counts];
    } catch {
      return [{ ok: false, message: 'The database does not answer.' }, null];
    } finally {
      clearTimeout(timer);
    }
  }

  #broker(): Health['broker'] {
    const state = this.#options.broker();
    if (state === null) return { ok: true, message: 'There is no message broker.' };
    return state.ok
      ? { ok: true, message: 'The message broker is at work.' }
      : { ok: false, message: 'The message broker is not at work.' };
  }
}

function jobsOf(counts: JobCounts | null): Health['jobs'] {
  if (counts === null)
    return { ok: false, message: 'Nothing is known of background jobs.', waiting: null, failed: null };
  const { waiting, dead: failed } = counts;
  const message =
    failed === 0
      ? 'No background job was given up.'
      : failed === 1
        ? '1 background job was given up.'
        : `${failed} background jobs were given up.`;
  return { ok: failed === 0, message, waiting, failed };
}
