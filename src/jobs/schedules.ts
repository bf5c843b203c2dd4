import type { Clock } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import { column } from '../db/columns.ts';
import { UniqueViolation } from '../db/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import { jobs } from './job-rows.ts';
import type { JobQueue } from './queue.ts';

/** When work that comes again and again is due next, one row per kind of job. All processes share it, and it outlives them. */
export const jobSchedules = table(
  'job_schedules',
  { name: column.text(), next_at: column.time() },
  { reach: 'server', owner: null, unique: [['name']] },
);

type ScheduleRow = RowOf<typeof jobSchedules>;

interface Parts {
  readonly queue: JobQueue;
  readonly scope: () => ServerScope;
  readonly clock: Clock;
}

/** How often other processes may try to make the same rows at the same moment. */
const mostTries = 3;

/**
 * Puts jobs in the queue that are to be done at an interval, each time once over all processes. The first time comes one
 * interval after the kind was seen first. After a long stop it is done once, and then at the old rhythm.
 */
export class Schedules {
  readonly #parts: Parts;
  readonly #intervals = new Map<string, number>();
  /** The table need not be looked at before this time, in ms; null: not known. */
  #quietUntil: number | null = null;
  #lookedAt = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Has jobs of this kind, with an empty payload, put in the queue every so many ms. */
  add(kind: string, interval: number): void {
    if (!(interval > 0)) throw new Error(`the interval of ${kind} must be positive`);
    this.#intervals.set(kind, interval);
    this.#quietUntil = null;
  }

  /** Makes the rows that are missing, from which on the intervals count. */
  async plan(): Promise<void> {
    if (this.#intervals.size > 0) await this.#rows();
  }

  /** Puts in the queue what is due. Costs nothing before the time of the next one. */
  async enqueueDue(): Promise<void> {
    const now = this.#parts.clock.now();
    // A clock that was set back may lie before everything that was planned.
    const isQuiet = this.#quietUntil !== null && now >= this.#lookedAt && now < this.#quietUntil;
    if (this.#intervals.size === 0 || isQuiet) return;
    const next: number[] = [];
    for (const row of await this.#rows()) next.push(await this.#advance(row, now));
    this.#lookedAt = now;
    this.#quietUntil = Math.min(...next);
  }

  /** The rows of the own kinds; missing ones are made. */
  async #rows(): Promise<ScheduleRow[]> {
    const names = [...this.#intervals.keys()];
    for (let attempt = 1; ; attempt++) {
      const scope = this.#parts.scope();
      const rows = await scope.rows(jobSchedules, { where: { name: names } });
      const known = new Set(rows.map(({ name }) => name));
      const missing = names.filter((name) => !known.has(name));
      if (missing.length === 0) return rows;
      try {
        const next = (name: string) => timestamp(this.#parts.clock.now() + this.#intervalOf(name));
        const made = missing.map((name) => ({ name, next_at: next(name) }));
        await scope.transaction((inner) => inner.insertAll(jobSchedules, made));
      } catch (error) {
        if (!(error instanceof UniqueViolation) || attempt >= mostTries) throw error;
      }
    }
  }

  /** Gives when the kind is due next, in ms; if it was due, its job is in the queue. */
  async #advance(row: ScheduleRow, now: number): Promise<number> {
    const interval = this.#intervalOf(row.name);
    const due = Date.parse(row.next_at);
    // More than one interval ahead: the clock was wrong when it was planned, or the interval is shorter now.
    if (due > now + interval) return this.#move(row, now + interval, false);
    if (due > now) return due;
    return this.#move(row, now + interval - ((now - due) % interval), true);
  }

  async #move(row: ScheduleRow, next: number, isDue: boolean): Promise<number> {
    await this.#parts.scope().transaction(async (scope) => {
      // Whoever moves it first does it; the others find another time there.
      const query = { where: { id: row.id, next_at: row.next_at } };
      const moved = await scope.update(jobSchedules, { next_at: timestamp(next) }, query);
      if (isDue && moved.length > 0) await this.#enqueue(scope, row.name);
    });
    return next;
  }

  async #enqueue(scope: ServerScope, kind: string): Promise<void> {
    const mine = await scope.rows(jobs, { where: { kind, device_id: null } });
    const own = mine.filter(({ payload }) => Object.keys(payload).length === 0);
    // One that still runs, or waits to be tried again, does this time's work.
    if (own.some(({ failed_at }) => failed_at === null)) return;
    // What was given up is tried anew: of a kind that keeps failing one row tells enough.
    if (own.length > 0) await scope.delete(jobs, { where: { id: own.map(({ id }) => id) } });
    await this.#parts.queue.enqueue(scope, kind, {});
  }

  #intervalOf(name: string): number {
    return this.#intervals.get(name) ?? Number.POSITIVE_INFINITY;
  }
}
