import pg from 'pg';

/** How long a query may take before the server is probed, in ms. */
const suspiciousAge = 3000;
/** Timeout of the probe, in ms. */
const probeTimeout = 3000;
const interval = 1000;

/** The used part of a connection: its socket. */
interface Closable {
  destroy(): unknown;
}

/** The queries of a connection that have no answer yet. */
interface Busy {
  pending: number;
  /** When the last answer arrived, or else the first query was sent (`performance.now()`). */
  answeredAt: number;
}

/**
 * Ends the connections of queries to a server that no longer responds: it is frozen, or the network drops its packets. Queries
 * that take long on a server that responds are left alone.
 */
export class ConnectionWatch {
  readonly #url: string;
  readonly #busy = new Map<Closable, Busy>();
  #timer: NodeJS.Timeout | null = null;
  #probe: Promise<void> | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  /** Watches a query of a connection until it settles. */
  async during<T>(client: Closable, query: Promise<T>): Promise<T> {
    this.began(client);
    try {
      return await query;
    } finally {
      this.answered(client);
    }
  }

  /** Watches a query of a connection until {@link answered}. */
  began(client: Closable): void {
    this.#timer ??= setInterval(() => this.#check(), interval).unref();
    const busy = this.#busy.get(client);
    if (busy) busy.pending++;
    else this.#busy.set(client, { pending: 1, answeredAt: performance.now() });
  }

  answered(client: Closable): void {
    const busy = this.#busy.get(client);
    if (!busy) return;
    busy.pending--;
    busy.answeredAt = performance.now();
    if (busy.pending === 0) this.#busy.delete(client);
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
      for (const client of this.#suspicious(startedAt + suspiciousAge)) client.destroy();
    });
  }

  /** Returns the connections whose query has had no answer for more than {@link suspiciousAge} before a time. */
  #suspicious(time: number): Closable[] {
    return [...this.#busy].filter(([, { answeredAt }]) => answeredAt < time - suspiciousAge).map((entry) => entry[0]);
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
