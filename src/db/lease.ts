import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import { column } from './columns.ts';
import type { ServerScope, Where } from './scope.ts';
import type { StandardColumns, Table } from './table.ts';

/** Tolerated difference between the clocks of machines, in ms: in the process that holds a lease, it ends as much earlier. */
const clockTolerance = 1000;
/** A time that is this far ahead was written before a clock was set back, in ms. */
export const clockJump = 60_000;
/** Interval of {@link Lease.repair}, in ms. */
const repairInterval = 60_000;

/** The columns of a lease. */
export const leaseColumns = {
  /** The process that holds the row, until `lease_until`. */
  lease_by: column.text().nullable(),
  lease_until: column.time().nullable(),
};

/** The rows of a table that only this process works on: it takes and renews them, and releases them at the latest when it stops. [ADR 97] */
export class Lease<Row extends StandardColumns> {
  /** The name of this process. */
  readonly holder = `${hostname()} ${process.pid} ${randomUUID().slice(0, 8)}`;
  readonly duration: number;
  readonly #table: Table<Row, 'server' | 'both'>;
  readonly #clock: Clock;
  readonly #by: string;
  readonly #until: string;
  #repairedAt = Number.NEGATIVE_INFINITY;

  /** `duration`: after this time, in ms, others take the rows of a process that was killed. `prefix`: of the columns, if these are not {@link leaseColumns}. */
  constructor(table: Table<Row, 'server' | 'both'>, duration: number, clock: Clock, prefix = 'lease') {
    [this.#table, this.duration, this.#clock] = [table, duration, clock];
    [this.#by, this.#until] = [`${prefix}_by`, `${prefix}_until`];
  }

  /** When a lease ends that begins now, in ms since the epoch. */
  get end(): number {
    return this.#clock.now() + this.duration;
  }

  /** Values of a row that no process holds. */
  get released(): Partial<Row> {
    const until = this.#table.columns[this.#until]?.isNullable ? null : timestamp(0);
    return { [this.#by]: null, [this.#until]: until } as Partial<Row>;
  }

  /** Whether no other process takes a row that this one holds until then. */
  isHeld(until: number): boolean {
    // Later than a new lease: the clock was set back, and others may have released the row.
    return until - clockTolerance >= this.#clock.now() && until <= this.end;
  }

  /** Whether this process has taken a row, as it was read. */
  isOwn(row: Row): boolean {
    return (row as Record<string, unknown>)[this.#by] === this.holder;
  }

  /** Whether no other process holds a row, as it was read. */
  isFree(row: Row): boolean {
    const until = (row as Record<string, unknown>)[this.#until];
    return this.isOwn(row) || until === null || Date.parse(String(until)) < this.#clock.now();
  }

  /** Returns the condition of rows that this process holds. */
  own(where: Where<Row> = {}): Where<Row> {
    return { ...where, [this.#by]: this.holder };
  }

  /** Returns the condition of rows that no process holds. */
  free(where: Where<Row>): Where<Row> {
    return { ...where, [this.#until]: { nullOrLt: timestamp(this.#clock.now()) } };
  }

  /** Takes a row that no process holds. Returns it. */
  take(scope: ServerScope, where: Where<Row>, changes: Partial<Row> = {}): Promise<Row[]> {
    const values = { ...changes, [this.#by]: this.holder, [this.#until]: timestamp(this.end) };
    return scope.update(this.#table, values, { where: this.free(where) });
  }

  /** Takes a row, or renews its lease, by the values read of it. Returns whether this process holds it. */
  async claim(scope: ServerScope, row: Row, where: Where<Row> = {}): Promise<boolean> {
    if (!this.isFree(row)) return false;
    const one = { id: row.id, ...where };
    return (await (this.isOwn(row) ? this.renew(scope, one) : this.take(scope, one))).length > 0;
  }

  /** Takes rows or renews their leases, by the values read of them: all in one statement, for a commit each would be slow. Returns whether this process holds all. */
  async claimAll(scope: ServerScope, rows: readonly Row[]): Promise<boolean> {
    const idsOf = (own: boolean) => rows.filter((row) => this.isOwn(row) === own).map(({ id }) => id);
    const [own, others] = [idsOf(true), idsOf(false)];
    const renewed = own.length > 0 ? await this.renew(scope, { id: own } as Where<Row>) : [];
    const taken = others.length > 0 ? await this.take(scope, { id: others } as Where<Row>) : [];
    return renewed.length + taken.length === rows.length;
  }

  /** Renews leases of this process, also one of which it does not know: a confirmation may have been lost. Returns the rows that it holds. */
  renew(scope: ServerScope, where: Where<Row> = {}): Promise<Row[]> {
    const values = { [this.#until]: timestamp(this.end) } as Partial<Row>;
    return scope.update(this.#table, values, { where: this.own(where) });
  }

  /** Releases rows of this process. Returns the released rows. */
  release(scope: ServerScope, where: Where<Row> = {}, changes: Partial<Row> = {}): Promise<Row[]> {
    return scope.update(this.#table, { ...changes, ...this.released }, { where: this.own(where) });
  }

  /** Releases the rows of all processes. Only for a single process. */
  async releaseAll(scope: ServerScope, changes: Partial<Row> = {}): Promise<void> {
    const where = { [this.#by]: { not: null } } as Where<Row>;
    // Writes nothing if there are none.
    if ((await scope.count(this.#table, { where })) === 0) return;
    await scope.update(this.#table, { ...changes, ...this.released }, { where });
  }

  /**
   * Releases rows of other processes whose lease was written before a clock was set back, and renews such leases of its own:
   * one whose confirmation was lost then expires. Does so once a minute, and whenever this clock was set back. Returns whether it did.
   */
  async repair(scope: ServerScope, changes: Partial<Row> = {}): Promise<boolean> {
    const now = this.#clock.now();
    if (now >= this.#repairedAt && now - this.#repairedAt < repairInterval) return false;
    this.#repairedAt = now;
    const ahead = { [this.#until]: { gt: timestamp(this.end + clockJump) } } as Where<Row>;
    if ((await scope.count(this.#table, { where: ahead })) === 0) return true;
    await this.renew(scope, ahead);
    await scope.update(this.#table, { ...changes, ...this.released }, { where: ahead });
    return true;
  }
}
