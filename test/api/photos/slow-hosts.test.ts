import type { Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { timestamp } from '../../../src/core/clock.ts';
import type { JobRow } from '../../../src/jobs/job-rows.ts';
import { jobs } from '../../../src/jobs/job-rows.ts';
import { photoJobKinds } from '../../../src/photos/photo-records.ts';
import type { Account } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import type { Image, PhotoServer } from '../../support/photo-server.ts';
import { startPhotoServer } from '../../support/photo-server.ts';
import { picture } from '../../support/pictures.ts';

// Slow hosts of one person do not delay the photos of others.

describeEngines('photos from slow hosts', (engine) => {
  let server: PhotoServer;
  let elsewhere: Server;
  let outside: string;
  let good: Buffer;
  const held: { readonly path: string; readonly response: ServerResponse }[] = [];

  beforeAll(async () => {
    good = await picture(64, 48);
    elsewhere = createServer((request, response) => {
      const path = request.url ?? '';
      if (path.startsWith('/slow')) held.push({ path, response });
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
  beforeEach(() => void held.splice(0));

  /** Creates another garden of an account and returns its session in it. */
  async function addGarden(account: Account, name: string): Promise<Account> {
    const { token } = account;
    const { json } = await server.call('POST', '/api/gardens', { token, body: { name } });
    const session = await server.call('POST', `/api/gardens/${json.id}/token`, { token });
    return { ...account, deviceId: json.id, token: session.json.token.encoded };
  }

  async function fetchQuickly(other: Account): Promise<void> {
    const { id } = await server.createImage(other, `${outside}/quick`);
    await server.waitUntilProcessed(other, id);
  }

  it('are fetched one at a time, in order, while other persons’ photos are fetched', async () => {
    const [own, other] = [await server.signUp(), await server.signUp()];
    const slow: Image[] = [];
    for (let i = 0; i < 6; i++) slow.push(await server.createImage(own, `${outside}/slow/${i}`));
    await expect.poll(() => held.length).toBe(1);
    await fetchQuickly(other);
    expect(held.length).toBe(1);
    for (let i = 0; i < slow.length; i++) {
      await expect.poll(() => held.length).toBe(i + 1);
      held[i]?.response.end(good);
    }
    for (const { id } of slow) await server.waitUntilProcessed(own, id);
    expect(held.map(({ path }) => path)).toEqual(slow.map((_, i) => `/slow/${i}`));
  });

  it('are fetched one at a time for several gardens of one person', async () => {
    const [first, other] = [await server.signUp(), await server.signUp()];
    const gardens = [first];
    for (const name of ['Greenhouse', 'Balcony', 'Field']) gardens.push(await addGarden(first, name));
    const slow: [Account, Image][] = [];
    for (const garden of gardens) slow.push([garden, await server.createImage(garden, `${outside}/slow`)]);
    await expect.poll(() => held.length).toBe(1);
    await fetchQuickly(other);
    expect(held.length).toBe(1);
    for (let i = 0; i < slow.length; i++) {
      await expect.poll(() => held.length).toBe(i + 1);
      held[i]?.response.end(good);
    }
    for (const [garden, { id }] of slow) await server.waitUntilProcessed(garden, id);
  });

  it('are fetched again in the turn of the same person', async () => {
    const { userId, deviceId, ...own } = await server.signUp();
    const scope = server.app.server();
    const waiting = () => scope.rows(jobs, { where: { kind: photoJobKinds.fetch, device_id: deviceId } });
    await server.createImage({ userId, deviceId, ...own }, `${outside}/slow/failing`);
    await expect.poll(() => held.length).toBe(1);
    held[0]?.response.writeHead(503).end();
    const retry: Partial<JobRow> = { turn_of: userId, attempts: 0, payload: expect.objectContaining({ attempt: 2 }) };
    await expect.poll(waiting).toMatchObject([retry]);
    expect((await waiting())[0]?.run_at.localeCompare(timestamp(Date.now() + 5_000))).toBe(1);
    await scope.delete(jobs, { where: { device_id: deviceId } });
  });

  it('of processes that knew no turns are fetched', async () => {
    const own = await server.signUp();
    const scope = server.app.server();
    const { id } = await server.createImage(own, `${outside}/slow`);
    await server.createImage(own, `${outside}/slow`);
    await expect.poll(() => held.length).toBe(1);
    const where = { device_id: own.deviceId, locked_until: null };
    expect(await scope.update(jobs, { turn_of: null }, { where })).toHaveLength(1);
    await expect.poll(() => held.length).toBe(2);
    for (const { response } of held) response.end(good);
    await server.waitUntilProcessed(own, id);
  });
});
