import type { Clock } from '../core/clock.ts';
import type { EventRecorder, Origin } from '../core/events.ts';
import type { Logger } from '../core/logger.ts';
import type { EventDispatcher } from './event-dispatcher.ts';
import type { EventRow } from './event-rows.ts';
import { eventRows } from './event-rows.ts';
import type { RecordedChange } from './recorded-changes.ts';
import { noopRecorder, RecordedChanges } from './recorded-changes.ts';
import type {
  DeviceScope,
  Identity,
  Insertable,
  JsonExpressions,
  JsonText,
  Listing,
  Query,
  Selection,
  ServerScope,
} from './scope.ts';
import type { Database, Session } from './session.ts';
import { Statements } from './statements.ts';
import type { Table } from './table.ts';
import { TableAccess } from './table-access.ts';

/** Reads the JSON of records for announcements. Ids missing from the result were deleted. */
export type BodyReader = (scope: DeviceScope, resource: string, ids: readonly number[]) => Promise<Map<number, string>>;

const anyTable = '*';

/** Maximum number of events written without yielding to the event loop. */
const maxEventsAtOnce = 500;
/** Events per chunk of a larger commit. */
const eventsPerChunk = 50;

/** State shared by all scopes of one server. */
interface Shared {
  readonly database: Database;
  readonly statements: Statements;
  readonly clock: Clock;
  readonly events: EventDispatcher;
  readonly bodies: BodyReader;
  /** Number of this process's commits by table. */
  readonly commits: Map<string, number>;
}

/** An open transaction or savepoint: its session, its changes and its after-commit effects. */
class Transaction {
  readonly session: Session;
  readonly depth: number;
  /** Committed or rolled back; its scopes can no longer be used. */
  isOver = false;
  readonly effects: (() => void)[] = [];
  readonly written = new Set<string>();
  readonly changes = new Map<number, { scope: DeviceScopeImpl; recorded: RecordedChanges }>();

  constructor(session: Session, depth: number) {
    this.session = session;
    this.depth = depth;
  }

  recorder(scope: DeviceScopeImpl): EventRecorder {
    const entry = this.changes.get(scope.deviceId);
    const recorded = entry?.recorded ?? new RecordedChanges();
    // Keeps the scope that knows when the response is sent; scopes made for a part of the work do not.
    if (!entry?.scope.responseSent) this.changes.set(scope.deviceId, { scope, recorded });
    return recorded.recorder(scope);
  }
}

abstract class ScopeBase {
  readonly clock: Clock;
  readonly log: Logger;
  protected readonly shared: Shared;
  protected readonly open: Transaction | null;
  readonly #access: TableAccess;
  #suspended = false;

  constructor(shared: Shared, log: Logger, open: Transaction | null, deviceId: number | null) {
    this.shared = shared;
    this.clock = shared.clock;
    this.log = log;
    this.open = open;
    this.#access = new TableAccess(open?.session ?? shared.database.reader, shared.statements, shared.clock, deviceId);
  }

  get isTransaction(): boolean {
    return this.open !== null;
  }

