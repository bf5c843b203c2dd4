import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TestApp } from '../../test/support/app.ts';
import { startApp } from '../../test/support/app.ts';
import { freePort } from '../../test/support/free-port.ts';
import type { DataFolderLock } from '../settings/data-folder-lock.ts';
import { lockDataFolder } from '../settings/data-folder-lock.ts';
import { checkServer } from './server-checks.ts';

describe('doctor, for a running server', () => {
  let server: TestApp;
  let lock: DataFolderLock;
  let port: number;
  const others: Server[] = [];
  beforeEach(async () => {
    server = await startApp('sqlite', { HOST: '127.0.0.1', PORT: '0', MQTT_PORT: '0' });
    ({ port } = await server.app.listen());
    lock = lockDataFolder(server.settings.DATA_DIR);
  });
  afterEach(async () => {
    lock.release();
    for (const other of others.splice(0)) other.close();
    await server.close();
  });

  /** Starts a program and returns its URL. */
  async function program(listener: RequestListener): Promise<string> {
    const other = createServer(listener).listen(0, '127.0.0.1');
    others.push(other);
    await once(other, 'listening');
    return `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  }

  /** Starts a proxy and returns its URL. */
  const proxyTo = (target: number): Promise<string> =>
    program((incoming, outgoing) => {
      const headers = { ...incoming.headers, 'x-forwarded-for': '192.0.2.7' };
      const { method, url } = incoming;
      const forwarded = request({ host: '127.0.0.1', port: target, method, path: url, headers }, (response) => {
        outgoing.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(outgoing);
      });
      incoming.pipe(forwarded);
    });

  const results = async (more: object) => {
    const found = await checkServer({ ...server.settings, PORT: port, ...more });
    return found.filter(({ name }) => name !== 'proxy').map(({ name, ok, message }) => [name, ok, message]);
  };
  const served = () => ['port', true, `Port ${port} is served by this server.`];

  it('finds that it answers at PUBLIC_URL', async () => {
    const PUBLIC_URL = await proxyTo(port);
    const answers = ['public URL', true, `This server answers at ${PUBLIC_URL}.`];
    for (let i = 0; i < 3; i++) expect(await results({ PUBLIC_URL })).toEqual([served(), answers]);
    expect(await results({})).toEqual([served()]);
  });

  it('says that a server has to be restarted to know a proxy', async () => {
    const PUBLIC_URL = await proxyTo(port);
    const proxyWith = async (TRUST_PROXY: boolean | string) =>
      (await checkServer({ ...server.settings, PORT: port, PUBLIC_URL, TRUST_PROXY })).filter(
        ({ name }) => name === 'proxy',
      );
    const unknown = { ok: false, message: expect.stringMatching(/ set TRUST_PROXY=127\.0\.0\.1$/) };
    for (const named of [false, '10.0.0.1']) expect(await proxyWith(named)).toMatchObject([unknown]);
    const message =
      'TRUST_PROXY names 127.0.0.1, but the running server was started without it, so the limits count all clients of the proxy as one. Restart the server.';
    for (const named of [true, '127.0.0.0/8,::1'])
      expect(await proxyWith(named)).toEqual([{ name: 'proxy', ok: false, message }]);
  });

  it('names what answers at PUBLIC_URL instead', async () => {
    const twin = await startApp('sqlite', { HOST: '127.0.0.1', PORT: '0', MQTT_PORT: '0' });
    const { address } = await twin.app.listen();
    const web = await program((_request, response) => response.writeHead(404).end('<h1>Not found</h1>'));
    const correct = 'Correct PUBLIC_URL, or the address to which the proxy there forwards requests.';
    const cases = [
      [address, `another Potager answers at ${address} instead of this server. ${correct}`],
      [web, `another program (status 404) answers at ${web} instead of this server. ${correct}`],
    ];
    const redirecting = await program(({ url }, response) =>
      response.writeHead(301, { location: `https://garden.example${url}` }).end(),
    );
    cases.push([
      redirecting,
      `${redirecting} redirects to https://garden.example. If that is this server, set PUBLIC_URL to it.`,
    ]);
    const dead = `http://127.0.0.1:${await freePort()}`;
    cases.push([
      dead,
      `nothing answers at ${dead} (ECONNREFUSED). Correct PUBLIC_URL, or start the proxy there. If only this machine cannot reach it, add its host to /etc/hosts.`,
    ]);
    for (const [PUBLIC_URL, message] of cases)
      expect(await results({ PUBLIC_URL })).toEqual([served(), ['public URL', false, `PUBLIC_URL: ${message}`]]);
    // Of several servers on one database, another one may answer.
    const fleet = { DATABASE_URL: 'postgres://db.example/potager' };
    expect(await results({ PUBLIC_URL: address, ...fleet })).toEqual([
      served(),
      ['public URL', true, `A server of the same database answers at ${address}.`],
    ]);
    const { text } = await server.call('GET', '/health');
    const stranger = await program((incoming, response) =>
      response.end(incoming.url?.startsWith('/health') ? text : 'another key'),
    );
    expect(await results({ PUBLIC_URL: stranger, ...fleet })).toEqual([
      served(),
      ['public URL', false, `PUBLIC_URL: another Potager answers at ${stranger} instead of this server. ${correct}`],
    ]);
    await twin.close();
  });

  it('names what uses its port', async () => {
    const web = Number(new URL(await program((_request, response) => response.end('{}'))).port);
    expect(await results({ PORT: web })).toEqual([
      ['port', false, `Port ${web} is used by another program: stop it, or set PORT.`],
    ]);
    const free = await freePort();
    expect(await results({ PORT: free })).toEqual([['port', true, `Port ${free} is free.`]]);
    lock.release();
    expect(await results({ PUBLIC_URL: 'http://127.0.0.1:9' })).toEqual([
      ['port', false, `Port ${port} is used by another server: stop it, or set PORT.`],
    ]);
  });
});
