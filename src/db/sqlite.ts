import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { Failure } from '../core/errors.ts';
import { sqliteDialect } from './dialect.ts';
import { translateError } from './errors.ts';
import type { Database, RawRow, Session } from './session.ts';

/** Statements kept prepared per connection. */
const preparedStatements = 1000;
/** Transactions that share one commit at most: keeps the first one's wait short. */
const sharedCommit = 128;
/** How long a writer waits for another process's transaction before the request is told to come again, in ms. */
const patience = 5000;

class SqliteSession implements Session {
  readonly connection: Sqlite.Database;
  readonly #statements = new LRUCache<string, Sqlite.Statement<unknown[], unknown>>({ max: preparedStatements });

  constructor(connection: Sqlite.Database) {
    this.connection = connection;
  }

  query(sql: string, parameters: readonly unknown[]): RawRow[] {
    try {
      let statement = this.#statements.get(sql);
      if (!statement) {
        statement = this.connection.prepare<unknown[], unknown>(sql);
        if (statement.reader) statement.raw();
        this.#statements.set(sql, statement);
      }
      if (statement.reader) return statement.all(...parameters) as RawRow[];
      statement.run(...parameters);
      return [];
    } catch (error) {
      throw translateError(error);
    }
  }
}

/**
 * The reading connection. All that is read in one turn of the event loop is read in one transaction, which takes and
 * gives back the file's lock once. Commits of this process end it, so what they wrote is seen at once; what another
 * process commits is seen in the next turn.
 */
class SqliteReader extends SqliteSession {
  readonly #countForeign: () => number;
  #foreign = 0;
  #isEndPlanned = false;

  constructor(connection: Sqlite.Database, countForeign: () => number) {
    super(connection);
    this.#countForeign = countForeign;
  }

  override query(sql: string, parameters: readonly unknown[]): RawRow[] {
    this.#begin();
    return super.query(sql, parameters);
  }

  /** The commits of other processes, as counted before anything was read in this turn: never more than what is read has seen. */
  foreignCommits(): number {
    this.#begin();
    return this.#foreign;
  }

  #begin(): void {
    if (this.connection.inTransaction) return;
    this.#foreign = this.#countForeign();
    super.query('begin', []);
    if (this.#isEndPlanned) return;
    this.#isEndPlanned = true;
    setImmediate(() => {
      this.#isEndPlanned = false;
      this.end();
    });
  }

  /** Whoever reads next sees what is committed then. */
  end(): void {
    if (this.connection.inTransaction) super.query('commit', []);
  }
}

/** One of the transactions in a shared commit. */
interface Shared {
  readonly waiting: Waiting;
  settle: () => void;
}

interface Waiting {
  work(): Promise<() => void>;
  fail(error: unknown): void;
}

class SqliteDatabase implements Database {
  readonly dialect = sqliteDialect;
  readonly reader: SqliteReader;
  readonly #writer: SqliteSession;
  readonly #waiting: Waiting[] = [];
  #draining = false;

  constructor(path: string) {
    const open = (readonly: boolean): Sqlite.Database => {
      const connection = new Sqlite(path, { readonly, timeout: 100 });
      if (!readonly) {
        connection.pragma('journal_mode = wal');
        connection.pragma('synchronous = full');
      }
      connection.pragma('foreign_keys = on');
      connection.pragma('cache_size = -16000');
      connection.pragma('temp_store = memory');
      // For the few numbers that SQLite writes otherwise than JavaScript.
      connection.function('json_number', { deterministic: true }, (value: unknown) => JSON.stringify(value));
      return connection;
    };
    // The writer first: it makes the file that the reader opens.
    const writer = new SqliteSession(open(false));
    // Seen from the writing connection, only other processes are foreign.
    this.reader = new SqliteReader(open(true), () => Number(writer.query('pragma data_version', [])[0]?.[0]));
    this.#writer = writer;
  }

  transaction<T>(_deviceId: number | null, work: (session: Session) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({
        work: async () => {
          const value = await work(this.#writer);
          return () => resolve(value);
        },
        fail: reject,
      });
      if (!this.#draining) {
        this.#draining = true;
        // Requests that arrived in the same turn of the event loop are all waiting by then.
        setImmediate(() => void this.#drain());
      }
    });
  }

  async #drain(): Promise<void> {
    try {
      while (this.#waiting.length > 0) await this.#commitSome();
    } finally {
      this.#draining = false;
    }
  }

  /** One shared transaction. Everybody in it is answered, whatever fails; never throws. */
  async #commitSome(): Promise<void> {
    const { connection } = this.#writer;
    const shared: Shared[] = [];
    const refused: (() => void)[] = [];
    let hasBegun = false;
    try {
      await this.#begin();
      hasBegun = true;
      while (shared.length < sharedCommit) {
        const waiting = this.#waiting.shift();
        if (!waiting) break;
        const entry: Shared = { waiting, settle: () => undefined };
        shared.push(entry);
        this.#writer.query('savepoint request', []);
        try {
          entry.settle = await waiting.work();
          this.#writer.query('release request', []);
        } catch (error) {
          // A full disk may have ended the whole transaction already.
          if (!connection.inTransaction) throw error;
          this.#writer.query('rollback to request', []);
          this.#writer.query('release request', []);
          shared.pop();
          refused.push(() => waiting.fail(error));
        }
      }
      this.#writer.query('commit', []);
      this.reader.end();
    } catch (error) {
      const failure = translateError(error);
      if (!hasBegun) for (const waiting of this.#waiting.splice(0, sharedCommit)) waiting.fail(failure);
      try {
        if (connection.inTransaction) connection.exec('rollback');
      } finally {
        for (const { waiting } of shared) waiting.fail(failure);
        for (const refuse of refused) refuse();
      }
      return;
    }
    for (const { settle } of shared) settle();
    for (const refuse of refused) refuse();
  }

  /** `begin immediate`: a transaction that reads first and writes later could otherwise meet another process's commit in between. */
  async #begin(): Promise<void> {
    const end = performance.now() + patience;
    // A reader's old view would keep the commit from reusing the log file.
    this.reader.end();
    for (;;) {
      try {
        this.#writer.connection.exec('begin immediate');
        return;
      } catch (error) {
        const busy = error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
        if (!busy || performance.now() > end) throw translateError(error);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  externalCommits(): number {
    return this.reader.foreignCommits();
  }

  async script(statements: readonly string[]): Promise<void> {
    for (const statement of statements) this.#writer.connection.exec(statement);
    this.reader.end();
  }

  async copy(folder: string, name: string): Promise<string> {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, name);
    await this.#writer.connection.backup(path);
    return path;
  }

  /** An advisory file lock is not needed: `begin immediate` around each migration orders processes. */
  withMigrationLock<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  async close(): Promise<void> {
    while (this.#draining) await new Promise((resolve) => setTimeout(resolve, 5));
    this.reader.end();
    this.reader.connection.close();
    this.#writer.connection.close();
  }
}

/** Opens (and makes, if need be) the SQLite file: WAL, synchronous FULL, foreign keys. Throws {@link Failure} `unavailable` if it cannot. */
export function openSqlite(path: string): Database {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return new SqliteDatabase(path);
  } catch (error) {
    const failure = new Failure('unavailable', `The database ${path} cannot be opened.`);
    failure.cause = error;
    throw failure;
  }
}
