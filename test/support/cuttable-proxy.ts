import { once } from 'node:events';
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';

/** A TCP proxy whose connections a test can cut. */
export interface CuttableProxy {
  readonly port: number;
  /** The data from clients, in the pieces in which it arrived. */
  readonly sent: readonly Buffer[];
  /** Whether new connections are cut immediately. */
  isDown: boolean;
  cut(): void;
  close(): Promise<void>;
}

/** Listens on a port of the host, and forwards connections to another one of it. */
export async function startCuttableProxy(host: string, to: number): Promise<CuttableProxy> {
  const sockets = new Set<Socket>();
  const sent: Buffer[] = [];
  const server = createServer((client) => {
    if (proxy.isDown) return void client.destroy();
    client.on('data', (piece) => sent.push(piece));
    const upstream = dial(to, host);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.listen(0, host);
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const proxy: CuttableProxy = {
    port: (server.address() as AddressInfo).port,
    sent,
    isDown: false,
    cut,
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
