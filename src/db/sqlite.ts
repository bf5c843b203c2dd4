import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { createDurableFolder, moveDurably } from '../core/durable-file.ts';
import { Failure } from '../core/errors.ts';
import { FairSemaphore } from '../core/fair-semaphore.ts';
import { verbatim } from '../core/message.ts';
import { NativeModuleError } from '../core/native-module.ts';
import { plainLetters } from '../core/plain-letters.ts';
import { RecentValues } from '../core/recent-values.ts';
import { errorCode } from '../core/system.ts';
import { createTemporaryPath, deleteTemporaryFile } from '../core/temporary-files.ts';
import { sqliteDialect } from './dialect.ts';
import { translateError } from './errors.ts';
import type { Database, Finish, RawRow, Reader, TransactionSession } from './session.ts';
import { openConnection, retain } from './sqlite-connection.ts';

/** Maximum number of prepared statements per connection. */
const maxPreparedStatements = 1000;
/** KiB of pages that the connections keep: fewer for reads, since answers that are read often are in memory themselves. */
const cacheSizes = { reader: 4_000, writer: 16_000 };
/** Maximum number of transactions in a shared commit, which bounds the latency of the first one. */
const maxSharedTransactions = 128;
/** Time to wait for another process's write lock before the request fails with 503, in ms. */
const busyTimeout = 5000;

class SqliteSession implements TransactionSession {
  readonly connection: Sqlite.Database;
  readonly #statements = retain(new RecentValues<Sqlite.Statement<unknown[], unknown>>(maxPreparedStatements));

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

  defer(sql: string): void {
    this.query(sql, []);
  }

  async rollBackTo(savepoint: string): Promise<void> {
    this.query(`rollback to ${savepoint}`, []);
  }
}

/**
 * The read connection. All reads of one iteration of the event loop share a transaction, so the file is locked and unlocked once.
 * Commits of this process end it, so their changes are visible immediately; other processes' are visible in the next iteration.
 */
class SqliteReader extends SqliteSession {
  readonly #countExternal: () => number;
  #external = 0;
  /** In this iteration of the event loop. */
  #isCounted = false;

  constructor(connection: Sqlite.Database, countExternal: () => number) {
    super(connection);
    this.#countExternal = countExternal;
  }

  override query(sql: string, parameters: readonly unknown[]): RawRow[] {
    this.#begin();
    return super.query(sql, parameters);
  }

  /** Returns the count of other processes' commits, read before the first read of this iteration of the event loop: it never includes commits that the reads have not seen. */
  externalCommits(): number {
    this.#count();
    return this.#external;
  }

  #begin(): void {
    if (this.connection.inTransaction) return;
    this.#count();
    super.query('begin', []);
  }

  #count(): void {
    if (this.#isCounted) return;
    this.#external = this.#countExternal();
    this.#isCounted = true;
    setImmediate(() => this.end());
  }

  /** Ends the read transaction: the next read starts a new one. */
  end(): void {
    this.#isCounted = false;
    if (this.connection.inTransaction) super.query('commit', []);
  }
}

/** A completed transaction in a shared commit. */
interface SharedTransaction {
  readonly queued: QueuedTransaction;
  settle: () => void;
}

interface QueuedTransaction {
  work(): Promise<() => void>;
  fail(error: unknown): void;
}

class SqliteDatabase implements Database {
  readonly dialect = sqliteDialect;
  readonly reader: SqliteReader;
  readonly #writer: SqliteSession;
  /** The connection of snapshots, opened for the first one. */
  #snapshots: SqliteSession | null = null;
  readonly #openReader: () => Sqlite.Database;
  readonly #snapshotTurns = new FairSemaphore(1, Number.POSITIVE_INFINITY);
  readonly #queue: QueuedTransaction[] = [];
  #isDraining = false;

  constructor(path: string) {
    const open = (readonly: boolean): Sqlite.Database => {
      const connection = openConnection(path, { readonly, timeout: 100 });
      if (!readonly) connection.exec('pragma journal_mode = wal; pragma synchronous = full');
      const cacheSize = readonly ? cacheSizes.reader : cacheSizes.writer;
      connection.exec(`pragma foreign_keys = on; pragma cache_size = -${cacheSize}; pragma temp_store = memory`);
      // For the few numbers that SQLite formats differently from JavaScript.
      connection.function('plain_letters', { deterministic: true }, (text: unknown) =>
        plainLetters(String(text ?? '')),
      );
      connection.function('json_number', { deterministic: true }, (value: unknown) => JSON.stringify(value));
      return connection;
    };
    // The writer is opened first, because it creates the file.
    const writer = new SqliteSession(open(false));
    // On the write connection, data_version changes with commits of other processes only.
    const dataVersion = retain(writer.connection.prepare<[], number>('pragma data_version').pluck());
    this.#openReader = () => open(true);
    this.reader = new SqliteReader(open(true), () => dataVersion.get() ?? 0);
    this.#writer = writer;
  }

  transaction<T>(_deviceId: number | null, work: (session: TransactionSession) => Promise<Finish<T>>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({
        work: async () => {
          const finish = await work(this.#writer);
          const value = await finish();
          return () => resolve(value);
        },
        fail: reject,
      });
      if (!this.#isDraining) {
        this.#isDraining = true;
        // Deferred, so that all requests of this iteration of the event loop are queued.
        setImmediate(() => void this.#drain());
      }
    });
  }

  snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    return this.#snapshotTurns.run('', async () => {
      this.#snapshots ??= new SqliteSession(this.#openReader());
      this.#snapshots.query('begin', []);
      try {
        return await work(this.#snapshots);
      } finally {
        this.#snapshots.query('commit', []);
      }
    });
  }

  async #drain(): Promise<void> {
    try {
      while (this.#queue.length > 0) await this.#commitBatch();
    } finally {
      this.#isDraining = false;
    }
  }

  /** Runs one shared commit and settles every transaction in it. Never throws. */
  async #commitBatch(): Promise<void> {
    const { connection } = this.#writer;
    const shared: SharedTransaction[] = [];
    const rejected: (() => void)[] = [];
    let isOpen = false;
    try {
      await this.#begin();
      isOpen = true;
      while (shared.length < maxSharedTransactions) {
        const queued = this.#queue.shift();
        if (!queued) break;
        const entry: SharedTransaction = { queued, settle: () => undefined };
        shared.push(entry);
        this.#writer.query('savepoint request', []);
        try {
          entry.settle = await queued.work();
          this.#writer.query('release request', []);
        } catch (error) {
          // A full disk may have rolled back the whole transaction already.
          if (!connection.inTransaction) throw error;
          this.#writer.query('rollback to request', []);
          this.#writer.query('release request', []);
          shared.pop();
          rejected.push(() => queued.fail(error));
        }
      }
      this.#writer.query('commit', []);
      this.reader.end();
    } catch (error) {
      const failure = translateError(error);
      if (!isOpen) for (const queued of this.#queue.splice(0, maxSharedTransactions)) queued.fail(failure);
      try {
        if (connection.inTransaction) connection.exec('rollback');
      } finally {
        for (const { queued } of shared) queued.fail(failure);
        for (const reject of rejected) reject();
      }
      return;
    }
    for (const { settle } of shared) settle();
    for (const reject of rejected) reject();
  }

  /** Uses `begin immediate`: a transaction that reads before it writes would fail if another process committed in between. */
  async #begin(): Promise<void> {
    const end = performance.now() + busyTimeout;
    // An old read snapshot would keep the WAL file from being reset.
    this.reader.end();
    for (;;) {
      try {
        this.#writer.connection.exec('begin immediate');
        return;
      } catch (error) {
        const busy = String(errorCode(error)).startsWith('SQLITE_BUSY');
        if (!busy || performance.now() > end) throw translateError(error);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  async migration<T>(work: (session: TransactionSession) => Promise<T>): Promise<T> {
    const { connection } = this.#writer;
    // A referenced table can only be rebuilt without foreign keys, which can only be disabled outside a transaction.
    connection.exec('pragma foreign_keys = off');
    try {
      return await this.transaction(null, async (session) => {
        const result = await work(session);
        const [violation] = await session.query('pragma foreign_key_check', []);
        if (violation)
          throw new Error(`row ${violation[1]} of ${violation[0]} references a missing row of ${violation[2]}`);
        return async () => result;
      });
    } finally {
      connection.exec('pragma foreign_keys = on');
    }
  }

  /** There is one writer. */
  async lockDevice(): Promise<void> {}

  readonly countsAtOnce = true;
  readonly rowsPerStatement = 6000;

  externalCommits(): number {
    return this.reader.externalCommits();
  }

  deviceVersion(): number {
    return this.reader.externalCommits();
  }

  /** Other processes see that the file has changed. */
  async notify(): Promise<void> {}

  async script(statements: readonly string[]): Promise<void> {
    for (const statement of statements) this.#writer.connection.exec(statement);
    this.reader.end();
  }

  async copy(folder: string, name: string): Promise<string> {
    await createDurableFolder(folder, 0o700);
    const path = join(folder, name);
    const temporary = createTemporaryPath(path);
    try {
      await this.#writer.connection.backup(temporary);
      await moveDurably(temporary, path);
      return path;
    } finally {
      await deleteTemporaryFile(temporary);
    }
  }

  /** Needs no lock: `begin immediate` serializes the migrations of several processes. */
  withMigrationLock<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  async close(): Promise<void> {
    while (this.#isDraining) await new Promise((resolve) => setTimeout(resolve, 5));
    await this.#snapshotTurns.run('', async () => this.#snapshots?.connection.close());
    this.reader.end();
    this.reader.connection.close();
    this.#writer.connection.close();
  }
}

/** Removes the rights of others to a database of an earlier version; SQLite creates its log with the rights of the database. */
function restrictToOwner(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found || (found.mode & 0o077) === 0) continue;
    try {
      chmodSync(file, 0o600);
    } catch {
      // It belongs to another user, or the file system has no rights; the doctor reports the folder.
    }
  }
}

/** Opens or creates an SQLite file with WAL, synchronous FULL and foreign keys. Throws NativeModuleError, {@link Failure} `unavailable`. */
export function openSqlite(path: string): Database {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    restrictToOwner(path);
    return new SqliteDatabase(path);
  } catch (error) {
    if (error instanceof NativeModuleError) throw error;
    const failure = new Failure('unavailable', verbatim(`The database ${path} cannot be opened.`));
    failure.cause = error;
    throw failure;
  }
}
