import type { Actor } from '../core/changes.ts';
import type { Clock } from '../core/clock.ts';
import type { EventRecorder, Origin } from '../core/events.ts';
import type { Eventual } from '../core/eventual.ts';
import type { Logger } from '../core/logger.ts';
import type { Dialect, DialectName } from './dialect.ts';
import type { Sql } from './sql.ts';
import type { Reach, StandardColumns, Table } from './table.ts';

/** A condition on a column: equal to a value, null, one of several values, or comparisons. */
export type Condition<T> =
  | T
  | null
  | readonly NonNullable<T>[]
  | ({ readonly [Operator in 'lt' | 'nullOrLt' | 'lte' | 'gt' | 'gte']?: T } & { readonly not?: T | null });

/** Conditions joined by `and`. Statements are compiled once per shape (columns and operators), not per value. */
export type Where<Row> = { readonly [K in keyof Row]?: Condition<Row[K]> };

/** Selects, orders and limits rows. The default order is by ascending id. */
export interface Query<Row> {
  readonly where?: Where<Row>;
  /** A further condition in SQL, for conditions that `where` cannot express. Compiled on each call: avoid it on hot paths. */
  readonly and?: Sql | ((dialect: Dialect) => Sql);
  readonly order?: readonly (readonly [keyof Row & string, 'asc' | 'desc'])[];
  readonly limit?: number;
  readonly offset?: number;
}

/** Values of an insert. Ids, timestamps and the owner are set by the scope; nullable columns are optional. */
export type Insertable<Row> = Omit<
  { [K in keyof Row as null extends Row[K] ? never : K]: Row[K] },
  keyof StandardColumns | 'device_id'
> & { [K in keyof Row as null extends Row[K] ? K : never]?: Row[K] } & Partial<StandardColumns>;

/** Selected SQL expressions (for both engines, or a list for each) and the decoder of their raw rows. */
export interface Selection<T> {
  /** Key in the statement cache; unique per table. */
  readonly key: string;
  readonly expressions: readonly string[] | Readonly<Record<DialectName, readonly string[]>>;
  /** Groups and orders the rows by an expression, or by the position of one; the query's order and limit do not apply. */
  readonly groupBy?: string;
  /** Reads many rows: PostgreSQL plans each call for its values, because a plan for any values expects few rows. */
  readonly isLarge?: true;
  read(raw: readonly unknown[]): T;
}

/** The values of a column, in the order of the rows. */
export type NumberColumn = readonly (number | null)[];

/** A value that is kept in memory until a commit may have changed it. */
export interface Memo<T extends object> {
  /** Names the value among the values of its device. */
  readonly key: string;
  read(): Promise<T>;
  /** Returns the texts that the value consists of, for its size; null if it is not kept. */
  textsOf(value: T): readonly JsonText[] | null;
}

/** JSON text; UTF-8 bytes if the database returns bytes, so that a long list need not be decoded and encoded again. */
export type JsonText = string | Buffer;

/** An SQL expression for each engine whose value is a row's JSON text. `key` is its key in the statement cache; unique per table. */
export interface JsonExpressions extends Readonly<Record<DialectName, string>> {
  readonly key: string;
}

/** Rows of one table, for {@link DeviceScope.jsonLists}. */
export interface JsonListing<R extends Reach = Reach> {
  readonly table: Table<unknown, R>;
  readonly json: JsonExpressions;
  /** Columns that must be null. */
  readonly where?: Readonly<Record<string, null>>;
}

/** Reads and writes tables. In a {@link DeviceScope}, every statement is limited to the device's rows, and inserts get its id. */
export interface Access<R extends Reach> {
  rows<Row>(table: Table<Row, R | 'both'>, query?: Query<Row>): Promise<Row[]>;
  first<Row>(table: Table<Row, R | 'both'>, query?: Query<Row>): Promise<Row | undefined>;
  /** Like {@link rows}, with selected expressions instead of whole rows. */
  select<Row, T>(table: Table<Row, R | 'both'>, selection: Selection<T>, query?: Query<Row>): Promise<T[]>;
  /** Returns the values of columns of numbers, an array for each: thousands of rows as objects cost more than reading them. */
  numbers<Row>(table: Table<Row, R | 'both'>, names: readonly string[], query?: Query<Row>): Promise<NumberColumn[]>;
  /** Returns the JSON array of all rows, built by the database. */
  jsonList<Row>(table: Table<Row, R | 'both'>, json: JsonExpressions, query?: Query<Row>): Promise<JsonText>;
  count<Row>(table: Table<Row, R | 'both'>, query?: Query<Row>): Promise<number>;
  /** Returns the sum of a column of numbers; null counts as 0. */
  sum<Row>(table: Table<Row, R | 'both'>, column: keyof Row & string, query?: Query<Row>): Promise<number>;
  /** Inserts a row, and returns it or the columns of `returned`: of announced records, whole rows. */
  insert<Row, T = Row>(table: Table<Row, R | 'both'>, values: Insertable<Row>, returned?: Selection<T>): Promise<T>;
  /** The same for several rows. */
  insertAll<Row, T = Row>(
    table: Table<Row, R | 'both'>,
    values: readonly Insertable<Row>[],
    returned?: Selection<T>,
  ): Promise<T[]>;
  /** Updates the matching rows, and returns them or the columns of `returned`; sets `updated_at` unless `changes` contains it. */
  update<Row, T = Row>(
    table: Table<Row, R | 'both'>,
    changes: Partial<Row>,
    query: Query<Row>,
    returned?: Selection<T>,
  ): Promise<T[]>;
  /** Deletes and returns the matching rows. */
  delete<Row>(table: Table<Row, R | 'both'>, query: Query<Row>): Promise<Row[]>;
  /** Deletes all but the newest `keep` rows (by created_at, then id) in one statement. */
  trim<Row>(table: Table<Row, R | 'both'>, keep: number): Promise<void>;
}

