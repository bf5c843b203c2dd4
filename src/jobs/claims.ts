import type { Clock } from '../core/clock.ts';
import { currentTimestamp, timestamp } from '../core/clock.ts';
import { clockJump, Lease } from '../db/lease.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Sql } from '../db/sql.ts';
import { joinSql, sql } from '../db/sql.ts';
import { outcomeOf, outcomeOfMarked } from './attempt-outcome.ts';
import type { JobRow } from './job-rows.ts';
import { abandoned, jobs } from './job-rows.ts';
import { redactedMessage } from './redacted-errors.ts';

/** Due jobs that are not read. */
interface Exceptions {
  /** Persons whose turn it is not. */
  readonly busy?: readonly number[];
  readonly chosen?: readonly number[];
}

/** The persons whose jobs are chosen. */
interface Round {
  /** Maximum number of running and chosen jobs of each person. */
  readonly limit: number;
  /** Persons who had a turn already. */
  readonly served?: ReadonlySet<number>;
}

/** Chooses due jobs for free slots in turns of persons: persons with the fewest running jobs first. Jobs of no person wait for no turn. */
class TurnChoice {
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

/** Kinds that share slots, and the free slots. */
export interface Capacity {
  readonly kinds: readonly string[];
  readonly slots: number;
  /** The maximum number of simultaneous jobs of one person, and the persons whose jobs run in this process. */
  readonly turns?: { readonly perPerson: number; readonly running: readonly (number | null)[] };
}

type DueQuery = Pick<Capacity, 'kinds' | 'slots'> & Exceptions;

/** Rows that are read beyond the free slots, to find persons among them. */
const rowsAhead = 100;

const listSql = (values: readonly number[]): Sql => joinSql(values.map((value) => sql`${value}`));

export const oldestFirst = (a: JobRow, b: JobRow): number => a.run_at.localeCompare(b.run_at) || a.id - b.id;

/** Claims jobs for this process: with a lease that is renewed while the job runs, and released afterwards. */
export class Claims {
  readonly lease: Lease<JobRow>;
  readonly #clock: Clock;
  readonly #running: ReadonlyMap<number, unknown>;
  /** By kinds: persons of whom jobs were chosen since all waiting ones had a turn. */
  readonly #served = new Map<string, Set<number>>();

  /** `duration`: of a lease, in ms. `running`: the jobs that run in this process, by id. */
  constructor(clock: Clock, duration: number, running: ReadonlyMap<number, unknown>) {
    this.lease = new Lease(jobs, duration, clock, 'locked');
    this.#clock = clock;
    this.#running = running;
  }

  /** Returns due jobs without a valid lease: oldest first, or in turns of persons. */
  async due(scope: ServerScope, { kinds, slots, turns }: Capacity): Promise<JobRow[]> {
    if (!turns) return this.#oldest(scope, { kinds, slots });
    const served = this.#served.get(kinds.join()) ?? new Set();
    this.#served.set(kinds.join(), served);
    const choice = new TurnChoice(slots, turns.running);
    const read = { kinds, slots: slots + rowsAhead };
    const all = await this.#oldest(scope, read);
    // The oldest jobs may belong to a person who had a turn just now, and more than are read.
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

  async #oldest(scope: ServerScope, { kinds, slots, busy = [], chosen = [] }: DueQuery): Promise<JobRow[]> {
    const due = { kind: kinds, failed_at: null, run_at: { lte: currentTimestamp(this.#clock) } };
    const conditions = [
      ...(busy.length > 0 ? [sql`(turn_of is null or turn_of not in (${listSql(busy)}))`] : []),
      ...(chosen.length > 0 ? [sql`id not in (${listSql(chosen)})`] : []),
    ];
    const rows = await scope.rows(jobs, {
      where: this.lease.free(due),
      ...(conditions.length > 0 ? { and: joinSql(conditions, ' and ') } : {}),
      order: [
        ['run_at', 'asc'],
        ['id', 'asc'],
      ],
      limit: slots + this.#running.size,
    });
    // After a suspend of the machine, leases of jobs that still run here have expired too.
    return rows.filter(({ id }) => !this.#running.has(id)).slice(0, slots);
  }

  /** Claims a job, or marks it as failed after too many attempts. Returns the updated row; none if another process was faster. */
  async claim(scope: ServerScope, { id, attempts, max_attempts, locked_until }: JobRow): Promise<JobRow[]> {
    // Another process may have run it since it was read.
    const unchanged = { id, attempts, failed_at: null };
    // The attempt counts before the job runs, so that jobs that crash the process fail permanently too.
    if (attempts < max_attempts) return this.lease.take(scope, unchanged, { attempts: attempts + 1, again: null });
    const failed = { failed_at: currentTimestamp(this.#clock), last_error: abandoned };
    return scope.update(jobs, { ...failed, ...this.lease.released }, { where: { ...unchanged, locked_until } });
  }

  /** Renews the lease of a job periodically until the returned function is called. */
  renew(scope: () => ServerScope, id: number): () => void {
    const renew = () => void this.lease.renew(scope(), { id }).catch(() => undefined);
    const renewal = setInterval(renew, this.lease.duration / 3).unref();
    return () => clearInterval(renewal);
  }

  /** Deletes a job that is done, or releases one that was enqueued again while it ran. */
  async finish(scope: ServerScope, { id, serial_key }: JobRow): Promise<void> {
    const deleted = await scope.delete(jobs, { where: this.lease.own({ id, again: null }) });
    if (deleted.length > 0 || serial_key === null) return;
    await this.lease.release(scope, { id }, { again: null, attempts: 0, paused_since: null, last_error: null });
  }

  /** Releases a job whose attempt failed. Returns the updated row; none if another process runs it now. */
  async fail(scope: ServerScope, row: JobRow, error: unknown): Promise<JobRow[]> {
    const now = this.#clock.now();
    const last_error = redactedMessage(error);
    const { id } = row;
    const ended = await this.lease.release(scope, { id, again: null }, { ...outcomeOf(row, error, now), last_error });
    if (ended.length > 0) return ended;
    return this.lease.release(scope, { id }, { ...outcomeOfMarked(row, error, now), last_error });
  }

  /** Repairs times that were written while the clock was ahead: ends leases that no process renews, and restores the delay of jobs. */
  async repairTimes(scope: ServerScope): Promise<void> {
    const now = this.#clock.now();
    if (!(await this.lease.repair(scope, { run_at: timestamp(now) }))) return;
    // A killed process ran them after the clock was set back.
    const ended = { failed_at: null, locked_until: { lt: timestamp(now) }, run_at: { gt: timestamp(now) } };
    if ((await scope.count(jobs, { where: ended })) > 0)
      await scope.update(jobs, { run_at: timestamp(now) }, { where: ended });
    const ahead = { gt: timestamp(now + clockJump) };
    const where = { failed_at: null, locked_until: null, run_at: ahead, updated_at: ahead };
    for (const { id, run_at, updated_at } of await scope.rows(jobs, { where })) {
      const wait = Math.max(0, Date.parse(run_at) - Date.parse(updated_at));
      await scope.update(jobs, { run_at: timestamp(now + wait) }, { where: { ...where, id, run_at } });
    }
  }
}
