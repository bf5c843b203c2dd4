import type { Dialect } from './dialect.ts';

/** A row as the driver returns it: the values of the selected expressions in order. */
export type RawRow = readonly unknown[];

/** Runs statements: on one connection within a transaction, on any connection outside. */
export interface Session {
  /** Returns the rows: synchronously on SQLite, as a promise on PostgreSQL. Throws the errors of db/errors.ts. */
  query(sql: string, parameters: readonly unknown[], prepared?: boolean): RawRow[] | Promise<RawRow[]>;
}

/** A database of either engine. */
export interface Database {
  readonly dialect: Dialect;
  /** Reads outside transactions. Sees this process's commits immediately, those of other processes by the next turn of the event loop. */
  readonly reader: Session;
  /**
   * Runs work in a transaction. On SQLite, concurrent transactions share a commit, each in its own savepoint; on PostgreSQL,
   * the row of `deviceId` is locked first, which serializes the device's transactions and so orders its announcements.
   */
  transaction<T>(deviceId: number | null, work: (session: Session) => Promise<T>): Promise<T>;
  /** Locks the row of a device until the end of the transaction, where several transactions are open at a time. */
  lockDevice(session: Session, deviceId: number): Promise<void>;
  /** Returns a number that changes when another process commits, before the reader sees it; null on PostgreSQL. */
  externalCommits(): number | null;
  /** Runs a migration in a transaction without time limits. On SQLite, foreign keys are off until they are checked before the commit. */
  migration<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** Runs statements outside a transaction. */
  script(statements: readonly string[]): Promise<void>;
  /** Copies the SQLite file into `folder`; returns null on PostgreSQL, whose backups are the operator's. */
  copy(folder: string, name: string): Promise<string | null>;
  /** Runs work while no other process migrates the database. */
  withMigrationLock<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
