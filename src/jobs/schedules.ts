import type { Clock } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import { column } from '../db/columns.ts';
import { UniqueViolation } from '../db/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import { jobs } from './job-rows.ts';
import type { JobQueue } from './queue.ts';

/** The next time of periodic jobs, one row per kind. */
export const jobSchedules = table(
  'job_schedules',
  { name: column.text(), next_at: column.time() },
  { reach: 'server', owner: null, unique: [['name']] },
);

type ScheduleRow = RowOf<typeof jobSchedules>;

interface Dependencies {
  readonly queue: JobQueue;
  readonly scope: () => ServerScope;
  readonly clock: Clock;
}

/** Attempts to insert rows that other processes insert at the same time. */
const maxTries = 3;

/**
 * Enqueues periodic jobs, each time once for all processes: first after one interval, after downtime once, and then at
 * the original times.
 */
export class Schedules {
  readonly #dependencies: Dependencies;
  readonly #intervals = new Map<string, number>();
  /** When the next job is due, in ms; null: unknown. */
  #nextDue: number | null = null;
  #checkedAt = 0;

  constructor(parts: Dependencies) {
    this.#dependencies = parts;
  }

  /** Adds a kind whose jobs are enqueued, with an empty payload, at this interval in ms. */
  add(kind: string, interval: number): void {
    if (!(interval > 0)) throw new Error(`the interval of ${kind} must be positive`);
    this.#intervals.set(kind, interval);
    this.#nextDue = null;
  }

  /** Inserts missing rows, which starts their intervals. */
  async plan(): Promise<void> {
    if (this.#intervals.size > 0) await this.#rows();
  }

  /** Enqueues due jobs. Reads nothing before the next one is due. */
  async enqueueDue(): Promise<void> {
    const now = this.#dependencies.clock.now();
    // After the clock was set back, the table is read again.
    const isNoneDue = this.#nextDue !== null && now >= this.#checkedAt && now < this.#nextDue;
    if (this.#intervals.size === 0 || isNoneDue) return;
    const next: number[] = [];
    for (const row of await this.#rows()) next.push(await this.#advance(row, now));
    this.#checkedAt = now;
    this.#nextDue = Math.min(...next);
  }

  /** Returns the rows of the registered kinds, and inserts missing ones. */
  async #rows(): Promise<ScheduleRow[]> {
    const names = [...this.#intervals.keys()];
    for (let attempt = 1; ; attempt++) {
      const scope = this.#dependencies.scope();
      const rows = await scope.rows(jobSchedules, { where: { name: names } });
      const known = new Set(rows.map(({ name }) => name));
      const missing = names.filter((name) => !known.has(name));
      if (missing.length === 0) return rows;
      try {
        const next = (name: string) => timestamp(this.#dependencies.clock.now() + this.#intervalOf(name));
        const inserted = missing.map((name) => ({ name, next_at: next(name) }));
        await scope.transaction((inner) => inner.insertAll(jobSchedules, inserted));
      } catch (error) {
        if (!(error instanceof UniqueViolation) || attempt >= maxTries) throw error;
      }
    }
  }

  /** Enqueues the job of a kind if it is due. Returns the next time at which it is due, in ms. */
  async #advance(row: ScheduleRow, now: number): Promise<number> {
    const interval = this.#intervalOf(row.name);
    const due = Date.parse(row.next_at);
    // More than one interval ahead: the clock was wrong, or the interval was longer.
    if (due > now + interval) return this.#move(row, now + interval, false);
    if (due > now) return due;
    return this.#move(row, now + interval - ((now - due) % interval), true);
  }

  async #move(row: ScheduleRow, next: number, isDue: boolean): Promise<number> {
    await this.#dependencies.scope().transaction(async (scope) => {
      // Only the first of several processes matches the old time.
      const query = { where: { id: row.id, next_at: row.next_at } };
      const moved = await scope.update(jobSchedules, { next_at: timestamp(next) }, query);
      if (isDue && moved.length > 0) await this.#enqueue(scope, row.name);
    });
    return next;
  }

  async #enqueue(scope: ServerScope, kind: string): Promise<void> {
    const existing = await scope.rows(jobs, { where: { kind, device_id: null } });
    const own = existing.filter(({ payload }) => Object.keys(payload).length === 0);
    // A job that is running or will be retried does the work.
    if (own.some(({ failed_at }) => failed_at === null)) return;
    // Failed jobs are replaced: one row per kind is enough to report.
    if (own.length > 0) await scope.delete(jobs, { where: { id: own.map(({ id }) => id) } });
    await this.#dependencies.queue.enqueue(scope, kind, {});
  }

  #intervalOf(name: string): number {
    return this.#intervals.get(name) ?? Number.POSITIVE_INFINITY;
  }
}
