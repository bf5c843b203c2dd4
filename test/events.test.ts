import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resources } from '../src/resources.ts';
import { Announcements } from './exchanges/announcements.ts';
import { liveScenarios } from './exchanges/live-scenarios.ts';
import { report, runScenario } from './exchanges/runner.ts';
import type { TestApp } from './support/app.ts';
import { startApp } from './support/app.ts';
import { describeEngines } from './support/engines.ts';
import { EventRecordingClient, eventSummaries } from './support/event-recording-client.ts';
import { example } from './support/examples.ts';
import { HttpClient } from './support/http-client.ts';

// What is announced of which change. When and to whom it is delivered: event-delivery.test.ts.

/** Each announced resource with a change that its records take; null where they cannot be changed. */
const announced: readonly (readonly [path: string, name: string, change: object | null])[] = [
  ['curves', 'Curve', { data: { '9': 1, '10': 2 } }],
  ['farmware_envs', 'FarmwareEnv', { value: { b: 1, a: ['ü', '\u2028'] } }],
  ['farmware_installations', 'FarmwareInstallation', null],
  ['folders', 'Folder', { color: 'red' }],
  ['peripherals', 'Peripheral', { label: '"quoted" \\ 🌱' }],
  ['pin_bindings', 'PinBinding', { special_action: 'reboot' }],
  ['plant_templates', 'PlantTemplate', { x: 0.1 }],
  ['points', 'Point', { x: 0.1, y: -1e-7, radius: 1e15, meta: { '2': 'b', '1': 'a' } }],
  ['point_groups', 'PointGroup', { criteria: { number_gt: { x: 1.5 } } }],
  ['regimens', 'Regimen', { color: 'blue' }],
  ['farm_events', 'FarmEvent', { repeat: 2 }],
  ['sequences', 'Sequence', { color: 'red' }],
  ['saved_gardens', 'SavedGarden', { notes: 'Two\nlines' }],
  ['scene_objects', 'SceneObject', { show: false }],
  ['sensors', 'Sensor', { mode: 1 }],
  ['sensor_readings', 'SensorReading', null],
  ['telemetries', 'Telemetry', null],
  ['tools', 'Tool', { seeder_tip_z_offset: 16777217.5 }],
  ['webcam_feeds', 'WebcamFeed', { name: 'Ünï' }],
];
/** Announced also where nothing differs. */
const alwaysTold = new Set(['point_groups', 'regimens', 'farm_events', 'sequences']);
const silent = ['logs', 'wizard_step_results', 'ai_feedbacks'];
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describeEngines('announcements', (engine) => {
  let my: EventRecordingClient;
  beforeAll(async () => {
    my = await EventRecordingClient.start(engine);
  });
  afterAll(() => my.server.close());

  it('are made of every resource that this list names, and of no other', () => {
    const served = resources.filter(({ options }) => options.announced);
    const elsewhere = ['alerts', 'fbos_configs', 'firmware_configs', 'images'];
    expect(served.map(({ name }) => name).sort()).toEqual([...announced.map(([path]) => path), ...elsewhere].sort());
  });

  it.each(announced)('%s: made, changed and gone, with the bytes of HTTP', async (path, resource, change) => {
    const made = await my.requestOk('POST', `/api/${path}`, await example(my.server, path, my.account));
    const recordId: number = made.json.id;
    const common = { deviceId: my.account.deviceId, resource, recordId, label: 'L', origin: 'client' };
    expect(made.events).toMatchObject([{ ...common, body: made.text }]);
    if (change !== null) {
      const changed = await my.requestOk('PATCH', `/api/${path}/${recordId}`, change);
      expect(changed.events).toMatchObject([{ ...common, body: changed.text }]);
      expect(changed.json).toMatchObject(path === 'point_groups' ? {} : change);
      const again = await my.requestOk('PATCH', `/api/${path}/${recordId}`, change);
      expect(again.events).toHaveLength(alwaysTold.has(path) ? 1 : 0);
    }
    expect((await my.requestOk('GET', `/api/${path}`)).events).toEqual([]);
    const gone = await my.requestOk('DELETE', `/api/${path}/${recordId}`);
    expect(gone.events).toMatchObject([{ ...common, body: null }]);
  });

  it.each(silent)('%s: nothing', async (path) => {
    const made = await my.requestOk('POST', `/api/${path}`, await example(my.server, path, my.account));
    expect(made.events).toEqual([]);
    if (path === 'wizard_step_results')
      expect((await my.requestOk('PATCH', `/api/${path}/${made.json.id}`, { answer: true })).events).toEqual([]);
    if (path !== 'ai_feedbacks')
      expect((await my.requestOk('DELETE', `/api/${path}/${made.json.id}`)).events).toEqual([]);
  });

  it('alerts: that they are gone', async () => {
    const [alert] = (await my.requestOk('GET', '/api/alerts')).json;
    expect(eventSummaries((await my.requestOk('DELETE', `/api/alerts/${alert.id}`)).events)).toEqual([
      `Alert ${alert.id} gone`,
    ]);
  });

  it('the device and its users: as HTTP shows them', async () => {
    const { deviceId, userId } = my.account;
    const device = await my.requestOk('PATCH', '/api/device', { name: 'Käfer', timezone: 'Europe/Berlin' });
    expect(device.events).toMatchObject([{ resource: 'Device', recordId: deviceId, label: 'L', body: device.text }]);
    const user = await my.requestOk('PATCH', '/api/users', { language: 'Deutsch' });
    expect(user.events).toMatchObject([{ resource: 'User', recordId: userId, label: 'L', body: user.text }]);
    expect((await my.requestOk('PATCH', '/api/users', { language: 'Deutsch' })).events).toEqual([]);
    expect((await my.requestOk('PATCH', '/api/device', { name: ' Käfer ' })).events).toEqual([]);
    expect((await my.requestOk('GET', '/api/device/sync')).events).toEqual([]);
    const robot = await my.request('GET', '/api/device', undefined, { 'user-agent': 'FarmBotOS/15.4.6 (x) x' });
    expect([robot.status, robot.json.fbos_version, robot.events]).toEqual([200, '15.4.6', []]);
    expect((await my.request('GET', '/api/tokens')).events).toEqual([]);
  });

  it('configs: changed and reset, not made; what the web app remembers: never', async () => {
    for (const [path, name, change] of [
      ['fbos_config', 'FbosConfig', { safe_height: 7 }],
      ['firmware_config', 'FirmwareConfig', { param_e_stop_on_mov_err: 1 }],
    ] as const) {
      const { json } = await my.requestOk('GET', `/api/${path}`);
      const changed = await my.requestOk('PATCH', `/api/${path}`, change);
      expect(changed.events).toMatchObject([{ resource: name, recordId: json.id, label: 'L', body: changed.text }]);
      expect((await my.requestOk('PATCH', `/api/${path}`, change)).events).toEqual([]);
      expect(eventSummaries((await my.requestOk('DELETE', `/api/${path}`)).events)).toEqual([
        `${name} ${json.id} gone`,
      ]);
      expect((await my.requestOk('GET', `/api/${path}`)).events).toEqual([]);
    }
    expect((await my.requestOk('PATCH', '/api/web_app_config', { dark_mode: false })).events).toEqual([]);
    expect((await my.requestOk('DELETE', '/api/web_app_config')).events).toEqual([]);
  });

  it('bear the id that the request got, sent or not', async () => {
    const { token } = my.account;
    const answer = await my.server.call('POST', '/api/tools', { token, body: { name: 'Unlabelled' } });
    const [event] = await my.takeEvents();
    expect(event?.label).toMatch(uuid);
    expect(event?.label).toBe(answer.headers['x-farmbot-rpc-id']);
    const unsafe = await my.request(
      'POST',
      '/api/tools',
      { name: 'Ill-labelled' },
      { 'x-farmbot-rpc-id': 'x'.repeat(201) },
    );
    expect(unsafe.events[0]?.label).toMatch(uuid);
    const { email } = my.account;
    const signIn = { user: { email, password: 'password123', agree_to_terms: true } };
    const agreed = await my.server.call('POST', '/api/tokens', { body: signIn });
    const [user] = await my.takeEvents();
    expect(user).toMatchObject({ resource: 'User', origin: 'client', label: agreed.headers['x-farmbot-rpc-id'] });
  });

  it('are not made by changes that change nothing, refused requests or reading', async () => {
    const id = await my.create('tools', { name: 'Hoe', flow_rate_ml_per_s: 13 });
    const group = await my.create('point_groups');
    for (const body of [
      {},
      { nonsense: 1 },
      { name: 'Hoe' },
      { name: ' Hoe ' },
      { flow_rate_ml_per_s: '13' },
      { id: 5, name: null },
    ])
      expect((await my.requestOk('PATCH', `/api/tools/${id}`, body)).events, JSON.stringify(body)).toEqual([]);
    expect(eventSummaries((await my.requestOk('PATCH', `/api/point_groups/${group}`, {})).events)).toEqual([
      `PointGroup ${group}`,
    ]);
    const refused: readonly (readonly [string, string, unknown, number])[] = [
      ['POST', '/api/tools', { name: 'Hoe' }, 422],
      ['POST', '/api/tools', {}, 422],
      ['PATCH', `/api/tools/${id}`, { name: '' }, 422],
      ['PATCH', '/api/tools/999999', { name: 'x' }, 404],
      ['DELETE', '/api/tools/999999', undefined, 404],
      ['PATCH', `/api/point_groups/${group}`, { name: 'x', point_ids: [999999] }, 422],
      ['PATCH', '/api/device', { name: 'x', mounted_tool_id: 999999 }, 422],
      ['GET', `/api/tools/${id}`, undefined, 200],
      ['GET', '/api/points/search?x=1', undefined, 200],
    ];
    for (const [method, path, body, status] of refused) {
      const answer = await my.request(method, path, body);
      expect([answer.status, answer.events], `${method} ${path}`).toEqual([status, []]);
    }
    await my.requestOk('POST', '/api/points', { pointer_type: 'ToolSlot', x: 1, y: 1, tool_id: id });
    expect(await my.request('DELETE', `/api/tools/${id}`)).toMatchObject({ status: 422, told: [] });
  });

  it('the same peripheral posted again: nothing', async () => {
    const body = { label: 'Pump', pin: 8 };
    expect((await my.requestOk('POST', '/api/peripherals', body)).events).toHaveLength(1);
    expect((await my.requestOk('POST', '/api/peripherals', body)).events).toEqual([]);
  });

  it('deleting a mounted tool: the device without it, and the tool', async () => {
    const id = await my.create('tools');
    await my.requestOk('PATCH', '/api/device', { mounted_tool_id: id });
    const { events } = await my.requestOk('DELETE', `/api/tools/${id}`);
    expect(eventSummaries(events)).toEqual([`Device ${my.account.deviceId}`, `Tool ${id} gone`]);
    expect(events[0]?.body).toBe((await my.requestOk('GET', '/api/device')).text);
  });

  it('deleting points: each one, and each of their groups once, under a label of its own', async () => {
    const [a, b, c] = [await my.create('points'), await my.create('points'), await my.create('points')];
    const group = await my.create('point_groups', { point_ids: [a, b, c] });
    const other = await my.create('point_groups', { point_ids: [c] });
    const { events } = await my.requestOk('DELETE', `/api/points/${a},${b},999999`);
    expect(eventSummaries(events).sort()).toEqual(
      [`Point ${a} gone`, `Point ${b} gone`, `PointGroup ${group} labelled otherwise`].sort(),
    );
    const event = events.find(({ resource }) => resource === 'PointGroup');
    expect(event?.label).toMatch(uuid);
    expect(event?.body).toBe((await my.requestOk('GET', `/api/point_groups/${group}`)).text);
    expect(JSON.parse(event?.body ?? '')).toMatchObject({ point_ids: [c] });
    expect((await my.requestOk('PATCH', `/api/points/${a}`, { name: 'Archived' })).events, 'an archived point').toEqual(
      [],
    );
    await my.requestOk('DELETE', `/api/point_groups/${other}`);
  });

  it('saved gardens: templates with their garden, plants that come and go', async () => {
    const old = (await my.requestOk('GET', '/api/points')).json.filter(
      (point: { pointer_type: string }) => point.pointer_type === 'Plant',
    );
    const shot = (await my.requestOk('POST', '/api/saved_gardens/snapshot', { name: 'Now' })).events;
    const garden = (await my.requestOk('GET', '/api/saved_gardens')).json.find(
      ({ name }: { name: string }) => name === 'Now',
    );
    const templates = (await my.requestOk('GET', '/api/plant_templates')).json.filter(
      (template: { saved_garden_id: number }) => template.saved_garden_id === garden.id,
    );
    expect(old.length).toBeGreaterThan(0);
    const wanted = [`SavedGarden ${garden.id}`, ...templates.map(({ id }: { id: number }) => `PlantTemplate ${id}`)];
    expect(eventSummaries(shot).sort()).toEqual(wanted.sort());

    const applied = (await my.requestOk('POST', `/api/saved_gardens/${garden.id}/apply`)).events.filter(
      ({ resource }) => resource === 'Point',
    );
    const now = (await my.requestOk('GET', '/api/points')).json.filter(
      (point: { pointer_type: string }) => point.pointer_type === 'Plant',
    );
    expect(
      applied
        .filter(({ body }) => body === null)
        .map(({ recordId }) => recordId)
        .sort(),
    ).toEqual(old.map(({ id }: { id: number }) => id).sort());
    expect(
      applied.flatMap(({ body }) => (body === null ? [] : [JSON.parse(body)])).sort((x, y) => x.id - y.id),
    ).toEqual(now);

    const gone = (await my.requestOk('DELETE', `/api/saved_gardens/${garden.id}`)).events;
    expect(eventSummaries(gone).sort()).toEqual(wanted.map((text) => `${text} gone`).sort());
  });

  it('deleting all envs or telemetries: each one', async () => {
    const envs = [await my.create('farmware_envs'), await my.create('farmware_envs')];
    expect(eventSummaries((await my.requestOk('DELETE', '/api/farmware_envs/all')).events)).toEqual(
      envs.map((id) => `FarmwareEnv ${id} gone`),
    );
    const rows = [await my.create('telemetries'), await my.create('telemetries')];
    expect(eventSummaries((await my.requestOk('DELETE', '/api/telemetries/all')).events)).toEqual(
      rows.map((id) => `Telemetry ${id} gone`),
    );
    expect((await my.requestOk('DELETE', '/api/telemetries/all')).events).toEqual([]);
  });
});

describeEngines('announcements as recorded', (engine) => {
  let server: TestApp;
  let client: HttpClient;
  let announcements: Announcements;
  beforeAll(async () => {
    server = await startApp(engine, { HOST: '127.0.0.1', PORT: '0' });
    client = new HttpClient((await server.app.listen()).address);
    announcements = await Announcements.of(server.app);
  });
  afterAll(async () => {
    client.close();
    await server.close();
  });

  describe.concurrent('each', () => {
    it.each(liveScenarios)('$file: $scenario.name', { timeout: 60_000 }, async ({ scenario }) => {
      const wrong = await runScenario(scenario, { client, outbox: null }, announcements);
      if (wrong.length > 0) throw new Error(report(wrong));
    });
  });
});
