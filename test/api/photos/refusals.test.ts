import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../support/app.ts';
import { suiteAccount } from '../../support/app.ts';
import type { Form, PhotoServer } from '../../support/photo-server.ts';
import { startPhotoServer, suitePhotoServer } from '../../support/photo-server.ts';
import { bombJpeg, bombPng, picture, scriptedSvg } from '../../support/pictures.ts';

// Uploads and sources that are refused; no file of them remains.

const mebibyte = 1024 * 1024;

describe('uploads', () => {
  const server = suitePhotoServer('sqlite');
  const own = suiteAccount(server);
  const foreign = suiteAccount(server);
  let good: Buffer;

  beforeAll(async () => {
    good = await picture(64, 48);
  });

  /** Sends a form and expects an error, with no file left. */
  async function refused(status: number, form: Form, key?: string): Promise<void> {
    const before = server.storedFiles();
    const reply = await server.sendForm(form);
    expect([reply.status, Object.keys(JSON.parse(reply.text) as object)], reply.text).toEqual([status, ['error']]);
    await leavesNothing(before, key);
  }

  async function leavesNothing(before: readonly string[], key?: string): Promise<void> {
    await expect.poll(() => server.incomingFiles()).toEqual([]);
    expect(server.storedFiles()).toEqual(before);
    if (key) {
      const { status, bytes } = await server.get(`/direct_upload/${key}`);
      expect([status, bytes.length]).toEqual([404, 0]);
    }
  }

  /** Sends raw bytes, optionally ends the connection, and returns the response. */
  function sent(head: string, body: string | Buffer, ends = true): Promise<string> {
    return new Promise((resolve) => {
      let reply = '';
      const socket = connect(server.port, '127.0.0.1', () => {
        socket.write(`POST /direct_upload HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${head}\r\n\r\n`);
        socket.write(body);
        if (ends) setTimeout(() => socket.destroy(), 300);
      });
      socket.setEncoding('latin1').on('data', (text: string) => {
        reply += text;
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(reply));
    });
  }
  const raw = (body: string, type = 'multipart/form-data; boundary=XX') =>
    fetch(`${server.base}/direct_upload`, { method: 'POST', headers: { 'content-type': type }, body });

  it.each([
    ['a PNG with the name of a JPEG', () => picture(64, 48, 'png')],
    ['a GIF', () => picture(64, 48, 'gif')],
    ['an SVG with a script', async () => scriptedSvg],
    ['a page', async () => Buffer.from('<script>alert(1)</script>')],
    ['nothing', async () => Buffer.alloc(0)],
    ['two bytes', async () => Buffer.from([0xff, 0xd8])],
    ['the first bytes of a JPEG', async () => good.subarray(0, 20)],
    ['the head of a JPEG', async () => good.subarray(0, 300)],
    ['a twentieth of a JPEG', async () => (await picture(1200, 900)).subarray(0, 10_000)],
    ['a decompression bomb as PNG', () => bombPng(50_000, 50_000)],
  ])('may not be %s: 415', async (_name, make) => {
    const { key, signature } = await server.uploadPermission(own);
    await refused(
      415,
      [
        ['key', key],
        ['signature', signature],
        ['file', await make()],
      ],
      key,
    );
    // The key is still valid.
    expect(
      (
        await server.sendForm([
          ['key', key],
          ['file', good],
        ])
      ).status,
    ).toBe(200);
  });

  it('may not be a decompression bomb: 413', async () => {
    const { key } = await server.uploadPermission(own);
    await refused(
      413,
      [
        ['key', key],
        ['file', await bombJpeg(50_000, 50_000)],
      ],
      key,
    );
    await refused(
      413,
      [
        ['key', key],
        ['file', await bombJpeg(10_000, 5_001)],
      ],
      key,
    );
    await refused(
      413,
      [
        ['key', key],
        ['file', await bombJpeg(30_001, 2)],
      ],
      key,
    );
    expect(
      (
        await server.sendForm([
          ['key', key],
          ['file', await bombJpeg(10_000, 5_000)],
        ])
      ).status,
    ).toBe(200);
  });

  it('may have at most 7 MiB: 413', async () => {
    const { key, signature } = await server.uploadPermission(own);
    const padded = (length: number) => Buffer.concat([good, Buffer.alloc(length - good.length)]);
    await refused(
      413,
      [
        ['key', key],
        ['signature', signature],
        ['file', padded(7 * mebibyte + 1)],
      ],
      key,
    );
    await refused(
      413,
      [
        ['key', key],
        ['file', padded(20 * mebibyte)],
      ],
      key,
    );
    expect(
      (
        await server.sendForm([
          ['key', key],
          ['file', padded(7 * mebibyte)],
        ])
      ).status,
    ).toBe(200);
    expect((await server.get(`/direct_upload/${key}`)).bytes.length).toBe(7 * mebibyte);
  });

  it('get a response if 20 MB are sent in one write', async () => {
    const { key } = await server.uploadPermission(own);
    const head = `--XX\r\nContent-Disposition: form-data; name="key"\r\n\r\n${key}\r\n--XX\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n`;
    const body = Buffer.concat([Buffer.from(head), Buffer.alloc(20_000_000), Buffer.from('\r\n--XX--\r\n')]);
    const before = server.storedFiles();
    const type = 'content-type: multipart/form-data; boundary=XX';
    expect(await sent(`${type}\r\ncontent-length: ${body.length}`, body, false)).toMatch(/^HTTP\/1\.1 413 /);
    await leavesNothing(before, key);
  });

  it('need an issued key, which is checked before the file: 401', async () => {
    const { key, signature } = await server.uploadPermission(own);
    const other = await server.uploadPermission(foreign);
    const fresh = 'temp/00000000-0000-4000-8000-000000000000.jpg';
    for (const wrong of [
      fresh,
      `../${key}`,
      `../../${key}`,
      `/${key}`,
      `${key}/../../x.jpg`,
      key.replace('temp/', ''),
      key.replace('temp/', 'temp/../'),
      key.replace('.jpg', '.png'),
      key.toUpperCase(),
      `${key}\0`,
      'temp/passwd',
      '/etc/passwd',
      'temp/..',
    ]) {
      await refused(
        401,
        [
          ['key', wrong],
          ['signature', signature],
          ['file', good],
        ],
        key,
      );
      await refused(
        401,
        [
          ['file', Buffer.from('no picture')],
          ['key', wrong],
        ],
        key,
      );
    }
    for (const wrong of ['', 'nonsense', 'N/A', other.signature, `${signature}x`, signature.slice(1)])
      await refused(
        401,
        [
          ['key', key],
          ['signature', wrong],
          ['file', good],
        ],
        key,
      );
    await refused(
      401,
      [
        ['key', key],
        ['file', good],
        ['signature', 'nonsense'],
      ],
      key,
    );
    await refused(401, [
      ['file', Buffer.alloc(7 * mebibyte + 20_000)],
      ['key', fresh],
    ]);
  });

  it('need the key before the file, of which no byte is received without it: 401', async () => {
    const { key } = await server.uploadPermission(own);
    await refused(401, [['file', good]], key);
    await refused(
      401,
      [
        ['key', ''],
        ['file', good],
      ],
      key,
    );
    await refused(
      401,
      [
        ['file', good],
        ['key', key],
      ],
      key,
    );
    const before = server.storedFiles();
    const head = 'content-type: multipart/form-data; boundary=XX\r\ncontent-length: 5000000';
    const file = Buffer.concat([
      Buffer.from('--XX\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n'),
      good,
    ]);
    const unknown = Buffer.from('--XX\r\nContent-Disposition: form-data; name="key"\r\n\r\ntemp/none.jpg\r\n');
    // Neither ends its body.
    const responses = [sent(head, file, false), sent(head, Buffer.concat([unknown, file]), false)];
    for (let i = 0; i < 15; i++) {
      await sleep(20);
      expect(server.incomingFiles()).toEqual([]);
    }
    for (const reply of await Promise.all(responses)) expect(reply).toMatch(/^HTTP\/1\.1 401 /);
    expect(server.storedFiles()).toEqual(before);
  });

  it('need a file: 400', async () => {
    const { key } = await server.uploadPermission(own);
    await refused(400, [['key', key]], key);
    await refused(
      400,
      [
        ['key', key],
        ['file', 'text'],
      ],
      key,
    );
    await refused(
      400,
      [
        ['key', key],
        ['photo', good],
      ],
      key,
    );
    await refused(
      400,
      [
        ['key', key],
        ['file', good],
        ['file', good],
      ],
      key,
    );
    await refused(
      400,
      [
        ['key', key],
        ['policy', 'x'.repeat(2001)],
        ['file', good],
      ],
      key,
    );
    const many = Array.from({ length: 30 }, (_, i) => [`field ${i}`, 'x'] as const);
    await refused(400, [['key', key], ...many, ['file', good]], key);
  });

  it('need a form: 400', async () => {
    const { key } = await server.uploadPermission(own);
    const part = `--XX\r\nContent-Disposition: form-data; name="key"\r\n\r\n${key}\r\n`;
    const file = '--XX\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n';
    const before = server.storedFiles();
    for (const [body, type] of [
      ['', undefined],
      ['{}', 'application/json'],
      ['key=x&file=y', 'application/x-www-form-urlencoded'],
      [part, 'multipart/form-data'],
      [part, 'multipart/form-data; boundary='],
      [part, 'multipart/mixed; boundary=XX'],
      ['', 'multipart/form-data; boundary=XX'],
      ['no form', undefined],
      // Without the final boundary.
      [part, undefined],
      [`${part}${file}${good.toString('latin1')}`, undefined],
      [`${part}--XX\r\nContent-Disposition: form-data; name="acl"`, undefined],
      [`${part}--XX\r\n${'X-Long: x\r\n'.repeat(5000)}`, undefined],
    ] as const) {
      const reply = await raw(body, type);
      const text = await reply.text();
      expect([reply.status, Object.keys(JSON.parse(text) as object)], `${type} ${body.slice(0, 80)}: ${text}`).toEqual([
        400,
        ['error'],
      ]);
    }
    await leavesNothing(before, key);
  });

  it('leave no file if they are aborted or do not end', async () => {
    const { key } = await server.uploadPermission(own);
    const before = server.storedFiles();
    const head = `--XX\r\nContent-Disposition: form-data; name="key"\r\n\r\n${key}\r\n--XX\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n`;
    const type = 'content-type: multipart/form-data; boundary=XX';
    await sent(`${type}\r\ncontent-length: 100000`, head);
    await sent(`${type}\r\ncontent-length: 100000`, Buffer.concat([Buffer.from(head), good]));
    await sent(`${type}\r\ntransfer-encoding: chunked`, `${head.length.toString(16)}\r\n${head}\r\n`);
    await sent(`${type}\r\ncontent-length: 5`, '--XX\r');
    await leavesNothing(before, key);
    expect(
      (
        await server.sendForm([
          ['key', key],
          ['file', good],
        ])
      ).status,
    ).toBe(200);
  });

  it('cannot be read under other names', async () => {
    for (const path of [
      'temp/00000000-0000-4000-8000-000000000000.jpg',
      'temp/x.jpg',
      'temp/..%2f..%2fdatabase.sqlite',
      'temp/%2e%2e',
      'temp/',
      '',
    ]) {
      const { status } = await server.get(`/direct_upload/${path}`);
      expect(status, path).toBe(404);
    }
  });
});

describe('sources of photos', () => {
  let server: PhotoServer;
  let own: Account;
  let elsewhere: Server;
  let outside: string;
  const requested: string[] = [];

  beforeAll(async () => {
    const good = await picture(64, 48);
    elsewhere = createServer((request, response) => {
      requested.push(request.url ?? '');
      const [, what] = request.url?.split('/') ?? [];
      if (what === 'good') response.end(good);
      else if (what === 'away') response.writeHead(302, { location: '/good' }).end();
      else if (what === 'round') response.writeHead(302, { location: request.url ?? '' }).end();
      else if (what === 'svg') response.writeHead(200, { 'content-type': 'image/jpeg' }).end(scriptedSvg);
      else if (what === 'bomb') bombPng(50_000, 50_000).then((bytes) => response.end(bytes));
      else if (what === 'half') response.end(good.subarray(0, 500));
      else if (what === 'head') response.end(good.subarray(0, 300));
      else if (what === 'large') response.end(Buffer.concat([good, Buffer.alloc(7 * mebibyte)]));
      else if (what === 'cut') {
        response.writeHead(200, { 'content-length': 100_000 }).write(good);
        setTimeout(() => response.destroy(), 50);
      } else response.writeHead(what === 'broken' ? 500 : 404).end(good);
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    outside = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  });
  afterAll(() => elsewhere.close());

  /** Creates images of these URLs, runs their jobs, and returns the number of photos. */
  async function photosOf(urls: readonly string[]): Promise<number> {
    const images = [];
    for (const url of urls) images.push(await server.createImage(own, url));
    await server.app.runJobs();
    let count = 0;
    for (const { id } of images) {
      const image = await server.getImage(own, id);
      if (image.attachment_processed_at !== null && !image.attachment_url.includes('placeholder')) count++;
      else expect(image.attachment_url).toMatch(/placeholder_farmbot\.jpg\?text=(Unavailable|Processing\.\.\.)$/);
    }
    return count;
  }

  describe('without access to private networks', () => {
    beforeAll(async () => {
      server = await startPhotoServer('sqlite');
      own = await server.signUp();
    });
    afterAll(() => server.close());

    it('stay unprocessed if unreachable, private or no HTTP URL', async () => {
      requested.length = 0;
      const urls = [
        `${outside}/good`,
        outside.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
        outside.replace('127.0.0.1', '0.0.0.0'),
        outside.replace('127.0.0.1', '2130706433'),
        outside.replace('127.0.0.1', 'localhost'),
        'http://169.254.169.254/latest/meta-data',
        'http://10.0.0.1/x.jpg',
        'http://[::1]/x.jpg',
        `${server.base}/direct_upload/temp/00000000-0000-4000-8000-000000000000.jpg`,
        `${server.base}/photos/1/${'0'.repeat(32)}.jpg`,
        'file:///etc/passwd',
        '/etc/passwd',
        'ftp://127.0.0.1/x.jpg',
        'data:image/png;base64,AAAA',
        'javascript:alert(1)',
        'no address at all',
        'http://',
        'http://x.invalid/x.jpg',
      ];
      expect(await photosOf(urls)).toBe(0);
      expect(requested).toEqual([]);
      expect(server.storedFiles()).toEqual([]);
    });

    it('must be non-empty strings, with valid meta', async () => {
      const before = (await server.call('GET', '/api/images', { token: own.token })).text;
      const url = 'http://x.invalid/x.jpg';
      for (const [body, keys] of [
        [{}, ['attachment_url']],
        [{ attachment_url: null }, ['attachment_url']],
        [{ attachment_url: ' ' }, ['attachment_url']],
        [{ attachment_url: [url] }, ['attachment_url']],
        [{ attachment_url: `${url}?${'x'.repeat(10_000)}` }, ['error']],
        [{ attachment_url: url, meta: 5 }, ['meta']],
        [{ attachment_url: url, meta: [] }, ['meta']],
        [{ attachment_url: url, meta: { x: 'left', y: {}, name: [] } }, ['meta']],
        [{ attachment_url: url, meta: { more: 'x'.repeat(10_000) } }, ['error']],
      ] as const) {
        const reply = await server.call('POST', '/api/images', { token: own.token, body });
        expect([reply.status, Object.keys(reply.json)], reply.text).toEqual([422, keys]);
      }
      const { json } = await server.call('POST', '/api/images', {
        token: own.token,
        body: { attachment_url: url, meta: { x: 'left', y: {}, name: [] } },
      });
      expect(Object.keys(json.meta)).toEqual(['x', 'y', 'name']);
      expect((await server.call('GET', '/api/images', { token: own.token })).text).toBe(before);
    });
  });

  describe('with access to private networks', () => {
    beforeAll(async () => {
      server = await startPhotoServer('sqlite', { FETCH_PRIVATE_ADDRESSES: 'on' });
      own = await server.signUp();
    });
    afterAll(() => server.close());

    it('are fetched, also through a redirect or truncated', async () => {
      expect(await photosOf([`${outside}/good`, `${outside}/away`, `${outside}/half`])).toBe(3);
    });

    it.each([
      ['svg', 'It is not a JPEG, PNG, GIF or WebP.', true],
      ['head', 'Too little of the JPEG is there to be shown.', true],
      ['large', 'It is larger than 7 MiB.', false],
      ['none', 'Its address returned status 404.', false],
    ])('say in a log and in the picture that they cannot be had: %s', async (what, reason, isReceived) => {
      const owner = await server.signUp();
      const { id } = await server.createImage(owner, `${outside}/${what}`);
      await server.app.runJobs();
      const image = await server.getImage(owner, id);
      expect(image.attachment_url).toBe(`${server.base}/placeholder_farmbot.jpg?text=Unavailable`);
      expect(image.attachment_processed_at !== null).toBe(isReceived);
      const pictures = [image.attachment_url, '/placeholder_farmbot.jpg?text=Processing...'].map((url) =>
        server.get(url),
      );
      const [unavailable, pending] = await Promise.all(pictures);
      expect([unavailable?.status, pending?.status]).toEqual([200, 200]);
      expect(unavailable?.bytes.equals(pending?.bytes ?? Buffer.alloc(0))).toBe(false);
      const logs = await server.call('GET', '/api/logs', { token: owner.token });
      expect(logs.json).toMatchObject([{ message: `A photo is missing. ${reason}`, type: 'warn' }]);
    });

    it('get no picture if there is no picture or an unsupported one', async () => {
      const before = server.storedFiles();
      const kinds = ['svg', 'bomb', 'head', 'large', 'cut', 'none', 'broken', 'round'];
      expect(await photosOf(kinds.map((kind) => `${outside}/${kind}`))).toBe(0);
      expect(server.storedFiles()).toEqual(before);
      expect(server.incomingFiles()).toEqual([]);
    });
  });
});
