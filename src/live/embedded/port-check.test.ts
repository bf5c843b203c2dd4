import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { certificate, privateKey } from '../../../test/support/certificates.ts';
import { freePort } from '../../../test/support/free-port.ts';
import { checkPort } from './port-check.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** The port of a server that answers whatever comes first with these bytes. */
async function answering(bytes: readonly number[], isEncrypted = false): Promise<number> {
  const answer = (socket: Socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (request) => {
      // What a broker would look at: CONNECT, and as many bytes as it says.
      if (request[0] === 0x10 && request[1] === request.length - 2) socket.end(Buffer.from(bytes));
      else socket.destroy();
    });
  };
  const server = isEncrypted
    ? createSecureServer({ cert: certificate, key: privateKey }, answer)
    : createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const told = (port: number, more: { isServing?: boolean; setting?: 'MQTTS_PORT'; host?: string } = {}) =>
  checkPort({ setting: 'MQTT_PORT', host: '127.0.0.1', isServing: true, port, ...more }).catch(
    (error: Error) => error.message,
  );

const refusal = [0x20, 2, 0, 5];
const welcome = [0x20, 2, 0, 0];

describe('the port of the broker', () => {
  it('may be free, and is free afterwards', async () => {
    const port = await freePort();
    for (let i = 0; i < 2; i++) expect(await told(port, { isServing: false })).toBe(`Port ${port} is free.`);
  });

  it('may be ours', async () => {
    const port = await answering(refusal);
    expect(await told(port)).toBe(`Port ${port} is served by this server's message broker.`);
    const secure = await answering(refusal, true);
    expect(await told(secure, { setting: 'MQTTS_PORT' })).toBe(
      `Port ${secure} is served by this server's message broker.`,
    );
  });

  it("may be somebody else's", async () => {
    const open = await answering(welcome);
    expect(await told(open)).toBe(`Another message broker uses port ${open} already: stop it, or set MQTT_PORT.`);
    const closed = await answering(refusal);
    expect(await told(closed, { isServing: false })).toBe(
      `Another message broker uses port ${closed} already: stop it, or set MQTT_PORT.`,
    );
    const web = await answering([...Buffer.from('HTTP/1.1 400 Bad Request')]);
    expect(await told(web, { setting: 'MQTTS_PORT' })).toBe(
      `Another program uses port ${web} already: stop it, or set MQTTS_PORT.`,
    );
    expect(await told(web)).toBe(`Another program uses port ${web} already: stop it, or set MQTT_PORT.`);
  });

  it('wants an address of this machine', async () => {
    expect(await told(await freePort(), { host: '192.0.2.1' })).toBe(
      '192.0.2.1, on which HOST has the server listen, is no address of this machine.',
    );
  });
});
