import type { Clock } from '../core/clock.ts';
import { currentTimestamp, timestamp } from '../core/clock.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Sql } from '../db/sql.ts';
import { joinSql, sql } from '../db/sql.ts';
import type { JobRow } from './job-rows.ts';
import { jobs } from './job-rows.ts';
import type { Exceptions } from './turn-choice.ts';
import { TurnChoice } from './turn-choice.ts';

/** Kinds that share slots, and the free slots. */
export interface Capacity {
  readonly kinds: readonly string[];
  readonly slots: number;
  /** How many jobs of one person may run at the same time, and whose run in this process. */
  readonly turns?: { readonly perPerson: number; readonly running: readonly (number | null)[] };
}

interface ClaimOptions {
  readonly clock: Clock;
  /** Duration of a lease, in ms. */
  readonly lease: number;
  /** Name of this process in `locked_by`. */
  readonly identity: string;
  /** Returns whether a job is running in this process. */
  readonly isRunning: (id: number) => boolean;
}

interface DueQuery extends Pick<Capacity, 'kinds' | 'slots'>, Exceptions {
  readonly running: number;
}

/** Rows that are read besides those for the free slots, to find persons among them. */
const rowsAhead = 100;

const listSql = (values: readonly number[]): Sql => joinSql(values.map((value) => sql`${value}`));

/** Interval of {@link Claims.repairTimes}, in ms. */
const repairInterval = 60_000;
/** Tolerated difference between the clocks of several machines, in ms. */
const clockTolerance = 60_000;

export const oldestFirst = (a: JobRow, b: JobRow): number => a.run_at.localeCompare(b.run_at) || a.id - b.id;

/** Claims jobs for this process: with a lease that is renewed while the job runs, and released afterwards. */
export class Claims {
  readonly #options: ClaimOptions;
  /** By kinds: persons of whom jobs were chosen since all who waited had a turn. */
  readonly #served = new Map<string, Set<number>>();
  #repairedAt: number | null = null;

  constructor(options: ClaimOptions) {
    this.#options = options;
  }

  /** Returns the expiry of a lease that starts now. */
  #leaseExpiry(): string {
    return timestamp(this.#options.clock.now() + this.#options.lease);
  }

  /** Returns due jobs without a valid lease: oldest first, or in turns of persons. `running`: number of jobs that run in this process. */
  async due(scope: ServerScope, { kinds, slots, turns }: Capacity, running: number): Promise<JobRow[]> {
    if (!turns) return this.#oldest(scope, { kinds, slots, running });
    const served = this.#served.get(kinds.join()) ?? new Set();
    this.#served.set(kinds.join(), served);
    const choice = new TurnChoice(slots, turns.running);
    const read = { kinds, slots: slots + rowsAhead, running };
    const all = await this.#oldest(scope, read);
    // The oldest jobs may be those of a person who had a turn just now, and more than are read.
    for (const round of [{ limit: 1, served }, { limit: 1 }, { limit: turns.perPerson }]) {
      let rows: JobRow[];
      do {
        rows = all.length < read.slots ? all : await this.#oldest(scope, { ...read, ...choice.exceptions(round) });
        choice.add(rows, round);
      } while (rows.length === read.slots && !choice.isComplete);
      if (choice.isComplete) break;
      served.clear();
    }
    for (const { turn_of } of choice.jobs) if (turn_of !== null) served.add(turn_of);
    return choice.jobs;
  }

