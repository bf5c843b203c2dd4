import type { RawBuilder, SqlBool } from 'kysely';
import type { Clock } from '../core/clock.ts';
import type { EventRecorder, Origin } from '../core/events.ts';
import type { Logger } from '../core/logger.ts';
import type { DialectName } from './dialect.ts';
import type { Reach, StandardColumns, Table } from './table.ts';

/** A condition on one column: a value, null, one of several values, or a comparison. */
export type Condition<T> =
  | T
  | null
  | readonly NonNullable<T>[]
  | { readonly lt?: T; readonly lte?: T; readonly gt?: T; readonly gte?: T; readonly not?: T | null };

/** Conditions that must all hold. Statements are prepared once per shape (columns and kinds of condition), not per value. */
export type Where<Row> = { readonly [K in keyof Row]?: Condition<Row[K]> };

/** Which rows, in which order, how many. Without `order`: by ascending id. */
export interface Query<Row> {
  readonly where?: Where<Row>;
  /** A further condition in SQL (Kysely's `sql` template), for what `where` cannot say. Not cached: keep it off hot paths. */
  readonly and?: RawBuilder<SqlBool>;
  readonly order?: readonly (readonly [keyof Row & string, 'asc' | 'desc'])[];
  readonly limit?: number;
  readonly offset?: number;
}

/** What an insert takes: times and ids are the scope's business, nullable columns may be left out. */
export type Insertable<Row> = Omit<
  { [K in keyof Row as null extends Row[K] ? never : K]: Row[K] },
  keyof StandardColumns | 'device_id'
> & { [K in keyof Row as null extends Row[K] ? K : never]?: Row[K] } & Partial<StandardColumns>;

/** A compiled reading of rows: SQL expressions (the same on both engines, or one list for each), and what becomes of each raw row (an array of their values). */
export interface Selection<T> {
  /** Names the selection in the statement cache; unique per table. */
  readonly key: string;
  readonly expressions: readonly string[] | Readonly<Record<DialectName, readonly string[]>>;
  read(raw: readonly unknown[]): T;
}

/** JSON text; as UTF-8 bytes where the database gives those, so that a long list need not become a string on its way to the client. */
export type JsonText = string | Buffer;

/** An SQL expression for each engine that writes a row as JSON text. `key` names it in the statement cache; unique per table. */
export interface JsonExpressions extends Readonly<Record<DialectName, string>> {
  readonly key: string;
}

/** Rows of one table, as part of several lists that are read together. */
export interface Listing<R extends Reach = Reach> {
  readonly table: Table<unknown, R>;
  readonly json: JsonExpressions;
  /** Columns that must be null. */
  readonly where?: Readonly<Record<string, null>>;
}

/** Reading and writing the tables within reach. In a {@link DeviceScope} every statement is limited to the device's own rows, and inserts get its id. */
export interface Access<R extends Reach> {
  rows<Row>(table: Table<Row, R | 'both'>, query?: Query<Row>): Promise<Row[]>;
  first<Row>(table: Table<Row, R | 'both'>, query?: Query<Row>): Promise<Row | undefined>;
  /** Like rows, through a compiled selection (the engine's path from row to JSON). */
  select<Row, T>(table: Table<Row, R | 'both'>, selection: Selection<T>, query?: Query<Row>): Promise<T[]>;
  /** The JSON array of what an SQL expression writes for each row, put together by the database. */
  jsonList<Row>(table: Table<Row, R | 'both'>, json: JsonExpressions, query?: Query<Row>): Promise<JsonText>;
  count<Row>(table: Table<Row, R | 'both'>, query?: Query<Row>): Promise<number>;
  insert<Row>(table: Table<Row, R | 'both'>, values: Insertable<Row>): Promise<Row>;
  insertAll<Row>(table: Table<Row, R | 'both'>, values: readonly Insertable<Row>[]): Promise<Row[]>;
  /** Changes the rows that match and gives them back; sets `updated_at` unless `changes` does. */
  update<Row>(table: Table<Row, R | 'both'>, changes: Partial<Row>, query: Query<Row>): Promise<Row[]>;
  /** Deletes the rows that match and gives them back. */
  delete<Row>(table: Table<Row, R | 'both'>, query: Query<Row>): Promise<Row[]>;
  /** Deletes all but the newest `keep` rows (by created_at, then id; optionally also those older than `olderThan`), in one statement. */
  trim<Row>(table: Table<Row, R | 'both'>, keep: number, olderThan?: string): Promise<void>;
}

interface Common {
  readonly clock: Clock;
  readonly log: Logger;
  /** Runs after this transaction's commit (at once when there is none). Must not throw. */
  afterCommit(effect: () => void): void;
}

/** The right to one device's data, and to nothing else. First argument of every function that touches a device's data. */
export interface DeviceScope extends Access<'device'>, Common {
  /** The JSON arrays of several listings of the device's rows, in one statement and so of one moment. Keep the array of listings: its statement is made once. */
  jsonLists(listings: readonly Listing<'device' | 'both'>[]): Promise<string[]>;
  readonly kind: 'device';
  readonly deviceId: number;
  /** The signed-in user, or null in jobs and broker ingestion. */
  readonly userId: number | null;
  /** The request's id (`X-Farmbot-Rpc-Id`), or `NONE`. */
  readonly label: string;
  readonly origin: Origin;
  readonly events: EventRecorder;
  /** True inside a transaction. */
  readonly isTransaction: boolean;
  /** All or nothing. Writing requests run inside one already; calling the outer scope meanwhile throws. Await only database work inside. */
  transaction<T>(work: (scope: DeviceScope) => Promise<T>): Promise<T>;
  /** The same right outside the transaction, for work after its commit. */
  detached(): DeviceScope;
  /** Server-wide tables in the same transaction, for what a device's request must reach (its users' uniqueness, jobs). */
  readonly server: ServerScope;
}

/** The right to server-wide tables. It reaches no device's garden; {@link ServerScope.device} gives the scope of one device. */
export interface ServerScope extends Access<'server'>, Common {
  readonly kind: 'server';
  readonly isTransaction: boolean;
  transaction<T>(work: (scope: ServerScope) => Promise<T>): Promise<T>;
  /** Changes whenever something was committed to one of these tables; null where that cannot be known cheaply. What was read after asking may be kept until it changes. */
  version(tables: readonly Table[]): string | null;
  /** The scope of one device, in the same transaction if there is one. */
  device(deviceId: number, identity?: Identity): DeviceScope;
}

/** In whose name a device's scope acts; what is left out is a job's. */
export interface Identity {
  readonly userId?: number | null;
  readonly label?: string;
  readonly origin?: Origin;
  /** Settles when the answer to the request has left (or its connection ended): announcements wait for it. [decision 50] */
  readonly responseSent?: Promise<void>;
}
