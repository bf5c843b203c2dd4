import pg from 'pg';
import { Failure } from '../core/errors.ts';
import { ConnectionWatch } from './connection-watch.ts';
import { postgresDialect } from './dialect.ts';
import { SerializationFailure, translateError } from './errors.ts';
import type { Database, RawRow, Session } from './session.ts';

/** Maximum number of connections. */
const maxConnections = 10;
/** How long a statement waits for a connection, in ms. */
const connectTimeout = 4000;
/** Attempts at a transaction that fails with a deadlock or a serialization failure. */
const maxAttempts = 4;
/** Key of the advisory lock held during migrations. */
const migrationLock = 7_016_372;

const int8 = 20;
const timestamptz = 1184;
const json = 114;
const jsonb = 3802;

/** `2026-11-21 10:00:00.12+00` → `2026-11-21T10:00:00.120Z`; sessions run in UTC. */
export function isoTime(text: string): string {
  const plus = text.indexOf('+', 19);
  const fraction = text.slice(20, plus === -1 ? undefined : plus);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
}

const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === int8) return Number;
    if (oid === timestamptz) return isoTime;
    // JSON stays text, as on SQLite: serializers embed it, decoders parse it.
    if (oid === json || oid === jsonb) return String;
    return pg.types.getTypeParser(oid, format);
  },
};

// Names of prepared statements, the same on every connection.
const statementNames = new Map<string, string>();
const maxStatementNames = 2000;

function statementName(sql: string): string | undefined {
  let name = statementNames.get(sql);
  if (!name && statementNames.size < maxStatementNames) {
    name = `p${statementNames.size}`;
    statementNames.set(sql, name);
  }
  return name;
}

/** The statements of one connection. */
class PostgresSession implements Session {
  readonly #client: pg.PoolClient;
  readonly #watch: ConnectionWatch;
  constructor(client: pg.PoolClient, watch: ConnectionWatch) {
    this.#client = client;
    this.#watch = watch;
  }

  async query(sql: string, parameters: readonly unknown[], prepared = true): Promise<RawRow[]> {
    try {
      const name = prepared ? statementName(sql) : undefined;
      const result = await this.#watch.during(
        this.#client,
        this.#client.query<unknown[]>({
          text: sql,
          values: [...parameters],
          rowMode: 'array',
          ...(name && { name }),
        }),
      );
      return result.rows;
    } catch (error) {
      throw translateError(error);
    }
  }
}

/** Statements outside transactions, each on any connection of the pool. */
class PostgresReader implements Session {
  readonly #pool: pg.Pool;
  readonly #watch: ConnectionWatch;
  constructor(pool: pg.Pool, watch: ConnectionWatch) {
    this.#pool = pool;
    this.#watch = watch;
  }

  async query(sql: string, parameters: readonly unknown[], prepared = true): Promise<RawRow[]> {
    let client: pg.PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw translateError(error);
    }
    let failure: unknown;
    try {
      return await new PostgresSession(client, this.#watch).query(sql, parameters, prepared);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      client.release(failure !== undefined);
    }
  }
}

class PostgresDatabase implements Database {
  readonly dialect = postgresDialect;
  readonly reader: Session;
  readonly #pool: pg.Pool;
  readonly #watch: ConnectionWatch;
  /** The last queued transaction of each device; settles when it ends. */
  readonly #last = new Map<number, Promise<void>>();

  constructor(url: string, onIdleError: (error: Error) => void) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max: maxConnections,
      types,
      connectionTimeoutMillis: connectTimeout,
      keepAlive: true,
      options: '-c timezone=UTC -c statement_timeout=20000 -c idle_in_transaction_session_timeout=10000',
    });
    // Without a listener, an idle connection closed by the server would end the process.
    this.#pool.on('error', onIdleError);
    // Likewise for a connection in use; its query fails anyway.
    this.#pool.on('connect', (client) => client.on('error', onIdleError));
    this.#watch = new ConnectionWatch(url);
    this.reader = new PostgresReader(this.#pool, this.#watch);
  }

  /** Queues the transactions of one device in the process: waiting for the row lock would occupy a connection each. */
  async transaction<T>(deviceId: number | null, work: (session: Session) => Promise<T>): Promise<T> {
    if (deviceId === null) return this.#retry(deviceId, work);
    const previous = this.#last.get(deviceId);
    const own = previous ? previous.then(() => this.#retry(deviceId, work)) : this.#retry(deviceId, work);
    const settled = own.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(deviceId, settled);
    try {
      return await own;
    } finally {
      if (this.#last.get(deviceId) === settled) this.#last.delete(deviceId);
    }
  }

  async #retry<T>(deviceId: number | null, work: (session: Session) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(deviceId, work);
      } catch (error) {
        if (!(error instanceof SerializationFailure)) throw error;
        if (attempt === maxAttempts) throw new Failure('unavailable');
      }
    }
  }

  async #attempt<T>(deviceId: number | null, work: (session: Session) => Promise<T>): Promise<T> {
    let client: pg.PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      const failure = translateError(error);
      throw failure instanceof Failure ? failure : new Failure('unavailable');
    }
    const session = new PostgresSession(client, this.#watch);
    let broken: Error | undefined;
    try {
      await session.query('begin', [], false);
      if (deviceId !== null) await this.lockDevice(session, deviceId);
      const value = await work(session);
      await session.query('commit', [], false);
      return value;
    } catch (error) {
      try {
        await session.query('rollback', [], false);
      } catch (rollbackError) {
        broken = rollbackError instanceof Error ? rollbackError : new Error('rollback failed');
      }
      throw error;
    } finally {
      client.release(broken);
    }
  }

  migration<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.transaction(null, async (session) => {
      for (const statement of this.dialect.withoutTimeouts) await session.query(statement, [], false);
      return work(session);
    });
  }

  async lockDevice(session: Session, deviceId: number): Promise<void> {
    await session.query('select 1 from devices where id = $1 for update', [deviceId]);
  }

  externalCommits(): null {
    return null;
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
      await client.query('reset statement_timeout');
      return await work();
    } finally {
      await client.query('select pg_advisory_unlock($1)', [migrationLock]).catch(() => undefined);
      client.release();
    }
  }

  async close(): Promise<void> {
    this.#watch.stop();
    await this.#pool.end();
  }
}

/** Opens a connection pool for a PostgreSQL database. Connects on first use. */
export function openPostgres(url: string, onIdleError: (error: Error) => void): Database {
  return new PostgresDatabase(url, onIdleError);
}
