import { once } from 'node:events';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';

/** The first message of a connection has no type. */
const startup = '';
const decoder = new TextDecoder('latin1');

/** Splits a stream of PostgreSQL's protocol into messages: a type (one letter), the length, the content. */
class MessageReader {
  #rest = Buffer.alloc(0);
  #isFirst: boolean;

  constructor(beginsWithStartup: boolean) {
    this.#isFirst = beginsWithStartup;
  }

  *read(chunk: Buffer): Generator<{ readonly type: string; readonly content: string; readonly bytes: Buffer }> {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const head = this.#isFirst ? 0 : 1;
      if (this.#rest.length < head + 4) return;
      const end = head + this.#rest.readUInt32BE(head);
      if (this.#rest.length < end) return;
      const bytes = this.#rest.subarray(0, end);
      this.#rest = this.#rest.subarray(end);
      const type = this.#isFirst ? startup : String.fromCharCode(bytes[0] ?? 0);
      this.#isFirst = false;
      yield { type, content: decoder.decode(bytes.subarray(head + 4)), bytes };
    }
  }
}

/** A connection through the proxy. */
interface ProxiedConnection {
  readonly client: Socket;
  readonly upstream: Socket;
  isListener: boolean;
  isFrozen: boolean;
}

/** A proxy between servers and PostgreSQL that counts the traffic, and interrupts the connections that listen. */
export class PostgresProxy {
  /** The URL of the database through the proxy. */
  readonly url: string;
  readonly #server: Server;
  readonly #connections = new Set<ProxiedConnection>();
  /** Texts of the statements that were run by other connections than listeners, in their order. */
  readonly statements: string[] = [];
  /** How often such a connection sent statements while it waited for none. */
  roundTrips = 0;
  /** Notifications that listeners received. */
  notifications = 0;
  /** Notifications are dropped, as a pooler in transaction mode does. */
  dropsNotifications = false;
  /** Notifications are kept until they are released. */
  holdsNotifications = false;
  readonly #held: (() => void)[] = [];
  /** New listeners are disconnected. */
  refusesListeners = false;

  private constructor(url: string, server: Server) {
    this.url = url;
    this.#server = server;
  }

  static async open(target: string): Promise<PostgresProxy> {
    const { hostname, port } = new URL(target);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const own = new URL(target);
    own.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
    const proxy = new PostgresProxy(own.href, server);
    server.on('connection', (client) => proxy.#accept(client, dial(Number(port), hostname)));
    return proxy;
  }

  /** Drops the traffic of listeners' connections, without closing them. New ones are not affected. */
  freezeListeners(): void {
    for (const connection of this.#connections) connection.isFrozen = connection.isListener;
  }

  releaseNotifications(): void {
    this.holdsNotifications = false;
    for (const pass of this.#held.splice(0)) pass();
  }

  /** Resets the counts. */
  reset(): void {
    this.statements.length = 0;
    this.roundTrips = 0;
  }

  async close(): Promise<void> {
    for (const { client } of this.#connections) client.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket, upstream: Socket): void {
    const connection: ProxiedConnection = { client, upstream, isListener: false, isFrozen: false };
    this.#connections.add(connection);
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
        this.#connections.delete(connection);
      });
    }
    this.#observe(connection);
  }

  #observe(connection: ProxiedConnection): void {
    const { client, upstream } = connection;
    const requests = new MessageReader(true);
    const replies = new MessageReader(false);
    const prepared = new Map<string, string>();
    let awaited = 0;
    client.on('data', (chunk: Buffer) => {
      for (const { type, content } of requests.read(chunk)) {
        const [first = '', second = ''] = content.split('\0');
        if (type === startup) connection.isListener = content.includes('potager listener');
        else if (type === 'P') prepared.set(first, second);
        else if (!connection.isListener && type === 'B') this.statements.push(prepared.get(second) ?? '');
        else if (!connection.isListener && type === 'Q') this.statements.push(first);
        if (connection.isListener || (type !== 'S' && type !== 'Q')) continue;
        if (awaited === 0) this.roundTrips++;
        awaited++;
      }
      if (connection.isListener && this.refusesListeners) client.destroy();
      else if (!connection.isFrozen) upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      for (const { type, bytes } of replies.read(chunk)) {
        if (type === 'Z' && awaited > 0) awaited--;
        if (type === 'A' && this.dropsNotifications) continue;
        if (connection.isFrozen) continue;
        const pass = () => {
          if (type === 'A') this.notifications++;
          client.write(bytes);
        };
        if (type === 'A' && this.holdsNotifications) this.#held.push(pass);
        else pass();
      }
    });
  }
}
