import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { jobs } from '../../src/jobs/job-rows.ts';
import { openPhotoStorage } from '../../src/photos/storage-selection.ts';
import type { TestBucket } from '../support/bucket.ts';
import { startBucket } from '../support/bucket.ts';
import { describeEngines } from '../support/engines.ts';
import { startPhotoServer } from '../support/photo-server.ts';
import { picture } from '../support/pictures.ts';

describeEngines('while the bucket is unavailable for an hour', (engine) => {
  let bucket: TestBucket;
  beforeAll(async () => {
    bucket = await startBucket();
  });
  afterAll(() => bucket.close());

  it('accepted photos wait, and the files of deleted ones', async () => {
    let offset = 0;
    const clock = { now: () => Date.now() + offset };
    const server = await startPhotoServer(engine, { STORAGE_URL: bucket.url }, clock);
    const { DATA_DIR, STORAGE_URL } = server.settings;
    const { storage } = await openPhotoStorage(DATA_DIR, STORAGE_URL, { ...console, debug: () => {} });
    const folders = async () => {
      const found = new Set<string>();
      for await (const { path } of storage.list()) found.add(dirname(path));
      return [...found];
    };
    const own = await server.signUp();
    const folderOf = (url: string) => `${own.deviceId}/photos/${/\/([0-9a-f]{32})\.jpg$/.exec(url)?.[1]}`;
    const images = async () => (await server.call('GET', '/api/images', { token: own.token })).json;
    const old = await server.createImage(own, await server.upload(own, await picture(200, 100)));
    const { attachment_url } = await server.waitUntilProcessed(own, old.id);
    const uploaded = await server.upload(own, await picture(100, 50));
    await server.app.runJobs();
    expect(await folders()).toEqual([folderOf(attachment_url), `${own.deviceId}/uploads`]);

    await bucket.pause();
    const accepted = await server.createImage(own, uploaded);
    const removed = await server.call('DELETE', `/api/images/${old.id}`, { token: own.token });
    expect(removed.status).toBe(200);
    for (let minutes = 0; minutes < 60; minutes += 5) {
      await server.app.runJobs();
      expect(await images()).toMatchObject([{ id: accepted.id, attachment_processed_at: null }]);
      offset += 5 * 60_000;
    }
    const kind = ['photo_files_removal', 'photo_upload'];
    const waiting = await server.app.server().rows(jobs, { where: { kind } });
    expect(waiting.map((job) => [job.kind, job.failed_at]).sort()).toEqual(kind.map((name) => [name, null]));

    await bucket.resume();
    offset += 15 * 60_000;
    await server.app.runJobs();
    const [stored, ...more] = await images();
    expect([stored.id, more]).toEqual([accepted.id, []]);
    expect(stored.attachment_processed_at).not.toBeNull();
    expect(await folders()).toEqual([folderOf(stored.attachment_url)]);
    storage.close();
    await server.close();
  });
});
