import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { certificate, privateKey } from '../../test/support/certificates.ts';
import { freePort } from '../../test/support/free-port.ts';
import { brokerListener, checkPort } from './port-check.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** Starts a server that answers a CONNECT with `bytes`, and returns its port. */
async function answering(bytes: readonly number[], isEncrypted = false): Promise<number> {
  const reply = (socket: Socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (request) => {
      // A CONNECT with a correct length.
      if (request[0] === 0x10 && request[1] === request.length - 2) socket.end(Buffer.from(bytes));
      else socket.destroy();
    });
  };
  const server = isEncrypted ? createSecureServer({ cert: certificate, key: privateKey }, reply) : createServer(reply);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function check(port: number, more: { isServing?: boolean; setting?: 'MQTTS_PORT'; host?: string } = {}) {
  const { isServing = true, setting = 'MQTT_PORT', host = '127.0.0.1' } = more;
  const find = () => brokerListener({ host, port }, { isEncrypted: setting === 'MQTTS_PORT', isServing });
  return checkPort({ setting, host, port, find }).catch((error: Error) => error.message);
}

const refused = [0x20, 2, 0, 5];
const accepted = [0x20, 2, 0, 0];

describe('checkPort', () => {
  it('reports a free port, and leaves it free', async () => {
    const port = await freePort();
    for (let i = 0; i < 2; i++) expect(await check(port, { isServing: false })).toBe(`Port ${port} is free.`);
  });

  it('recognizes this server', async () => {
    const port = await answering(refused);
    expect(await check(port)).toBe(`Port ${port} is served by this server's message broker.`);
    const secure = await answering(refused, true);
    expect(await check(secure, { setting: 'MQTTS_PORT' })).toBe(
      `Port ${secure} is served by this server's message broker.`,
    );
  });

  it('rejects a port that another program uses', async () => {
    const open = await answering(accepted);
    expect(await check(open)).toBe(`Port ${open} is used by another message broker: stop it, or set MQTT_PORT.`);
    const closed = await answering(refused);
    expect(await check(closed, { isServing: false })).toBe(
      `Port ${closed} is used by another message broker: stop it, or set MQTT_PORT.`,
    );
    const web = await answering([...Buffer.from('HTTP/1.1 400 Bad Request')]);
    expect(await check(web, { setting: 'MQTTS_PORT' })).toBe(
      `Port ${web} is used by another program: stop it, or set MQTTS_PORT.`,
    );
    expect(await check(web)).toBe(`Port ${web} is used by another program: stop it, or set MQTT_PORT.`);
  });

  it('rejects an address of another machine', async () => {
    expect(await check(await freePort(), { host: '192.0.2.1' })).toBe(
      'HOST: 192.0.2.1 is not an address of this machine.',
    );
  });
});
