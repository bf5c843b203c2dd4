import pg from 'pg';
import type { ConnectionWatch } from './connection-watch.ts';
import { translateError } from './errors.ts';
import type { RawRow, TransactionSession } from './session.ts';

const int8 = 20;
const timestamptz = 1184;
const json = 114;
const jsonb = 3802;

/** `2026-11-21 10:00:00.12+00` → `2026-11-21T10:00:00.120Z`; sessions run in UTC. */
function isoTime(text: string): string {
  const plus = text.indexOf('+', 19);
  const fraction = text.slice(20, plus === -1 ? undefined : plus);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
}

/** Conversions of PostgreSQL's values to values of rows. */
export const types: pg.CustomTypesConfig = {
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

/** The statements of one connection in pipeline mode: statements without waiting in between are sent together, and run in their order. [ADR 77] */
export class PostgresSession implements TransactionSession {
  readonly #client: pg.Client;
  readonly #watch: ConnectionWatch;
  readonly #whenReady: (send: () => void) => void;
  /** Not sent yet. */
  #deferred: (readonly [sql: string, parameters: readonly unknown[], prepared: boolean])[] = [];
  #isCorked = false;
  /** A statement was sent. */
  #isOpen = false;
  /** The commit or the rollback was sent: a statement after it would be a transaction of its own. */
  #isOver = false;

  /** `whenReady`: calls back when the statements of now are written to the socket, all at a time. */
  constructor(client: pg.Client, watch: ConnectionWatch, whenReady: (send: () => void) => void = process.nextTick) {
    this.#client = client;
    this.#watch = watch;
    this.#whenReady = whenReady;
  }

  defer(sql: string, parameters: readonly unknown[] = [], prepared = true): void {
    this.#deferred.push([sql, parameters, prepared]);
  }

  async query(sql: string, parameters: readonly unknown[], prepared = true): Promise<RawRow[]> {
    return (await this.#run(sql, parameters, prepared)).rows;
  }

  /** Commits, unless no statement was sent. Throws if PostgreSQL rolled back instead, because a statement had failed. */
  async commit(): Promise<void> {
    if (!this.#isOpen) return;
    const committed = this.#run('commit', [], true);
    this.#isOver = true;
    const { command } = await committed;
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back: a statement in it had failed');
  }

  /** Rolls back, unless no statement was sent. */
  async rollBack(): Promise<void> {
    this.#deferred = [];
    this.#isOver = false;
    const rolledBack = this.#isOpen ? this.#run('rollback', [], true) : null;
    this.#isOver = true;
    await rolledBack;
  }

  /** Rolls back to a savepoint, which may be deferred. */
  async rollBackTo(savepoint: string): Promise<void> {
    const deferred = this.#deferred.splice(0);
    // After a failed statement, these fail as well.
    for (const statement of deferred) this.#send(...statement).catch(() => undefined);
    await this.#run(`rollback to savepoint ${savepoint}`, [], true);
  }

  async #run(sql: string, parameters: readonly unknown[], prepared: boolean): Promise<pg.QueryArrayResult<unknown[]>> {
    try {
      if (this.#deferred.length === 0) return await this.#send(sql, parameters, prepared);
      const deferred = this.#deferred;
      this.#deferred = [];
      const sent = deferred.map((statement) => this.#send(...statement));
      // The first failure in this order causes the others.
      const results = await Promise.all([...sent, this.#send(sql, parameters, prepared)]);
      return results[results.length - 1] as pg.QueryArrayResult<unknown[]>;
    } catch (error) {
      throw translateError(error);
    }
  }

  #send(sql: string, parameters: readonly unknown[], prepared: boolean): Promise<pg.QueryArrayResult<unknown[]>> {
    if (this.#isOver) return Promise.reject(new Error('a statement was sent after the end of its transaction'));
    this.#isOpen = true;
    const { stream } = this.#client.connection;
    if (!this.#isCorked) {
      this.#isCorked = true;
      stream.cork();
      this.#whenReady(() => {
        this.#isCorked = false;
        stream.uncork();
      });
    }
    const name = prepared ? statementName(sql) : undefined;
    const query = this.#client.query<unknown[]>({
      text: sql,
      values: [...parameters],
      rowMode: 'array',
      ...(name && { name }),
    });
    return this.#watch.during(stream, query);
  }
}
