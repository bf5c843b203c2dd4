import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { firmwareConfig } from '../../../src/device/firmware-config.ts';
import { points } from '../../../src/garden/points.ts';
import { failedJobs } from '../../../src/jobs/job-counts.ts';
import { jobs } from '../../../src/jobs/job-rows.ts';
import { seedingJobs } from '../../../src/seeding/seeding-jobs.ts';
import type { TestApp } from '../../support/app.ts';
import { password, startApp } from '../../support/app.ts';
import { describeEngines, itAnyEngine } from '../../support/engines.ts';
import { jobRun } from '../../support/job-run.ts';
import { gardenSummary, seedAccount } from '../../support/seeded-garden.ts';

const clock = { time: 0, now: () => clock.time };
/** Longer than every pause between attempts, in ms. */
const longPause = 3_600_000;

describeEngines('seeding that fails', (engine) => {
  let server: TestApp;
  afterEach(() => server.close());

  const start = async () => {
    clock.time = Date.UTC(2026, 10, 21, 12);
    server = await startApp(engine, {}, clock);
    return server.signUp();
  };
  /** Returns the files of photos. */
  const pictures = () => {
    const folder = join(server.settings.DATA_DIR, 'photos');
    try {
      return readdirSync(folder, { recursive: true }).filter((path) => /full\.\w+$/.test(String(path)));
    } catch {
      return [];
    }
  };
  const empty = { name: 'FarmBot', tools: [], sequences: [], peripherals: [], points: [], groups: [], envs: [] };

  it('creates nothing if it fails permanently, allows seeding again and notifies the owner', async () => {
    const account = await start();
    const { token, deviceId } = account;
    const scope = server.app.server().device(deviceId);
    await server.call('POST', '/api/device/seed', { token, body: { product_line: 'genesis_1.7' } });
    // A job of another version may contain it.
    const [job] = await server.app.server().rows(jobs, { where: { kind: 'seed_device' } });
    if (!job) throw new Error('no job');
    const payload = { ...job.payload, product_line: 'genesis_9.9' };
    await server.app.server().update(jobs, { payload }, { where: { id: job.id } });
    for (let attempt = 1; attempt < 4; attempt++) {
      await server.app.runJobs();
      expect((await gardenSummary(server, account)).device.account_seeded_at).not.toBeNull();
      clock.time += longPause;
    }
    await server.app.runJobs();

    expect(await failedJobs(server.app.server())).toMatchObject([
      { kind: 'seed_device', attempts: 4, device_id: deviceId, last_error: 'there is no product line genesis_9.9' },
    ]);
    const garden = await gardenSummary(server, account);
    expect(garden).toMatchObject(empty);
    expect(garden.device.account_seeded_at).toBeNull();
    expect(garden.logs).toMatchObject([
      {
        type: 'error',
        channels: ['toast'],
        message:
          'Your garden could not be set up, and nothing was created. Something went wrong on the server. ' +
          'You can choose your robot again.',
      },
    ]);
    expect(await scope.first(firmwareConfig)).toMatchObject({ movement_motor_current_x: 1823 });

    await seedAccount(server, account, { product_line: 'genesis_1.7' });
    expect(await gardenSummary(server, account)).toMatchObject({ name: 'FarmBot Genesis', tools: { length: 8 } });
  });

  it('ends the same way if its processes crash', async () => {
    const account = await start();
    await server.call('POST', '/api/device/seed', { token: account.token, body: { product_line: 'genesis_1.7' } });
    const changes = { attempts: 4, locked_until: '2026-11-21T11:00:00.000Z', locked_by: 'ended' };
    await server.app.server().update(jobs, changes, { where: { kind: 'seed_device' } });
    await server.app.runJobs();
    const garden = await gardenSummary(server, account);
    expect(garden).toMatchObject(empty);
    expect([garden.device.account_seeded_at, garden.logs.length]).toEqual([null, 1]);
  });

  it('notifies the owner if a limit is reached, and succeeds when there is room', async () => {
    const account = await start();
    const { token } = account;
    for (let i = 0; i < 70; i++)
      await server.call('POST', '/api/sequences', { token, body: { name: `Mine ${i}`, body: [] } });
    await seedAccount(server, account, { product_line: 'genesis_1.7' });
    const garden = await gardenSummary(server, account);
    expect(garden).toMatchObject({ ...empty, sequences: { length: 70 } });
    expect(garden.device.account_seeded_at).toBeNull();
    expect(garden.logs).toMatchObject([
      {
        type: 'error',
        message:
          'Your garden could not be set up, and nothing was created. ' +
          'There may be at most 75 sequences. Delete one that you no longer need. You can choose your robot again.',
      },
    ]);
    // The owner was notified; the operator need not act.
    expect(await server.app.server().count(jobs, { where: { kind: 'seed_device' } })).toBe(0);

    const rows = (await server.call('GET', '/api/sequences', { token })).json;
    for (const { id } of rows.slice(0, 12)) await server.call('DELETE', `/api/sequences/${id}`, { token });
    await seedAccount(server, account, { product_line: 'genesis_1.7' });
    expect(await gardenSummary(server, account)).toMatchObject({ tools: { length: 8 }, sequences: { length: 75 } });
  });

  itAnyEngine('notifies the owner if the limit of points is reached, and succeeds when there is room', async () => {
    const account = await start();
    const { token, deviceId } = account;
    const scope = server.app.server().device(deviceId);
    const { json } = await server.call('POST', '/api/points', {
      token,
      body: { pointer_type: 'Weed', name: 'Weed', x: 1, y: 2, z: 3 },
    });
    const weed = await scope.first(points, { where: { id: json.id } });
    if (!weed) throw new Error('no weed');
    const { id: _id, ...copy } = weed;
    // Eight slots, 84 plants and 16 soil heights: one more than allowed.
    const archived = { ...copy, discarded_at: '2026-11-20T12:00:00.000Z' };
    await scope.insertAll(points, [...Array.from({ length: 891 }, () => copy), archived]);
    await seedAccount(server, account, { product_line: 'genesis_1.7', demo: true });
    const garden = await gardenSummary(server, account);
    expect(garden).toMatchObject({ ...empty, points: { length: 892 }, curves: [], alerts: { length: 2 } });
    expect(garden.device.account_seeded_at).toBeNull();
    expect(garden.logs).toMatchObject([
      {
        type: 'error',
        message:
          'Your garden could not be set up, and nothing was created. There may be at most 1000 points. ' +
          'Please delete some that you do not need. You can choose your robot again.',
      },
    ]);
    // Purging archived points made room.
    await seedAccount(server, account, { product_line: 'genesis_1.7', demo: true });
    expect(await gardenSummary(server, account)).toMatchObject({ tools: { length: 8 }, points: { length: 1000 } });
  });

  it('creates nothing if there is no room for slots', async () => {
    const account = await start();
    const scope = server.app.server().device(account.deviceId);
    const body = { pointer_type: 'Weed', name: 'Weed', x: 1, y: 2, z: 3 };
    await server.call('POST', '/api/points', { token: account.token, body });
    const [weed] = await scope.rows(points);
    if (!weed) throw new Error('no weed');
    const { id: _id, ...copy } = weed;
    await scope.insertAll(
      points,
      Array.from({ length: 992 }, () => copy),
    );
    await seedAccount(server, account, { product_line: 'genesis_1.7' });
    expect(await gardenSummary(server, account)).toMatchObject({ ...empty, points: { length: 993 } });
  });

  it('notifies the owner and deletes the image after a reset', async () => {
    const account = await start();
    const { token } = account;
    const call = (path: string, body: object) => server.call('POST', path, { token, body });
    expect((await call('/api/device/reset', { password })).status).toBe(200);
    const seed = { product_line: 'genesis_xl_1.8_stress_250', demo: true };
    expect((await call('/api/device/seed', seed)).status).toBe(200);
    // The reset runs first, so the pending seeding finds the account unseeded.
    const later = { run_at: '2026-11-21T12:10:00.000Z' };
    await server.app.server().update(jobs, later, { where: { kind: 'seed_device_with_photo' } });
    await server.app.runJobs();
    clock.time += longPause;
    await server.app.runJobs();
    const garden = await gardenSummary(server, account);
    expect(garden).toMatchObject(empty);
    expect(garden.logs).toMatchObject([
      {
        type: 'warn',
        channels: ['toast'],
        message:
          'Your garden was not set up, because the account was reset before it could be created. ' +
          'You can choose your robot again.',
      },
    ]);
    expect(await server.app.server().count(jobs, { where: { kind: 'seed_device_with_photo' } })).toBe(0);
    expect(pictures()).toEqual([]);
    // Requested again, it succeeds, also if the job runs twice.
    expect((await call('/api/device/seed', seed)).status).toBe(200);
    const [job] = await server.app.server().rows(jobs, { where: { kind: 'seed_device_with_photo' } });
    await server.app.runJobs();
    const files = pictures();
    expect(files.length).toBeGreaterThan(0);
    await server.app.server().insert(jobs, {
      kind: 'seed_device_with_photo',
      payload: { ...job?.payload },
      run_at: '2026-11-21T12:00:00.000Z',
      attempts: 0,
      max_attempts: 4,
      device_id: null,
    });
    await server.app.runJobs();
    expect(pictures()).toEqual(files);
  });

  it('deletes the image if the account was deleted', async () => {
    const account = await start();
    const { token } = account;
    const body = { product_line: 'genesis_xl_1.8_stress_250', demo: true };
    await server.call('POST', '/api/device/seed', { token, body });
    await server.app
      .server()
      .update(jobs, { run_at: '2026-11-21T12:10:00.000Z' }, { where: { kind: 'seed_device_with_photo' } });
    expect((await server.call('DELETE', '/api/device', { token })).status).toBe(200);
    await server.app.runJobs();
    clock.time += longPause;
    await server.app.runJobs();
    expect(pictures()).toEqual([]);
  });

  it('is not an error if the account was deleted', async () => {
    const account = await start();
    const { token } = account;
    await server.call('POST', '/api/device/seed', { token, body: { product_line: 'genesis_1.7' } });
    const [job] = await server.app.server().rows(jobs, { where: { kind: 'seed_device' } });
    expect((await server.call('DELETE', '/api/device', { token })).status).toBe(200);
    await server.app.runJobs();
    expect(job?.device_id).toBe(account.deviceId);
    expect(await server.app.server().rows(jobs, { where: { kind: 'seed_device' } })).toEqual([]);
  });

  it('does not repeat the work, in the same or in another process', async () => {
    const account = await start();
    const { token } = account;
    await server.call('POST', '/api/device/seed', { token, body: { product_line: 'genesis_1.7', demo: true } });
    const scope = server.app.server;
    const [job] = await scope().rows(jobs, { where: { kind: 'seed_device' } });
    if (!job) throw new Error('no job');
    const [plain] = seedingJobs({
      notify: async () => expect.unreachable(),
      publisher: null,
      crops: async () => expect.unreachable(),
      hasPhotoRoom: async () => expect.unreachable(),
      storePhoto: async () => expect.unreachable(),
      deletePhoto: async () => expect.unreachable(),
    });
    if (!plain) throw new Error('no job');
    const { handle } = plain;
    await Promise.all([handle(scope(), job.payload, jobRun), handle(scope(), job.payload, jobRun)]);
    const before = await gardenSummary(server, account);
    expect(before).toMatchObject({ tools: { length: 8 }, sequences: { length: 17 }, points: { length: 8 + 84 + 16 } });
    await handle(scope(), job.payload, jobRun);
    await server.app.runJobs();
    expect(await gardenSummary(server, account)).toEqual(before);
  });
});
