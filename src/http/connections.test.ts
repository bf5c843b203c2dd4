import { lookup } from 'node:dns/promises';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createEdge, useEdge } from '../../test/support/edge.ts';
import type { PublicRoute } from '../engine/route.ts';

useEdge();

let release: () => void = () => undefined;
const slow: PublicRoute = {
  access: 'public',
  method: 'GET',
  path: '/api/slow',
  tag: 'Server',
  description: 'It is used by tests only.',
  summary: 'Responds when released.',
  replies: { 200: { type: 'object' } },
  handle: () =>
    new Promise((resolve) => {
      release = () => resolve({ done: true });
    }),
};
const post: PublicRoute = {
  ...slow,
  method: 'POST',
  path: '/api/post',
  body: { rule: 'object', schema: {} },
  transaction: false,
  handle: () => ({}),
};

let app: ReturnType<typeof createEdge>;
let port: number;
beforeEach(async () => {
  app = createEdge({ routes: [slow, post] });
  await app.listen('127.0.0.1', 0);
  port = (app.server.address() as AddressInfo).port;
});
afterEach(() => app.close());

/** Sends bytes and returns the received bytes until the server closes. */
function exchange(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let response = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      response += text;
    });
    socket.on('close', () => resolve(response));
    socket.on('error', reject);
  });
}
const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};

it('responds with JSON errors to malformed requests and too large headers', async () => {
  const garbage = await exchange('NONSENSE\r\n\r\n');
  expect(garbage).toMatch(/^HTTP\/1\.1 400 /);
  expect(JSON.parse(garbage.split('\r\n\r\n')[1] ?? '')).toEqual({ error: expect.any(String) });
  const large = await exchange(`GET /api/slow HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`);
  expect(large).toMatch(/^HTTP\/1\.1 431 /);
  expect(large).toContain('access-control-allow-origin: *');
  const path = await exchange(`GET /api/${'1,'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`);
  expect(path).toMatch(/^HTTP\/1\.1 431 /);
});

it('needs no Host header, and responds with 404 to unusual methods', async () => {
  expect(await exchange('GET /api/nothing HTTP/1.1\r\nconnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 404 /);
  for (const method of ['TRACE', 'PROPFIND', 'QUERY', 'SEARCH'])
    expect(await exchange(`${method} /api/slow HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`), method).toMatch(
      /^HTTP\/1\.1 404 /,
    );
  expect(await exchange('OPTIONS * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 404 /);
});

it('reads a body that is too large to its end, so that the client reads the response', async () => {
  const size = 3 * 1024 * 1024;
  const head = `POST /api/post HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${size}\r\n\r\n`;
  expect(await exchange(head + 'x'.repeat(size))).toMatch(/^HTTP\/1\.1 413 /);
  const chunk = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n0\r\n\r\n`;
  expect(
    await exchange(
      `POST /api/post HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n${chunk}`,
    ),
  ).toMatch(/^HTTP\/1\.1 413 /);
  const endless = await exchange('POST /api/post HTTP/1.1\r\nhost: x\r\ncontent-length: 999999999\r\n\r\nx');
  expect(endless).toMatch(/^HTTP\/1\.1 413 /);
  expect(endless.toLowerCase()).toContain('connection: close');
});

it('survives a client that disconnects in the middle of its body', async () => {
  const socket = connect(port, '127.0.0.1', () =>
    socket.write('POST /api/post HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{'),
  );
  await new Promise((resolve) => setTimeout(resolve, 30));
  socket.destroy();
  expect((await fetch(`http://127.0.0.1:${port}/api/post`, { method: 'POST', body: '{}' })).status).toBe(200);
});

it('finishes requests in flight when it stops, and destroys silent connections', async () => {
  release = () => undefined;
  const before = release;
  const pending = exchange('GET /api/slow HTTP/1.1\r\nhost: x\r\n\r\n');
  const silent = exchange('');
  await until(() => release !== before);
  const closed = app.close();
  await expect(fetch(`http://127.0.0.1:${port}/api/slow`)).rejects.toThrow();
  release();
  const response = await pending;
  expect(response).toMatch(/^HTTP\/1\.1 200 /);
  expect(response).toContain('{"done":true}');
  expect(response.toLowerCase()).toContain('connection: close');
  expect(await silent).toBe('');
  await closed;
});

it('listens on both addresses of localhost, and closes both', async () => {
  const server = createEdge({ routes: [slow, post] });
  await server.listen('localhost', 0);
  const bound = (server.server.address() as AddressInfo).port;
  const addresses = (await lookup('localhost', { all: true })).map(({ address, family }) =>
    family === 6 ? `[${address}]` : address,
  );
  const urls = [...new Set(addresses)].map((address) => `http://${address}:${bound}/api/post`);
  for (const url of urls) expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(200);
  await server.close();
  for (const url of urls) await expect(fetch(url)).rejects.toThrow();
});
