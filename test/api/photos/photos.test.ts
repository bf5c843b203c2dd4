import { connect } from 'node:net';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { markUploaded, parseClientKey, uploads } from '../../../src/photos/uploads.ts';
import type { Account } from '../../support/app.ts';
import { suitePhotoPlace } from '../../support/bucket.ts';
import { describeEngines } from '../../support/engines.ts';
import type { PhotoServer } from '../../support/photo-server.ts';
import { startPhotoServer } from '../../support/photo-server.ts';
import { picture, rotatedPicture } from '../../support/pictures.ts';

// A photo from permission and upload to record, public files and deletion.

describeEngines('a photo', (engine) => {
  const place = suitePhotoPlace(engine);
  let server: PhotoServer;
  let own: Account;
  let other: Account;

  beforeAll(async () => {
    server = await startPhotoServer(engine, place.settings);
    own = await server.signUp();
    other = await server.signUp();
  });
  afterAll(async () => {
    await server.close();
  });

  const size = async (path: string): Promise<string> => {
    const { status, bytes } = await server.get(path);
    if (status !== 200) return String(status);
    const { width, height } = await sharp(bytes).metadata();
    return `${width}x${height}`;
  };
  const expectDeletion = (path: string) => expect.poll(async () => (await server.get(path)).status).toBe(404);

  it('can be uploaded, created, read by URL in all sizes, and deleted', async () => {
    const url = await server.upload(own, await rotatedPicture(1600, 1000));
    const created = await server.createImage(own, url, { x: 1, y: 2.5, z: null, name: '/tmp/images/1' });
    expect(created).toMatchObject({
      device_id: own.deviceId,
      attachment_processed_at: null,
      attachment_url: `${server.base}/placeholder_farmbot.jpg?text=Processing...`,
      meta: { x: 1, y: 2.5, name: '/tmp/images/1' },
    });
    expect(Object.keys(created.meta)).toEqual(['x', 'y', 'name']);
    const image = await server.waitUntilProcessed(own, created.id);
    expect(image.attachment_url).toMatch(new RegExp(`^${server.base}/photos/${own.deviceId}/[0-9a-f]{32}\\.jpg$`));
    expect(image.meta).toEqual(created.meta);
    const photo = new URL(image.attachment_url).pathname;
    expect(await size(photo)).toBe('1000x1600');
    expect(await size(`${photo}?size=x1280`)).toBe('800x1280');
    expect(await size(`${photo}?size=x640`)).toBe('400x640');
    expect(await size(`${photo}?size=x320`)).toBe('200x320');
    expect(await size(`${photo}?size=x160`)).toBe('100x160');
    expect(await size(`${photo}?size=x80`)).toBe('50x80');
    expect((await server.get(photo)).bytes.includes('Camera of the garden')).toBe(false);
  });

  it('is cached forever and readable from other origins', async () => {
    const { id } = await server.createImage(own, await server.upload(own, await picture(200, 100)));
    const { attachment_url } = await server.waitUntilProcessed(own, id);
    const response = await server.get(attachment_url, { origin: 'https://app.example' });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(response.bytes.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    });
    const etag = response.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*', ' * ']) {
      const again = await server.get(attachment_url, { 'if-none-match': known });
      expect([again.status, again.bytes.length, again.headers.get('etag')]).toEqual([304, 0, etag]);
    }
    expect((await server.get(attachment_url, { 'if-none-match': '"x"' })).status).toBe(200);
    expect((await server.get(`${attachment_url}?size=x80`, { 'if-none-match': etag })).status).toBe(200);
    const head = await fetch(attachment_url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(response.bytes.length)]);
  });

  it('has no other URLs', async () => {
    const { id } = await server.createImage(own, await server.upload(own, await picture(200, 100)));
    const { attachment_url } = await server.waitUntilProcessed(own, id);
    const path = new URL(attachment_url).pathname;
    for (const wrong of [
      `${path}?size=`,
      `${path}?size=x81`,
      `${path}?size=full`,
      `${path}?size=../x80`,
      `${path}?size=X80`,
      path.replace('.jpg', '.png'),
      path.replace('.jpg', ''),
      path.replace('.jpg', '.json'),
      path.replace(`/${own.deviceId}/`, `/${other.deviceId}/`),
      path.replace(`/${own.deviceId}/`, `/0${own.deviceId}/`),
      path.replace(`/${own.deviceId}/`, '/..%2f/'),
      `/photos/${own.deviceId}/..%2f..%2f..%2fdatabase.sqlite`,
      `/photos/${own.deviceId}/full.jpg`,
      `/photos/${own.deviceId}`,
      '/photos',
    ])
      expect((await server.get(wrong)).status, wrong).toBe(404);
    expect((await server.get(path)).status).toBe(200);
  });

  it('has a URL on the host of the request', async () => {
    const { id } = await server.createImage(own, await server.upload(own, await picture(20, 10)), {
      attachment_url: 'http://decoy.example/x',
    });
    await server.waitUntilProcessed(own, id);
    const requested = (path: string) =>
      server.call('GET', path, { token: own.token, headers: { host: 'potager.local:8080' } });
    const { json } = await requested(`/api/images/${id}`);
    expect(json.attachment_url).toMatch(/^http:\/\/potager\.local:8080\/photos\//);
    expect(json.meta).toEqual({ attachment_url: 'http://decoy.example/x' });
    const list = (await requested('/api/images')).json as (typeof json)[];
    expect(list.map(({ attachment_url }) => new URL(attachment_url).host)).toEqual(
      list.map(() => 'potager.local:8080'),
    );
    expect(list[0]).toEqual(json);
  });

  it('may be created twice from one upload, with separate files', async () => {
    const url = await server.upload(own, await picture(200, 100));
    const one = await server.waitUntilProcessed(own, (await server.createImage(own, url)).id);
    const two = await server.waitUntilProcessed(own, (await server.createImage(own, url)).id);
    expect(two.attachment_url).not.toBe(one.attachment_url);
    for (let twice = 0; twice < 2; twice++) {
      const response = await server.call('DELETE', `/api/images/${one.id}`, { token: own.token });
      expect([
        [200, ''],
        [404, response.text],
      ]).toContainEqual([response.status, response.text]);
    }
    await expectDeletion(one.attachment_url);
    await expectDeletion(`${one.attachment_url}?size=x80`);
    // The record is deleted before its files.
    expect((await server.call('GET', `/api/images/${one.id}`, { token: own.token })).status).toBe(404);
    expect(await size(two.attachment_url)).toBe('200x100');
    expect(await size(`${two.attachment_url}?size=x80`)).toBe('80x40');
    // The upload can still be read and used.
    expect(await size(url)).toBe('200x100');
    const three = await server.waitUntilProcessed(own, (await server.createImage(own, url)).id);
    expect(await size(three.attachment_url)).toBe('200x100');
  });

  it('may be created from the URL of a stored photo', async () => {
    const one = await server.waitUntilProcessed(
      own,
      (await server.createImage(own, await server.upload(own, await picture(90, 30)))).id,
    );
    // The host is not contacted.
    const url = one.attachment_url.replace(server.base, 'https://photos.invalid');
    const two = await server.waitUntilProcessed(other, (await server.createImage(other, url)).id);
    expect(two.attachment_url).toContain(`/photos/${other.deviceId}/`);
    expect(await size(two.attachment_url)).toBe('90x30');
  });

  it('is not fetched over HTTP if it was uploaded, whatever its host', async () => {
    const url = await server.upload(own, await picture(40, 30));
    const { pathname } = new URL(url);
    for (const host of ['https://my.farm.invalid', 'http://10.255.255.1:81', 'http://u:p@localhost:1']) {
      const { id } = await server.createImage(own, `${host}${pathname}`);
      expect(await size((await server.waitUntilProcessed(own, id)).attachment_url)).toBe('40x30');
    }
  });

  it('may be uploaded as robots do, in many chunks without a length', async () => {
    const { key, signature } = await server.uploadPermission(own);
    const bytes = await picture(640, 480);
    const response = await asRobot(server.port, { key, signature, bytes });
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
    const { id } = await server.createImage(own, `${server.base}/direct_upload/${key}`, {
      x: 1.5,
      y: 2,
      z: -1,
      name: 'x',
    });
    const image = await server.waitUntilProcessed(own, id);
    expect((await server.get(image.attachment_url)).bytes.equals(bytes)).toBe(true);
    expect((await server.get(`/direct_upload/${key}`)).bytes.equals(bytes)).toBe(true);
  });

  it('may be uploaded again with the same key, replacing the file', async () => {
    const { key, signature } = await server.uploadPermission(own);
    for (const width of [30, 60]) {
      const form = [
        ['key', key],
        ['signature', signature],
        ['file', await picture(width, 20)],
      ] as const;
      expect(await server.sendForm(form)).toEqual({ status: 200, text: '' });
      expect(await size(`/direct_upload/${key}`)).toBe(`${width}x20`);
    }
    const { headers } = await server.get(`/direct_upload/${key}`);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-disposition': 'inline',
      'x-content-type-options': 'nosniff',
    });
  });

  it('may not be uploaded again with the key of a photo that is created', async () => {
    const { key, signature } = await server.uploadPermission(own);
    const formOf = async (width: number) =>
      [
        ['key', key],
        ['signature', signature],
        ['file', await picture(width, 20)],
      ] as const;
    expect((await server.sendForm(await formOf(30))).status).toBe(200);
    const image = await server.createImage(own, `${server.base}/direct_upload/${key}`);
    await server.waitUntilProcessed(own, image.id);
    const again = await server.sendForm(await formOf(60));
    expect([again.status, JSON.parse(again.text)]).toEqual([
      401,
      { error: expect.stringMatching(/its photo has been created/) },
    ]);
    expect(await size(`/direct_upload/${key}`)).toBe('30x20');
    // Nor if the photo is created while the file is received.
    const row = await server.app.server().first(uploads, { where: { key: parseClientKey(key) ?? '' } });
    if (!row) throw new Error('the upload is not there');
    await expect(server.app.server().transaction((scope) => markUploaded(scope, row, 1))).rejects.toThrow(
      /photo has been created/,
    );
    expect((await server.app.server().rows(uploads, { where: { id: row.id } }))[0]?.uploaded_at).toBeNull();
  });

  it('is processed when twenty are created concurrently', async () => {
    const bytes = await picture(800, 600);
    const images = await Promise.all(
      Array.from({ length: 20 }, async () => server.createImage(other, await server.upload(other, bytes))),
    );
    const done = await Promise.all(images.map(({ id }) => server.waitUntilProcessed(other, id)));
    expect(new Set(done.map(({ attachment_url }) => attachment_url)).size).toBe(20);
    for (const { attachment_url } of done) expect(await size(`${attachment_url}?size=x320`)).toBe('320x240');
  });
});

