import type pg from 'pg';
import type { ConnectionWatch } from './connection-watch.ts';
import { Statement, StatementGroup } from './postgres-statements.ts';
import type { RawRow, TransactionSession } from './session.ts';

export interface SessionOptions {
  /** Each statement is a transaction of its own. By default, all are one transaction. */
  readonly isAutocommit?: boolean;
  /** Calls back when the statements of now are written to the socket, all at a time. */
  readonly whenReady?: (send: () => void) => void;
}

/** The statements of one connection in pipeline mode: statements without waiting in between are sent together, and run in their order. [ADR 77] */
export class PostgresSession implements TransactionSession {
  readonly #client: pg.Client;
  readonly #watch: ConnectionWatch;
  readonly #isAutocommit: boolean;
  readonly #whenReady: (send: () => void) => void;
  /** Not sent yet. */
  #groups: Statement[][] = [];
  #isSending = false;
  /** A statement was sent. */
  #isOpen = false;
  /** The commit or the rollback was sent: a statement after it would be a transaction of its own. */
  #isOver = false;

  constructor(client: pg.Client, watch: ConnectionWatch, options: SessionOptions = {}) {
    this.#client = client;
    this.#watch = watch;
    this.#isAutocommit = options.isAutocommit ?? false;
    this.#whenReady = options.whenReady ?? process.nextTick;
  }

  defer(sql: string, parameters: readonly unknown[] = []): void {
    this.#add(new Statement(sql, parameters, true));
  }

  query(sql: string, parameters: readonly unknown[], prepared = true): Promise<RawRow[]> {
    return this.#run(new Statement(sql, parameters, prepared));
  }

  /** Commits, unless no statement was sent. Throws if PostgreSQL rolled back instead, because a statement had failed. */
  async commit(): Promise<void> {
    if (!this.#isOpen) return;
    const commit = new Statement('commit', [], true);
    const committed = this.#run(commit);
    this.#isOver = true;
    await committed;
    if (commit.tag !== 'COMMIT') throw new Error('the transaction was rolled back: a statement in it had failed');
  }

  /** Rolls back, unless no statement was sent. */
  async rollBack(): Promise<void> {
    if (!this.#isSending) this.#groups = [];
    this.#isOver = false;
    this.#groups.push([]);
    const rolledBack = this.#isOpen ? this.query('rollback', []) : null;
    this.#isOver = true;
    await rolledBack;
  }

  /** Rolls back to a savepoint, which may be deferred. */
  async rollBackTo(savepoint: string): Promise<void> {
    // After a failed statement, the ones before it fail as well.
    this.#groups.push([]);
    await this.query(`rollback to savepoint ${savepoint}`, []);
  }

  #add(statement: Statement): void {
    const last = this.#isAutocommit ? undefined : this.#groups.at(-1);
    if (last) last.push(statement);
    else this.#groups.push([statement]);
  }

  #run(statement: Statement): Promise<RawRow[]> {
    if (this.#isOver) throw new Error('a statement was sent after the end of its transaction');
    this.#isOpen = true;
    this.#add(statement);
    if (!this.#isSending) {
      this.#isSending = true;
      this.#whenReady(() => this.#send());
    }
    return statement.done;
  }

  #send(): void {
    this.#isSending = false;
    const groups = this.#groups;
    this.#groups = [];
    const { stream } = this.#client.connection;
    stream.cork();
    for (const group of groups)
      if (group.length > 0) {
        this.#watch.began(stream);
        this.#client.query(new StatementGroup(group, () => this.#watch.answered(stream)));
      }
    stream.uncork();
  }
}
