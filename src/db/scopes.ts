import type { Clock } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import type { EventRecorder, Origin } from '../core/events.ts';
import type { Logger } from '../core/logger.ts';
import type { EventDispatcher } from './event-dispatcher.ts';
import { claimDuration } from './event-dispatcher.ts';
import type { EventRow } from './event-rows.ts';
import { eventRows } from './event-rows.ts';
import type { RecordedChange } from './recorded-changes.ts';
import { nothingRecorded, RecordedChanges } from './recorded-changes.ts';
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

/** Reads the HTTP serialisations of records, by announced name; missing ids are gone. */
export type BodyReader = (scope: DeviceScope, resource: string, ids: readonly number[]) => Promise<Map<number, string>>;

const everyTable = '*';

/** Changes of one commit that are read and written in one go. A commit with more lets others have the event loop in between: nobody is kept waiting by a whole account. */
const eventsAtOnce = 500;
/** Changes between two such turns: programs may be large. */
const eventsOfAPiece = 50;

/** What all scopes of one server share. */
interface Shared {
  readonly database: Database;
  readonly statements: Statements;
  readonly clock: Clock;
  readonly events: EventDispatcher;
  readonly bodies: BodyReader;
  /** Commits of this process by table. */
  readonly commits: Map<string, number>;
}

/** One open transaction (or savepoint): its session, what it changed, and what follows its commit. */
class Transaction {
  readonly session: Session;
  readonly depth: number;
  /** Committed or rolled back: whoever still holds a scope of it has lost it. */
  isOver = false;
  readonly effects: (() => void)[] = [];
  readonly written = new Set<string>();
  readonly changes = new Map<number, { scope: DeviceScopeOn; recorded: RecordedChanges }>();

  constructor(session: Session, depth: number) {
    this.session = session;
    this.depth = depth;
  }

