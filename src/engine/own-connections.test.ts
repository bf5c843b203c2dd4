import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { maxOwnResponse, OwnConnections } from './own-connections.ts';

/** Connections to a server that does not listen, and its received bytes. */
function connected(respond: (request: IncomingMessage) => string) {
  const connections = new OwnConnections();
  const received: unknown[] = [];
  connections.attach(
    createServer(async (request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      await once(request, 'end');
      received.push({
        method: request.method,
        url: request.url,
        host: request.headers.host,
        body,
        deviceId: connections.clientOf(request.socket)?.deviceId,
      });
      response.statusCode = 201;
      response.end(respond(request));
    }),
  );
  const send = (url: string, body?: string | FormData, signal = AbortSignal.timeout(5_000)) =>
    connections.send({ deviceId: 7, isCounted: true }, url, {
      method: 'POST',
      headers: { Authorization: 'token' },
      signal,
      ...(body !== undefined && { body }),
    });
  return { send, received, connections };
}

it('sends a request without a socket, whose client the server knows', async () => {
  const { send, received, connections } = connected(({ headers }) => headers.authorization ?? '');
  expect(await send('http://garden.example:81/api/points?page=2', '{"x":1}')).toEqual({
    status: 201,
    text: 'token',
    isTruncated: false,
  });
  expect(received).toEqual([
    { method: 'POST', url: '/api/points?page=2', host: 'garden.example:81', body: '{"x":1}', deviceId: 7 },
  ]);
  expect(connections.clientOf({})).toBeUndefined();
});

it('sends forms as browsers do', async () => {
  const { send, received } = connected(({ headers }) => headers['content-type'] ?? '');
  const form = new FormData();
  form.set('key', 'temp/1.jpg');
  form.set('file', new Blob(['bytes']), 'photo.jpg');
  const { text } = await send('http://127.0.0.1/direct_upload', form);
  const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(text)?.[1];
  const [{ body }] = received as [{ body: string }];
  expect(body.split(`--${boundary}`)).toHaveLength(4);
  expect(body).toContain('name="file"; filename="photo.jpg"');
});

it('ends both sides when the client gives up, and reads no more than the maximum', async () => {
  const closed: string[] = [];
  const pending = new OwnConnections();
  const server = createServer((request, response) => {
    request.resume();
    response.on('close', () => closed.push(request.url ?? ''));
    if (request.url === '/long') response.end('x'.repeat(maxOwnResponse + 1));
    else response.flushHeaders();
  });
  pending.attach(server);
  const send = (path: string, signal: AbortSignal) =>
    pending.send({ deviceId: 7, isCounted: true }, `http://127.0.0.1${path}`, { method: 'GET', headers: {}, signal });
  expect(await send('/long', AbortSignal.timeout(5_000))).toMatchObject({ status: 200, isTruncated: true });
  await expect(send('/endless', AbortSignal.timeout(100))).rejects.toThrow();
  await expect.poll(() => closed).toEqual(['/long', '/endless']);
});

it('rejects without a response', async () => {
  const { send } = connected(() => '');
  await expect(send('http://127.0.0.1/', '', AbortSignal.abort())).rejects.toThrow('aborted');
  await expect(
    new OwnConnections().send({ deviceId: 1, isCounted: true }, 'http://127.0.0.1/', {
      method: 'GET',
      headers: {},
      signal: AbortSignal.timeout(1000),
    }),
  ).rejects.toThrow('the HTTP server was not created');
});
