import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Server as TcpServer } from 'node:net';
import { onClientError } from './client-errors.ts';

const maxHeaderSize = 32 * 1024;

/** Milliseconds. */
const headersTimeout = 10_000;
/** For a whole request: the largest import at the least speed. Every body has a shorter timeout of its own. */
const requestTimeout = 36_000_000;
const keepAliveTimeout = 72_000;
/** How often Node looks for requests that exceed these timeouts. */
const connectionsCheckingInterval = 5_000;
/** How long a stopping server waits for requests in flight. */
const closeTimeout = 8_000;

const serverOptions = {
  maxHeaderSize,
  headersTimeout,
  requestTimeout,
  keepAliveTimeout,
  connectionsCheckingInterval,
  requireHostHeader: false,
} as const;

/** Node's HTTP server with our limits, both loopback addresses for `localhost`, and a graceful stop. */
export class NodeServer {
  readonly server: Server;
  /** All connections, upgraded ones included. */
  readonly #sockets = new Set<Socket>();
  #loopback: TcpServer | null = null;

  constructor(handler: RequestListener) {
    this.server = new Server(serverOptions, handler);
    this.server.on('clientError', onClientError);
    this.server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** Starts listening. Rejects when the address is in use or not available. */
  async listen(host: string, port: number): Promise<void> {
    this.server.listen({ host, port });
    await once(this.server, 'listening');
    if (host === 'localhost') await this.#listenOnOtherLoopback(this.server.address() as AddressInfo);
  }

  /** `localhost` may resolve to 127.0.0.1 and ::1, of which `listen` takes the first. */
  async #listenOnOtherLoopback({ address, port }: AddressInfo): Promise<void> {
    const other = (await lookup('localhost', { all: true })).find((each) => each.address !== address);
    if (!other) return;
    // The options with which Node's HTTP server opens its own port.
    const options = { allowHalfOpen: true, noDelay: true };
    this.#loopback = new TcpServer(options, (socket) => this.server.emit('connection', socket));
    this.#loopback.listen({ host: other.address, port });
    // The other protocol may be unavailable.
    await once(this.#loopback, 'listening').catch(() => undefined);
  }

  /** Stops accepting connections and finishes requests in flight. Destroys connections that never sent a byte immediately, and all others after a timeout. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
    setTimeout(() => {
      this.server.closeAllConnections();
      // The list no longer has upgraded connections.
      for (const socket of this.#sockets) socket.destroy();
    }, closeTimeout).unref();
    // Connections within the process are not the server's: it would not wait for them.
    const own = [...this.#sockets].filter(({ remoteAddress }) => remoteAddress === undefined);
    await Promise.all([
      ...own.map((socket) => new Promise((resolve) => socket.once('close', resolve))),
      ...[this.server, this.#loopback].map(
        (server) => new Promise((resolve) => (server ? server.close(resolve) : resolve(null))),
      ),
    ]);
  }
}
