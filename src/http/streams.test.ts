import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import inject from 'light-my-request';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createEdge, logLines, useEdge } from '../../test/support/edge.ts';
import { Failure } from '../core/errors.ts';
import type { PublicRoute } from '../engine/route.ts';
import { StreamedReply } from '../engine/route.ts';
import { uploadTime } from './body-timeout.ts';

useEdge();

const common = {
  access: 'public',
  tag: 'Server',
  description: 'It is used by tests only.',
  summary: 'A route of this test.',
  replies: { 200: 'binary' },
} as const;

/** Bytes that the upload accepts. */
const limit = 1000;
/** Milliseconds before the upload is read. */
let handlerDelay = 0;
/** Called with the error of an upload that could not be read. */
let readFailed: (error: unknown) => void = () => undefined;
const upload: PublicRoute = {
  ...common,
  method: 'POST',
  path: '/api/upload',
  transaction: false,
  body: { rule: 'stream', schema: {}, maxSize: limit },
  async handle(_scope, { bodyStream, rawBody }) {
    let size = 0;
    await sleep(handlerDelay);
    try {
      for await (const part of bodyStream) {
        size += part.length;
        if (size > limit) throw new Failure('body_too_large');
      }
    } catch (error) {
      readFailed(error);
      throw error;
    }
    return { size, raw: rawBody.length };
  },
};
const unread: PublicRoute = { ...upload, path: '/api/unread', handle: () => ({ isRead: false }) };

/** Fails without reading the body. */
const refused: PublicRoute = {
  ...upload,
  path: '/api/refused',
  handle: () => {
    throw new Failure('unauthenticated');
  },
};
const post: PublicRoute = {
  ...upload,
  path: '/api/post',
  body: { rule: 'object', schema: {} },
  handle: () => ({ isRead: true }),
};

let source: Readable;
const download: PublicRoute = {
  ...common,
  method: 'GET',
  path: '/api/download',
  handle: (_scope, { query }) =>
    new StreamedReply(source, 'text/plain', {
      headers: { 'cache-control': 'max-age=1' },
      ...(query.length ? { length: Number(query.length) } : {}),
    }),
};

const timeouts = { body: 900, silence: 500, upload: 2_000, stall: 500, linger: 500 };
/** Pauses of a client in ms: ten short ones are longer than the timeouts between parts, eight long ones than the timeout of a whole body. */
const shortPause = 60;
const longPause = 120;

/** Repeats `work` while this process was not scheduled for so long that a timeout could expire: on a busy machine that is not an error of the server. Many short delays make a failure doubtful, too. */
async function withoutDelays<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const delays = monitorEventLoopDelay({ resolution: 10 });
    delays.enable();
    const [result] = await Promise.allSettled([work()]);
    delays.disable();
    const trusted = result.status === 'fulfilled' ? 250 : 50;
    if (delays.max > trusted * 1e6 && attempt < 30) continue;
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }
}

let app: ReturnType<typeof createEdge>;
let base: string;
let port: number;
beforeEach(async () => {
  handlerDelay = 0;
  app = createEdge({
    routes: [upload, unread, refused, post, download],
    timeouts,
  });
  await app.listen('127.0.0.1', 0);
  ({ port } = app.server.address() as AddressInfo);
  base = `http://127.0.0.1:${port}`;
});
afterEach(() => app.close());

it('streams a body to the handler, with a length or in chunks', async () => {
  const known = await fetch(`${base}/api/upload`, { method: 'POST', body: 'x'.repeat(1000) });
  expect(await known.json()).toEqual({ size: 1000, raw: 0 });
  const parts = ReadableStream.from([Buffer.alloc(400), Buffer.alloc(500)]);
  const chunked = await fetch(`${base}/api/upload`, { method: 'POST', body: parts, duplex: 'half' } as RequestInit);
  expect(await chunked.json()).toEqual({ size: 900, raw: 0 });
  expect(await (await fetch(`${base}/api/upload`, { method: 'POST' })).json()).toEqual({ size: 0, raw: 0 });
  const injected = await inject(app.handler, { method: 'POST', url: '/api/upload', payload: 'abc' });
  expect(injected.json()).toEqual({ size: 3, raw: 0 });
});

