import { isObject } from '../../core/json.ts';

/** The longest that RabbitMQ's management interface may take to answer, in ms. */
const patience = 10_000;
/** How long it is waited for what RabbitMQ tells of a connection, in ms: it collects that every 5 s. */
const detailPatience = 7000;
/** Between two looks, in ms. */
const pause = 500;

export interface ManagementOptions {
  /** `http://` or `https://`, perhaps with user and password. */
  readonly url: string;
  /** The password of `admin`, for an address without a user. */
  readonly adminPassword: string | null;
}

/** A client's connection to RabbitMQ. */
export interface ManagedConnection {
  readonly name: string;
  /** Of MQTT; null: it has none. */
  readonly clientId: string | null;
}

/** The connections of a user. */
export interface ManagedConnections {
  readonly known: readonly ManagedConnection[];
  /** How many more there are, of which RabbitMQ told nothing in time; it can end none of them singly. */
  readonly unknown: number;
}

/** RabbitMQ's management interface, as far as it is needed to end connections. Failures never contain the password. */
export class RabbitMqManagement {
  /** Without user and password, for people. */
  readonly address: string;
  readonly #base: string;
  readonly #authorization: string;

  constructor({ url, adminPassword }: ManagementOptions) {
    const { origin, host, pathname, username, password } = new URL(url);
    this.address = `${origin}${pathname}`.replace(/\/+$/, '');
    this.#base = `${this.address}/api`;
    if (host === '') throw new Error('BROKER_MANAGEMENT_URL names no host.');
    const pair =
      username === ''
        ? `admin:${adminPassword ?? ''}`
        : `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.#authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  }

  /** The connections of a user, once RabbitMQ tells their client ids. */
  async connectionsOf(username: string): Promise<ManagedConnections> {
    const end = Date.now() + detailPatience;
    const details = new Map<string, ManagedConnection>();
    for (;;) {
      // This list is up to date; the one with details lags behind.
      const names = await this.#namesOf(username);
      for (const name of names) {
        const detail = details.get(name) ?? (await this.#details(name));
        if (detail) details.set(name, detail);
      }
      const known = names.flatMap((name) => details.get(name) ?? []);
      const unknown = names.length - known.length;
      if (unknown === 0 || Date.now() > end) return { known, unknown };
      await new Promise((resolve) => {
        setTimeout(resolve, pause);
      });
    }
  }

  /** Ends a connection; one that is gone already is fine. The reason appears in RabbitMQ's log. */
  async close(name: string, reason: string): Promise<void> {
    await this.#ask('DELETE', `connections/${encodeURIComponent(name)}`, { 'x-reason': reason });
  }

  /** Ends all connections of a user at once, also those of which RabbitMQ knows nothing yet. */
  async closeAll(username: string, reason: string): Promise<void> {
    await this.#ask('DELETE', `connections/username/${encodeURIComponent(username)}`, { 'x-reason': reason });
  }

  /** Resolves when it answers and the user may use it. Throws a sentence that says what is wrong. */
  async check(): Promise<void> {
    const who = await this.#ask('GET', 'whoami');
    const tags = isObject(who) ? who.tags : undefined;
    const words = Array.isArray(tags) ? tags : String(tags ?? '').split(',');
    if (!words.includes('administrator') && !words.includes('monitoring'))
      throw new Error(`The user of ${this.address} must have RabbitMQ's tag "administrator".`);
  }

  async #namesOf(username: string): Promise<string[]> {
    const rows = await this.#ask('GET', `connections/username/${encodeURIComponent(username)}`);
    const names = Array.isArray(rows) ? rows.map((row) => (isObject(row) ? row.name : undefined)) : [];
    return names.filter((name) => typeof name === 'string');
  }

  /** Undefined: RabbitMQ does not tell yet. */
  async #details(name: string): Promise<ManagedConnection | undefined> {
    const row = await this.#ask('GET', `connections/${encodeURIComponent(name)}`);
    if (!isObject(row) || typeof row.protocol !== 'string') return undefined;
    const properties = isObject(row.client_properties) ? row.client_properties : {};
    const variables = isObject(row.variable_map) ? row.variable_map : {};
    const clientId = properties.client_id ?? variables.client_id;
    return { name, clientId: typeof clientId === 'string' ? clientId : null };
  }

  /** The answer's JSON; undefined for what is not there. */
  async #ask(method: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
    const response = await fetch(`${this.#base}/${path}`, {
      method,
      headers: { ...headers, authorization: this.#authorization },
      redirect: 'error',
      signal: AbortSignal.timeout(patience),
    }).catch((error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
      throw new Error(`RabbitMQ's management interface at ${this.address} does not answer (${code}).`);
    });
    const text = await response.text();
    if (response.status === 404) return undefined;
    if (response.status === 401)
      throw new Error(`RabbitMQ's management interface at ${this.address} refuses the user or the password.`);
    if (!response.ok)
      throw new Error(`RabbitMQ's management interface at ${this.address} answered ${response.status}.`);
    if (text === '') return undefined;
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(`What answers at ${this.address} is not RabbitMQ's management interface.`);
    }
  }
}