  /** Throws while a transaction of this scope is open: on SQLite, its statements would wait for themselves. */
  protected get access(): TableAccess {
    if (this.#suspended) throw new Error('this scope has a transaction open: use the scope passed to its callback');
    if (this.open?.isOver) throw new Error('the transaction of this scope is over');
    return this.#access;
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
  jsonList<Row>(table: Table<Row>, json: JsonExpressions, query?: Query<Row>): Promise<JsonText> {
    return this.access.jsonList(table, json, query);
  }
  count<Row>(table: Table<Row>, query?: Query<Row>): Promise<number> {
    return this.access.count(table, query);
  }
  async insert<Row>(table: Table<Row>, values: Insertable<Row>): Promise<Row> {
    return this.open
      ? this.writableAccess(table).insert(table, values)
      : this.inNewTransaction((inner) => inner.insert(table, values));
  }
  async insertAll<Row>(table: Table<Row>, values: readonly Insertable<Row>[]): Promise<Row[]> {
    return this.open
      ? this.writableAccess(table).insertAll(table, values)
      : this.inNewTransaction((inner) => inner.insertAll(table, values));
  }
  async update<Row>(table: Table<Row>, changes: Partial<Row>, query: Query<Row>): Promise<Row[]> {
    return this.open
      ? this.writableAccess(table).update(table, changes, query)
      : this.inNewTransaction((inner) => inner.update(table, changes, query));
  }
  async delete<Row>(table: Table<Row>, query: Query<Row>): Promise<Row[]> {
    // Deleting a device cascades to its rows in every table.
    if (table.owner === 'id') this.open?.written.add(anyTable);
    return this.open
      ? this.writableAccess(table).delete(table, query)
      : this.inNewTransaction((inner) => inner.delete(table, query));
  }
  async trim<Row>(table: Table<Row>, keep: number, olderThan?: string): Promise<void> {
    return this.open
      ? this.writableAccess(table).trim(table, keep, olderThan)
      : this.inNewTransaction((inner) => inner.trim(table, keep, olderThan));
  }

  private writableAccess(table: Table): TableAccess {
    this.open?.written.add(table.name);
    return this.access;
  }

  protected abstract inTransaction(open: Transaction): this;
  protected abstract readonly lockedDeviceId: number | null;

  /** Runs work in a transaction, or in a savepoint of the open one; runs the effects and enqueues the events after the commit. */
  protected async inNewTransaction<T>(work: (scope: this) => Promise<T>): Promise<T> {
    if (this.#suspended) throw new Error('this scope already has a transaction open');
    this.#suspended = true;
    try {
      if (this.open) return await this.#savepoint(this.open, work);
      const { database, commits, events } = this.shared;
      const committing = new Set<number>();
      const { value, transaction } = await database
        .transaction(this.lockedDeviceId, async (session) => {
          const transaction = new Transaction(session, 0);
          try {
            const value = await work(this.inTransaction(transaction));
            await this.#writeEvents(transaction);
            for (const deviceId of transaction.changes.keys()) committing.add(deviceId);
            return { value, transaction };
          } finally {
            transaction.isOver = true;
          }
        })
        .catch((error: unknown) => {
          for (const deviceId of committing) events.recheck(deviceId);
          throw error;
        });
      for (const name of transaction.written) commits.set(name, (commits.get(name) ?? 0) + 1);
      for (const effect of transaction.effects) effect();
      return value;
    } finally {
      this.#suspended = false;
    }
  }

  async #savepoint<T>(outer: Transaction, work: (scope: this) => Promise<T>): Promise<T> {
    const inner = new Transaction(outer.session, outer.depth + 1);
    const name = `nested_${inner.depth}`;
    await outer.session.query(`savepoint ${name}`, [], false);
    try {
      const value = await work(this.inTransaction(inner));
      inner.isOver = true;
      await outer.session.query(`release savepoint ${name}`, [], false);
      outer.effects.push(...inner.effects);
      for (const name of inner.written) outer.written.add(name);
      for (const [deviceId, { scope, recorded }] of inner.changes) {
        const entry = outer.changes.get(deviceId);
        if (entry) entry.recorded.merge(recorded);
        else outer.changes.set(deviceId, { scope: scope.on(outer), recorded });
      }
      return value;
    } catch (error) {
      inner.isOver = true;
      await outer.session.query(`rollback to savepoint ${name}`, [], false);
      await outer.session.query(`release savepoint ${name}`, [], false);
      throw error;
    }
  }

  /** Inserts the transaction's events in the same transaction and schedules their delivery after the commit. */
  async #writeEvents(transaction: Transaction): Promise<void> {
    for (const { scope, recorded } of transaction.changes.values()) {
      const changes = recorded.list;
      if (changes.length === 0) continue;
      const rows = changes.length > maxEventsAtOnce ? [] : await this.#writeSome(scope, changes);
      if (changes.length > maxEventsAtOnce)
        for (let from = 0; from < changes.length; from += eventsPerChunk) {
          for (const row of await this.#writeSome(scope, changes.slice(from, from + eventsPerChunk))) rows.push(row);
          await new Promise((resolve) => setImmediate(resolve));
        }
      const { deviceId, responseSent } = scope;
      transaction.effects.push(() => this.shared.events.enqueue(deviceId, rows, responseSent));
    }
  }

  async #writeSome(scope: DeviceScopeImpl, changes: readonly RecordedChange[]): Promise<EventRow[]> {
    const unread = new Map<string, number[]>();
    for (const { resource, recordId, body } of changes) {
      if (body !== undefined) continue;
      const ids = unread.get(resource);
      if (ids) ids.push(recordId);
      else unread.set(resource, [recordId]);
    }
    const bodies = new Map<string, Map<number, string>>();
    for (const [resource, ids] of unread) bodies.set(resource, await this.shared.bodies(scope, resource, ids));
    const claim = this.shared.events.claim();
    return scope.insertAll(
      eventRows,
      changes.map(({ resource, recordId, body, label, origin }) => ({
        resource,
        record_id: recordId,
        label,
        origin,
        body: body === undefined ? (bodies.get(resource)?.get(recordId) ?? null) : body,
        ...claim,
      })),
    );
  }
}

class ServerScopeImpl extends ScopeBase implements ServerScope {
  readonly kind = 'server';
  protected readonly lockedDeviceId = null;

