import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { BatchedReads } from '../core/batched-reads.ts';
import { ConnectionWatch } from './connection-watch.ts';
import { migrationLock, postgresDialect } from './dialect.ts';
import { translateError } from './errors.ts';
import { CommitListener, notification } from './postgres-listener.ts';
import { PostgresReader } from './postgres-reader.ts';
import { assertOwnConnection, prepareConnection, setAll } from './postgres-settings.ts';
import { types } from './postgres-statements.ts';
import { deviceLock, PostgresTransactions } from './postgres-transactions.ts';
import type { Database, Finish, Reader, TransactionSession } from './session.ts';

/** Maximum number of connections. */
const maxConnections = 10;
/** How long a statement waits for a connection, in ms. */
const connectTimeout = 4000;
/** How long the end of connections is waited for, in ms. */
const closeTimeout = 2000;
/** How long a migration waits for a table, in ms: a reader that it waits for keeps later transactions waiting, too. */
const migrationLockTimeout = 1000;
class PostgresDatabase implements Database {
  readonly dialect = postgresDialect;
  readonly reader: PostgresReader;
  readonly #pool: pg.Pool;
  readonly #watch: ConnectionWatch;
  readonly #listener: CommitListener;
  readonly #transactions: PostgresTransactions;
  /** The number of committed transactions of devices. [ADR 73] */
  readonly #commits: BatchedReads<number>;
  /** The check, once, that no pooler shares connections among transactions. */
  #ownConnection: Promise<void> | null = null;

  constructor(url: string, onIdleError: (error: Error) => void, onWarning: (message: string) => void) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max: maxConnections,
      types,
      connectionTimeoutMillis: connectTimeout,
      keepAlive: true,
      pipeline: true,
      // The pool makes clients of this class. It waits for the promise.
      onConnect: (client) => this.#prepare(url, client as pg.Client),
    });
    // Without a listener, an idle connection closed by the server would end the process.
    this.#pool.on('error', onIdleError);
    // Likewise for a connection in use; its query fails anyway.
    this.#pool.on('connect', (client) => client.on('error', onIdleError));
    this.#watch = new ConnectionWatch(url);
    this.#transactions = new PostgresTransactions(this.#pool, this.#watch);
    this.reader = new PostgresReader(this.#pool, this.#watch);
    this.#commits = new BatchedReads(async (ids) => {
      const rows = await this.reader.query('select id, commits from devices where id = any($1)', [ids]);
      return new Map(rows.map(([id, commits]) => [Number(id), Number(commits)]));
    });
    this.#listener = new CommitListener({ url, run: (...statement) => this.reader.query(...statement), onWarning });
  }

  /** Prepares a connection before its first use. Throws Failure `unavailable`. */
  async #prepare(url: string, client: pg.Client): Promise<void> {
    await this.#watch.during(client.connection.stream, prepareConnection(client));
    this.#ownConnection ??= assertOwnConnection(url, client);
    try {
      await this.#ownConnection;
    } catch (error) {
      this.#ownConnection = null;
      throw error;
    }
  }

  transaction<T>(deviceId: number | null, work: (session: TransactionSession) => Promise<Finish<T>>): Promise<T> {
    return this.#transactions.run(deviceId, work);
  }

  migration<T>(work: (session: TransactionSession) => Promise<T>): Promise<T> {
    return this.transaction(null, async (session) => {
      const limits = [...this.dialect.withoutTimeouts, `set local lock_timeout = ${migrationLockTimeout}`];
      for (const statement of limits) await session.query(statement, [], false);
      const value = await work(session);
      return async () => value;
    });
  }

  snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    return this.transaction(null, async (session) => {
      session.defer('set transaction isolation level repeatable read, read only');
      const value = await work(session);
      return async () => value;
    });
  }

  async lockDevice(session: TransactionSession, deviceId: number): Promise<void> {
    await session.query(deviceLock, [deviceId]);
  }

  readonly countsAtOnce = false;
  readonly rowsPerStatement = 40_000;

  externalCommits(): number | null {
    return this.#listener.count;
  }

  async deviceVersion(deviceId: number): Promise<number | null> {
    return (await this.#commits.read(deviceId)) ?? null;
  }

  async notify(session: TransactionSession): Promise<void> {
    await session.query(notification, []);
  }

  async script(statements: readonly string[]): Promise<void> {
    try {
      for (const statement of statements) await this.#pool.query(statement);
    } catch (error) {
      throw translateError(error);
    }
  }

  async copy(): Promise<null> {
    return null;
  }

  async withMigrationLock<T>(work: () => Promise<T>): Promise<T> {
    let client: pg.PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw translateError(error);
    }
    try {
      // Another process may migrate for longer than a statement may take.
      await client.query('set statement_timeout = 0');
      await client.query('select pg_advisory_lock($1)', [migrationLock]);
      await client.query(setAll);
      return await work();
    } finally {
      await client.query('select pg_advisory_unlock($1)', [migrationLock]).catch(() => undefined);
      client.release();
    }
  }

  async close(): Promise<void> {
    this.#watch.stop();
    this.#listener.stop();
    // A running statement was abandoned, such as a statement that waits for a lock.
    await Promise.race([this.#pool.end(), pause(closeTimeout, undefined, { ref: false })]);
  }
}

/** Opens a connection pool for a PostgreSQL database. Connects on first use. */
export function openPostgres(
  url: string,
  onIdleError: (error: Error) => void,
  onWarning: (message: string) => void = () => undefined,
): Database {
  return new PostgresDatabase(url, onIdleError, onWarning);
}
