import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { Event } from '../../../src/core/events.ts';
import { countPending } from '../../../src/db/announcement-progress.ts';
import type { DeviceScope } from '../../../src/db/scope.ts';
import { devices } from '../../../src/device/devices.ts';
import { images } from '../../../src/photos/images.ts';
import { sequencePublications } from '../../../src/programs/publications.ts';
import { loggedResources, resources, tables } from '../../../src/resources.ts';
import { deviceReset } from '../../../src/upkeep/device-reset.ts';
import { gardenTables } from '../../../src/upkeep/garden-deletion.ts';
import type { Account, TestResponse } from '../../support/app.ts';
import { password, suiteApp } from '../../support/app.ts';
import { describeAnyEngine, describeEngines } from '../../support/engines.ts';
import { example } from '../../support/examples.ts';
import { jobRun } from '../../support/job-run.ts';
import { storeRun } from '../../support/stored-run.ts';

const kept = [
  'devices',
  'users',
  'token_issuances',
  'email_changes',
  'account_quotas',
  'known_networks',
  'feedbacks',
  'calendar_feeds',
  'notification_rules',
  'series',
  'series_samples',
  'series_quarters',
  'broker_sessions',
  'server_keys',
  'server_settings',
  'members',
  'invitations',
  'garden_passwords',
  'webhooks',
  'webhook_deliveries',
  'global_config',
  'global_bulletins',
  'releases',
  'jobs',
  'job_schedules',
  'changes',
  'change_cursors',
  'sequence_publications',
  'sequence_versions',
  'ai_questions',
  'ai_usages',
  'uploads',
  'personal_tokens',
  'stream_tickets',
  'virtual_robots',
  'home_assistants',
];

/** Resources that the generic examples create; `fill` creates the others. */
const exampleResources = resources
  .map(({ name }) => name)
  .filter(
    (name) =>
      !['images', 'alerts', 'notifications', 'fbos_configs', 'firmware_configs', 'web_app_configs'].includes(name),
  );

describeAnyEngine('the tables of a garden', () => {
  it('are all tables except the tables of accounts, of the server and of usage counters', () => {
    const names = gardenTables.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const others = tables.map(({ name }) => name).filter((name) => !names.includes(name));
    expect(others.sort()).toEqual([...kept].sort());
  });

  it('come before the tables they reference', () => {
    const place = new Map(gardenTables.map(({ name }, index) => [name, index]));
    for (const { name, columns } of gardenTables)
      for (const { foreignKey } of Object.values(columns)) {
        const target = foreignKey ? place.get(foreignKey.table) : undefined;
        if (target !== undefined && foreignKey?.table !== name)
          expect(place.get(name), `${name} → ${foreignKey?.table}`).toBeLessThan(target);
      }
  });
});

