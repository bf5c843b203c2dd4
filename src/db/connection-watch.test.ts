import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { ConnectionWatch } from './connection-watch.ts';

/** AuthenticationOk and ReadyForQuery of PostgreSQL's protocol. */
const accepted = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

it('a server that stops responding after it answered a probe is noticed', async () => {
  const sockets: Socket[] = [];
  // Accepts the first connection, and is silent from then on, as if it were frozen.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      if (socket === sockets[0]) socket.write(accepted);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const watch = new ConnectionWatch(`postgres://one@127.0.0.1:${(server.address() as AddressInfo).port}/one`);
  let end: ((reason: Error) => void) | undefined;
  const query = new Promise<never>((_resolve, reject) => {
    end = reject;
  });
  const client = { destroy: () => end?.(new Error('ended')) };
  await expect(watch.during(client, query)).rejects.toThrow('ended');
  expect(sockets.length).toBeGreaterThan(1);
  watch.stop();
  for (const socket of sockets) socket.destroy();
  server.close();
});