interface Common {
  readonly clock: Clock;
  readonly log: Logger;
  /** Rows that a statement may read: statements of others wait for it. */
  readonly rowsPerStatement: number;
  /** Runs `effect` after this transaction's commit, or immediately outside a transaction. It must not throw. */
  afterCommit(effect: () => void): void;
}

/** Access to the data of one device only. The first argument of every function that uses such data. */
export interface DeviceScope extends Access<'device'>, Common {
  /** Returns the JSON arrays of several listings, read in one statement and thus consistently. Pass the same array each time: its statement is cached. */
  jsonLists(listings: readonly JsonListing<'device' | 'both'>[]): Promise<string[]>;
  /** Returns the same of several arrays of listings in one snapshot, each read by a statement of its own, between which other requests are served. */
  jsonListsInParts(parts: readonly (readonly JsonListing<'device' | 'both'>[])[]): Promise<string[]>;
  /**
   * Returns the value that was read of the device's tables under this key before, unless a commit may have changed it since. In a transaction
   * it is always read. [ADR 73]
   */
  recall<T extends object>(memo: Memo<T>): Eventual<T>;
  /**
   * Keeps the states of records for the change log, inside a transaction, before their parts are changed: rows of
   * other tables that their JSON contains. Updates, deletions and {@link first} do so by themselves.
   */
  keepStates<Row>(table: Table<Row, 'device' | 'both'>, query: Query<Row>): Promise<void>;
  /** Deletes the change log of the device, inside a transaction, whose own changes are only announced. */
  emptyHistory(): Promise<void>;
  readonly kind: 'device';
  readonly deviceId: number;
  /** The signed-in user, or null in jobs and broker ingestion. */
  readonly userId: number | null;
  /** The request's id (`X-Farmbot-Rpc-Id`), or `NONE`. */
  readonly label: string;
  readonly origin: Origin;
  /** The author of changes, for the change log. */
  readonly actor: Actor;
  /** Created by the server: the same for all changes of one request, one run of a job or one batch of messages. */
  readonly request: string;
  /** Whether a robot acts: by its session, or as its User-Agent says. */
  readonly isOfRobot: boolean;
  readonly events: EventRecorder;
  /** Whether changes stay in the log once every reader has read them. */
  readonly keepsHistory: boolean;
  /** Returns a scope in the same transaction whose inserts into this table get the id and the creation time of a deleted record. */
  restoring(table: string, record: RestoredRecord): DeviceScope;
  /** True inside a transaction. */
  readonly isTransaction: boolean;
  /** Runs work in a transaction (a savepoint if one is open). The outer scope throws until it ends. Await only database work inside. */
  transaction<T>(work: (scope: DeviceScope) => Promise<T>): Promise<T>;
  /** Returns the same scope outside the transaction, for work after its commit. */
  detached(): DeviceScope;
  /** The server scope in the same transaction, for the needs of a device's request (users, jobs). */
  readonly server: ServerScope;
}

/** Access to server-wide tables. It cannot reach tables of devices; {@link ServerScope.device} returns the scope of one device. */
export interface ServerScope extends Access<'server'>, Common {
  readonly kind: 'server';
  readonly isTransaction: boolean;
  transaction<T>(work: (scope: ServerScope) => Promise<T>): Promise<T>;
  /**
   * Returns a value that changes with every commit to these tables, for cache validation; null while commits of other processes
   * are not known, on PostgreSQL commits to tables without `unwatched` never are. Get it before reading the cached values. On PostgreSQL,
   * it changes moments after the commit of another process; with `atOnce`, null is returned instead.
   */
  version(tables: readonly Table[], atOnce?: boolean): string | null;
  /** Returns the scope of one device, in the same transaction if one is open. */
  device(deviceId: number, identity?: Identity): DeviceScope;
}

/** The columns that a record keeps when it comes back. */
export type RestoredRecord = Pick<StandardColumns, 'id'> & Partial<StandardColumns>;

/** The user and request on whose behalf a device scope acts. The defaults are a job's. */
export interface Identity {
  readonly userId?: number | null;
  readonly label?: string;
  readonly origin?: Origin;
  readonly isOfRobot?: boolean;
  /** The author of changes; the server scope's by default. */
  readonly actor?: Actor;
  /** Settles when the response was sent or its connection closed: announcements wait for it. [decision 50] */
  readonly responseSent?: Promise<void>;
}
