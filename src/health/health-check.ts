import type { Clock } from '../core/clock.ts';
import type { ServerScope } from '../db/scope.ts';
import type { JobCounts } from '../jobs/job-counts.ts';
import { countJobs } from '../jobs/job-counts.ts';
import type { WriteProbe } from './write-probe.ts';

/** State of the server. The messages are fixed, so that they disclose no address or version. */
export interface Health {
  readonly status: 'ok' | 'failing';
  readonly database: { readonly ok: boolean; readonly message: string };
  readonly broker: { readonly ok: boolean; readonly message: string };
  /** Whether uploads can be written. */
  readonly photos: { readonly ok: boolean; readonly message: string };
  /** Whether there is enough free space for uploads and imports. */
  readonly disk: { readonly ok: boolean; readonly message: string };
  readonly jobs: {
    /** No job failed permanently. */
    readonly ok: boolean;
    readonly message: string;
    /** Due, not started; null if the database does not respond. */
    readonly waiting: number | null;
    readonly failed: number | null;
  };
}

export interface HealthOptions {
  /** Creates a scope. */
  readonly server: () => ServerScope;
  /** Returns the state of the broker; null: there is none. */
  readonly broker: () => { readonly ok: boolean } | null;
  /** Whether the database and the folder of uploads can be written. */
  readonly probes: {
    readonly database: Pick<WriteProbe, 'isWritable'>;
    readonly photos: Pick<WriteProbe, 'isWritable'>;
  };
  /** Returns whether the disks have enough free space. */
  readonly hasFreeSpace: () => boolean;
  readonly clock: Clock;
  /** Timeout of the database query, in ms. */
  readonly timeout?: number;
}

/** Time that a result is cached, in ms: requests are not limited. */
const cacheTime = 1000;
const defaultTimeout = 2000;

const readOnly = {
  ok: false,
  message: 'The database cannot be written: its disk is full, or it is read-only. Run "potager doctor".',
};
const storable = { ok: true, message: 'Photos can be stored.' };
const unstorable = {
  ok: false,
  message: 'Photos cannot be stored: the disk is full, or their folder is read-only. Run "potager doctor".',
};

const spacious = { ok: true, message: 'There is enough free space.' };
const almostFull = {
  ok: false,
  message: 'The disk is almost full: uploads and imports are refused. Run "potager doctor".',
};

/** Checks the database, the broker, the disk and the jobs, at most once a second. */
export class HealthCheck {
  readonly #options: HealthOptions;
  #last: { readonly at: number; readonly health: Promise<Health> } | null = null;
  /** The pending query; no other is sent until it has ended. */
  #query: Promise<JobCounts> | null = null;

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  check(): Promise<Health> {
    const now = this.#options.clock.now();
    // Also when the clock was set back.
    if (!this.#last || now - this.#last.at >= cacheTime || now < this.#last.at)
      this.#last = { at: now, health: this.#run() };
    return this.#last.health;
  }

  async #run(): Promise<Health> {
    const { probes, hasFreeSpace } = this.#options;
    const [[state, counts], canWrite, canStore] = await Promise.all([
      this.#database(),
      probes.database.isWritable(),
      probes.photos.isWritable(),
    ]);
    const database = state.ok && !canWrite ? readOnly : state;
    const broker = this.#broker();
    const photos = canStore ? storable : unstorable;
    return {
      status: database.ok && broker.ok && photos.ok ? 'ok' : 'failing',
      database,
      broker,
      photos,
      disk: hasFreeSpace() ? spacious : almostFull,
      jobs: jobsOf(counts),
    };
  }

  async #database(): Promise<readonly [Health['database'], JobCounts | null]> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<'timeout'>((resolve) => {
      timer = setTimeout(resolve, this.#options.timeout ?? defaultTimeout, 'timeout').unref();
    });
    try {
      this.#query ??= countJobs(this.#options.server()).finally(() => {
        this.#query = null;
      });
      const counts = await Promise.race([this.#query, timeout]);
      if (counts === 'timeout') return [{ ok: false, message: 'The database does not respond in time.' }, null];
      return [{ ok: true, message: 'The database responds.' }, counts];
    } catch {
      return [{ ok: false, message: 'The database does not respond.' }, null];
    } finally {
      clearTimeout(timer);
    }
  }

  #broker(): Health['broker'] {
    const state = this.#options.broker();
    if (state === null) return { ok: true, message: 'There is no message broker.' };
    return state.ok
      ? { ok: true, message: 'The message broker is running.' }
      : { ok: false, message: 'The message broker is not running.' };
  }
}

function jobsOf(counts: JobCounts | null): Health['jobs'] {
  if (counts === null)
    return { ok: false, message: 'The state of background jobs is unknown.', waiting: null, failed: null };
  const { waiting, dead: failed } = counts;
  const message =
    failed === 0
      ? 'No background job failed permanently.'
      : failed === 1
        ? '1 background job failed permanently.'
        : `${failed} background jobs failed permanently.`;
  return { ok: failed === 0, message, waiting, failed };
}
