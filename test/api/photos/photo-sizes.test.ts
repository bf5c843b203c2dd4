import { expect, it } from 'vitest';
import { jobs } from '../../../src/jobs/job-rows.ts';
import { JobQueue } from '../../../src/jobs/queue.ts';
import { images } from '../../../src/photos/images.ts';
import { photoSizeKind } from '../../../src/photos/photo-sizes.ts';
import { uploads } from '../../../src/photos/uploads.ts';
import { suitePhotoPlace } from '../../support/bucket.ts';
import { describeEngines } from '../../support/engines.ts';
import { startPhotoServer } from '../../support/photo-server.ts';
import { picture } from '../../support/pictures.ts';

describeEngines('photos from before there were quotas', (engine) => {
  const place = suitePhotoPlace(engine);
  it('get their sizes from their files, once', async () => {
    const server = await startPhotoServer(engine, place.settings);
    const { app } = server;
    expect(await app.server().count(jobs)).toBe(0);
    const account = await server.signUp();
    const device = app.server().device(account.deviceId);
    const usedBytes = async () =>
      (await server.call('GET', '/api/usage', { token: account.token })).json.photo_bytes.used;
    for (const width of [400, 700]) {
      const { id } = await server.createImage(account, await server.upload(account, await picture(width, 300)));
      await server.waitUntilProcessed(account, id);
    }
    await server.upload(account, await picture(500, 300));
    await app.runJobs();
    const used = await usedBytes();
    const before = await server.call('GET', '/api/images', { token: account.token });

    await device.update(uploads, { byte_size: null, updated_at: '2026-11-22T09:00:00.000Z' }, {});
    // The second photo has several files; an earlier run counted the first one.
    const [counted, second] = await device.rows(images);
    if (!counted || !second) throw new Error('there are no images');
    const { updated_at } = second;
    await device.update(images, { byte_size: null, updated_at }, { where: { id: second.id } });
    const lost = { attachment_url: 'http://x', origin: 'http://x', meta: {}, photo_type: 'jpg' } as const;
    const { id: lostId } = await device.insert(images, { ...lost, photo_key: 'e'.repeat(32) });
    await device.insert(images, { ...lost, photo_key: 'not a key' });
    expect(await usedBytes()).toBeLessThan(used);
    for (let twice = 0; twice < 2; twice++) {
      // A count that failed permanently is repeated every day.
      const now = new Date().toISOString();
      const failed = { payload: {}, run_at: now, attempts: 4, max_attempts: 4, failed_at: now };
      await app.server().insert(jobs, { kind: photoSizeKind, ...failed });
      await new JobQueue().enqueue(app.server(), 'photo_job_sweep', {});
      await app.runJobs();
      expect(await usedBytes()).toBe(used);
    }
    expect(await app.server().count(jobs)).toBe(0);
    expect(await device.first(images, { where: { id: lostId } })).toMatchObject({ byte_size: 0 });
    expect(await device.rows(uploads, { where: { uploaded_at: { not: null } } })).toMatchObject([
      { updated_at: '2026-11-22T09:00:00.000Z' },
    ]);
    await device.delete(images, { where: { id: { gt: second.id } } });
    expect((await server.call('GET', '/api/images', { token: account.token })).json).toEqual(before.json);
    await server.close();
  });
});
