import { isObject, objectOf } from '../../core/json.ts';
import { errorCode } from '../../core/system.ts';

/** Maximum duration of a request, in ms. */
const requestTimeout = 10_000;
/** Maximum time to wait for the details of a connection, in ms: RabbitMQ collects them every 5 s. */
const detailsTimeout = 7000;
/** Milliseconds between requests for them. */
const pollInterval = 500;

export interface ManagementOptions {
  /** `http://` or `https://`, with or without credentials. */
  readonly url: string;
  /** The password of `admin`, for a URL without credentials. */
  readonly adminPassword: string | null;
}

/** A client's connection to RabbitMQ. */
export interface ManagedConnection {
  readonly name: string;
  /** MQTT client id, if the connection has one. */
  readonly clientId: string | null;
}

/** A user's connections. */
export interface ManagedConnections {
  readonly known: readonly ManagedConnection[];
  /** Number of connections whose details were not available in time; they cannot be closed individually. */
  readonly unknown: number;
}

/** A client of RabbitMQ's management interface, for closing connections. Its errors never contain the password. */
export class RabbitMqManagement {
  /** The URL without credentials, for messages. */
  readonly address: string;
  readonly #base: string;
  readonly #authorization: string;

  constructor({ url, adminPassword }: ManagementOptions) {
    const { origin, host, pathname, username, password } = new URL(url);
    this.address = `${origin}${pathname}`.replace(/\/+$/, '');
    this.#base = `${this.address}/api`;
    if (host === '') throw new Error('BROKER_MANAGEMENT_URL: the host is missing.');
    const credentials =
      username === ''
        ? `admin:${adminPassword ?? ''}`
        : `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.#authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  }

  /** Returns a user's connections, and waits for their client ids. */
  async connectionsOf(username: string): Promise<ManagedConnections> {
    const end = performance.now() + detailsTimeout;
    const details = new Map<string, ManagedConnection>();
    for (;;) {
      // This list is current, while the details lag behind.
      const names = await this.#connectionNames(username);
      for (const name of names) {
        const detail = details.get(name) ?? (await this.#connectionDetails(name));
        if (detail) details.set(name, detail);
      }
      const known = names.flatMap((name) => details.get(name) ?? []);
      const unknown = names.length - known.length;
      if (unknown === 0 || performance.now() > end) return { known, unknown };
      await new Promise((resolve) => {
        setTimeout(resolve, pollInterval);
      });
    }
  }

  /** Closes a connection; one that is closed already is not an error. The reason appears in RabbitMQ's log. */
  async close(name: string, reason: string): Promise<void> {
    await this.#request('DELETE', `connections/${encodeURIComponent(name)}`, { 'x-reason': reason });
  }

  /** Closes all connections of a user, also without details yet. */
  async closeAll(username: string, reason: string): Promise<void> {
    await this.#request('DELETE', `connections/username/${encodeURIComponent(username)}`, { 'x-reason': reason });
  }

  /** Resolves when the interface responds and the user may use it. Throws a readable Error. */
  async check(): Promise<void> {
    const user = await this.#request('GET', 'whoami');
    const tags = isObject(user) ? user.tags : undefined;
    const names = Array.isArray(tags) ? tags : String(tags ?? '').split(',');
    if (!names.includes('administrator') && !names.includes('monitoring'))
      throw new Error(`The user of ${this.address} must have RabbitMQ's tag "administrator".`);
  }

  async #connectionNames(username: string): Promise<string[]> {
    const rows = await this.#request('GET', `connections/username/${encodeURIComponent(username)}`);
    const names = Array.isArray(rows) ? rows.map((row) => (isObject(row) ? row.name : undefined)) : [];
    return names.filter((name) => typeof name === 'string');
  }

  /** Returns undefined while RabbitMQ has no details. */
  async #connectionDetails(name: string): Promise<ManagedConnection | undefined> {
    const row = await this.#request('GET', `connections/${encodeURIComponent(name)}`);
    if (!isObject(row) || typeof row.protocol !== 'string') return undefined;
    const properties = objectOf(row.client_properties);
    const variables = objectOf(row.variable_map);
    const clientId = properties.client_id ?? variables.client_id;
    return { name, clientId: typeof clientId === 'string' ? clientId : null };
  }

  /** Returns the response's JSON; undefined for 404. */
  async #request(method: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
    const response = await fetch(`${this.#base}/${path}`, {
      method,
      headers: { ...headers, authorization: this.#authorization },
      redirect: 'error',
      signal: AbortSignal.timeout(requestTimeout),
    }).catch((error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      const reason = String(errorCode(cause) ?? cause);
      throw new Error(`RabbitMQ's management interface at ${this.address} does not respond (${reason}).`);
    });
    const text = await response.text();
    if (response.status === 404) return undefined;
    if (response.status === 401)
      throw new Error(`RabbitMQ's management interface at ${this.address} refused the user or the password.`);
    if (!response.ok)
      throw new Error(`RabbitMQ's management interface at ${this.address} responded with status ${response.status}.`);
    if (text === '') return undefined;
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(`The server at ${this.address} is not RabbitMQ's management interface.`);
    }
  }
}
