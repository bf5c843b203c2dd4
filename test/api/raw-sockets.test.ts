import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../support/app.ts';
import { suiteApp } from '../support/app.ts';

// Requests that only raw sockets can send; after each the server must still work.

const many = Array.from({ length: 10_000 }, (_, index) => index + 1).join();

describe('raw connections', () => {
  const server = suiteApp('sqlite', { HOST: '127.0.0.1', PORT: '0' });
  let account: Account;
  let port: number;
  beforeAll(async () => {
    await server.app.listen();
    port = (server.app.http.server.address() as AddressInfo).port;
    account = await server.signUp();
  });

  /** Sends pieces in sequence, and returns the received bytes until the server closes, or for `time` ms. */
  function exchange(pieces: readonly (string | Buffer)[], time = 1500): Promise<string> {
    return new Promise((resolve) => {
      let response = '';
      const socket = connect(port, '127.0.0.1', async () => {
        for (const piece of pieces) {
          if (socket.destroyed) break;
          socket.write(piece);
          await sleep(5);
        }
      });
      socket.setEncoding('utf8');
      socket.on('data', (text) => {
        response += text;
      });
      const end = () => {
        socket.destroy();
        resolve(response);
      };
      const timer = setTimeout(end, time);
      // A reset is treated as a close.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clearTimeout(timer);
        end();
      });
    });
  }
  const statuses = (response: string): number[] =>
    [...response.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
  const serves = async () => {
    const response = await exchange([
      `GET /api/device HTTP/1.1\r\nhost: x\r\nuser-agent: t\r\nauthorization: ${account.token}\r\nconnection: close\r\n\r\n`,
    ]);
    expect(statuses(response), response).toEqual([200]);
  };
  const head = (line: string, ...headers: string[]) =>
    `${[line, 'host: x', 'user-agent: t', ...headers].join('\r\n')}\r\n\r\n`;

  it.each<readonly [name: string, pieces: readonly (string | Buffer)[], status: number]>([
    ['no request', ['NONSENSE\r\n\r\n'], 400],
    ['bytes', [Buffer.from([0, 255, 13, 10, 13, 10, 22, 3, 1])], 400],
    ['the beginning of TLS', [Buffer.from('16030100a5010000a10303', 'hex')], 400],
    ['an unknown method', [head('BREW /api/tools HTTP/1.1')], 400],
    ['no version', [head('GET /api/tools')], 401],
    ['another version', [head('GET /api/tools HTTP/9.9')], 400],
    ['a bare line feed in a header', [head('GET /api/tools HTTP/1.1', 'x: a\nb')], 400],
    ['a header without a colon', [head('GET /api/tools HTTP/1.1', 'nonsense')], 400],
    ['NUL in a header', [head('GET /api/tools HTTP/1.1', 'x: a\0b')], 400],
    ['two lengths', [head('POST /api/tools HTTP/1.1', 'content-length: 2', 'content-length: 3'), '{}'], 400],
    [
      'length and chunks',
      [head('POST /api/tools HTTP/1.1', 'content-length: 2', 'transfer-encoding: chunked'), '{}'],
      400,
    ],
    ['a negative length', [head('POST /api/tools HTTP/1.1', 'content-length: -1')], 400],
    ['a length that is not a number', [head('POST /api/tools HTTP/1.1', 'content-length: 1e3')], 400],
    ['an endless length', [head('POST /api/tools HTTP/1.1', 'content-length: 99999999999999999999'), '{}'], 400],
    ['chunks of no size', [head('POST /api/tools HTTP/1.1', 'transfer-encoding: chunked'), 'zz\r\nnonsense\r\n'], 400],
    [
      'a chunk without end',
      [head('POST /api/tools HTTP/1.1', 'transfer-encoding: chunked'), 'fffffffffffffffff\r\nx'],
      400,
    ],
    ['headers that are too large', [head('GET /api/tools HTTP/1.1', `x: ${'y'.repeat(40_000)}`)], 431],
    [
      'too many headers',
      [head('GET /api/tools HTTP/1.1', ...Array.from({ length: 10_000 }, (_, index) => `x${index}: y`))],
      431,
    ],
    ['an address that is too long', [head(`DELETE /api/points/${many} HTTP/1.1`)], 431],
    [
      'a list of ids that is too long',
      [head(`DELETE /api/points/${many.slice(0, 20_000)} HTTP/1.1`, 'connection: close')],
      414,
    ],
    ['no host', ['GET /api/tools HTTP/1.1\r\nuser-agent: t\r\nconnection: close\r\n\r\n'], 401],
    ['no host in HTTP/1.0', ['GET /api/tools HTTP/1.0\r\n\r\n'], 401],
    ['an absolute URL', [head('GET http://elsewhere.example/api/tools HTTP/1.1', 'connection: close')], 401],
    ['an address that is a star', [head('GET * HTTP/1.1', 'connection: close')], 404],
    [
      'bytes in the address',
      [Buffer.from(head('GET /api/tools/\xff\xfe HTTP/1.1', 'connection: close'), 'latin1')],
      400,
    ],
    [
      'an Expect header for 100-continue',
      [head('POST /api/tokens HTTP/1.1', 'expect: 100-continue', 'content-length: 2', 'connection: close'), '{}'],
      422,
    ],
    [
      'an unknown expectation',
      [head('POST /api/tokens HTTP/1.1', 'expect: miracles', 'content-length: 2', 'connection: close'), '{}'],
      417,
    ],
    [
      'a body in many pieces',
      [
        head('POST /api/tokens HTTP/1.1', 'transfer-encoding: chunked', 'connection: close'),
        '1\r\n{\r\n',
        '1\r\n}\r\n',
        '0\r\n\r\n',
      ],
      422,
    ],
    [
      'a body twenty times too large',
      [head('POST /api/tokens HTTP/1.1', `content-length: ${20 * 1024 * 1024}`), 'x'.repeat(100_000)],
      413,
    ],
  ])('%s', async (_name, pieces, status) => {
    const response = await exchange(pieces);
    const found = statuses(response).filter((each) => each !== 100);
    expect(found[0], response.slice(0, 500)).toBe(status);
    // Data behind a refused request is not parsed as another request.
    expect(found.length).toBeLessThanOrEqual(1);
    if (status !== 417)
      expect(JSON.parse(response.slice(response.lastIndexOf('\r\n\r\n') + 4))).toEqual(expect.any(Object));
    await serves();
  });

  it('pipelined requests', async () => {
    const one = head('GET /api/device HTTP/1.1', `authorization: ${account.token}`);
    const refused = head('POST /api/tools HTTP/1.1', `authorization: ${account.token}`, 'content-length: 3');
    const response = await exchange([
      one.repeat(20),
      `${refused}[1]${one}`,
      head('GET /api/nothing HTTP/1.1', 'connection: close'),
    ]);
    expect(statuses(response)).toEqual([...Array.from({ length: 20 }, () => 200), 422, 200, 404]);
  });

  it('clients that are slow, wait, or disconnect', async () => {
    const open = head('POST /api/tools HTTP/1.1', `authorization: ${account.token}`, 'content-length: 400');
    const openings: readonly (readonly (string | Buffer)[])[] = [
      [],
      ['G'],
      ['GET /api/tools HTTP/1.1\r\nhost'],
      [open],
      [open, '{"name":"Half'],
      [...head('GET /api/public_key HTTP/1.1')],
      [head('GET /api/points HTTP/1.1', `authorization: ${account.token}`)],
      [head('POST /api/tools HTTP/1.1', `authorization: ${account.token}`, 'transfer-encoding: chunked'), '5\r\n{"nam'],
    ];
    await Promise.all(
      openings.flatMap((pieces) => Array.from({ length: 8 }, (_, index) => exchange(pieces, 20 + index * 60))),
    );
    await serves();
    const { text } = await server.call('GET', '/api/tools', { token: account.token });
    expect(text).toBe('[]');
  });
});
