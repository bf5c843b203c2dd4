import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { listenerName } from './database-server.ts';
import { maxUnnoticed } from './session.ts';

/** The channel on which processes notify each other of commits to watched tables. */
const channel = 'potager_watched';
/** How long an answered probe proves that notifications arrive, in ms: the maximum time in which a frozen connection goes unnoticed. */
const leaseDuration = 1000;
/** Age of the last answered probe after which the connection is probed again, in ms. */
const renewalAge = 250;
/** Time after which a connection without an answer is closed, in ms. */
const maxSilence = 3000;
/** How long the first notification may take to arrive, in ms. */
const probeTimeout = 2000;
/** Delay before a lost connection is opened again, in ms; doubles up to ten times as much. */
const retryDelay = 500;
/** The same where notifications do not arrive, which only another DATABASE_URL changes. */
const poolerRetryDelay = 600_000;

/** The log's text if no notifications arrive. */
const undelivered =
  'DATABASE_URL leads through a connection pooler that does not deliver notifications (LISTEN), such as PgBouncer in ' +
  'transaction mode: the sender of each request is looked up in the database. Use session mode, or connect directly.';

/** Closes a connection without waiting for a server that may be frozen. */
const close = (client: pg.Client): void => void client.connection.stream.destroy();

export interface ListenerOptions {
  readonly url: string;
  /** Runs a statement on any other connection. */
  readonly run: (sql: string, parameters: readonly unknown[]) => unknown;
  /** Called with warnings for operators. */
  readonly onWarning: (message: string) => void;
}

/** The statement that notifies all processes when its transaction commits. */
export const notification = `select pg_notify('${channel}', '')`;

/** Counts commits of all processes to watched tables by the notifications of a connection of its own, which is opened on first use. [ADR 76] */
export class CommitListener {
  readonly #options: ListenerOptions;
  #client: pg.Client | null = null;
  #count = 0;
  /** When the count was last increased (`performance.now()`). */
  #countedAt = 0;
  /** Until when the count is certain. */
  #validUntil = 0;
  /** When the pending probe was sent; null: there is none. */
  #requestedAt: number | null = null;
  #isStarted = false;
  #isStopped = false;
  #wake: () => void = () => undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Returns the count; null while notifications may not arrive. */
  get count(): number | null {
    if (!this.#isStarted) {
      this.#isStarted = true;
      void this.#run();
    }
    const now = performance.now();
    if (this.#validUntil > 0) this.#renew(now);
    return now < this.#validUntil ? this.#count : null;
  }

  stop(): void {
    this.#isStopped = true;
    this.#wake();
    if (this.#client) close(this.#client);
  }

  #increase(): void {
    this.#count++;
    this.#countedAt = performance.now();
  }

  /** Probes the connection if the last answer is old. PostgreSQL sends notifications of earlier commits before the answer. */
  #renew(now: number): void {
    const client = this.#client;
    if (!client) return;
    if (now - this.#countedAt > maxUnnoticed) this.#increase();
    if (this.#requestedAt !== null) {
      if (now - this.#requestedAt > maxSilence) close(client);
      return;
    }
    if (this.#validUntil - now > leaseDuration - renewalAge) return;
    this.#requestedAt = now;
    client.query('select 1').then(
      () => {
        if (this.#client !== client) return;
        this.#requestedAt = null;
        this.#validUntil = now + leaseDuration;
      },
      // The connection is lost, or refuses statements.
      () => close(client),
    );
  }

  /** Keeps a connection open until the listener is stopped. */
  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#isStopped) {
      const end = await this.#listen();
      this.#validUntil = 0;
      this.#requestedAt = null;
      this.#client = null;
      // Commits may have been missed.
      this.#increase();
      if (this.#isStopped) return;
      failures = end === 'lost' ? 0 : failures + 1;
      if (end === 'undelivered') this.#options.onWarning(undelivered);
      await this.#pause(end === 'undelivered' ? poolerRetryDelay : retryDelay * Math.min(2 ** failures, 10));
    }
  }

  #pause(duration: number): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      setTimeout(resolve, duration).unref();
    });
  }

  /** Listens until the connection ends. */
  async #listen(): Promise<'lost' | 'failed' | 'undelivered'> {
    const { url, run } = this.#options;
    const client = new pg.Client({
      connectionString: url,
      application_name: listenerName,
      connectionTimeoutMillis: maxSilence,
      keepAlive: true,
    });
    this.#client = client;
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    client.on('error', () => undefined);
    const probe = randomUUID();
    const arrived = new Promise<number>((resolve) =>
      client.on('notification', ({ payload }) => (payload === probe ? resolve(sentAt) : this.#increase())),
    );
    let sentAt = 0;
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      sentAt = performance.now();
      // From another connection: a pooler drops messages for a client whose transaction is over.
      await run('select pg_notify($1, $2)', [channel, probe]);
      const provenAt = await Promise.race([arrived, ended, this.#pause(probeTimeout)]);
      if (provenAt === undefined) {
        close(client);
        return this.#isStopped || performance.now() - sentAt < probeTimeout ? 'failed' : 'undelivered';
      }
      this.#increase();
      this.#validUntil = provenAt + leaseDuration;
      await ended;
      return 'lost';
    } catch {
      close(client);
      return 'failed';
    }
  }
}
