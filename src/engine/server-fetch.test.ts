import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { FetchFailure } from './server-fetch.ts';
import { createServerFetch, redirectTarget } from './server-fetch.ts';

const limits = { maxBytes: 100, timeout: 2000 };
const servers: Server[] = [];

/** Starts a local server and returns its port. */
async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return (server.address() as AddressInfo).port;
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const fetchAll = createServerFetch({ allowsPrivate: true });
const fetchPublic = createServerFetch({ allowsPrivate: false });

const failure = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: FetchFailure) => error.reason,
  );

describe('createServerFetch', () => {
  it('returns status, type and body, and sends only its own headers', async () => {
    let received: object = {};
    const port = await serve((request, response) => {
      received = request.headers;
      response.writeHead(404, { 'content-type': 'text/plain' }).end('missing');
    });
    expect(await fetchAll(`http://127.0.0.1:${port}/a?b`, limits)).toEqual({
      status: 404,
      type: 'text/plain',
      body: Buffer.from('missing'),
      isTruncated: false,
      isPublic: false,
    });
    expect(received).toEqual({
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'Potager',
      via: '1.1 potager',
      host: `127.0.0.1:${port}`,
      connection: 'close',
    });
  });

  it('reads at most `maxBytes`', async () => {
    const port = await serve((_request, response) => {
      response.write('x'.repeat(100));
      setTimeout(() => response.write('y'), 10);
    });
    const { body, isTruncated } = await fetchAll(`http://127.0.0.1:${port}/`, limits);
    expect([body.toString(), isTruncated]).toEqual(['x'.repeat(100), true]);
  });

  it('does not truncate a body of exactly `maxBytes`', async () => {
    const port = await serve((_request, response) => void response.end('x'.repeat(100)));
    const { body, isTruncated } = await fetchAll(`http://127.0.0.1:${port}/`, limits);
    expect([body.length, isTruncated]).toEqual([100, false]);
  });

  it.each(['ftp://127.0.0.1/', 'file:///etc/passwd', 'x', ''])('rejects %j', async (url) => {
    expect(await failure(fetchAll(url, limits))).toBe('address');
  });

  it.each(['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254'])(
    'does not connect to a private address: %s',
    async (host) => {
      let lookups = 0;
      const port = await serve((_request, response) => {
        lookups++;
        response.end();
      });
      expect(await failure(fetchPublic(`http://${host}:${port}/`, limits))).toBe('private');
      expect(lookups).toBe(0);
    },
  );

  it('does not connect to public addresses of this machine and its networks, read for each fetch', async () => {
    let reads = 0;
    const fetch = createServerFetch({
      allowsPrivate: false,
      interfaces: () => {
        reads++;
        return {
          eth0: [
            { family: 'IPv4', address: '93.184.216.5', cidr: '93.184.216.5/24', netmask: '', mac: '', internal: false },
          ],
        };
      },
    });
    for (const host of ['93.184.216.5', '93.184.216.34'])
      expect(await failure(fetch(`http://${host}/`, limits))).toBe('private');
    expect(reads).toBe(2);
  });

  it('connects to the addresses that are allowed in any case, and to no other private ones', async () => {
    const port = await serve((_request, response) => void response.end('here'));
    const fetch = createServerFetch({ allowsPrivate: false, allowed: '10.0.0.0/8,127.0.0.1' });
    expect((await fetch(`http://127.0.0.1:${port}/`, limits)).body.toString()).toBe('here');
    expect(await failure(fetch(`http://127.0.0.2:${port}/`, limits))).toBe('private');
  });

  it('posts without following redirects, to addresses that the settings open to it', async () => {
    const received: unknown[] = [];
    const port = await serve((request, response) => {
      request.on('data', (chunk) => received.push(request.method, request.headers['x-signed'], String(chunk)));
      request.on('end', () => response.writeHead(302, { location: '/other' }).end('moved'));
    });
    const url = `http://127.0.0.1:${port}/`;
    const post = { body: 'text', headers: { 'x-signed': 'yes' } };
    const listed = createServerFetch({ allowsPrivate: false, allowed: '127.0.0.1' });
    const { status, body, isPublic } = await listed(url, limits, { ...post, opens: 'listed' });
    expect([status, body.toString(), isPublic]).toEqual([302, 'moved', false]);
    expect(received).toEqual(['POST', 'yes', 'text']);
    expect(await failure(listed(url, limits, { ...post, opens: 'none' }))).toBe('private');
    expect(await failure(fetchAll(url, limits, { ...post, opens: 'listed' }))).toBe('private');
  });

  it('follows redirects of a GET only to addresses that the settings open to it', async () => {
    const port = await serve(({ url }, response) =>
      url === '/moved' ? response.writeHead(302, { location: '/' }).end() : response.end('here'),
    );
    const url = `http://127.0.0.1:${port}/moved`;
    const get = { body: null, headers: {} };
    const listed = createServerFetch({ allowsPrivate: true, allowed: '127.0.0.1' });
    expect((await listed(url, limits, { ...get, opens: 'listed' })).body.toString()).toBe('here');
    expect(await failure(listed(url, limits, { ...get, opens: 'none' }))).toBe('private');
    expect(await failure(fetchAll(url, limits, { ...get, opens: 'listed' }))).toBe('private');
  });

  it('resolves a name once and connects to that address', async () => {
    const port = await serve((request, response) => void response.end(request.headers.host));
    const resolved = ['127.0.0.1', '127.0.0.2'];
    const lookups: string[] = [];
    const fetch = createServerFetch({
      allowsPrivate: true,
      resolve: async (host) => {
        lookups.push(host);
        return [{ address: resolved.shift() ?? '', family: 4 }];
      },
    });
    const { body } = await fetch(`http://garden.example:${port}/`, limits);
    expect([body.toString(), lookups]).toEqual([`garden.example:${port}`, ['garden.example']]);
  });

  it('ignores private addresses of a name', async () => {
    const fetch = createServerFetch({
      allowsPrivate: false,
      resolve: async () => [
        { address: '10.0.0.1', family: 4 },
        { address: 'fd00::1', family: 6 },
      ],
    });
    expect(await failure(fetch('http://garden.example/', limits))).toBe('private');
  });

  it('follows redirects and checks each target', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/last') response.end('here');
      else response.writeHead(302, { location: '/last' }).end();
    });
    expect((await fetchAll(`http://127.0.0.1:${port}/`, limits)).body.toString()).toBe('here');

    const redirecting = await serve(
      (_request, response) => void response.writeHead(301, { location: 'http://secret.example/' }).end(),
    );
    const lookups: string[] = [];
    const fetch = createServerFetch({
      allowsPrivate: true,
      resolve: async (host) => {
        lookups.push(host);
        return host === 'garden.example' ? [{ address: '127.0.0.1', family: 4 }] : [];
      },
    });
    expect(await failure(fetch(`http://garden.example:${redirecting}/`, limits))).toBe('unresolved');
    expect(lookups).toEqual(['garden.example', 'secret.example']);
  });

  it.each([
    ['in a loop', '/'],
    ['without a location', undefined],
    ['to another protocol', 'file:///etc/passwd'],
  ])('does not follow a redirect %s', async (_what, location) => {
    const port = await serve((_request, response) => void response.writeHead(302, location ? { location } : {}).end());
    expect(await failure(fetchAll(`http://127.0.0.1:${port}/`, limits))).toBe('redirect');
  });

  it('times out if the server is silent or never ends', async () => {
    const silent = await serve(() => undefined);
    const endless = await serve((_request, response) => {
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    });
    for (const port of [silent, endless]) {
      expect(await failure(fetchAll(`http://127.0.0.1:${port}/`, { maxBytes: 1000, timeout: 150 }))).toBe('timeout');
    }
  });

  it('times out while a name is being resolved', async () => {
    const fetch = createServerFetch({ allowsPrivate: true, resolve: () => new Promise(() => undefined) });
    expect(await failure(fetch('http://garden.example/', { maxBytes: 1, timeout: 50 }))).toBe('timeout');
    expect(await failure(fetch('http://garden.example/', { maxBytes: 1, timeout: 60_000, responseTimeout: 50 }))).toBe(
      'timeout',
    );
  });

  it('distinguishes refused, unresolved and broken connections', async () => {
    const free = await serve(() => undefined);
    await new Promise((closed) => servers.pop()?.close(closed));
    expect(await failure(fetchAll(`http://127.0.0.1:${free}/`, limits))).toBe('refused');

    const unresolvable = createServerFetch({
      allowsPrivate: true,
      resolve: async () => {
        throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
      },
    });
    expect(await failure(unresolvable('http://garden.example/', limits))).toBe('unresolved');

    const resetting = await serve((request) => void request.socket.destroy());
    expect(await failure(fetchAll(`http://127.0.0.1:${resetting}/`, limits))).toBe('offline');
  });

  it('reports a response that is not HTTP as other', async () => {
    const server = createTcpServer((socket) => void socket.end('hello\r\n\r\n'));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    expect(await failure(fetchAll(`http://127.0.0.1:${port}/`, limits))).toBe('other');
    server.close();
  });
});

describe('redirectTarget', () => {
  it.each([
    ['http://a.example/x', '/y', 'http://a.example/y'],
    ['http://a.example/x', 'https://b.example', 'https://b.example/'],
    ['https://a.example/x', '//b.example/y', 'https://b.example/y'],
  ])('resolves from %s by %s to %s', (from, location, target) => {
    expect(redirectTarget(new URL(from), location)?.href).toBe(target);
  });

  it.each([
    ['https://a.example/', 'http://a.example/'],
    ['http://a.example/', 'file:///etc/passwd'],
    ['http://a.example/', 'http://'],
    ['http://a.example/', undefined],
  ])('is null from %s by %s', (from, location) => {
    expect(redirectTarget(new URL(from), location)).toBeNull();
  });
});
