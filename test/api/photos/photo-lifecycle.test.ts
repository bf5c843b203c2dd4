import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Event } from '../../../src/core/events.ts';
import { jobs } from '../../../src/jobs/job-rows.ts';
import { JobQueue } from '../../../src/jobs/queue.ts';
import { images } from '../../../src/photos/images.ts';
import { createPhoto, discardPreparedPhoto, openPhoto, preparePhoto } from '../../../src/photos/photo-records.ts';
import { schedulePhotoFileDeletion } from '../../../src/photos/photo-removal.ts';
import { openPhotoStorage } from '../../../src/photos/storage-selection.ts';
import { uploads } from '../../../src/photos/uploads.ts';
import type { Account } from '../../support/app.ts';
import { password } from '../../support/app.ts';
import { suitePhotoPlace } from '../../support/bucket.ts';
import { describeEngines } from '../../support/engines.ts';
import type { Image, PhotoServer } from '../../support/photo-server.ts';
import { startPhotoServer } from '../../support/photo-server.ts';
import { picture } from '../../support/pictures.ts';

// The life cycle of photos: announcements, deletion, cleanup, retries.

const hour = 3600_000;
const day = 24 * hour;

describeEngines('photos over time', (engine) => {
  const place = suitePhotoPlace(engine);
  const clock = { time: 0, now: () => clock.time };
  let server: PhotoServer;
  let own: Account;

  const start = async (environment: Record<string, string> = {}) => {
    server = await startPhotoServer(engine, environment, clock);
    own = await server.signUp();
  };
  beforeEach(() => {
    clock.time = Date.now();
  });
  afterEach(() => server.close());

  const photo = async (account = own, bytes?: Buffer): Promise<Image> => {
    const url = await server.upload(account, bytes ?? (await picture(100, 50)));
    return server.waitUntilProcessed(account, (await server.createImage(account, url)).id);
  };
  const device = (account = own) => server.app.server().device(account.deviceId);
  const count = () => device().count(images);
  const isThere = async (path: string) => (await server.get(path)).status === 200;
  /** The path of the file of an upload. */
  const rawFile = (url: string) => `${own.deviceId}/uploads/${url.split('/').at(-1)}`;
  const rawFiles = () => server.storedFiles().filter((path) => path.includes('/uploads/'));
  const storedUploads = async () => {
    const { storage: stored } = await openPhotoStorage(server.settings.DATA_DIR, server.settings.STORAGE_URL, {
      ...console,
      debug: () => {},
    });
    const paths: string[] = [];
    for await (const { path } of stored.list()) if (path.startsWith(`${own.deviceId}/uploads/`)) paths.push(path);
    stored.close();
    return paths;
  };
  /** Waits until all jobs are done. */
  const jobsDone = async () => {
    const left = async () => {
      await server.app.runJobs();
      return server.app.server().rows(jobs);
    };
    await expect.poll(left).toEqual([]);
  };

  it('are announced when created, processed and deleted', async () => {
    await start();
    const announced: Event[] = [];
    await server.app.attach((event) => {
      if (event.resource === 'Image') announced.push(event);
    });
    const url = await server.upload(own, await picture(30, 20));
    const created = await server.call('POST', '/api/images', {
      token: own.token,
      body: { attachment_url: url, meta: { x: 1 } },
      headers: { host: 'potager.local:3001', 'x-farmbot-rpc-id': 'label' },
    });
    const { id } = created.json as Image;
    await server.waitUntilProcessed(own, id);
    await server.call('DELETE', `/api/images/${id}`, { token: own.token });
    await jobsDone();
    await expect.poll(() => announced.length).toBeGreaterThanOrEqual(3);
    const [first, second, third, ...more] = announced;
    expect(more).toEqual([]);
    expect(first).toMatchObject({ recordId: id, label: 'label', body: created.text });
    expect(created.json.attachment_url).toBe('http://potager.local:3001/placeholder_farmbot.jpg?text=Processing...');
    // The job uses the URL under which the creator reached the server.
    expect(second).toMatchObject({ recordId: id, label: 'NONE' });
    const { attachment_url, ...body } = JSON.parse(second?.body ?? '{}') as Image;
    expect(attachment_url).toMatch(
      new RegExp(`^http://potager\\.local:3001/photos/${own.deviceId}/[0-9a-f]{32}\\.jpg$`),
    );
    expect(body).toMatchObject({ id, meta: { x: 1 }, device_id: own.deviceId });
    expect(third).toMatchObject({ recordId: id, label: 'NONE', body: null });
  });

  it('use PUBLIC_URL where it is set', async () => {
    await start({ PUBLIC_URL: 'https://garden.example' });
    const { json } = await server.call('GET', '/api/storage_auth', { token: own.token, headers: { host: 'x:1' } });
    expect(json.url).toBe('//garden.example:443/direct_upload/');
    const { id } = await server.createImage(
      own,
      `https:${await server.upload(own, await picture(30, 20)).then((url) => url.slice(5))}`,
    );
    expect((await server.waitUntilProcessed(own, id)).attachment_url).toMatch(/^https:\/\/garden\.example\/photos\//);
  });

  it('are listed newest first up to the limit of the device, and all readable by id', async () => {
    await start();
    const ids: number[] = [];
    for (let i = 0; i < 5; i++) {
      ids.push((await server.createImage(own, `http://x.invalid/${i}.jpg`)).id);
      clock.time += 1000;
    }
    const list = async () =>
      ((await server.call('GET', '/api/images', { token: own.token })).json as Image[]).map(({ id }) => id);
    expect(await list()).toEqual(ids.toReversed());
    await (await server.app.operations.devices()).setLimits(own.email, { photos: 2 });
    expect(await list()).toEqual(ids.slice(3).reverse());
    expect((await server.getImage(own, ids[0] ?? 0)).id).toBe(ids[0]);
  });

  it('have upload keys for an hour', async () => {
    await start();
    const { key, signature } = await server.uploadPermission(own);
    const bytes = await picture(30, 20);
    clock.time += hour - 1;
    expect(
      (
        await server.sendForm([
          ['key', key],
          ['signature', signature],
          ['file', bytes],
        ])
      ).status,
    ).toBe(200);
    clock.time += 1;
    expect(
      (
        await server.sendForm([
          ['key', key],
          ['signature', signature],
          ['file', bytes],
        ])
      ).status,
    ).toBe(401);
    // An upload can be used after its key expired.
    const { id } = await server.createImage(own, `http://x/direct_upload/${key}`);
    await server.waitUntilProcessed(own, id);
    // Unused expired keys are deleted when the next one is issued.
    await server.uploadPermission(own);
    clock.time += 2 * hour;
    await server.uploadPermission(own);
    expect(await device().count(uploads)).toBe(2);
  });

  it('may be created a week after the upload', async () => {
    await start();
    const named = await server.upload(own, await picture(30, 20));
    const late = await server.upload(own, await picture(40, 20));
    const never = await server.upload(own, await picture(50, 20));
    const { id } = await server.createImage(own, named);
    await server.waitUntilProcessed(own, id);
    clock.time += 7 * day - hour;
    await server.waitUntilProcessed(own, (await server.createImage(own, late)).id);
    await jobsDone();
    expect(rawFiles()).toEqual([rawFile(never)]);
    expect(await Promise.all([named, late, never].map(isThere))).toEqual([true, true, true]);
    clock.time += 7 * hour;
    await jobsDone();
    expect(await Promise.all([named, late, never].map(isThere))).toEqual([true, true, false]);
    expect(rawFiles()).toEqual([]);
    await server.call('DELETE', `/api/images/${id}`, { token: own.token });
    await jobsDone();
    expect(await Promise.all([named, late, never].map(isThere))).toEqual([false, true, false]);
    clock.time += 7 * day + 7 * hour;
    await jobsDone();
    expect(await device().count(uploads)).toBe(1);
  });

  it('have no metadata at any address once they are processed', async () => {
    await start(place.settings);
    const exif = { IFD0: { ImageDescription: 'secret place' } };
    const raw = await sharp(await picture(60, 40))
      .withExif(exif)
      .jpeg()
      .toBuffer();
    const url = await server.upload(own, raw);
    expect((await server.get(url)).bytes.includes('secret place')).toBe(true);
    const [one, two] = await Promise.all([server.createImage(own, url), server.createImage(own, url)]);
    await jobsDone();
    const created = await Promise.all([one, two].map(({ id }) => server.waitUntilProcessed(own, id)));
    const addresses = [url, ...created.map(({ attachment_url }) => attachment_url)];
    const responses = await Promise.all(addresses.map((address) => server.get(address)));
    for (const { status, headers, bytes } of responses) {
      expect([status, headers.get('content-type')]).toEqual([200, 'image/jpeg']);
      expect(bytes.includes('secret place')).toBe(false);
      expect(await sharp(bytes).metadata()).toMatchObject({ width: 60, height: 40 });
    }
    expect(await server.app.server().rows(uploads)).toMatchObject([{ uploaded_at: null }]);
    expect(await storedUploads()).toEqual([]);

    // A robot that received no response creates the image again.
    const again = await server.waitUntilProcessed(own, (await server.createImage(own, url)).id);
    for (const { id } of [one, two]) await server.call('DELETE', `/api/images/${id}`, { token: own.token });
    await jobsDone();
    expect(await Promise.all([url, again.attachment_url].map(isThere))).toEqual([true, true]);
  });

  it('keep the upload until the last image that needs it has its photo', async () => {
    await start();
    const url = await server.upload(own, await picture(30, 20));
    const key = rawFile(url).slice(-40, -4);
    const named = { attachment_url: url, origin: server.base, meta: {}, upload_key: key };
    const waiting = await device().insert(images, { ...named, photo_key: 'c'.repeat(32) });
    const { id } = await server.createImage(own, url);
    await server.waitUntilProcessed(own, id);
    await server.call('DELETE', `/api/images/${id}`, { token: own.token });
    clock.time += 8 * day;
    await jobsDone();
    expect(rawFiles()).toEqual([rawFile(url)]);
    await server.call('DELETE', `/api/images/${waiting.id}`, { token: own.token });
    await jobsDone();
    expect(rawFiles()).toEqual([]);
  });

  it('have the upload deleted later if a version before 0.2.0 kept it, or a process ended before that', async () => {
    await start();
    const kept = await server.upload(own, await picture(30, 20));
    const left = await server.upload(own, await picture(30, 20));
    await server.waitUntilProcessed(own, (await server.createImage(own, kept)).id);
    await jobsDone();
    const time = new Date(clock.time).toISOString();
    const root = join(server.settings.DATA_DIR, 'photos');
    await writeFile(join(root, rawFile(kept)), 'raw');
    await device().update(uploads, { uploaded_at: time, updated_at: time }, {});
    await device().update(uploads, { uploaded_at: null }, { where: { key: rawFile(left).slice(-40, -4) } });
    clock.time += 2 * day;
    await jobsDone();
    expect(rawFiles()).toEqual([rawFile(kept)]);
    clock.time += 6 * day;
    await jobsDone();
    expect(rawFiles()).toEqual([]);
  });

  it('have their orphaned files deleted, except recent ones', async () => {
    await start();
    const { attachment_url } = await photo();
    // The upload is deleted after the photo was created.
    await jobsDone();
    const root = join(server.settings.DATA_DIR, 'photos');
    const key = 'ab'.repeat(16);
    const lost = [
      `${own.deviceId}/photos/${key}/full.jpg`,
      `${own.deviceId}/photos/${key}/x80.jpg`,
      `${own.deviceId}/uploads/01234567-89ab-4def-8123-456789abcdef.jpg`,
      `9999/photos/${key}/full.jpg`,
      'incoming/broken',
    ];
    for (const path of lost) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), 'x');
    }
    const before = server.storedFiles();
    clock.time += 23 * hour;
    await jobsDone();
    expect(server.storedFiles()).toEqual(before);
    clock.time += 2 * hour;
    await jobsDone();
    expect(server.storedFiles()).toEqual(before.filter((path) => !lost.includes(path)));
    expect(server.incomingFiles()).toEqual([]);
    expect(await isThere(attachment_url)).toBe(true);
  });

  it('that a killed process was receiving leave no files after the next start', async () => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'potager-killed-'));
    const incoming = join(DATA_DIR, 'photos', 'incoming');
    await mkdir(incoming, { recursive: true });
    const owner = `${hostname().replaceAll(/[^\w-]/g, '_')}.${spawnSync('true').pid}.0a0b0c0d.partial`;
    for (const name of ['file', 'write-probe']) {
      await writeFile(join(incoming, `${name}.${owner}`), 'half');
      await utimes(join(incoming, `${name}.${owner}`), 0, 0);
    }
    await start({ DATA_DIR });
    expect(server.incomingFiles()).toEqual([]);
    // A file that is being received is named like these.
    const { incoming: files } = await openPhotoStorage(DATA_DIR, null, console);
    const received = await files.write(Buffer.from('half'));
    expect(received.path).toMatch(new RegExp(`/file\\.[\\w-]+\\.${process.pid}\\.[0-9a-f]{8}\\.partial$`));
    await files.discard(received);
    await rm(DATA_DIR, { recursive: true });
  });

  it('can be deleted before they are processed', async () => {
    await start();
    const url = await server.upload(own, await picture(100, 50));
    const { id } = await server.createImage(own, url);
    const reply = await server.call('DELETE', `/api/images/${id}`, { token: own.token });
    expect([reply.status, reply.text]).toEqual([200, '']);
    await jobsDone();
    expect(await count()).toBe(0);
    expect(server.storedFiles().filter((path) => path.includes('/photos/'))).toEqual([]);
  });

  it('are deleted by a reset of the device, later ones are kept', async () => {
    await start();
    const old = await photo();
    const other = await server.signUp();
    const strangers = await photo(other);
    const body = { password };
    const reply = await server.call('POST', '/api/device/reset', { token: own.token, body });
    expect(reply.status, reply.text).toBe(200);
    await jobsDone();
    const fresh = await photo();
    await jobsDone();
    expect(await Promise.all([old, strangers, fresh].map((one) => isThere(one.attachment_url)))).toEqual([
      false,
      true,
      true,
    ]);
    expect(server.storedFiles().filter((path) => path.includes(`${own.deviceId}/photos/`))).toHaveLength(2);
  });

  it('are deleted by a reset with their uploads, whose keys stay usable', async () => {
    await start();
    const other = await server.signUp();
    const strangers = await server.upload(other, await picture(30, 20));
    const shared = await server.upload(own, await picture(30, 20));
    const otherImage = { attachment_url: shared, origin: server.base, meta: {}, photo_key: 'd'.repeat(32) };
    await device(other).insert(images, { ...otherImage, upload_key: rawFile(shared).slice(-40, -4) });
    const old = await server.uploadPermission(own);
    const form = (permission: typeof old, bytes: Buffer) =>
      [
        ['key', permission.key],
        ['signature', permission.signature],
        ['file', bytes],
      ] as const;
    const bytes = await picture(30, 20);
    expect((await server.sendForm(form(old, bytes))).status).toBe(200);
    const unused = await server.uploadPermission(own);
    await photo();
    await server.call('POST', '/api/device/reset', { token: own.token, body: { password } });
    await jobsDone();
    const left = server.storedFiles().filter((path) => path.startsWith(`${own.deviceId}/`));
    expect(left).toEqual([rawFile(shared)]);
    expect(await Promise.all([`http:${old.url}${old.key}`, strangers].map(isThere))).toEqual([false, true]);
    for (const permission of [old, unused]) {
      expect((await server.sendForm(form(permission, bytes))).status).toBe(200);
      await jobsDone();
      const { id } = await server.createImage(own, `http:${permission.url}${permission.key}`);
      await server.waitUntilProcessed(own, id);
    }
  });

  it('keep an upload between a reset and the deletion of its files', async () => {
    await start();
    const url = await server.upload(own, await picture(30, 20));
    await device().transaction((scope) => schedulePhotoFileDeletion(scope, new JobQueue()));
    await server.app.server().update(uploads, { uploaded_at: new Date(clock.time).toISOString() }, {});
    await jobsDone();
    expect(await isThere(url)).toBe(true);
  });

  it('are deleted with the account, uploads too', async () => {
    await start();
    const other = await server.signUp();
    const strangers = await photo(other);
    const { attachment_url } = await photo();
    await server.upload(own, await picture(30, 20));
    const reply = await server.call('DELETE', '/api/users', { token: own.token, body: { password } });
    expect(reply.status, reply.text).toBe(200);
    await jobsDone();
    expect(await isThere(attachment_url)).toBe(false);
    expect(server.storedFiles().filter((path) => path.startsWith(`${own.deviceId}/`))).toEqual([]);
    expect(await isThere(strangers.attachment_url)).toBe(true);
  });

  it('are created from bytes by other modules, and may share files', async () => {
    await start();
    const { storage } = await openPhotoStorage(server.settings.DATA_DIR, null, { ...console, debug: () => {} });
    const prepared = await preparePhoto(storage, own.deviceId, await picture(100, 50, 'png'));
    const about = { attachment_url: 'http://x.invalid/soil.png', origin: server.base, meta: { x: 1 } };
    const [one, two] = await device().transaction(async (scope) => [
      await createPhoto(scope, prepared, { ...about, created_at: '2026-01-01T00:00:00.000Z' }),
      await createPhoto(scope, prepared, { ...about, attachment_processed_at: '2026-01-02T00:00:00.000Z' }),
    ]);
    const first = await server.getImage(own, one?.id ?? 0);
    expect(first).toMatchObject({ created_at: '2026-01-01T00:00:00.000Z', meta: { x: 1 } });
    expect(first.attachment_url).toMatch(/\/photos\/\d+\/[0-9a-f]{32}\.png$/);
    expect((await server.getImage(own, two?.id ?? 0)).attachment_processed_at).toBe('2026-01-02T00:00:00.000Z');
    const opened = await openPhoto(storage, device(), one?.id ?? 0);
    expect(opened?.extension).toBe('png');
    opened?.content.destroy();
    expect(await openPhoto(storage, device(), 999_999)).toBeNull();
    for (const [image, isLeft] of [
      [one, true],
      [two, false],
    ] as const) {
      await server.call('DELETE', `/api/images/${image?.id}`, { token: own.token });
      await jobsDone();
      expect(await isThere(first.attachment_url)).toBe(isLeft);
    }
    const spare = await preparePhoto(storage, own.deviceId, await picture(20, 10));
    await discardPreparedPhoto(storage, own.deviceId, spare);
    expect(server.storedFiles()).toEqual([]);
  });

  it('are fetched twice if the host fails, with a log entry only', async () => {
    await start({ FETCH_PRIVATE_ADDRESSES: 'on' });
    const bytes = await picture(30, 20);
    const requested: string[] = [];
    const host = await listening((path) => {
      requested.push(path);
      return path === '/never' || requested.filter((one) => one === path).length === 1 ? null : bytes;
    });
    const base = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
    const [once, never] = [
      await server.createImage(own, `${base}/once`),
      await server.createImage(own, `${base}/never`),
    ];
    await server.app.runJobs();
    expect((await server.getImage(own, once.id)).attachment_processed_at).toBeNull();
    clock.time += 60_000;
    await jobsDone();
    expect((await server.getImage(own, once.id)).attachment_processed_at).not.toBeNull();
    const left = await server.getImage(own, never.id);
    expect(left).toMatchObject({ attachment_processed_at: null, meta: {} });
    expect(left.attachment_url).toContain('placeholder');
    clock.time += day;
    await jobsDone();
    expect(requested.sort()).toEqual(['/never', '/never', '/once', '/once']);
    host.close();
  });

  it('are missing when the server fails to store them, with one log entry, until it stores them later', async () => {
    await start({ FETCH_PRIVATE_ADDRESSES: 'on' });
    const bytes = await picture(30, 20);
    const folder = async () => {
      const [image] = await device().rows(images, {});
      return join(server.settings.DATA_DIR, 'photos', `${own.deviceId}`, 'photos', image?.photo_key ?? '');
    };
    let isBroken = true;
    const host = await listening(async () => {
      // No file can replace a folder with another in it.
      if (isBroken) await mkdir(join(await folder(), 'full.jpg', 'other'), { recursive: true });
      return bytes;
    });
    const { id } = await server.createImage(own, `http://127.0.0.1:${(host.address() as AddressInfo).port}/photo`);
    const failed = () => server.app.server().rows(jobs, { where: { kind: 'photo_fetch', failed_at: { not: null } } });
    const afterAttempts = async () => {
      await server.app.runJobs();
      clock.time += hour;
      return (await failed()).length;
    };
    await expect.poll(afterAttempts).toBe(1);
    expect((await server.getImage(own, id)).attachment_url).toContain('?text=Unavailable');
    const logs = await server.call('GET', '/api/logs', { token: own.token });
    expect(logs.json).toMatchObject([
      { message: 'A photo is missing. The server failed to process it.', type: 'warn' },
    ]);

    isBroken = false;
    await rm(await folder(), { recursive: true });
    await (await server.app.operations.jobs()).retry(null);
    await jobsDone();
    expect((await server.getImage(own, id)).attachment_url).toContain(`/photos/${own.deviceId}/`);
    host.close();
  });

  it('can be deleted while their files are stored', async () => {
    await start({ FETCH_PRIVATE_ADDRESSES: 'on' });
    const bytes = await picture(30, 20);
    const host = await listening(async () => {
      const [image] = await device().rows(images, {});
      // As if the deletion of the folder met a file that is being moved into it.
      const folder = join(server.settings.DATA_DIR, 'photos', `${own.deviceId}`, 'photos', image?.photo_key ?? '');
      await mkdir(join(folder, 'full.jpg'), { recursive: true });
      await device().delete(images, {});
      return bytes;
    });
    await server.createImage(own, `http://127.0.0.1:${(host.address() as AddressInfo).port}/photo`);
    await server.app.runJobs();
    expect(await server.app.server().rows(jobs)).toEqual([]);
    expect(server.storedFiles()).toEqual([]);
    host.close();
  });

  it('have a placeholder, whatever its query', async () => {
    await start();
    const [one, two] = await Promise.all(
      ['', '?text=Processing...'].map((query) => server.get(`/placeholder_farmbot.jpg${query}`)),
    );
    expect([one?.status, one?.headers.get('content-type'), one?.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'image/jpeg',
      '*',
    ]);
    expect(two?.bytes.equals(one?.bytes ?? Buffer.alloc(0))).toBe(true);
  });
});

/** A host of photos; null means status 500. */
async function listening(bytesOf: (path: string) => Buffer | null | Promise<Buffer>): Promise<Server> {
  const host = createServer(async (request, response) => {
    const bytes = await bytesOf(request.url ?? '');
    response.writeHead(bytes ? 200 : 500).end(bytes ?? '');
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  return host;
}