  async #oldest(scope: ServerScope, { kinds, slots, running, busy = [], chosen = [] }: DueQuery): Promise<JobRow[]> {
    const { clock, isRunning } = this.#options;
    const now = currentTimestamp(clock);
    const open = { kind: kinds, failed_at: null };
    const conditions = [
      ...(busy.length > 0 ? [sql`(turn_of is null or turn_of not in (${listSql(busy)}))`] : []),
      ...(chosen.length > 0 ? [sql`id not in (${listSql(chosen)})`] : []),
    ];
    const others = conditions.length > 0 ? { and: joinSql(conditions, ' and ') } : {};
    const order = [
      ['run_at', 'asc'],
      ['id', 'asc'],
    ] as const;
    const waiting = await scope.rows(jobs, {
      where: { ...open, locked_until: null, run_at: { lte: now } },
      ...others,
      order,
      limit: slots,
    });
    const abandoned = await scope.rows(jobs, {
      where: { ...open, locked_until: { lt: now } },
      ...others,
      order,
      limit: slots + running,
    });
    // After a suspend of the machine, leases of jobs that still run here have expired too.
    const reclaimed = abandoned.filter(({ id }) => !isRunning(id));
    return [...waiting, ...reclaimed].sort(oldestFirst).slice(0, slots);
  }

  /** Claims a job, or marks it as failed after too many attempts. Returns the updated row; none if another process was faster. */
  async claim(scope: ServerScope, row: JobRow): Promise<JobRow[]> {
    // Fails if the lease changed since it was read.
    const query = { where: { id: row.id, locked_until: row.locked_until, failed_at: null } };
    // The attempt counts before the job runs, so that jobs that crash the process fail permanently too.
    const changes =
      row.attempts >= row.max_attempts
        ? {
            failed_at: currentTimestamp(this.#options.clock),
            locked_until: null,
            locked_by: null,
            last_error: row.last_error ?? 'abandoned',
          }
        : { attempts: row.attempts + 1, locked_until: this.#leaseExpiry(), locked_by: this.#options.identity };
    return scope.update(jobs, changes, query);
  }

  /** Returns the query of a job while this process holds its claim. */
  ownQuery(id: number) {
    return { where: { id, locked_by: this.#options.identity } };
  }

  /** Renews a lease periodically until the returned function is called. */
  renew(scope: () => ServerScope, id: number): () => void {
    const renewal = setInterval(() => {
      scope()
        .update(jobs, { locked_until: this.#leaseExpiry() }, this.ownQuery(id))
        .catch(() => undefined);
    }, this.#options.lease / 3);
    renewal.unref();
    return () => clearInterval(renewal);
  }

  /** Releases a claim whose job was not started. */
  async release(scope: ServerScope, { id, attempts }: JobRow): Promise<void> {
    await scope.update(jobs, { attempts: attempts - 1, locked_until: null, locked_by: null }, this.ownQuery(id));
  }

  /** Releases the claims of all processes. Only for a single process. */
  async releaseAll(scope: ServerScope): Promise<void> {
    const changes = { locked_until: null, locked_by: null, run_at: currentTimestamp(this.#options.clock) };
    const where = { locked_until: { not: null } };
    if ((await scope.count(jobs, { where })) > 0) await scope.update(jobs, changes, { where });
  }

  /**
   * Repairs times that were written while the clock was ahead: restores the delay of jobs, and ends leases that no process
   * renews. Runs once a minute, and whenever the clock was set back.
   */
  async repairTimes(scope: ServerScope): Promise<void> {
    const now = this.#options.clock.now();
    if (this.#repairedAt !== null && now >= this.#repairedAt && now - this.#repairedAt < repairInterval) return;
    this.#repairedAt = now;
    const ahead = timestamp(now + clockTolerance);
    const where = { failed_at: null, locked_until: null, run_at: { gt: ahead }, updated_at: { gt: ahead } };
    for (const { id, run_at, updated_at } of await scope.rows(jobs, { where })) {
      const wait = Math.max(0, Date.parse(run_at) - Date.parse(updated_at));
      await scope.update(jobs, { run_at: timestamp(now + wait) }, { where: { ...where, id, run_at } });
    }
    const { lease, isRunning } = this.#options;
    const leased = { failed_at: null, locked_until: { gt: timestamp(now + lease + Math.max(lease, clockTolerance)) } };
    const free = { locked_until: null, locked_by: null, run_at: timestamp(now) };
    for (const { id, locked_until } of await scope.rows(jobs, { where: leased }))
      if (!isRunning(id)) await scope.update(jobs, free, { where: { id, locked_until } });
  }
}