/** Sends an upload as a robot does: each header line and each piece of the file is a chunk. [rule F8] */
function asRobot(
  port: number,
  { key, signature, bytes }: { key: string; signature: string; bytes: Buffer },
): Promise<string> {
  const boundary = 'aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW';
  const fields = {
    key,
    acl: 'public-read',
    policy: 'N/A',
    signature,
    'Content-Type': 'image/jpeg',
    GoogleAccessId: 'N/A',
  };
  const pieces: (string | Buffer)[] = [];
  for (const [name, value] of Object.entries(fields))
    pieces.push(`--${boundary}\r\n`, `content-disposition: form-data; name="${name}"\r\n`, '\r\n', value, '\r\n');
  pieces.push(
    `--${boundary}\r\n`,
    'Content-Type: image/jpeg\r\n',
    'content-disposition: form-data; name="file"; filename="/tmp/images/1700000000.jpg"\r\n',
    '\r\n',
  );
  for (let i = 0; i < bytes.length; i += 4096) pieces.push(bytes.subarray(i, i + 4096));
  pieces.push(`\r\n--${boundary}--\r\n`);
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(
        `POST /direct_upload/ HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nuser-agent: FARMBOTOS/15.4.6 (rpi3) rpi3 ()\r\n` +
          `content-type: multipart/form-data; boundary=${boundary}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n`,
      );
      for (const piece of pieces) {
        socket.write(`${Buffer.byteLength(piece).toString(16)}\r\n`);
        socket.write(piece);
        socket.write('\r\n');
      }
      socket.write('0\r\n\r\n');
    });
    let response = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      response += text;
    });
    socket.on('close', () => resolve(response));
    socket.on('error', reject);
  });
}
