import { mkdir, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Event } from '../../src/core/events.ts';
import { jobs } from '../../src/jobs/job-rows.ts';
import { JobQueue } from '../../src/jobs/queue.ts';
import { images } from '../../src/photos/images.ts';
import { createPhoto, discardPreparedPhoto, openPhoto, preparePhoto } from '../../src/photos/photo-records.ts';
import { schedulePhotoFileDeletion } from '../../src/photos/photo-removal.ts';
import { openPhotoStorage } from '../../src/photos/storage-selection.ts';
import { uploads } from '../../src/photos/uploads.ts';
import type { Account } from '../support/app.ts';
import { password } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';
import type { Image, PhotoServer } from '../support/photo-server.ts';
import { startPhotoServer } from '../support/photo-server.ts';
import { picture } from '../support/pictures.ts';

// The life cycle of photos: announcements, deletion, cleanup, retries.

const hour = 3600_000;
const day = 24 * hour;

describeEngines('photos over time', (engine) => {
  const clock = { time: 0, now: () => clock.time };
  let server: PhotoServer;
  let mine: Account;

  const start = async (environment: Record<string, string> = {}) => {
    server = await startPhotoServer(engine, environment, clock);
    mine = await server.signUp();
  };
  beforeEach(() => {
    clock.time = Date.now();
  });
  afterEach(() => server.close());

  const photo = async (account = mine, bytes?: Buffer): Promise<Image> => {
    const url = await server.upload(account, bytes ?? (await picture(100, 50)));
    return server.waitUntilProcessed(account, (await server.createImage(account, url)).id);
  };
  const device = (account = mine) => server.app.server().device(account.deviceId);
  const count = () => device().count(images);
  const isThere = async (path: string) => (await server.get(path)).status === 200;
  /** Waits until all jobs are done. */
  const jobsDone = async () => {
    for (let i = 0; i < 200; i++) {
      await server.app.runJobs();
      if ((await server.app.server().count(jobs)) === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`jobs are left: ${JSON.stringify(await server.app.server().rows(jobs))}`);
  };

  it('are announced when created, processed and deleted', async () => {
    await start();
    const announced: Event[] = [];
    await server.app.attach((event) => {
      if (event.resource === 'Image') announced.push(event);
    });
    const url = await server.upload(mine, await picture(30, 20));
    const made = await server.call('POST', '/api/images', {
      token: mine.token,
      body: { attachment_url: url, meta: { x: 1 } },
      headers: { host: 'potager.local:3001', 'x-farmbot-rpc-id': 'mine' },
    });
    const { id } = made.json as Image;
    await server.waitUntilProcessed(mine, id);
    await server.call('DELETE', `/api/images/${id}`, { token: mine.token });
    await jobsDone();
    for (let i = 0; i < 100 && announced.length < 3; i++) await new Promise((resolve) => setTimeout(resolve, 20));
    const [first, second, third, ...more] = announced;
    expect(more).toEqual([]);
    expect(first).toMatchObject({ recordId: id, label: 'mine', body: made.text });
    expect(made.json.attachment_url).toBe('http://potager.local:3001/placeholder_farmbot.jpg?text=Processing...');
    // The job uses the URL under which the creator reached the server.
    expect(second).toMatchObject({ recordId: id, label: 'NONE' });
    const { attachment_url, ...body } = JSON.parse(second?.body ?? '{}') as Image;
    expect(attachment_url).toMatch(
      new RegExp(`^http://potager\\.local:3001/photos/${mine.deviceId}/[0-9a-f]{32}\\.jpg$`),
    );
    expect(body).toMatchObject({ id, meta: { x: 1 }, device_id: mine.deviceId });
    expect(third).toMatchObject({ recordId: id, label: 'NONE', body: null });
  });

  it('use PUBLIC_URL where it is set', async () => {
    await start({ PUBLIC_URL: 'https://garden.example' });
    const { json } = await server.call('GET', '/api/storage_auth', { token: mine.token, headers: { host: 'x:1' } });
    expect(json.url).toBe('//garden.example:443/direct_upload/');
    const { id } = await server.createImage(
      mine,
      `https:${await server.upload(mine, await picture(30, 20)).then((url) => url.slice(5))}`,
    );
    expect((await server.waitUntilProcessed(mine, id)).attachment_url).toMatch(/^https:\/\/garden\.example\/photos\//);
  });

  it('are listed newest first up to the limit of the device, and all readable by id', async () => {
    await start();
    const ids: number[] = [];
    for (let i = 0; i < 5; i++) {
      ids.push((await server.createImage(mine, `http://x.invalid/${i}.jpg`)).id);
      clock.time += 1000;
    }
    const list = async () =>
      ((await server.call('GET', '/api/images', { token: mine.token })).json as Image[]).map(({ id }) => id);
    expect(await list()).toEqual(ids.toReversed());
    await (await server.app.operations.devices()).setLimits(mine.email, { photos: 2 });
    expect(await list()).toEqual(ids.slice(3).reverse());
    expect((await server.getImage(mine, ids[0] ?? 0)).id).toBe(ids[0]);
  });

  it('have upload keys for an hour', async () => {
    await start();
    const { key, signature } = await server.uploadPermission(mine);
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
    const { id } = await server.createImage(mine, `http://x/direct_upload/${key}`);
    await server.waitUntilProcessed(mine, id);
    // Unused expired keys are deleted when the next one is issued.
    await server.uploadPermission(mine);
    clock.time += 2 * hour;
    await server.uploadPermission(mine);
    expect(await device().count(uploads)).toBe(2);
  });

  it('may be created a week after the upload, which is then kept', async () => {
    await start();
    const named = await server.upload(mine, await picture(30, 20));
    const late = await server.upload(mine, await picture(40, 20));
    const never = await server.upload(mine, await picture(50, 20));
    const { id } = await server.createImage(mine, named);
    await server.waitUntilProcessed(mine, id);
    clock.time += 7 * day - hour;
    await server.waitUntilProcessed(mine, (await server.createImage(mine, late)).id);
    await jobsDone();
    expect(await Promise.all([named, late, never].map(isThere))).toEqual([true, true, true]);
    clock.time += 7 * hour;
    await jobsDone();
    expect(await Promise.all([named, late, never].map(isThere))).toEqual([true, true, false]);
    expect(server.storedFiles().filter((path) => path.includes('/uploads/'))).toHaveLength(2);
    // Without an image the upload is an orphan.
    await server.call('DELETE', `/api/images/${id}`, { token: mine.token });
    await jobsDone();
    clock.time += 7 * hour;
    await jobsDone();
    expect(await Promise.all([named, late, never].map(isThere))).toEqual([false, true, false]);
  });

  it('have their orphaned files deleted, except recent ones', async () => {
    await start();
    const { attachment_url } = await photo();
    const root = join(server.settings.DATA_DIR, 'photos');
    const key = 'ab'.repeat(16);
    const lost = [
      `${mine.deviceId}/photos/${key}/full.jpg`,
      `${mine.deviceId}/photos/${key}/x80.jpg`,
      `${mine.deviceId}/uploads/01234567-89ab-4def-8123-456789abcdef.jpg`,
      `9999/photos/${key}/full.jpg`,
      'incoming/broken',
    ];
    for (const path of lost) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), 'x');
    }
    const young = server.storedFiles();
    clock.time += 23 * hour;
    await jobsDone();
    expect(server.storedFiles()).toEqual(young);
    clock.time += 2 * hour;
    await jobsDone();
    expect(server.storedFiles()).toEqual(young.filter((path) => !lost.includes(path)));
    expect(server.incomingFiles()).toEqual([]);
    expect(await isThere(attachment_url)).toBe(true);
  });

  it('can be deleted before they are processed', async () => {
    await start();
    const url = await server.upload(mine, await picture(100, 50));
    const { id } = await server.createImage(mine, url);
    const answer = await server.call('DELETE', `/api/images/${id}`, { token: mine.token });
    expect([answer.status, answer.text]).toEqual([200, '']);
    await jobsDone();
    expect(await count()).toBe(0);
    expect(server.storedFiles().filter((path) => path.includes('/photos/'))).toEqual([]);
  });

  it('are deleted by a reset of the device, later ones are kept', async () => {
    await start();
    const old = await photo();
    const theirs = await server.signUp();
    const hers = await photo(theirs);
    const body = { password };
    const answer = await server.call('POST', '/api/device/reset', { token: mine.token, body });
    expect(answer.status, answer.text).toBe(200);
    await jobsDone();
    const fresh = await photo();
    await jobsDone();
    expect(await Promise.all([old, hers, fresh].map((one) => isThere(one.attachment_url)))).toEqual([
      false,
      true,
      true,
    ]);
    expect(server.storedFiles().filter((path) => path.includes(`${mine.deviceId}/photos/`))).toHaveLength(2);
  });

  it('are deleted by a reset with their uploads, whose keys stay usable', async () => {
    await start();
    const theirs = await server.signUp();
    const hers = await server.upload(theirs, await picture(30, 20));
    const shared = await server.upload(mine, await picture(30, 20));
    await server.createImage(theirs, shared);
    const old = await server.uploadPermission(mine);
    const form = (permission: typeof old, bytes: Buffer) =>
      [
        ['key', permission.key],
        ['signature', permission.signature],
        ['file', bytes],
      ] as const;
    const bytes = await picture(30, 20);
    expect((await server.sendForm(form(old, bytes))).status).toBe(200);
    const unused = await server.uploadPermission(mine);
    await photo();
    await server.call('POST', '/api/device/reset', { token: mine.token, body: { password } });
    await jobsDone();
    const left = server.storedFiles().filter((path) => path.startsWith(`${mine.deviceId}/`));
    expect(left).toEqual([`${mine.deviceId}/uploads/${shared.split('/').at(-1)}`]);
    expect(await Promise.all([`http:${old.url}${old.key}`, hers].map(isThere))).toEqual([false, true]);
    for (const permission of [old, unused]) {
      expect((await server.sendForm(form(permission, bytes))).status).toBe(200);
      await jobsDone();
      const { id } = await server.createImage(mine, `http:${permission.url}${permission.key}`);
      await server.waitUntilProcessed(mine, id);
    }
  });

  it('keep an upload between a reset and the deletion of its files', async () => {
    await start();
    const url = await server.upload(mine, await picture(30, 20));
    await device().transaction((scope) => schedulePhotoFileDeletion(scope, new JobQueue()));
    await server.app.server().update(uploads, { uploaded_at: new Date(clock.time).toISOString() }, {});
    await jobsDone();
    expect(await isThere(url)).toBe(true);
  });

  it('are deleted with the account, uploads too', async () => {
    await start();
    const theirs = await server.signUp();
    const hers = await photo(theirs);
    const { attachment_url } = await photo();
    await server.upload(mine, await picture(30, 20));
    const answer = await server.call('DELETE', '/api/users', { token: mine.token, body: { password } });
    expect(answer.status, answer.text).toBe(200);
    await jobsDone();
    expect(await isThere(attachment_url)).toBe(false);
    expect(server.storedFiles().filter((path) => path.startsWith(`${mine.deviceId}/`))).toEqual([]);
    expect(await isThere(hers.attachment_url)).toBe(true);
  });

  it('are created from bytes by other modules, and may share files', async () => {
    await start();
    const { storage } = await openPhotoStorage(server.settings.DATA_DIR, null, { ...console, debug: () => {} });
    const prepared = await preparePhoto(storage, mine.deviceId, await picture(100, 50, 'png'));
    const about = { attachment_url: 'http://x.invalid/soil.png', origin: server.base, meta: { x: 1 } };
    const [one, two] = await device().transaction(async (scope) => [
      await createPhoto(scope, prepared, { ...about, created_at: '2026-01-01T00:00:00.000Z' }),
      await createPhoto(scope, prepared, { ...about, attachment_processed_at: '2026-01-02T00:00:00.000Z' }),
    ]);
    const first = await server.getImage(mine, one?.id ?? 0);
    expect(first).toMatchObject({ created_at: '2026-01-01T00:00:00.000Z', meta: { x: 1 } });
    expect(first.attachment_url).toMatch(/\/photos\/\d+\/[0-9a-f]{32}\.png$/);
    expect((await server.getImage(mine, two?.id ?? 0)).attachment_processed_at).toBe('2026-01-02T00:00:00.000Z');
    const opened = await openPhoto(storage, device(), one?.id ?? 0);
    expect(opened?.extension).toBe('png');
    opened?.content.destroy();
    expect(await openPhoto(storage, device(), 999_999)).toBeNull();
    for (const [image, isLeft] of [
      [one, true],
      [two, false],
    ] as const) {
      await server.call('DELETE', `/api/images/${image?.id}`, { token: mine.token });
      await jobsDone();
      expect(await isThere(first.attachment_url)).toBe(isLeft);
    }
    const spare = await preparePhoto(storage, mine.deviceId, await picture(20, 10));
    await discardPreparedPhoto(storage, mine.deviceId, spare);
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
      await server.createImage(mine, `${base}/once`),
      await server.createImage(mine, `${base}/never`),
    ];
    await server.app.runJobs();
    expect((await server.getImage(mine, once.id)).attachment_processed_at).toBeNull();
    clock.time += 60_000;
    await jobsDone();
    expect((await server.getImage(mine, once.id)).attachment_processed_at).not.toBeNull();
    const left = await server.getImage(mine, never.id);
    expect(left).toMatchObject({ attachment_processed_at: null, meta: {} });
    expect(left.attachment_url).toContain('placeholder');
    clock.time += day;
    await jobsDone();
    expect(requested.sort()).toEqual(['/never', '/never', '/once', '/once']);
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
async function listening(bytesOf: (path: string) => Buffer | null): Promise<Server> {
  const host = createServer((request, response) => {
    const bytes = bytesOf(request.url ?? '');
    response.writeHead(bytes ? 200 : 500).end(bytes ?? '');
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  return host;
}
