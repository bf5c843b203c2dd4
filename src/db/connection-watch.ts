import pg from 'pg';

/** How long a query may take before the server is asked for a sign of life, in ms. */
const suspiciousAge = 3000;
/** How long the server may take for that, in ms. */
const probeTimeout = 3000;
const interval = 1000;

/** What is used of a connection. */
interface Closable {
  end(): unknown;
}

/**
 * Ends the connections of queries to a server that no longer responds: it is frozen, or the network drops its packets. Queries
 * that take long on a server that responds are left alone.
 */
export class ConnectionWatch {
  readonly #url: string;
  /** The connections with a query, and when it was sent (`performance.now()`). */
  readonly #busy = new Map<Closable, number>();
  #timer: NodeJS.Timeout | null = null;
  #probe: Promise<void> | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  /** Watches a query of a connection until it settles. */
  async during<T>(client: Closable, query: Promise<T>): Promise<T> {
    this.#timer ??= setInterval(() => this.#check(), interval).unref();
    this.#busy.set(client, performance.now());
    try {
      return await query;
    } finally {
      this.#busy.delete(client);
    }
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  #check(): void {
    if (this.#probe || this.#suspicious(performance.now()).length === 0) return;
    const startedAt = performance.now();
    this.#probe = this.#isResponding().then((isResponding) => {
      this.#probe = null;
      if (isResponding) return;
      // With a query in progress, this closes the socket.
      for (const client of this.#suspicious(startedAt + suspiciousAge))
        void Promise.resolve(client.end()).catch(() => undefined);
    });
  }

  /** Returns the connections whose query was sent more than {@link suspiciousAge} before a time. */
  #suspicious(time: number): Closable[] {
    return [...this.#busy].filter(([, sentAt]) => sentAt < time - suspiciousAge).map((entry) => entry[0]);
  }

  async #isResponding(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.#url, connectionTimeoutMillis: probeTimeout });
    client.on('error', () => undefined);
    try {
      await client.connect();
      // Not awaited: the server may stop responding right now.
      void client.end().catch(() => undefined);
      return true;
    } catch (error) {
      // A server that rejects the connection, such as one with too many, responds.
      return error instanceof pg.DatabaseError;
    }
  }
}
