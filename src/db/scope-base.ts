import type { Clock } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { AnnouncedRecords } from './announced-records.ts';
import type { ChangeLog } from './change-log.ts';
import { writeChanges } from './change-writer.ts';
import type { DeviceMemory } from './device-memory.ts';
import type { DeviceScope, Insertable, JsonExpressions, JsonText, NumberColumn, Query, Selection } from './scope.ts';
import type { Database, Reader } from './session.ts';
import type { Statements } from './statements.ts';
import type { Table } from './table.ts';
import { TableAccess } from './table-access.ts';
import { anyTable, Transaction } from './transaction.ts';

/** State shared by all scopes of one server. */
export interface Shared {
  readonly database: Database;
  readonly statements: Statements;
  readonly clock: Clock;
  readonly changeLog: ChangeLog;
  readonly records: AnnouncedRecords;
  /** See {@link DeviceScope.keepsHistory}. */
  readonly keepsHistory: boolean;
  /** Number of this process's commits by table, without commits to unwatched columns only. */
  readonly commits: Map<string, number>;
  readonly memory: DeviceMemory;
}

/** The common part of both scopes: access to tables, transactions, and the steps after a commit. */
export abstract class ScopeBase {
  readonly clock: Clock;
  readonly log: Logger;
  protected readonly shared: Shared;
  protected readonly open: Transaction | null;
  readonly #deviceId: number | null;
  #access: TableAccess | undefined;
  #suspended = false;

  constructor(shared: Shared, log: Logger, open: Transaction | null, deviceId: number | null) {
    this.shared = shared;
    this.clock = shared.clock;
    this.log = log;
    this.open = open;
    this.#deviceId = deviceId;
  }

  get isTransaction(): boolean {
    return this.open !== null;
  }

