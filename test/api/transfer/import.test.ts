import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { devices } from '../../../src/device/devices.ts';
import { logs } from '../../../src/device/logs.ts';
import type { Document } from '../../support/account-transfer.ts';
import { exportAccount, fixture, sendImport } from '../../support/account-transfer.ts';
import type { Account } from '../../support/app.ts';
import { suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { EventRecordingClient } from '../../support/event-recording-client.ts';

const paths = (notes: readonly { path: string }[]): string[] => notes.map(({ path }) => path).sort();

describeEngines('an import', (engine) => {
  const server = suiteApp(engine);
  let account: Account;
  /** Returns the record with this name or label. */
  const named = (document: Document, key: string, name: string) =>
    document[key].find((record: Document) => (record.name ?? record.label) === name);

  it("accepts the vendor's documents with all their peculiarities", async () => {
    account = await server.signUp();
    const report = await sendImport(server, account, fixture('vendor-peculiarities'));
    expect(report.status, report.text).toBe(200);
    expect(report.json).toMatchObject({
      ok: true,
      mode: 'empty',
      check: false,
      problems: [],
      unlisted: 0,
      back_up: null,
    });
    expect(report.json.taken).toMatchObject({
      tools: 2,
      points: 5,
      curves: 1,
      folders: 3,
      images: 0,
      logs: 1,
      sequences: 2,
      regimens: 1,
      farm_events: 2,
      pin_bindings: 2,
      sensor_readings: 1,
      telemetries: 1,
      device: 1,
      fbos_config: 1,
    });
    expect(paths(report.json.changed)).toEqual([
      '/device/mounted_tool_id',
      '/device/rpi',
      '/fbos_config/boot_sequence_id',
      '/fbos_config/firmware_hardware',
      '/folders/2/parent_id',
      '/point_groups/0/point_ids',
      '/points/0/spread_curve_id',
      '/points/4/tool_id',
      '/sequences/1',
      '/web_app_config/bot_origin_quadrant',
    ]);
    expect(paths(report.json.left_out)).toEqual([
      '/device/fbos_version',
      '/device/last_saw_api',
      '/device/needs_reset',
      '/device/serial_number',
      '/farm_events/2',
      '/images/0',
      '/images/1',
      '/logs/1',
      '/pin_bindings/2',
      '/point_groups/*/member_count',
      '/robot_styles',
      '/sensor_readings/1',
      '/sequences/2/body/0/args/location/args/tool_id',
      '/sequences/3/body/0/args/sequence_id',
      '/sequences/4/body/0',
      '/token_issuances',
      '/users',
    ]);
  });

  it('accepts documents of older and newer versions', async () => {
    const older = fixture('plain');
    for (const key of ['ai_feedbacks', 'curves', 'folders', 'point_groups', 'scene_objects', 'telemetries'])
      delete older[key];
    older.database_schema = 20180101000000;
    older.images = [];
    const first = await sendImport(server, await server.signUp(), older);
    expect([first.status, first.json.taken.points], first.text).toEqual([200, 4]);
    expect(paths(first.json.changed)).toEqual(['/points/0/water_curve_id', '/sequences/0/folder_id']);
    const newer = fixture('plain');
    newer.database_schema = 20991231235959;
    newer.images = [];
    newer.tools[0].sharpness = 7;
    newer.lamps = [{ id: 1 }];
    newer.moon = 'full';
    const second = await sendImport(server, await server.signUp(), newer);
    expect([second.status, paths(second.json.left_out)]).toEqual([200, ['/lamps', '/moon', '/tools/*/sharpness']]);
  });

  it('changes all references to new ids, at any depth', async () => {
    const document = await exportAccount(server, account);
    const nozzle = named(document, 'tools', 'Watering Nozzle');
    const mount = named(document, 'sequences', 'Mount the nozzle');
    const water = named(document, 'sequences', 'Water a plant');
    const carrot = named(document, 'points', 'Carrot');
    const season = named(document, 'regimens', 'Season');
    const group = named(document, 'point_groups', 'Carrots');
    const inner = named(document, 'folders', 'Inner');
    expect(nozzle.status).toBe('active');
    expect(named(document, 'points', 'Slot 1').tool_id).toBe(nozzle.id);
    expect(named(document, 'points', 'Slot 2')).toMatchObject({ tool_id: null, meta: {} });
    expect(carrot).toMatchObject({
      created_at: '2023-05-01T00:00:00.000Z',
      planted_at: '2023-05-02T12:00:00.000Z',
      water_curve_id: document.curves[0].id,
      spread_curve_id: null,
      meta: { color: '' },
    });
    expect(named(document, 'points', 'Old weed').discarded_at).toBe('2024-09-09T09:09:09.000Z');
    expect(group.point_ids).toEqual([carrot.id]);
    expect(inner.parent_id).toBe(named(document, 'folders', 'Outer').id);
    expect(water).toMatchObject({ folder_id: inner.id, pinned: true });
    expect(water.body[0].args.sequence_id).toBe(mount.id);
    expect(water.body[2].args.pin_number.args.pin_id).toBe(document.peripherals[0].id);
    expect(water.args.locals.body[0].args.default_value.args.pointer_id).toBe(carrot.id);
    expect(mount).toMatchObject({ forked: false, sequence_version_id: null, sequence_versions: [], copyright: 'CC0' });
    expect(mount.body[0].args.location.args.tool_id).toBe(nozzle.id);
    expect(mount.body[1].body[0].args.value).toBe(nozzle.id);
    expect(mount.body[1].args.resource.args.resource_id).toBe(document.device.id);
    expect(season.regimen_items).toMatchObject([
      { sequence_id: mount.id, regimen_id: season.id, time_offset: 3_600_000 },
    ]);
    expect(document.farm_events).toMatchObject([
      { executable_id: water.id, start_time: '2023-06-02T06:00:00.000Z', end_time: '2023-06-12T06:00:00.000Z' },
      { executable_id: season.id, executable_type: 'Regimen', repeat: 1, time_unit: 'never' },
    ]);
    expect(document.farm_events[0].body[0].args.data_value.args.point_group_id).toBe(group.id);
    expect(document.pin_bindings).toMatchObject([{ sequence_id: water.id }, { special_action: 'emergency_lock' }]);
    expect(document.plant_templates[0].saved_garden_id).toBe(document.saved_gardens[0].id);
    expect(document.device).toMatchObject({
      created_at: '2023-03-31T23:59:59.999Z',
      lat: 40.7128,
      lng: -74.006,
      name: 'Old robot',
      timezone: 'US/Eastern',
      ota_hour: 4,
      mounted_tool_id: null,
      rpi: null,
      fbos_version: null,
      fb_order_number: 'order-7',
    });
    expect(document.fbos_config).toMatchObject({ safe_height: -120, boot_sequence_id: null, firmware_hardware: null });
    expect(document.web_app_config).toMatchObject({
      go_button_axes: 'XYZ',
      show_farmbot: false,
      bot_origin_quadrant: 2,
    });
    expect(document.logs).toMatchObject([{ created_at: 1_717_200_000, channels: ['fatal_email', 'toast'] }]);
    expect(document.webcam_feeds[0].name).toBe('Webcam Feed');
    expect(document.sensor_readings).toMatchObject([{ read_at: '2024-05-01T00:00:00.000Z' }]);
    expect(document.telemetries).toMatchObject([{ target: 'host', wifi_level_percent: 120 }]);
    expect(document.users).toMatchObject([{ email: account.email }]);
  });

  it('omits sequences that run omitted ones, however far and in any order', async () => {
    const document = fixture('plain');
    document.images = [];
    const runs = (id: number, called: number): Document => ({
      ...document.sequences[0],
      id,
      name: `Runs ${called}`,
      body: [{ kind: 'execute', args: { sequence_id: called } }],
    });
    const broken = { ...document.sequences[0], id: 7003, name: 'Broken', body: [{ kind: 'dance', args: {} }] };
    const first = document.sequences.length;
    document.sequences.push(runs(7001, 7002), runs(7002, 7003), broken, runs(7004, 7004));
    const { status, json, text } = await sendImport(server, await server.signUp(), document);
    expect([status, json.taken.sequences], text).toEqual([200, first + 1]);
    expect(
      json.left_out.map(({ message }: Document) => /^This (sequence '.+') was omitted/.exec(message)?.[1]),
    ).toEqual(["sequence 'Broken'", "sequence 'Runs 7003'", "sequence 'Runs 7002'"]);
  });

  it('stores the uses of programs, so that records in use cannot be deleted', async () => {
    const { token } = account;
    const document = await exportAccount(server, account);
    const deletionProblems = async (path: string) => (await server.call('DELETE', path, { token })).json;
    expect(
      await deletionProblems(`/api/sequences/${named(document, 'sequences', 'Mount the nozzle').id}`),
    ).toHaveProperty('sequence');
    expect(await deletionProblems(`/api/peripherals/${document.peripherals[0].id}`)).toHaveProperty('peripheral');
    expect(await deletionProblems(`/api/points/${named(document, 'points', 'Carrot').id}`)).toHaveProperty('whoops');
  });

  it('does not mail imported logs', async () => {
    await server.app.runJobs();
    const outbox = join(server.settings.DATA_DIR, 'outbox');
    const mails = existsSync(outbox) ? readdirSync(outbox) : [];
    expect(mails).toEqual([]);
  });

  it('is rejected if the account is not empty, and changes nothing', async () => {
    const before = await exportAccount(server, account);
    const { status, json } = await sendImport(server, account, fixture('vendor-peculiarities'));
    expect([status, json]).toEqual([422, { error: expect.stringContaining('The account is not empty') }]);
    const { tools, sequences } = await exportAccount(server, account);
    expect([tools, sequences]).toEqual([before.tools, before.sequences]);
  });

  it('merges: uses existing records with the same name or pin', async () => {
    const other = await server.signUp();
    const { token } = other;
    const tool = await server.call('POST', '/api/tools', { token, body: { name: 'Watering Nozzle' } });
    const pump = await server.call('POST', '/api/peripherals', { token, body: { pin: 8, label: 'My pump' } });
    await server.call('PATCH', '/api/device', { token, body: { name: 'Mine' } });
    const { status, json } = await sendImport(server, other, fixture('vendor-peculiarities'), '?mode=merge');
    expect(status).toBe(200);
    expect(json).toMatchObject({ reused: { tools: 1, peripherals: 1 }, taken: { tools: 1, peripherals: 0 } });
    const document = await exportAccount(server, other);
    expect(document.tools).toHaveLength(2);
    expect(document.peripherals).toMatchObject([{ id: pump.json.id, label: 'My pump' }]);
    expect(named(document, 'points', 'Slot 1').tool_id).toBe(tool.json.id);
    expect(named(document, 'sequences', 'Water a plant').body[2].args.pin_number.args.pin_id).toBe(pump.json.id);
    expect(document.device.name).toBe('Mine');
    const mount = named(document, 'sequences', 'Mount the nozzle');
    expect(mount.body[1].args.resource.args).toEqual({ resource_type: 'Device', resource_id: document.device.id });
    const again = await sendImport(server, other, fixture('vendor-peculiarities'), '?mode=merge');
    expect(again.json.reused).toMatchObject({ tools: 2, sequences: 2, regimens: 1, curves: 1 });
    expect(again.json.changed).toContainEqual({
      path: '/points/1/tool_id',
      message: 'The tool is in another slot of the account, where it stays.',
    });
  });

  it('replaces: requires the password, and creates a backup that can be imported', async () => {
    const other = await server.signUp();
    const { token } = other;
    await server.call('POST', '/api/tools', { token, body: { name: 'To be replaced' } });
    const document = fixture('vendor-peculiarities');
    for (const headers of [{}, { 'x-account-password': 'wrong' }]) {
      const { status, json } = await sendImport(server, other, document, '?mode=replace', headers);
      expect([status, Object.keys(json)]).toEqual([422, ['password']]);
    }
    const password = { 'x-account-password': 'password123' };
    const { status, json } = await sendImport(server, other, document, '?mode=replace', password);
    expect([status, json.ok]).toEqual([200, true]);
    const after = await exportAccount(server, other);
    expect(after.tools.map(({ name }: Document) => name)).toEqual(['Watering Nozzle', 'Seeder']);
    expect(json.back_up).toMatch(/^imports-replaced\/device-\d+-\w+\.zip$/);
    const copies = await server.app.operations.transfer();
    const file = join(server.settings.DATA_DIR, json.back_up);
    const back = await server.signUp();
    expect(await copies.importFile(back.email, file, { mode: 'empty', check: false, strict: true })).toMatchObject({
      ok: true,
    });
    expect((await exportAccount(server, back)).tools).toMatchObject([{ name: 'To be replaced' }]);
  });

  it('announces all records after the commit, with the label of the request', async () => {
    const client = await EventRecordingClient.start(engine);
    try {
      const label = { 'x-farmbot-rpc-id': 'my import' };
      const { status } = await sendImport(client.server, client.account, fixture('vendor-peculiarities'), '', label);
      expect(status).toBe(200);
      const events = await client.takeEvents();
      expect([...new Set(events.map((event) => event.label))]).toEqual(['my import']);
      const count = (resource: string): number => events.filter((event) => event.resource === resource).length;
      // The archived weed and logs are not announced.
      const counts = ['Point', 'Tool', 'Sequence', 'Regimen', 'FarmEvent', 'Device', 'FbosConfig', 'Log'].map(count);
      expect(counts).toEqual([4, 2, 2, 1, 2, 1, 1, 0]);
      const document = await exportAccount(client.server, client.account);
      const water = events.find(({ body }) => body?.includes('"Water a plant"'));
      expect(JSON.parse(water?.body ?? 'null')).toEqual(named(document, 'sequences', 'Water a plant'));
    } finally {
      await client.server.close();
    }
  });

  it('runs one import into an account at a time', async () => {
    const other = await server.signUp();
    const responses = await Promise.all([1, 2].map(() => sendImport(server, other, fixture('plain'), '?check=true')));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 422]);
  });

  it('treats an account with records of its robot only as empty, and lists the records of another one', async () => {
    const other = await server.signUp();
    const { token } = other;
    await server.call('POST', '/api/logs', { token, body: { message: 'Online' } });
    await server.call('POST', '/api/telemetries', { token, body: { target: 'rpi4' } });
    const document: Document = { ...fixture('plain'), images: [] };
    expect((await sendImport(server, other, document)).status).toBe(200);
    const { logs, telemetries } = await exportAccount(server, other);
    expect(logs.map(({ message }: Document) => message)).toContain('Online');
    expect(telemetries).toHaveLength(document.telemetries.length + 1);
    const third = await server.signUp();
    for (const name of ['Spade', 'Fork'])
      await server.call('POST', '/api/tools', { token: third.token, body: { name } });
    await server.call('POST', '/api/webcam_feeds', { token: third.token, body: { name: 'W', url: 'http://x/' } });
    const { status, json } = await sendImport(server, third, document);
    expect([status, json]).toEqual([
      422,
      {
        error: 'The account is not empty (2 tools, 1 webcam feed). Use mode "merge" or "replace".',
      },
    ]);
  });

  it('stores only the newest records of histories', async () => {
    const other = await server.signUp();
    await server.app.server().device(other.deviceId).update(devices, { max_log_count: 3 }, {});
    const document: Document = { ...fixture('plain'), images: [] };
    const many = (count: number, one: Document, more: (n: number) => object): Document[] =>
      Array.from({ length: count }, (_, n) => ({ ...one, id: 10_000 + n, ...more(n) }));
    const [log] = document.logs;
    // By their ids, whatever their times and their order.
    document.logs = many(5, log, (n) => ({ message: `Log ${n}`, created_at: 1_767_300_000 - n })).reverse();
    delete document.logs[4].created_at;
    document.telemetries = many(302, document.telemetries[0], (n) => ({ created_at: 1_767_300_000 + n }));
    document.sensor_readings = many(2501, document.sensor_readings[0], () => ({}));
    const { status, json } = await sendImport(server, other, document, '?strict=true');
    expect(status, JSON.stringify(json)).toBe(200);
    expect(json.taken).toMatchObject({ logs: 3, telemetries: 300, sensor_readings: 2500 });
    expect(json.left_out).toEqual([
      { path: '/logs', message: 'The 2 oldest logs were omitted: only the newest 3 are kept.' },
      {
        path: '/sensor_readings',
        message: 'The 1 oldest sensor readings were omitted: only the newest 2500 are kept.',
      },
      { path: '/telemetries', message: 'The 2 oldest telemetries were omitted: only the newest 300 are kept.' },
    ]);
    const stored = await exportAccount(server, other);
    expect(stored.logs.map(({ message }: Document) => message)).toEqual(['Log 2', 'Log 3', 'Log 4']);
    expect(stored.telemetries.map(({ created_at }: Document) => created_at)[0]).toBe(1_767_300_002);
  });

  it("keeps the account's own logs, and the time at which imported ones were received", async () => {
    const other = await server.signUp();
    const scope = server.app.server().device(other.deviceId);
    await scope.update(devices, { max_log_count: 3 }, {});
    await server.call('POST', '/api/logs', { token: other.token, body: { message: 'Own' } });
    const document: Document = { ...fixture('plain'), images: [] };
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const [log] = document.logs;
    document.logs = [10, 59, -1].map((days, n) => ({
      ...log,
      id: 10_000 + n,
      message: `Log ${n}`,
      created_at: 0,
      updated_at: daysAgo(days),
    }));
    const { status, json } = await sendImport(server, other, document, '?strict=true');
    expect([status, json.taken.logs], JSON.stringify(json)).toEqual([200, 2]);
    expect(json.left_out).toEqual([
      { path: '/logs', message: 'The 1 oldest logs were omitted: only the newest 2 are kept.' },
    ]);
    const [own, old, young] = await scope.rows(logs);
    expect([own?.message, old?.message, young?.message]).toEqual(['Own', 'Log 1', 'Log 2']);
    expect(old?.updated_at).toBe(document.logs[1].updated_at);
    expect(String(young?.updated_at) <= new Date().toISOString()).toBe(true);
    const listed = await server.call('GET', '/api/logs', { token: other.token });
    expect(listed.json).toMatchObject([{ message: 'Log 2', created_at: 0 }, { message: 'Log 1' }, { message: 'Own' }]);
  });

  it('reports invalid times', async () => {
    const other = await server.signUp();
    const document: Document = { ...fixture('plain'), images: [] };
    document.tools[0].created_at = 'yesterday';
    document.logs[0].created_at = 1e300;
    document.regimens[0].regimen_items[1].created_at = true;
    document.device.created_at = {};
    document.web_app_config.created_at = 'x';
    delete document.tools[1].created_at;
    const { status, json } = await sendImport(server, other, document);
    expect(status).toBe(200);
    expect(paths(json.changed)).toEqual([
      '/device/created_at',
      '/logs/0/created_at',
      '/regimens/0/regimen_items/1/created_at',
      '/tools/0/created_at',
      '/web_app_config/created_at',
    ]);
    expect(json.changed[0].message).toBe(
      'This is not a time such as 2026-05-01T12:00:00Z: it was replaced by the current time.',
    );
  });

  it('only reports with check=true', async () => {
    const other = await server.signUp();
    const document = fixture('vendor-peculiarities');
    document.points[0].x = 'far';
    const { status, json } = await sendImport(server, other, document, '?check=true');
    expect(status).toBe(200);
    expect(json).toMatchObject({
      ok: false,
      check: true,
      problems: [{ path: '/points/0/x', message: 'X must be a number.' }],
    });
    const stored = await exportAccount(server, other);
    expect([stored.points, stored.tools]).toEqual([[], []]);
  });

  it('with strict=true, rejects records that would be changed or lost', async () => {
    const other = await server.signUp();
    const { status, json } = await sendImport(server, other, fixture('vendor-peculiarities'), '?strict=true');
    expect(status).toBe(422);
    expect(json).toHaveProperty(['/points/4/tool_id']);
    expect(json).toHaveProperty(['/sequences/2/body/0/args/location/args/tool_id']);
    expect((await exportAccount(server, other)).tools).toEqual([]);
  });
});
