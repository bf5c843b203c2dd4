import { once } from 'node:events';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { freePort } from '../support/free-port.ts';

/** `silent`: nothing passes, and no connection is closed. `refusing`: connections are refused. `failing`: each gets the failure. */
export type ProxyState = 'open' | 'silent' | 'refusing' | 'failing';

/** A TCP proxy whose connections can be interrupted: the network between the server and another part. */
export class InterruptibleProxy {
  readonly port: number;
  readonly #upstreams: readonly number[];
  readonly #failure: string;
  readonly #sockets = new Set<Socket>();
  /** Connected clients with their connections to an upstream. */
  readonly #pairs = new Map<Socket, Socket>();
  readonly #waiting: (() => void)[] = [];
  #server: Server | null = null;
  #state: ProxyState = 'open';
  #turn = 0;

  private constructor(port: number, upstreams: readonly number[], failure: string) {
    this.port = port;
    this.#upstreams = upstreams;
    this.#failure = failure;
  }

  /** Listens, and forwards each connection to one of the ports on 127.0.0.1 that accepts it, in turns. `failure`: the bytes of a failing server. */
  static async open(upstreams: readonly number[], failure = ''): Promise<InterruptibleProxy> {
    const proxy = new InterruptibleProxy(await freePort(), upstreams, failure);
    await proxy.#listen();
    return proxy;
  }

  async set(state: ProxyState): Promise<void> {
    this.#state = state;
    if (state === 'refusing' || state === 'failing') for (const socket of this.#sockets) socket.destroy();
    if (state === 'silent') for (const [client, upstream] of this.#pairs) client.unpipe(upstream.unpipe(client));
    if (state === 'refusing') await this.#stopListening();
    else if (!this.#server) await this.#listen();
    if (state === 'open') {
      for (const [client, upstream] of this.#pairs) client.pipe(upstream).pipe(client);
      for (const resolve of this.#waiting.splice(0)) resolve();
    }
  }

  async close(): Promise<void> {
    await this.set('refusing');
  }

  async #listen(): Promise<void> {
    const server = createServer((socket) => void this.#accept(socket));
    this.#server = server;
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
  }

  async #stopListening(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (!server) return;
    server.close();
    for (const resolve of this.#waiting.splice(0)) resolve();
    await once(server, 'close');
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
  }

  async #accept(socket: Socket): Promise<void> {
    this.#track(socket);
    if (this.#state === 'failing') {
      // A server that sent its response before the request would confuse clients.
      const fail = () => socket.end(this.#failure);
      if (this.#failure.startsWith('HTTP')) socket.once('data', fail);
      else fail();
      return;
    }
    while (this.#isSilent()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const upstream = socket.destroyed ? null : await this.#dial();
    if (!upstream) return void socket.destroy();
    this.#track(upstream);
    this.#pairs.set(socket, upstream);
    socket.on('close', () => {
      this.#pairs.delete(socket);
      upstream.destroy();
    });
    upstream.on('close', () => socket.destroy());
    if (!this.#isSilent()) socket.pipe(upstream).pipe(socket);
  }

  #isSilent(): boolean {
    return this.#state === 'silent';
  }

  async #dial(): Promise<Socket | null> {
    const first = this.#turn++;
    for (let i = 0; i < this.#upstreams.length; i++) {
      const port = this.#upstreams[(first + i) % this.#upstreams.length];
      const socket = dial(port ?? 0, '127.0.0.1');
      const isConnected = await new Promise<boolean>((resolve) => {
        socket.once('connect', () => resolve(true));
        socket.once('error', () => resolve(false));
      });
      if (isConnected) return socket;
    }
    return null;
  }
}