  /** Throws while a transaction of this scope is open: on SQLite, its statements would wait for themselves. */
  protected get access(): TableAccess {
    if (this.#suspended) throw new Error('this scope has a transaction open: use the scope passed to its callback');
    if (this.open?.isOver) throw new Error('the transaction of this scope is over');
    // Many scopes read nothing: the answer is in memory.
    this.#access ??= this.accessOn(this.open?.session ?? this.shared.database.reader);
    return this.#access;
  }

  protected accessOn(reader: Reader): TableAccess {
    return new TableAccess(reader, this.shared.statements, this.shared.clock, this.#deviceId);
  }

  get rowsPerStatement(): number {
    return this.shared.database.rowsPerStatement;
  }

  afterCommit(effect: () => void): void {
    if (this.open) this.open.effects.push(effect);
    else effect();
  }

  rows<Row>(table: Table<Row>, query?: Query<Row>): Promise<Row[]> {
    return this.access.rows(table, query);
  }
  first<Row>(table: Table<Row>, query?: Query<Row>): Promise<Row | undefined> {
    return this.access.first(table, query);
  }
  select<Row, T>(table: Table<Row>, selection: Selection<T>, query?: Query<Row>): Promise<T[]> {
    return this.access.select(table, selection, query);
  }
  numbers<Row>(table: Table<Row>, names: readonly string[], query?: Query<Row>): Promise<NumberColumn[]> {
    return this.access.numbers(table, names, query);
  }
  jsonList<Row>(table: Table<Row>, json: JsonExpressions, query?: Query<Row>): Promise<JsonText> {
    return this.access.jsonList(table, json, query);
  }
  count<Row>(table: Table<Row>, query?: Query<Row>): Promise<number> {
    return this.access.count(table, query);
  }
  sum<Row>(table: Table<Row>, column: keyof Row & string, query?: Query<Row>): Promise<number> {
    return this.access.sum(table, column, query);
  }
  async insert<Row, T = Row>(table: Table<Row>, values: Insertable<Row>, returned?: Selection<T>): Promise<T> {
    const [inserted] = await this.insertAll(table, [values], returned);
    if (inserted === undefined) throw new Error(`insert into ${table.name} returned no row`);
    return inserted;
  }
  async insertAll<Row, T = Row>(
    table: Table<Row>,
    values: readonly Insertable<Row>[],
    returned?: Selection<T>,
  ): Promise<T[]> {
    return this.open
      ? this.writableAccess(table).insertAll(table, values, returned)
      : this.inNewTransaction((inner) => inner.insertAll(table, values, returned));
  }
  async update<Row, T = Row>(
    table: Table<Row>,
    changes: Partial<Row>,
    query: Query<Row>,
    returned?: Selection<T>,
  ): Promise<T[]> {
    return this.open
      ? this.writableAccess(table, changes).update(table, changes, query, returned)
      : this.inNewTransaction((inner) => inner.update(table, changes, query, returned));
  }
  async delete<Row>(table: Table<Row>, query: Query<Row>): Promise<Row[]> {
    // Deleting a device cascades to its rows in every table.
    if (table.owner === 'id' && this.open) {
      this.open.written.add(anyTable);
      this.open.notifies = true;
    }
    return this.open
      ? this.writableAccess(table).delete(table, query)
      : this.inNewTransaction((inner) => inner.delete(table, query));
  }
  async trim<Row>(table: Table<Row>, keep: number): Promise<void> {
    return this.open
      ? this.writableAccess(table).trim(table, keep)
      : this.inNewTransaction((inner) => inner.trim(table, keep));
  }

  /** `changes`: of an update. Throws if answers in memory would not end with the write. [ADR 73] */
  private writableAccess({ name, unwatched, owner }: Table, changes?: object): TableAccess {
    if (!this.open) return this.access;
    // Values of watched tables end with their own version: no answer of a garden shows their rows. [ADR 76]
    const isShown = unwatched === null && this.shared.records.ofTable(name) !== undefined;
    if (isShown && this.lockedDeviceId === null && (owner !== 'id' || changes))
      throw new Error(`rows of ${name} are written in the scope of their device`);
    if (!unwatched || !changes || Object.keys(changes).some((column) => !unwatched.has(column))) {
      this.open.written.add(name);
      this.open.notifies ||= unwatched !== null;
    }
    if (this.lockedDeviceId !== null) this.open.devices.add(this.lockedDeviceId);
    return this.access;
  }

  protected abstract inTransaction(open: Transaction): this;
  /** Returns a scope of any device in a transaction. */
  protected abstract deviceScope(open: Transaction, deviceId: number): DeviceScope;
  protected abstract readonly lockedDeviceId: number | null;

  /** Runs work in a transaction, or in a savepoint of the open one; runs the effects and enqueues the events after the commit. */
  protected async inNewTransaction<T>(work: (scope: this) => Promise<T>): Promise<T> {
    if (this.#suspended) throw new Error('this scope already has a transaction open');
    this.#suspended = true;
    try {
      if (this.open) return await this.#savepoint(this.open, work);
      const { database, commits, changeLog, memory } = this.shared;
      const committing = new Set<number>();
      const { value, transaction } = await database
        .transaction(this.lockedDeviceId, async (session) => {
          const transaction = new Transaction(session, null);
          if (this.lockedDeviceId !== null) transaction.addLocked(this.lockedDeviceId);
          try {
            const value = await work(this.inTransaction(transaction));
            const last = await this.#writeChanges(transaction);
            for (const deviceId of transaction.changes.keys()) committing.add(deviceId);
            return async () => {
              // Statements that are sent together.
              const ends = last.map((write) => write());
              transaction.isOver = true;
              if (transaction.notifies) ends.push(database.notify(session));
              // The first one in their order has the reason: the others follow from it.
              const failed = (await Promise.allSettled(ends)).find((end) => end.status === 'rejected');
              if (failed) throw failed.reason;
              return { value, transaction };
            };
          } catch (error) {
            transaction.isOver = true;
            throw error;
          }
        })
        .catch((error: unknown) => {
          for (const deviceId of committing) changeLog.committed(deviceId, 'unconfirmed');
          throw error;
        });
      for (const name of transaction.written) commits.set(name, (commits.get(name) ?? 0) + 1);
      memory.committed(transaction.written.has(anyTable) ? 'all' : transaction.devices);
      for (const effect of transaction.effects) effect();
      return value;
    } finally {
      this.#suspended = false;
    }
  }

  async #savepoint<T>(outer: Transaction, work: (scope: this) => Promise<T>): Promise<T> {
    const inner = new Transaction(outer.session, outer);
    const name = `nested_${inner.depth}`;
    outer.session.defer(`savepoint ${name}`);
    try {
      const value = await work(this.inTransaction(inner));
      inner.isOver = true;
      outer.session.defer(`release savepoint ${name}`);
      outer.merge(inner);
      return value;
    } catch (error) {
      inner.isOver = true;
      await outer.session.rollBackTo(name);
      outer.session.defer(`release savepoint ${name}`);
      throw error;
    }
  }

  /** Logs the transaction's changes in the same transaction and schedules their delivery after the commit. Returns the last statements, which are not run yet. */
  async #writeChanges(transaction: Transaction): Promise<(() => Promise<void>)[]> {
    const { database, records, changeLog } = this.shared;
    const last: (() => Promise<void>)[] = [];
    const logged = [...transaction.changes].filter(([, recorded]) => recorded.list.length > 0);
    const unlocked = new Set([...transaction.devices, ...logged.map(([deviceId]) => deviceId)]);
    // Ids are taken while devices are locked, so that they ascend in commit order. In the same order always, to prevent deadlocks.
    for (const deviceId of [...unlocked].sort((a, b) => a - b))
      if (!transaction.isLocked(deviceId)) await database.lockDevice(transaction.session, deviceId);
    for (const [deviceId, recorded] of logged) {
      const responseSent = transaction.identities.get(deviceId)?.responseSent;
      const scope = this.deviceScope(transaction, deviceId);
      const write = await writeChanges(scope, recorded.list, transaction.states, records);
      last.push(async () => {
        const written = await write();
        transaction.effects.push(() => changeLog.committed(deviceId, { ...written, responseSent }));
      });
    }
    return last;
  }
}