describeEngines('POST /api/device/reset', (engine) => {
  const server = suiteApp(engine);
  let events: Event[];
  beforeAll(async () => {
    events = [];
    await server.app.attach((event) => void events.push(event));
  });

  const scopeOf = ({ deviceId }: Account): DeviceScope => server.app.server().device(deviceId);
  const as = (account: Account, method: string, path: string, body?: unknown): Promise<TestResponse> =>
    server.call(method, path, { token: account.token, ...(body !== undefined && { body }) });
  async function requestOk(account: Account, method: string, path: string, body?: unknown): Promise<TestResponse> {
    const response = await as(account, method, path, body);
    expect(response.status, `${method} ${path}: ${response.text}`).toBe(200);
    return response;
  }
  async function counts(account: Account): Promise<Record<string, number>> {
    const counted: Record<string, number> = {};
    for (const table of gardenTables) counted[table.name] = await scopeOf(account).count(table);
    return counted;
  }

  /** Creates records of every resource, all of them in use. */
  async function fill(account: Account): Promise<void> {
    for (const name of exampleResources)
      await requestOk(account, 'POST', `/api/${name}`, await example(server, name, account));
    // Makes a notification.
    await requestOk(account, 'POST', '/api/logs', { message: 'Stuck', type: 'error', channels: [] });
    const create = async (path: string, body: object): Promise<number> =>
      (await requestOk(account, 'POST', `/api/${path}`, body)).json.id;
    const outer = await create('folders', { name: 'Outer', color: 'red' });
    const inner = await create('folders', { name: 'Inner', color: 'red', parent_id: outer });
    const led = await create('peripherals', await example(server, 'peripherals', account));
    const pin = { kind: 'named_pin', args: { pin_type: 'Peripheral', pin_id: led } };
    const write = { kind: 'write_pin', args: { pin_mode: 0, pin_value: 1, pin_number: pin } };
    const sequence = await create('sequences', { name: 'Used', folder_id: inner, body: [write] });
    const { pin_num } = await example(server, 'pin_bindings', account);
    await create('pin_bindings', { pin_num, sequence_id: sequence, binding_type: 'standard' });
    await requestOk(account, 'PATCH', '/api/fbos_config', { boot_sequence_id: sequence });
    const regimen = await create('regimens', {
      name: 'Used',
      color: 'red',
      regimen_items: [{ sequence_id: sequence, time_offset: 1 }],
    });
    await create('farm_events', {
      executable_id: regimen,
      executable_type: 'Regimen',
      repeat: 1,
      time_unit: 'never',
      start_time: '2039-06-01T10:00:00.000Z',
      end_time: '2039-07-01T10:00:00.000Z',
    });
    const tool = await create('tools', { name: 'Trowel' });
    await create('points', { pointer_type: 'ToolSlot', name: 'Slot', x: 1, y: 2, z: 3, tool_id: tool });
    const curve = await create('curves', { name: 'Used', type: 'water', data: { '1': 5 } });
    const plant = await create('points', {
      pointer_type: 'Plant',
      name: 'Kale',
      x: 1,
      y: 2,
      z: 3,
      water_curve_id: curve,
    });
    await create('point_groups', { name: 'Used', point_ids: [plant] });
    const archived = await create('points', { pointer_type: 'Weed', name: 'Weed', x: 1, y: 2, z: 3 });
    await requestOk(account, 'DELETE', `/api/points/${archived}`);
    await requestOk(account, 'PATCH', '/api/device', { mounted_tool_id: tool });
    await requestOk(account, 'POST', `/api/sequences/${await sharable(account)}/publish`, { copyright: 'Me' });
    await storeRun(server, account);
  }
  const sharable = async (account: Account): Promise<number> =>
    (await requestOk(account, 'POST', '/api/sequences', { name: 'Shared', body: [] })).json.id;

  it('deletes all records, including used ones, and announces each once', async () => {
    const account = await server.signUp();
    const neighbor = await server.signUp();
    await fill(account);
    await fill(neighbor);
    // Runs pending jobs, such as fetching manifests.
    await server.app.runJobs();
    const photo = randomBytes(16).toString('hex');
    const folder = join(server.settings.DATA_DIR, 'photos', String(account.deviceId), 'photos', photo);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'full.jpg'), 'a picture');
    await scopeOf(account).insert(images, {
      attachment_url: 'http://photos.invalid/1.jpg',
      attachment_processed_at: '2026-01-01T00:00:00.000Z',
      meta: {},
      origin: 'http://garden.example',
      photo_key: photo,
      photo_type: 'jpg',
    });
    await requestOk(account, 'PATCH', '/api/device', {
      name: 'Robot',
      timezone: 'Europe/Berlin',
      ota_hour: 4,
      lat: 52.5,
      lng: -13.25,
      indoor: true,
      rpi: '4',
      fb_order_number: `order ${account.deviceId}`,
      setup_completed_at: '2026-02-03T04:05:06.789Z',
      account_seeded_at: '2026-02-03T04:05:06.789Z',
    });
    const before = await counts(account);
    for (const [name, count] of Object.entries(before)) expect(count, name).toBeGreaterThan(0);
    const countsOfNeighbor = await counts(neighbor);
    const expected: string[] = [];
    for (const table of gardenTables) {
      const announced = loggedResources.find(({ name }) => name === table.name)?.options.changeLogName;
      if (announced)
        for (const { id } of await scopeOf(account).rows(table))
          expected.push(`${announced} ${id} NONE server deleted`);
    }
    const device = await server.app.server().first(devices, { where: { id: account.deviceId } });
    await expect.poll(() => countPending(server.app.server())).toBe(0);
    events.length = 0;

    const response = await requestOk(account, 'POST', '/api/device/reset', { password });
    expect(response.text).toBe('{"ok":"OK"}');
    // The reset runs in the background.
    expect(await counts(account)).toEqual(before);
    await server.app.runJobs();

    const after = await counts(account);
    expect(after).toEqual(Object.fromEntries(Object.keys(before).map((name) => [name, name === 'alerts' ? 1 : 0])));
    expect(await counts(neighbor)).toEqual(countsOfNeighbor);
    expect(await server.app.server().first(devices, { where: { id: account.deviceId } })).toEqual({
      ...device,
      updated_at: expect.any(String),
      commits: engine === 'postgres' ? expect.any(Number) : null,
      name: 'FarmBot',
      mounted_tool_id: null,
      setup_completed_at: null,
      account_seeded_at: null,
    });
    expect(existsSync(join(folder, 'full.jpg'))).toBe(false);
    const alerts = await requestOk(account, 'GET', '/api/alerts');
    expect(alerts.json).toMatchObject([{ problem_tag: 'api.seed_data.missing', priority: 200 }]);
    const shown = await requestOk(account, 'GET', '/api/device');

    await expect.poll(() => events.length).toBe(expected.length + 2);
    expect(new Set(events.map(({ deviceId }) => deviceId))).toEqual(new Set([account.deviceId]));
    const announced = events.map(
      ({ resource, recordId, label, origin, body }) =>
        `${resource} ${recordId} ${label} ${origin} ${body === null ? 'deleted' : 'changed'}`,
    );
    expect(announced.sort()).toEqual(
      [
        ...expected,
        `Device ${account.deviceId} NONE server changed`,
        `Alert ${alerts.json[0].id} NONE server changed`,
      ].sort(),
    );
    expect(events.find(({ resource }) => resource === 'Device')?.body).toBe(shown.text);

    // Sessions and published sequences are kept, and the configs have their defaults.
    expect((await requestOk(account, 'GET', '/api/fbos_config')).json).toMatchObject({ boot_sequence_id: null });
    expect((await requestOk(account, 'GET', '/api/users')).json).toHaveLength(1);
    const sync = (await requestOk(account, 'GET', '/api/device/sync')).json;
    expect([sync.fbos_configs.length, sync.firmware_configs.length, sync.sequences.length]).toEqual([1, 1, 0]);
    const versions = await server.call('GET', '/api/featured_sequences', { token: neighbor.token });
    expect(versions.status).toBe(200);
  });

  it('deletes the published versions that no other garden installed', async () => {
    const [account, neighbor] = [await server.signUp(), await server.signUp()];
    const publishedBytes = async () => (await requestOk(account, 'GET', '/api/usage')).json.published_bytes.used;
    const id = await sharable(account);
    for (const copyright of ['a', 'b', 'c'])
      await requestOk(account, 'POST', `/api/sequences/${id}/publish`, { copyright });
    const used = await publishedBytes();
    const versions = (await requestOk(account, 'GET', `/api/sequences/${id}`)).json.sequence_versions;
    await requestOk(account, 'PATCH', `/api/sequences/${id}`, { name: 'Renamed' });
    const own = (await requestOk(account, 'POST', '/api/sequences', { name: 'Own', body: [] })).json.id;
    await requestOk(account, 'POST', `/api/sequences/${own}/upgrade/${versions[0]}`);
    const copy = (await requestOk(neighbor, 'POST', `/api/sequences/${versions[1]}/install`)).json;
    await requestOk(account, 'POST', '/api/device/reset', { password });
    await server.app.runJobs();
    expect(await publishedBytes()).toBe(used / 3);
    const statuses = [];
    for (const version of versions)
      statuses.push((await as(neighbor, 'GET', `/api/sequence_versions/${version}`)).status);
    expect(statuses).toEqual([404, 200, 404]);
    expect((await requestOk(neighbor, 'GET', `/api/sequences/${copy.id}`)).json.copyright).toBe('b');
    expect(await scopeOf(account).rows(sequencePublications)).toMatchObject([{ cached_author_email: account.email }]);
  });

  it('requires the password of the user', async () => {
    const account = await server.signUp();
    const bodies = [{}, { password: null }, { password: '' }, { password: 'wrong-password' }, { password: [] }];
    for (const body of [...bodies, { user: { password } }]) {
      const response = await as(account, 'POST', '/api/device/reset', body);
      expect([response.status, Object.keys(response.json)], JSON.stringify(body)).toEqual([422, ['password']]);
    }
    const queried = await as(account, 'POST', `/api/device/reset?password=${password}`, {});
    expect([queried.status, Object.keys(queried.json)]).toEqual([422, ['password']]);
    for (const raw of ['', 'x', '[]']) {
      const headers = { 'content-type': 'application/json' };
      const response = await server.call('POST', '/api/device/reset', { token: account.token, raw, headers });
      expect([response.status, Object.keys(response.json)], raw).toEqual([422, ['error']]);
    }
    expect((await server.call('POST', '/api/device/reset', { body: { password } })).status).toBe(401);
    await server.app.runJobs();
    expect((await requestOk(account, 'GET', '/api/alerts')).json).toHaveLength(2);
  });

  it('runs once per request, even if the job is repeated', async () => {
    const account = await server.signUp();
    await requestOk(account, 'POST', '/api/device/reset', { password });
    await requestOk(account, 'POST', '/api/device/reset', { password });
    let calls = 0;
    const { handle } = deviceReset(async () => void calls++);
    await handle(server.app.server(), { device_id: account.deviceId }, jobRun);
    await requestOk(account, 'POST', '/api/tools', { name: 'New' });
    // Repeated, as after a crash before the job was deleted.
    await handle(server.app.server(), { device_id: account.deviceId }, jobRun);
    await server.app.runJobs();
    expect(calls).toBe(1);
    expect((await requestOk(account, 'GET', '/api/tools')).json).toHaveLength(1);
    expect((await requestOk(account, 'GET', '/api/alerts')).json).toHaveLength(1);
    // A new request resets the device again.
    await requestOk(account, 'POST', '/api/device/reset', { password });
    await server.app.runJobs();
    expect((await requestOk(account, 'GET', '/api/tools')).json).toEqual([]);
    expect((await requestOk(account, 'GET', '/api/alerts')).json).toHaveLength(1);
  });

  it('is rolled back if it fails', async () => {
    const account = await server.signUp();
    await fill(account);
    const before = await counts(account);
    await requestOk(account, 'POST', '/api/device/reset', { password });
    await expect.poll(() => countPending(server.app.server())).toBe(0);
    events.length = 0;
    const { handle } = deviceReset(async (scope) => {
      await scope.delete(gardenTables[0] ?? expect.unreachable(), {});
      throw new Error('the disk failed');
    });
    await expect(handle(server.app.server(), { device_id: account.deviceId }, jobRun)).rejects.toThrow(
      'the disk failed',
    );
    expect(await counts(account)).toEqual(before);
    expect(events).toEqual([]);
    await server.app.runJobs();
    expect((await counts(account)).tools).toBe(0);
  });

  it('has no effect on a deleted device', async () => {
    const account = await server.signUp();
    const { app } = server;
    await requestOk(account, 'POST', '/api/device/reset', { password });
    await app.server().delete(devices, { where: { id: account.deviceId } });
    await app.runJobs();
    await deviceReset(async () => expect.unreachable()).handle(app.server(), { device_id: account.deviceId }, jobRun);
    await expect(deviceReset(async () => undefined).handle(app.server(), {}, jobRun)).rejects.toThrow();
  });
});
