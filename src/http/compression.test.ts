import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import inject from 'light-my-request';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createEdge, logLines, useEdge } from '../../test/support/edge.ts';
import { invalid } from '../core/errors.ts';
import { verbatim } from '../core/message.ts';
import type { PublicRoute } from '../engine/route.ts';
import { jsonReply, Reply, StreamedReply } from '../engine/route.ts';
import type { HttpServer } from './http.ts';

useEdge();

const list = JSON.stringify(Array.from({ length: 200 }, (_, id) => ({ id, name: 'Möhre' })));
const medium = JSON.stringify(Array.from({ length: 2000 }, (_, id) => ({ id, name: 'Möhre' })));
const large = JSON.stringify(Array.from({ length: 40_000 }, (_, id) => ({ id, name: 'Möhre' })));

/** The replies of this file's routes, by the last part of their path. */
const contents: Readonly<Record<string, () => Reply | StreamedReply>> = {
  list: () => jsonReply(list),
  bytes: () => jsonReply(Buffer.from(list)),
  medium: () => jsonReply(medium),
  large: () => jsonReply(large),
  small: () => jsonReply('x'.repeat(1024)),
  above: () => jsonReply('x'.repeat(1025)),
  picture: () => new Reply(Buffer.alloc(5000, 1), 'image/jpeg'),
  events: () => new StreamedReply(Readable.from(['data: 1\n\n', 'data: 2\n\n']), 'text/event-stream'),
  stream: () => new StreamedReply(Readable.from(['a,b\n', '1,2\n'.repeat(5000)]), 'text/csv', { length: 20_004 }),
  encoded: () => new Reply(Buffer.alloc(5000, 1), 'text/plain', 200, { 'content-encoding': 'br' }),
  invalid: () => {
    throw invalid(
      Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`field_${n}`, verbatim('This is wrong.')])),
    );
  },
  broken: () =>
    new StreamedReply(
      new Readable({
        read() {
          this.push('1,2\n'.repeat(5000));
          setImmediate(() => this.destroy(new Error('the disk failed')));
        },
      }),
      'text/csv',
    ),
};

const routes = Object.entries(contents).map(
  ([name, handle]): PublicRoute => ({
    access: 'public',
    tag: 'Server',
    description: 'It is used by tests only.',
    summary: 'A route of this test.',
    replies: { 200: 'binary' },
    method: 'GET',
    path: `/api/${name}`,
    handle,
  }),
);

let app: HttpServer;
beforeEach(() => {
  app = createEdge({ routes });
});
afterEach(() => app.close());

const get = (name: string, encoding: string | null = 'gzip, deflate, br', method: 'GET' | 'HEAD' = 'GET') =>
  inject(app.handler, {
    method,
    url: `/api/${name}`,
    headers: { 'user-agent': 'test', ...(encoding === null ? {} : { 'accept-encoding': encoding }) },
  });

it('leaves replies as they are for clients that accept no encoding', async () => {
  for (const encoding of [null, '', 'identity', 'br;q=0, gzip;q=0.0', 'zstd'])
    for (const name of ['list', 'large', 'stream']) {
      const { headers, body } = await get(name, encoding);
      expect([headers['content-encoding'], headers.vary], `${name} ${encoding}`).toEqual([undefined, undefined]);
      expect(headers['content-length']).toBe(String(Buffer.byteLength(body)));
    }
});

it('compresses lists and errors in the encoding that the client prefers', async () => {
  for (const [name, text] of [
    ['list', list],
    ['bytes', list],
    ['medium', medium],
  ] as const) {
    const brotli = await get(name);
    expect(brotli.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' });
    expect(brotli.headers['content-length']).toBe(String(brotli.rawPayload.length));
    expect(brotli.rawPayload.length).toBeLessThan(text.length / 5);
    expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(text);
    const gzip = await get(name, 'br;q=0, gzip');
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(text);
  }
  const failed = await get('invalid');
  expect([failed.statusCode, failed.headers['content-encoding']]).toEqual([422, 'br']);
  expect(Object.keys(JSON.parse(brotliDecompressSync(failed.rawPayload).toString()))).toHaveLength(100);
});

it('compresses large bodies and streams while they are sent', async () => {
  for (const [name, expected] of [
    ['large', large],
    ['stream', `a,b\n${'1,2\n'.repeat(5000)}`],
  ] as const)
    for (const [encoding, decode] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const { headers, rawPayload } = await get(name, encoding);
      expect([headers['content-encoding'], headers['content-length']]).toEqual([encoding, undefined]);
      expect(rawPayload.length).toBeLessThan(expected.length / 5);
      expect(decode(rawPayload).toString()).toBe(expected);
    }
});

it('sends small bodies, pictures, streams of events and encoded bodies unchanged', async () => {
  for (const name of ['small', 'picture', 'events'])
    expect((await get(name)).headers['content-encoding'], name).toBeUndefined();
  expect((await get('events')).body).toBe('data: 1\n\ndata: 2\n\n');
  expect((await get('above')).headers['content-encoding']).toBe('br');
  expect((await get('encoded')).rawPayload).toEqual(Buffer.alloc(5000, 1));
});

it('answers HEAD with the headers of GET', async () => {
  const { headers, rawPayload } = await get('list', 'gzip', 'HEAD');
  const whole = await get('list', 'gzip');
  expect(rawPayload).toHaveLength(0);
  expect([headers['content-encoding'], headers['content-length']]).toEqual(['gzip', whole.headers['content-length']]);
  expect((await get('large', 'gzip', 'HEAD')).headers['content-encoding']).toBe('gzip');
});

it('ends the connection when compressed content fails, and answers requests in their order', async () => {
  await app.listen('127.0.0.1', 0);
  const { port } = app.server.address() as AddressInfo;
  const headers = { 'accept-encoding': 'gzip' };
  await expect(fetch(`http://127.0.0.1:${port}/api/broken`, { headers }).then((each) => each.text())).rejects.toThrow();
  await expect.poll(() => logLines.some((line) => line.includes('the disk failed'))).toBe(true);

  const socket = connect(port, '127.0.0.1');
  const request = (name: string, more = '') => `GET /api/${name} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
  socket.write(request('large', 'accept-encoding: gzip\r\n') + request('list', 'accept-encoding: br\r\n'));
  socket.write(request('small', 'connection: close\r\n'));
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  await once(socket, 'close');
  const received = Buffer.concat(parts).toString('latin1');
  expect(received.match(/content-encoding: \w+|content-length: 1024/gi)).toEqual([
    'content-encoding: gzip',
    'content-encoding: br',
    'content-length: 1024',
  ]);
});
