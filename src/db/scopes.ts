import type { Actor } from '../core/changes.ts';
import { serverActor } from '../core/changes.ts';
import { invalid } from '../core/errors.ts';
import type { EventRecorder, Origin } from '../core/events.ts';
import type { Eventual } from '../core/eventual.ts';
import { andThen } from '../core/eventual.ts';
import type { Logger } from '../core/logger.ts';
import { inParts } from '../core/request-pause.ts';
import { Cause } from './cause.ts';
import { recordTrimmed } from './change-cursors.ts';
import { changeSizes } from './change-rows.ts';
import { DeviceMemory } from './device-memory.ts';
import type { DialectName } from './dialect.ts';
import { say } from './messages.ts';
import type {
  DeviceScope,
  Identity,
  Insertable,
  JsonListing,
  Memo,
  Query,
  RestoredRecord,
  Selection,
  ServerScope,
} from './scope.ts';
import type { Shared } from './scope-base.ts';
import { ScopeBase } from './scope-base.ts';
import { maxUnnoticed } from './session.ts';
import { Statements, wholeRow } from './statements.ts';
import type { Maximum, StandardColumns, Table } from './table.ts';
import type { TableAccess } from './table-access.ts';
import type { Transaction } from './transaction.ts';
import { anyTable } from './transaction.ts';

/** A row with the JSON of its record. */
interface RowWithState {
  readonly id: number;
  readonly row: Record<string, unknown>;
  readonly state: string;
}

const rowsWithState = new WeakMap<Table<unknown>, Selection<RowWithState>>();

/** Returns the selection of whole rows with the columns of `states`, an id and the JSON of the record. */
function withState(table: Table<unknown>, states: Selection<readonly [number, string]>): Selection<RowWithState> {
  let selection = rowsWithState.get(table);
  if (!selection) {
    const whole = wholeRow(table);
    const columns = whole.expressions as readonly string[];
    const { sqlite, postgres } = states.expressions as Readonly<Record<DialectName, readonly string[]>>;
    selection = {
      key: 'row with state',
      expressions: { sqlite: [...columns, ...sqlite], postgres: [...columns, ...postgres] },
      read(raw) {
        const [id, state] = states.read(raw.slice(columns.length));
        return { id, state, row: whole.read(raw) };
      },
    };
    rowsWithState.set(table, selection);
  }
  return selection;
}

class ServerScopeImpl extends ScopeBase implements ServerScope {
  readonly kind = 'server';
  protected readonly lockedDeviceId = null;
  readonly #cause: Cause;

  constructor(shared: Shared, log: Logger, open: Transaction | null, cause: Cause) {
    super(shared, log, open, null);
    this.#cause = cause;
  }