it('continues when a client disconnects before its body is read, which then fails', async () => {
  handlerDelay = 100;
  const failed = new Promise((resolve) => {
    readFailed = resolve;
  });
  const socket = connect(port, '127.0.0.1');
  socket.write('POST /api/upload HTTP/1.1\r\nhost: x\r\ncontent-length: 900\r\n\r\nabc');
  await once(app.server, 'request');
  socket.destroy();
  expect(await failed).toMatchObject({ code: 'bad_request' });
  expect((await fetch(`${base}/api/upload`, { method: 'POST', body: 'abc' })).status).toBe(200);
});

it('responds to a client that sends more than the handler reads, and keeps its connection', async () => {
  for (const [path, status] of [
    ['/api/upload', 413],
    ['/api/unread', 200],
  ] as const) {
    const socket = connect(port, '127.0.0.1');
    let response = '';
    socket.setEncoding('utf8').on('data', (text) => {
      response += text;
    });
    const size = 3_000_000;
    socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${size}\r\n\r\n`);
    socket.write(Buffer.alloc(size, 'a'));
    socket.write(`POST /api/upload HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\nconnection: close\r\n\r\nab`);
    await once(socket, 'close');
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(response).toContain('{"size":2,"raw":0}');
  }
});

it('disconnects a client that does not stop sending', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.resume();
  socket.write('POST /api/unread HTTP/1.1\r\nhost: x\r\ncontent-length: 9000000000\r\n\r\n');
  const megabyte = Buffer.alloc(1024 * 1024);
  let sent = 0;
  while (!socket.destroyed && sent < 200) {
    if (!socket.write(megabyte)) await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve));
    sent++;
  }
  expect(sent).toBeGreaterThanOrEqual(16);
  expect(sent).toBeLessThan(100);
});

it('sends the chunks of a streamed response immediately', async () => {
  source = new Readable({ read: () => undefined });
  const response = await fetch(`${base}/api/download`);
  expect(response.headers.get('cache-control')).toBe('max-age=1');
  expect(response.headers.get('content-length')).toBeNull();
  const reader = response.body?.getReader();
  for (const word of ['one', 'two']) {
    source.push(word);
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(word);
  }
  source.push(null);
  expect((await reader?.read())?.done).toBe(true);
});

it('sends a known length, and no content for HEAD', async () => {
  source = Readable.from(['abc']);
  expect((await fetch(`${base}/api/download?length=3`)).headers.get('content-length')).toBe('3');
  source = Readable.from(['abc']);
  const head = await fetch(`${base}/api/download?length=3`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '3', '']);
  expect(source.destroyed).toBe(true);
});

it('destroys the content when the client disconnects, and the connection when the content fails', async () => {
  source = new Readable({ read: () => undefined });
  const controller = new AbortController();
  await fetch(`${base}/api/download`, { signal: controller.signal });
  controller.abort();
  await expect.poll(() => source.destroyed).toBe(true);
  await sleep(20);
  expect(logLines.filter((line) => line.includes('aborted'))).toEqual([]);

  source = new Readable({ read: () => undefined });
  const response = await fetch(`${base}/api/download`);
  source.push('half');
  setTimeout(() => source.destroy(new Error('the disk failed')), 20);
  await expect(response.text()).rejects.toThrow();
  // The client may notice before the server logs it.
  await expect.poll(() => logLines.some((line) => line.includes('a response was aborted'))).toBe(true);
});

/** Content without end. */
function endless(): Readable {
  return new Readable({
    read() {
      this.push(Buffer.alloc(65_536));
    },
  });
}

it('destroys the connection of a client that stops reading, with all queued responses', async () => {
  const sources: Readable[] = [];
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  for (let i = 0; i < 3; i++) {
    sources.push(endless());
    source = sources[i] ?? endless();
    socket.write('GET /api/download HTTP/1.1\r\nhost: x\r\n\r\n');
    await expect.poll(() => logLines.filter((line) => line.includes('request completed')).length).toBe(i + 1);
  }
  await expect.poll(() => sources.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
  socket.destroy();
});

it('tolerates a client that reads slowly and content that is delayed', async () => {
  await withoutDelays(async () => {
    source = endless();
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => undefined);
    socket.write('GET /api/download HTTP/1.1\r\nhost: x\r\n\r\n');
    for (let i = 0; i < 15; i++) {
      await sleep(shortPause);
      for (let size = 0; size < 4_000_000 && !socket.destroyed; ) {
        const part = socket.read() as Buffer | null;
        if (part) size += part.length;
        else await sleep(1);
      }
    }
    const isDestroyed = source.destroyed;
    socket.destroy();
    await expect.poll(() => source.destroyed).toBe(true);
    expect(isDestroyed).toBe(false);
  });

  source = new Readable({ read: () => undefined });
  const response = await fetch(`${base}/api/download`);
  await sleep(1200);
  source.push('late');
  source.push(null);
  expect(await response.text()).toBe('late');
});

/** Sends pieces with pauses in ms, reads only afterwards, and returns the received bytes until the server closed. */
const inPieces = (head: string, pieces: readonly (string | Buffer)[], pause: number): Promise<string> =>
  withoutDelays(async () => {
    const socket = connect(port, '127.0.0.1').pause();
    let received = '';
    const closed = new Promise<void>((resolve, reject) => socket.on('error', reject).once('close', () => resolve()));
    closed.catch(() => undefined);
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
    });
    socket.pause();
    socket.write(`${head}\r\n\r\n`);
    for (const piece of pieces) {
      await sleep(pause);
      // A closed socket emits no further event.
      if (!socket.destroyed && !socket.write(piece)) await Promise.race([once(socket, 'drain'), closed]);
    }
    socket.resume();
    await closed;
    return received;
  });

it('keeps a connection open while its client still sends a refused body', async () => {
  const pieces = Array.from({ length: 10 }, () => Buffer.alloc(300_000));
  const head = (path: string) => `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 3000000`;
  const sent = ['upload', 'refused', 'nowhere'].map((name) => inPieces(head(`/api/${name}`), pieces, shortPause));
  const responses = await Promise.all(sent);
  expect(responses.map((received) => received.slice(0, 13))).toEqual([
    'HTTP/1.1 413 ',
    'HTTP/1.1 401 ',
    'HTTP/1.1 404 ',
  ]);
  // A client that stops sending is not waited for.
  expect(await inPieces(head('/api/refused'), ['x'], 20)).toMatch(/^HTTP\/1\.1 401 /);
});

it('accepts a slow body that its handler reads, and refuses one that stalls', async () => {
  const head = (path: string) => `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 10`;
  const slowly = await inPieces(head('/api/upload'), [...'0123456789'], longPause);
  expect(slowly).toMatch(/^HTTP\/1\.1 200 /);
  expect(slowly).toContain('{"size":10,"raw":0}');
  expect(await inPieces(head('/api/upload'), ['012'], 10)).toMatch(/^HTTP\/1\.1 408 /);
});

it('limits the total time of a body that its handler reads, from the moment when it reads', async () => {
  const head = (path: string, size: number) =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${size}`;
  // Neither is silent.
  expect(
    await inPieces(
      head('/api/upload', 100),
      Array.from({ length: 40 }, () => 'x'),
      shortPause,
    ),
  ).toMatch(/^HTTP\/1\.1 408 /);
  handlerDelay = 2_500;
  expect(await inPieces(head('/api/upload', 10), [...'0123456789'], shortPause)).toMatch(/^HTTP\/1\.1 200 /);
});

it('disconnects a client without permission to upload', async () => {
  const head = 'POST /api/refused HTTP/1.1\r\nhost: x\r\ncontent-length: 100000';
  const received = await inPieces(head, ['x'], 10);
  expect(received).toMatch(/^HTTP\/1\.1 401 /);
  expect(received).toMatch(/\r\nconnection: close\r\n/i);
});

it('has more time for larger bodies', () => {
  const time = (length?: string) =>
    uploadTime(
      { headers: length === undefined ? {} : { 'content-length': length } } as IncomingMessage,
      6_553_600,
      60_000,
    );
  // 64 KiB/s: 100 s for 6,553,600 bytes.
  expect([time('10'), time('5242880'), time('6553600'), time('99999999999'), time()]).toEqual([
    60_000, 80_000, 100_000, 100_000, 100_000,
  ]);
});

it('limits the total time of other bodies, and sends no second response', async () => {
  const head = (path: string) => `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 10`;
  expect(await inPieces(head('/api/post'), [...'{"a":123'], longPause)).toMatch(/^HTTP\/1\.1 408 /);
  for (const path of ['/api/nowhere', '/api/refused']) {
    const received = await inPieces(head(path), ['x'], 10);
    expect(received.match(/HTTP\/1\.1 \d+/g), path).toEqual([
      path === '/api/nowhere' ? 'HTTP/1.1 404' : 'HTTP/1.1 401',
    ]);
  }
});