  constructor(shared: Shared, log: Logger, open: Transaction | null) {
    super(shared, log, open, null);
  }

  protected override inTransaction(open: Transaction): this {
    return new ServerScopeImpl(this.shared, this.log, open) as this;
  }

  transaction<T>(work: (scope: ServerScope) => Promise<T>): Promise<T> {
    return this.inNewTransaction(work);
  }

  version(tables: readonly Table[]): string | null {
    const foreign = this.shared.database.externalCommits();
    if (foreign === null) return null;
    let version = `${foreign} ${this.shared.commits.get(anyTable) ?? 0}`;
    for (const { name } of tables) version += ` ${this.shared.commits.get(name) ?? 0}`;
    return version;
  }

  device(deviceId: number, identity: Identity = {}): DeviceScope {
    return new DeviceScopeImpl(this.shared, this.log, this.open, deviceId, identity);
  }
}

class DeviceScopeImpl extends ScopeBase implements DeviceScope {
  readonly kind = 'device';
  readonly deviceId: number;
  readonly identity: Identity;
  protected readonly lockedDeviceId: number;
  readonly #events: EventRecorder;

  constructor(shared: Shared, log: Logger, open: Transaction | null, deviceId: number, identity: Identity) {
    super(shared, log, open, deviceId);
    this.deviceId = deviceId;
    this.lockedDeviceId = deviceId;
    this.identity = identity;
    this.#events = open && shared.events.isRecording ? open.recorder(this) : noopRecorder;
  }

  get userId(): number | null {
    return this.identity.userId ?? null;
  }
  get label(): string {
    return this.identity.label ?? 'NONE';
  }
  get origin(): Origin {
    return this.identity.origin ?? 'server';
  }
  get responseSent(): Promise<void> | undefined {
    return this.identity.responseSent;
  }

  get events(): EventRecorder {
    if (!this.open) throw new Error('changes are recorded inside a transaction');
    return this.#events;
  }

  detached(): DeviceScope {
    return new DeviceScopeImpl(this.shared, this.log, null, this.deviceId, this.identity);
  }

  get server(): ServerScope {
    return new ServerScopeImpl(this.shared, this.log, this.open);
  }

  jsonLists(listings: readonly Listing<'device' | 'both'>[]): Promise<string[]> {
    return this.access.jsonLists(listings);
  }

  /** Returns the same scope in another transaction. */
  on(open: Transaction): DeviceScopeImpl {
    return new DeviceScopeImpl(this.shared, this.log, open, this.deviceId, this.identity);
  }

  protected override inTransaction(open: Transaction): this {
    return this.on(open) as this;
  }

  transaction<T>(work: (scope: DeviceScope) => Promise<T>): Promise<T> {
    return this.inNewTransaction(work);
  }
}

/** Returns a factory of server scopes, the root of all data access. */
export function createScopeFactory(parts: {
  database: Database;
  clock: Clock;
  events: EventDispatcher;
  bodies: BodyReader;
}): (log: Logger) => ServerScope {
  const shared: Shared = { ...parts, statements: new Statements(parts.database.dialect), commits: new Map() };
  return (log) => new ServerScopeImpl(shared, log, null);
}
