import type { Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { timestamp } from '../../src/core/clock.ts';
import { FetchQueue } from '../../src/jobs/fetch-queue.ts';
import { jobs } from '../../src/jobs/job-rows.ts';
import { JobQueue } from '../../src/jobs/queue.ts';
import { describeEngines } from '../support/engines.ts';
import type { Image, PhotoServer } from '../support/photo-server.ts';
import { startPhotoServer } from '../support/photo-server.ts';
import { picture } from '../support/pictures.ts';

// Slow hosts of one account do not delay the photos of others.

describeEngines('photos from slow hosts', (engine) => {
  let server: PhotoServer;
  let elsewhere: Server;
  let outside: string;
  let good: Buffer;
  const held: ServerResponse[] = [];

  beforeAll(async () => {
    good = await picture(64, 48);
    elsewhere = createServer((request, response) => {
      if (request.url === '/slow') held.push(response);
      else response.end(good);
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    outside = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
    server = await startPhotoServer(engine, { FETCH_PRIVATE_ADDRESSES: 'on' });
  });
  afterAll(async () => {
    await server.close();
    elsewhere.closeAllConnections();
    elsewhere.close();
  });

  it('are fetched one at a time, while those of other accounts are fetched', async () => {
    const [own, other] = [await server.signUp(), await server.signUp()];
    const slow: Image[] = [];
    for (let i = 0; i < 6; i++) slow.push(await server.createImage(own, `${outside}/slow`));
    await expect.poll(() => held.length).toBe(1);
    const quick = await server.createImage(other, `${outside}/quick`);
    await server.waitUntilProcessed(other, quick.id);
    expect(held.length).toBe(1);
    for (let i = 0; i < slow.length; i++) {
      await expect.poll(() => held.length, { timeout: 5000 }).toBe(i + 1);
      held[i]?.end(good);
    }
    for (const { id } of slow) await server.waitUntilProcessed(own, id);
  });

  it('are not fetched again during the pause after an outage, even if another fetch ends', async () => {
    const { deviceId } = await server.signUp();
    const scope = server.app.server();
    const job = { kind: 'no_such_fetch', deviceId, payload: {} };
    const [now, later] = [timestamp(Date.now()), timestamp(Date.now() + 3600_000)];
    const row = { kind: job.kind, device_id: deviceId, payload: {}, run_at: later, attempts: 0, max_attempts: 4 };
    const paused = await scope.insert(jobs, { ...row, paused_since: now });
    const postponed = await scope.insert(jobs, row);
    const queue = new FetchQueue(new JobQueue(), 15_000);
    for (let i = 0; i < 2; i++) await queue.run(scope, job, async () => undefined);
    const times = (await scope.rows(jobs, { where: { id: [paused.id, postponed.id] } })).map(({ run_at }) => run_at);
    expect(times).toEqual([later, expect.not.stringContaining(later)]);
  });
});
