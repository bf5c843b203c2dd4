import type { Clock } from '../core/clock.ts';
import { currentTimestamp, timestamp } from '../core/clock.ts';
import type { ServerScope } from '../db/scope.ts';
import type { JobRow } from './job-rows.ts';
import { jobs } from './job-rows.ts';

/** Kinds that share places, and how many of these are free. */
export interface Vacancy {
  readonly kinds: readonly string[];
  readonly places: number;
}

interface ClaimOptions {
  readonly clock: Clock;
  /** How long a claim holds, in ms. */
  readonly lease: number;
  /** Who claims. */
  readonly identity: string;
  /** Whether a job runs in this process just now. */
  readonly isRunning: (id: number) => boolean;
}

/** How often rows are looked at whose times lie ahead, in ms. */
const mendingInterval = 60_000;
/** How far the clocks of several machines may be apart, in ms. */
const tolerance = 60_000;

export const oldestFirst = (a: JobRow, b: JobRow): number => a.run_at.localeCompare(b.run_at) || a.id - b.id;

/** Whose jobs are whose: rows that are claimed with a lease, kept while their work goes on, and given back. */
export class Claims {
  readonly #options: ClaimOptions;
  #mendedAt: number | null = null;

  constructor(options: ClaimOptions) {
    this.#options = options;
  }

  /** The end of a lease that begins now. */
  #end(): string {
    return timestamp(this.#options.clock.now() + this.#options.lease);
  }

  /** Jobs whose time has come and that nobody works on, the oldest first. `running`: how many do here. */
  async due(scope: ServerScope, { kinds, places }: Vacancy, running: number): Promise<JobRow[]> {
    const { clock, isRunning } = this.#options;
    const now = currentTimestamp(clock);
    const open = { kind: kinds, failed_at: null };
    const order = [
      ['run_at', 'asc'],
      ['id', 'asc'],
    ] as const;
    const waiting = await scope.rows(jobs, {
      where: { ...open, locked_until: null, run_at: { lte: now } },
      order,
      limit: places,
    });
    const abandoned = await scope.rows(jobs, {
      where: { ...open, locked_until: { lt: now } },
      order,
      limit: places + running,
    });
    // After a machine has slept its own leases look abandoned, too, while their jobs go on.
    const orphans = abandoned.filter(({ id }) => !isRunning(id));
    return [...waiting, ...orphans].sort(oldestFirst).slice(0, places);
  }

  /** Claims one job, or gives it up when it was tried too often. Gives the row as it is now; nothing where another process was faster. */
  async take(scope: ServerScope, row: JobRow): Promise<JobRow[]> {
    // The lease that was read must still be there: another process may have been faster.
    const query = { where: { id: row.id, locked_until: row.locked_until, failed_at: null } };
    // Counted before the work: a job that ends the process is given up in time, too.
    const changes =
      row.attempts >= row.max_attempts
        ? {
            failed_at: currentTimestamp(this.#options.clock),
            locked_until: null,
            locked_by: null,
            last_error: row.last_error ?? 'abandoned',
          }
        : { attempts: row.attempts + 1, locked_until: this.#end(), locked_by: this.#options.identity };
    return scope.update(jobs, changes, query);
  }

  /** The rows of a job while it is claimed from here. */
  own(id: number) {
    return { where: { id, locked_by: this.#options.identity } };
  }

  /** Makes a lease longer again and again, until the function that it gives is called. */
  renew(scope: () => ServerScope, id: number): () => void {
    const renewal = setInterval(() => {
      scope()
        .update(jobs, { locked_until: this.#end() }, this.own(id))
        .catch(() => undefined);
    }, this.#options.lease / 3);
    renewal.unref();
    return () => clearInterval(renewal);
  }

  /** Undoes a claim that came to nothing: nobody need wait for its lease. */
  async giveBack(scope: ServerScope, { id, attempts }: JobRow): Promise<void> {
    await scope.update(jobs, { attempts: attempts - 1, locked_until: null, locked_by: null }, this.own(id));
  }

  /** Ends all leases, whoever has them, their jobs being due. Only where no other process can be at work. */
  async releaseAll(scope: ServerScope): Promise<void> {
    const changes = { locked_until: null, locked_by: null, run_at: currentTimestamp(this.#options.clock) };
    const where = { locked_until: { not: null } };
    if ((await scope.count(jobs, { where })) > 0) await scope.update(jobs, changes, { where });
  }

  /**
   * Mends what was written while the clock was ahead: jobs wait as long as they were to, and leases that nobody renews end.
   * Looks once a minute, and whenever the clock was set back.
   */
  async mendTimes(scope: ServerScope): Promise<void> {
    const now = this.#options.clock.now();
    if (this.#mendedAt !== null && now >= this.#mendedAt && now - this.#mendedAt < mendingInterval) return;
    this.#mendedAt = now;
    const ahead = timestamp(now + tolerance);
    const where = { failed_at: null, locked_until: null, run_at: { gt: ahead }, updated_at: { gt: ahead } };
    for (const { id, run_at, updated_at } of await scope.rows(jobs, { where })) {
      const wait = Math.max(0, Date.parse(run_at) - Date.parse(updated_at));
      await scope.update(jobs, { run_at: timestamp(now + wait) }, { where: { ...where, id, run_at } });
    }
    const { lease, isRunning } = this.#options;
    const leased = { failed_at: null, locked_until: { gt: timestamp(now + lease + Math.max(lease, tolerance)) } };
    const free = { locked_until: null, locked_by: null, run_at: timestamp(now) };
    for (const { id, locked_until } of await scope.rows(jobs, { where: leased }))
      if (!isRunning(id)) await scope.update(jobs, free, { where: { id, locked_until } });
  }
}
