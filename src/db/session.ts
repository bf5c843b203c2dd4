import type { Dialect } from './dialect.ts';

/** How long commits that were not made by Potager may go unnoticed on PostgreSQL, in ms. */
export const maxUnnoticed = 60_000;

/** Size in bytes from which lists are read as bytes; a shorter one is cheaper as a string, which is sent together with the headers. */
export const longText = 65_536;

/** A row as the driver returns it: the values of the selected expressions in order. */
export type RawRow = readonly unknown[];

/** Runs statements: on one connection within a transaction, on any connection outside. */
export interface Reader {
  /** Returns the rows: synchronously on SQLite, as a promise on PostgreSQL. Throws the errors of db/errors.ts. */
  query(sql: string, parameters: readonly unknown[], prepared?: boolean): RawRow[] | Promise<RawRow[]>;
}

/** Runs the statements of a transaction. */
export interface TransactionSession extends Reader {
  /** Runs a statement without a result in a transaction, on PostgreSQL together with the next one, whose failure is also its own. */
  defer(sql: string): void;
  /** Rolls the transaction back to a savepoint, which may be deferred. */
  rollBackTo(savepoint: string): Promise<void>;
}

/**
 * Ends the work of a transaction: runs its last statements, without waiting in between, and returns its result. On PostgreSQL,
 * they are sent together with the commit.
 */
export type Finish<T> = () => Promise<T>;

/** A database of either engine. */
export interface Database {
  readonly dialect: Dialect;
  /** Reads outside transactions. Sees this process's commits immediately, other processes' by the next turn of the event loop. */
  readonly reader: Reader;
  /**
   * Runs work in a transaction. Concurrent transactions share a commit, each in its own savepoint: on SQLite all of them, on
   * PostgreSQL a device's. There, the row of `deviceId` is locked first, which serializes the device's transactions and
   * so orders its announcements.
   */
  transaction<T>(deviceId: number | null, work: (session: TransactionSession) => Promise<Finish<T>>): Promise<T>;
  /** Runs reads, between which other requests are served, on one snapshot. */
  snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  /** Locks the row of a device until the end of the transaction, where several transactions are open at a time, and changes its version with the commit. */
  lockDevice(session: TransactionSession, deviceId: number): Promise<void>;
  /**
   * Returns a number that changes when another process commits to a watched table; null while that is not known. On SQLite,
   * it changes before the reader sees the commit; on PostgreSQL moments later. [ADR 11, ADR 76]
   */
  externalCommits(): number | null;
  /**
   * Returns a number that grows with each commit of the device's transactions by any process, read after the call; on SQLite, with
   * other processes' to any device. Null if the device was deleted. [ADR 73]
   */
  deviceVersion(deviceId: number): number | Promise<number | null>;
  /** Maximum number of rows that one statement should read: a database in this process runs one statement at a time. */
  readonly rowsPerStatement: number;
  /** Whether {@link externalCommits} never misses a commit that the reader could see. */
  readonly countsAtOnce: boolean;
  /** Notifies other processes of the transaction's commit, which changes watched tables. */
  notify(session: TransactionSession): Promise<void>;
  /** Runs a migration in a transaction without time limits; on PostgreSQL, throws LockTimeout if another transaction has locked one of its tables. On SQLite, foreign keys are off until they are checked before the commit. */
  migration<T>(work: (session: TransactionSession) => Promise<T>): Promise<T>;
  /** Runs statements outside a transaction. */
  script(statements: readonly string[]): Promise<void>;
  /** Copies the SQLite file into `folder`; returns null on PostgreSQL, whose backups are the operator's. */
  copy(folder: string, name: string): Promise<string | null>;
  /** Runs work while no other process migrates the database. */
  withMigrationLock<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