  recorder(scope: DeviceScopeOn): EventRecorder {
    const entry = this.changes.get(scope.deviceId);
    const recorded = entry?.recorded ?? new RecordedChanges();
    // The scope of a request knows when its answer has left; one made for a part of its work does not.
    if (!entry?.scope.answered) this.changes.set(scope.deviceId, { scope, recorded });
    return recorded.by(scope);
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

  /** Statements of this scope. While a transaction of it runs, the outer scope throws: on SQLite it would wait for itself. */
  protected get access(): TableAccess {
    if (this.#suspended) throw new Error('this scope has a transaction open: use the scope that it hands on');
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
    return this.open ? this.writing(table).insert(table, values) : this.within((inner) => inner.insert(table, values));
  }
  async insertAll<Row>(table: Table<Row>, values: readonly Insertable<Row>[]): Promise<Row[]> {
    return this.open
      ? this.writing(table).insertAll(table, values)
      : this.within((inner) => inner.insertAll(table, values));
  }
  async update<Row>(table: Table<Row>, changes: Partial<Row>, query: Query<Row>): Promise<Row[]> {
    return this.open
      ? this.writing(table).update(table, changes, query)
      : this.within((inner) => inner.update(table, changes, query));
  }
  async delete<Row>(table: Table<Row>, query: Query<Row>): Promise<Row[]> {
    // With a device go its rows of every table.
    if (table.owner === 'id') this.open?.written.add(everyTable);
    return this.open ? this.writing(table).remove(table, query) : this.within((inner) => inner.delete(table, query));
  }
  async trim<Row>(table: Table<Row>, keep: number, olderThan?: string): Promise<void> {
    return this.open
      ? this.writing(table).trim(table, keep, olderThan)
      : this.within((inner) => inner.trim(table, keep, olderThan));
  }

  private writing(table: Table): TableAccess {
    this.open?.written.add(table.name);
    return this.access;
  }

  protected abstract reopened(open: Transaction): this;
  protected abstract readonly lock: number | null;

  /** Runs work in a transaction, or in a savepoint of the one that is open; after its commit come the effects and the announcements. */
  protected async within<T>(work: (scope: this) => Promise<T>): Promise<T> {
    if (this.#suspended) throw new Error('this scope has a transaction open already');
    this.#suspended = true;
    try {
      if (this.open) return await this.#savepoint(this.open, work);
      const { value, transaction } = await this.shared.database.transaction(this.lock, async (session) => {
        const transaction = new Transaction(session, 0);
        try {
          const value = await work(this.reopened(transaction));
          await this.#writeEvents(transaction);
          return { value, transaction };
        } finally {
          transaction.isOver = true;
        }
      });
      const { commits } = this.shared;
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
      const value = await work(this.reopened(inner));
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

  /** Writes what the transaction announces as rows of the same transaction, and has them delivered after its commit. */
  async #writeEvents(transaction: Transaction): Promise<void> {
    for (const { scope, recorded } of transaction.changes.values()) {
      const changes = recorded.list;
      if (changes.length === 0) continue;
      const rows = changes.length > eventsAtOnce ? [] : await this.#writeSome(scope, changes);
      if (changes.length > eventsAtOnce)
        for (let from = 0; from < changes.length; from += eventsOfAPiece) {
          for (const row of await this.#writeSome(scope, changes.slice(from, from + eventsOfAPiece))) rows.push(row);
          await new Promise((resolve) => setImmediate(resolve));
        }
      const { deviceId, answered } = scope;
      transaction.effects.push(() => this.shared.events.enqueue(deviceId, rows, answered));
    }
  }

  async #writeSome(scope: DeviceScopeOn, changes: readonly RecordedChange[]): Promise<EventRow[]> {
    const unread = new Map<string, number[]>();
    for (const { resource, recordId, body } of changes) {
      if (body !== undefined) continue;
      const ids = unread.get(resource);
      if (ids) ids.push(recordId);
      else unread.set(resource, [recordId]);
    }
    const bodies = new Map<string, Map<number, string>>();
    for (const [resource, ids] of unread) bodies.set(resource, await this.shared.bodies(scope, resource, ids));
    const claimed_until = timestamp(this.clock.now() + claimDuration);
    return scope.insertAll(
      eventRows,
      changes.map(({ resource, recordId, body, label, origin }) => ({
        resource,
        record_id: recordId,
        label,
        origin,
        body: body === undefined ? (bodies.get(resource)?.get(recordId) ?? null) : body,
        claimed_until,
      })),
    );
  }
}

class ServerScopeOn extends ScopeBase implements ServerScope {
  readonly kind = 'server';
  protected readonly lock = null;

  constructor(shared: Shared, log: Logger, open: Transaction | null) {
    super(shared, log, open, null);
  }

  protected override reopened(open: Transaction): this {
    return new ServerScopeOn(this.shared, this.log, open) as this;
  }

  transaction<T>(work: (scope: ServerScope) => Promise<T>): Promise<T> {
    return this.within(work);
  }

  version(tables: readonly Table[]): string | null {
    const foreign = this.shared.database.externalCommits();
    if (foreign === null) return null;
    let version = `${foreign} ${this.shared.commits.get(everyTable) ?? 0}`;
    for (const { name } of tables) version += ` ${this.shared.commits.get(name) ?? 0}`;
    return version;
  }

  device(deviceId: number, identity: Identity = {}): DeviceScope {
    return new DeviceScopeOn(this.shared, this.log, this.open, deviceId, identity);
  }
}

class DeviceScopeOn extends ScopeBase implements DeviceScope {
  readonly kind = 'device';
  readonly deviceId: number;
  readonly identity: Identity;
  protected readonly lock: number;
  readonly #events: EventRecorder;

  constructor(shared: Shared, log: Logger, open: Transaction | null, deviceId: number, identity: Identity) {
    super(shared, log, open, deviceId);
    this.deviceId = deviceId;
    this.lock = deviceId;
    this.identity = identity;
    this.#events = open && shared.events.isRecording ? open.recorder(this) : nothingRecorded;
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
  get answered(): Promise<void> | undefined {
    return this.identity.responseSent;
  }

  get events(): EventRecorder {
    if (!this.open) throw new Error('changes are recorded inside a transaction');
    return this.#events;
  }

  detached(): DeviceScope {
    return new DeviceScopeOn(this.shared, this.log, null, this.deviceId, this.identity);
  }

  get server(): ServerScope {
    return new ServerScopeOn(this.shared, this.log, this.open);
  }

  jsonLists(listings: readonly Listing<'device' | 'both'>[]): Promise<string[]> {
    return this.access.jsonLists(listings);
  }

  /** The same scope on another transaction. */
  on(open: Transaction): DeviceScopeOn {
    return new DeviceScopeOn(this.shared, this.log, open, this.deviceId, this.identity);
  }

  protected override reopened(open: Transaction): this {
    return this.on(open) as this;
  }

  transaction<T>(work: (scope: DeviceScope) => Promise<T>): Promise<T> {
    return this.within(work);
  }
}

/** Makes the scopes of one server. Every access to data begins here. */
export function createScopeFactory(parts: {
  database: Database;
  clock: Clock;
  events: EventDispatcher;
  bodies: BodyReader;
}): (log: Logger) => ServerScope {
  const shared: Shared = { ...parts, statements: new Statements(parts.database.dialect), commits: new Map() };
  return (log) => new ServerScopeOn(shared, log, null);
}