  protected override inTransaction(open: Transaction): this {
    return new ServerScopeImpl(this.shared, this.log, open, this.#cause) as this;
  }

  protected override deviceScope(open: Transaction, deviceId: number): DeviceScope {
    return new DeviceScopeImpl(this.shared, this.log, open, deviceId, {}, this.#cause);
  }

  transaction<T>(work: (scope: ServerScope) => Promise<T>): Promise<T> {
    return this.inNewTransaction(work);
  }

  version(tables: readonly Table[], atOnce = false): string | null {
    const { database, commits } = this.shared;
    const areNotified = !atOnce && tables.every(({ unwatched }) => unwatched !== null);
    const external = database.countsAtOnce || areNotified ? database.externalCommits() : null;
    if (external === null) return null;
    // Counts only grow, so the sum grows with each of them.
    let own = commits.get(anyTable) ?? 0;
    for (const { name } of tables) own += commits.get(name) ?? 0;
    return `${external} ${own}`;
  }

  device(deviceId: number, identity: Identity = {}): DeviceScope {
    return new DeviceScopeImpl(this.shared, this.log, this.open, deviceId, identity, this.#cause.by(identity.actor));
  }
}

/** The values for inserts into one table. */
interface Restored {
  readonly table: string;
  readonly record: RestoredRecord;
}

class DeviceScopeImpl extends ScopeBase implements DeviceScope {
  readonly kind = 'device';
  readonly deviceId: number;
  readonly identity: Identity;
  protected readonly lockedDeviceId: number;
  readonly #cause: Cause;
  #events: EventRecorder | undefined;
  readonly #restored: Restored | null;

  constructor(
    shared: Shared,
    log: Logger,
    open: Transaction | null,
    deviceId: number,
    identity: Identity,
    cause: Cause,
    restored: Restored | null = null,
  ) {
    super(shared, log, open, deviceId);
    this.deviceId = deviceId;
    this.lockedDeviceId = deviceId;
    this.identity = identity;
    this.#cause = cause;
    this.#restored = restored;
    open?.addIdentity(deviceId, identity);
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
  get isOfRobot(): boolean {
    return this.identity.isOfRobot ?? false;
  }
  get actor(): Actor {
    return this.#cause.actor;
  }
  get request(): string {
    return this.#cause.request;
  }

  get events(): EventRecorder {
    if (!this.open) throw new Error('changes are recorded inside a transaction');
    // Created on demand: many transactions announce nothing.
    this.#events ??= this.open.recorder(this);
    return this.#events;
  }

  get keepsHistory(): boolean {
    return this.shared.keepsHistory;
  }

  detached(): DeviceScope {
    return this.#on(null);
  }

  get server(): ServerScope {
    return new ServerScopeImpl(this.shared, this.log, this.open, this.#cause);
  }

  /** Reads the state of a record of the history in the same statement: it may be changed next. */
  override async first<Row>(table: Table<Row>, query?: Query<Row>): Promise<Row | undefined> {
    const found = this.open && this.shared.records.ofTable(table.name);
    if (!this.open || !found?.states) return super.first(table, query);
    const selection = withState(table, found.states) as Selection<{ row: Row; id: number; state: string }>;
    const [read] = await this.access.select(table, selection, { ...query, limit: 1 });
    if (read) this.open.states.add(found.resource, read.id, read.state);
    return read?.row;
  }
  override insert<Row, T = Row>(table: Table<Row>, values: Insertable<Row>, returned?: Selection<T>): Promise<T> {
    const restored = this.#restored?.table === table.name ? this.#restored.record : null;
    return super.insert(table, restored ? { ...values, ...restored } : values, returned);
  }
  override async insertAll<Row, T = Row>(
    table: Table<Row>,
    values: readonly Insertable<Row>[],
    returned?: Selection<T>,
  ): Promise<T[]> {
    if (this.open && table.maximum) await this.#assertRoom(this.open, table, table.maximum, values.length);
    const rows = await super.insertAll(table, values, returned);
    this.open?.addRows(this.deviceId, table.name, rows.length);
    this.#markCreated(table, rows);
    return rows;
  }

  /** Throws 422 if the device may not have so many more rows of a table; rows above the maximum may be replaced. */
  async #assertRoom(open: Transaction, table: Table, { rows, key }: Maximum, added: number): Promise<void> {
    if (added === 0) return;
    if (!open.isLocked(this.deviceId)) {
      await this.shared.database.lockDevice(open.session, this.deviceId);
      open.addLocked(this.deviceId);
    }
    if (open.addedRows(this.deviceId, table.name) + added <= 0) return;
    // A count reads all rows of the device: once is enough for many inserts.
    const atMost = open.maxRows(this.deviceId, table.name);
    if (atMost !== undefined && atMost + added <= rows) return;
    const count = await this.access.count(table);
    open.setRows(this.deviceId, table.name, count);
    if (count + added > rows) throw invalid({ [key]: say.tooMany(rows, table.name.replaceAll('_', ' ')) });
  }

  override async update<Row, T = Row>(
    table: Table<Row>,
    changes: Partial<Row>,
    query: Query<Row>,
    returned?: Selection<T>,
  ): Promise<T[]> {
    await this.keepStates(table, query);
    return super.update(table, changes, query, returned);
  }
  override async delete<Row>(table: Table<Row>, query: Query<Row>): Promise<Row[]> {
    await this.keepStates(table, query);
    const rows = await super.delete(table, query);
    this.open?.addRows(this.deviceId, table.name, -rows.length);
    return rows;
  }

  async keepStates<Row>(table: Table<Row>, query: Query<Row>): Promise<void> {
    const found = this.open && this.shared.records.ofTable(table.name);
    if (!this.open || !found?.states) return;
    const { states } = this.open;
    if (states.isOmitted) return;
    const { id } = (query.where ?? {}) as { id?: unknown };
    const ids: readonly unknown[] = Array.isArray(id) ? id : [id];
    if (ids.every((each) => typeof each === 'number' && states.get(found.resource, each) !== undefined)) return;
    for (const [id, state] of await this.access.select(
      table,
      found.states as Selection<readonly [number, string]>,
      query,
    ))
      states.add(found.resource, id, state);
  }

  async emptyHistory(): Promise<void> {
    if (!this.open) throw new Error('the history is emptied inside a transaction');
    this.open.states.isOmitted = true;
    const [last] = await this.access.rows(changeSizes, { order: [['id', 'desc']], limit: 1 });
    if (!last) return;
    await this.delete(changeSizes, {});
    await recordTrimmed(this, last.id);
  }

  #markCreated(table: Table<unknown>, rows: readonly unknown[]): void {
    const found = this.open && this.shared.records.ofTable(table.name);
    if (!this.open || !found) return;
    for (const { id } of rows as readonly Partial<StandardColumns>[]) {
      if (id === undefined) throw new Error(`an insert into ${table.name} must return the ids: its rows are announced`);
      this.open.states.add(found.resource, id, null);
    }
  }

  recall<T extends object>(memo: Memo<T>): Eventual<T> {
    const { database, memory } = this.shared;
    if (this.open) return memo.read();
    return andThen(database.deviceVersion(this.deviceId), (version) =>
      version === null ? memo.read() : memory.recall(this.deviceId, version, memo),
    );
  }

  jsonLists(listings: readonly JsonListing<'device' | 'both'>[]): Promise<string[]> {
    return this.access.jsonLists(listings);
  }

  async jsonListsInParts(parts: readonly (readonly JsonListing<'device' | 'both'>[])[]): Promise<string[]> {
    const readAll = async (access: TableAccess): Promise<string[]> => {
      const lists: string[] = [];
      await inParts(parts, 1, async ([listings = []]) => {
        lists.push(...(await access.jsonLists(listings)));
      });
      return lists;
    };
    const { access } = this;
    return this.open ? readAll(access) : this.shared.database.snapshot((reader) => readAll(this.accessOn(reader)));
  }

  /** Returns the same scope in another transaction, or outside any. */
  #on(open: Transaction | null, restored = this.#restored): DeviceScopeImpl {
    return new DeviceScopeImpl(this.shared, this.log, open, this.deviceId, this.identity, this.#cause, restored);
  }

  restoring(table: string, record: RestoredRecord): DeviceScope {
    return this.#on(this.open, { table, record });
  }

  protected override inTransaction(open: Transaction): this {
    return this.#on(open) as this;
  }

  protected override deviceScope(open: Transaction, deviceId: number): DeviceScope {
    return deviceId === this.deviceId ? this.#on(open) : this.#on(open).server.device(deviceId);
  }

  transaction<T>(work: (scope: DeviceScope) => Promise<T>): Promise<T> {
    return this.inNewTransaction(work);
  }
}

/** Creates server scopes. `actor`: the author of changes through them; the server by default. */
export type ScopeFactory = (log: Logger, actor?: Actor) => ServerScope;

/** Returns a factory of server scopes, the root of all data access. */
export function createScopeFactory(
  parts: Omit<Shared, 'statements' | 'commits' | 'memory' | 'keepsHistory'> & Partial<Pick<Shared, 'keepsHistory'>>,
): ScopeFactory {
  const statements = new Statements(parts.database.dialect);
  // On PostgreSQL, other programs such as psql do not change the versions of devices.
  const memory = new DeviceMemory({ maxAge: parts.database.countsAtOnce ? 0 : maxUnnoticed });
  const shared: Shared = { keepsHistory: true, ...parts, statements, commits: new Map(), memory };
  return (log, actor = serverActor) => new ServerScopeImpl(shared, log, null, new Cause(actor));
}
