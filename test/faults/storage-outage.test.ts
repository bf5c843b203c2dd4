import { afterAll, beforeAll, expect, it } from 'vitest';
import { jobs } from '../../src/jobs/job-rows.ts';
import { startApp } from '../support/app.ts';
import type { TestBucket } from '../support/bucket.ts';
import { startBucket } from '../support/bucket.ts';
import { describeEngines } from '../support/engines.ts';
import { solidColorPicture, uploadPhoto } from '../support/photo-upload.ts';

let bucket: TestBucket;
beforeAll(async () => {
  bucket = await startBucket();
});
afterAll(() => bucket.close());

describeEngines('while the bucket is unavailable for an hour', (engine) => {
  it('accepted photos and deletions wait', async () => {
    let offset = 0;
    const clock = { now: () => Date.now() + offset };
    const environment = { STORAGE_URL: bucket.url, HOST: '127.0.0.1', PORT: '0' };
    const server = await startApp(engine, environment, clock);
    const { app } = server;
    const base = (await app.listen()).address;
    const { token } = await server.signUp();
    const image = async (id: number) => (await server.call('GET', `/api/images/${id}`, { token })).json;
    const picture = await solidColorPicture(200);
    const old = await uploadPhoto(base, token, picture);
    await expect.poll(async () => (await image(old)).attachment_processed_at).not.toBeNull();

    // The upload is stored, its processing is not done.
    await bucket.pause();
    const removed = await server.call('DELETE', `/api/images/${old}`, { token });
    expect(removed.status).toBe(200);
    for (let minutes = 0; minutes < 60; minutes += 5) {
      await app.runJobs();
      offset += 5 * 60_000;
    }
    const waiting = await app.server().rows(jobs, { where: { kind: 'photo_removal' } });
    expect(waiting).toMatchObject([{ failed_at: null }]);
    await bucket.resume();
    offset += 15 * 60_000;
    await app.runJobs();
    const list = await server.call('GET', '/api/images', { token });
    expect(list.json).toEqual([]);
    await server.close();
  });
});
