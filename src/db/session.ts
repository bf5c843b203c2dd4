import type { Dialect } from './dialect.ts';

/** A row as the driver gives it: the values of the selected expressions, in their order. */
export type RawRow = readonly unknown[];

/** Runs statements, one after the other, on one connection or (outside transactions) on any. */
export interface Session {
  /** Gives the rows; an empty array for statements without any. Throws the failures of db/failures.ts. SQLite answers at once, PostgreSQL with a promise. */
  query(sql: string, parameters: readonly unknown[], prepared?: boolean): RawRow[] | Promise<RawRow[]>;
}

/** One database, whichever engine. */
export interface Database {
  readonly dialect: Dialect;
  /** For reading outside transactions: sees what this process committed, and at the latest in the next turn of the event loop what others did. */
  readonly reader: Session;
  /**
   * All or nothing. On SQLite, transactions that arrive together share a commit, each under a savepoint of its own;
   * on PostgreSQL the row of `deviceId` is locked first, so that limits, uniqueness and the order of announcements follow from it.
   */
  transaction<T>(deviceId: number | null, work: (session: Session) => Promise<T>): Promise<T>;
  /** Changes whenever another process commits, before the reader shows it; null where that cannot be known without asking the database. */
  externalCommits(): number | null;
  /** Runs statements that must stand alone (migrations). */
  script(statements: readonly string[]): Promise<void>;
  /** Copies the database file beside itself before a migration (SQLite); null where the operator's own back-up is the way (PostgreSQL). */
  copy(folder: string, name: string): Promise<string | null>;
  /** One migration at a time, also when several processes start together. */
  withMigrationLock<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
