import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resources } from '../src/resources.ts';
import { Announcements } from './exchanges/announcements.ts';
import { liveScenarios } from './exchanges/live-scenarios.ts';
import { report, runScenario } from './exchanges/runner.ts';
import type { TestApp } from './support/app.ts';
import { startApp } from './support/app.ts';
import { describeEngines } from './support/engines.ts';
import { example } from './support/examples.ts';
import { HttpClient } from './support/http-client.ts';
import { inShort, Listened } from './support/listened.ts';

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
  let my: Listened;
  beforeAll(async () => {
    my = await Listened.start(engine);
  });
  afterAll(() => my.server.close());

  it('are made of every resource that this list names, and of no other', () => {
    const served = resources.filter(({ options }) => options.announced);
    const elsewhere = ['alerts', 'fbos_configs', 'firmware_configs', 'images'];
    expect(served.map(({ name }) => name).sort()).toEqual([...announced.map(([path]) => path), ...elsewhere].sort());
  });

  it.each(announced)('%s: made, changed and gone, with the bytes of HTTP', async (path, resource, change) => {
    const made = await my.must('POST', `/api/${path}`, await example(my.server, path, my.account));
    const recordId: number = made.json.id;
    const common = { deviceId: my.account.deviceId, resource, recordId, label: 'L', origin: 'client' };
    expect(made.told).toMatchObject([{ ...common, body: made.text }]);
    if (change !== null) {
      const changed = await my.must('PATCH', `/api/${path}/${recordId}`, change);
      expect(changed.told).toMatchObject([{ ...common, body: changed.text }]);
      expect(changed.json).toMatchObject(path === 'point_groups' ? {} : change);
      const again = await my.must('PATCH', `/api/${path}/${recordId}`, change);
      expect(again.told).toHaveLength(alwaysTold.has(path) ? 1 : 0);
    }
    expect((await my.must('GET', `/api/${path}`)).told).toEqual([]);
    const gone = await my.must('DELETE', `/api/${path}/${recordId}`);
    expect(gone.told).toMatchObject([{ ...common, body: null }]);
  });

  it.each(silent)('%s: nothing', async (path) => {
    const made = await my.must('POST', `/api/${path}`, await example(my.server, path, my.account));
    expect(made.told).toEqual([]);
    if (path === 'wizard_step_results')
      expect((await my.must('PATCH', `/api/${path}/${made.json.id}`, { answer: true })).told).toEqual([]);
    if (path !== 'ai_feedbacks') expect((await my.must('DELETE', `/api/${path}/${made.json.id}`)).told).toEqual([]);
  });

  it('alerts: that they are gone', async () => {
    const [alert] = (await my.must('GET', '/api/alerts')).json;
    expect(inShort((await my.must('DELETE', `/api/alerts/${alert.id}`)).told)).toEqual([`Alert ${alert.id} gone`]);
  });

  it('the device and its users: as HTTP shows them', async () => {
    const { deviceId, userId } = my.account;
    const device = await my.must('PATCH', '/api/device', { name: 'Käfer', timezone: 'Europe/Berlin' });
    expect(device.told).toMatchObject([{ resource: 'Device', recordId: deviceId, label: 'L', body: device.text }]);
    const user = await my.must('PATCH', '/api/users', { language: 'Deutsch' });
    expect(user.told).toMatchObject([{ resource: 'User', recordId: userId, label: 'L', body: user.text }]);
    expect((await my.must('PATCH', '/api/users', { language: 'Deutsch' })).told).toEqual([]);
    expect((await my.must('PATCH', '/api/device', { name: ' Käfer ' })).told).toEqual([]);
    expect((await my.must('GET', '/api/device/sync')).told).toEqual([]);
    const robot = await my.ask('GET', '/api/device', undefined, { 'user-agent': 'FarmBotOS/15.4.6 (x) x' });
    expect([robot.status, robot.json.fbos_version, robot.told]).toEqual([200, '15.4.6', []]);
    expect((await my.ask('GET', '/api/tokens')).told).toEqual([]);
  });

  it('configs: changed and reset, not made; what the web app remembers: never', async () => {
    for (const [path, name, change] of [
      ['fbos_config', 'FbosConfig', { safe_height: 7 }],
      ['firmware_config', 'FirmwareConfig', { param_e_stop_on_mov_err: 1 }],
    ] as const) {
      const { json } = await my.must('GET', `/api/${path}`);
      const changed = await my.must('PATCH', `/api/${path}`, change);
      expect(changed.told).toMatchObject([{ resource: name, recordId: json.id, label: 'L', body: changed.text }]);
      expect((await my.must('PATCH', `/api/${path}`, change)).told).toEqual([]);
      expect(inShort((await my.must('DELETE', `/api/${path}`)).told)).toEqual([`${name} ${json.id} gone`]);
      expect((await my.must('GET', `/api/${path}`)).told).toEqual([]);
    }
    expect((await my.must('PATCH', '/api/web_app_config', { dark_mode: false })).told).toEqual([]);
    expect((await my.must('DELETE', '/api/web_app_config')).told).toEqual([]);
  });

  it('bear the id that the request got, sent or not', async () => {
    const { token } = my.account;
    const answer = await my.server.call('POST', '/api/tools', { token, body: { name: 'Unlabelled' } });
    const [event] = await my.take();
    expect(event?.label).toMatch(uuid);
    expect(event?.label).toBe(answer.headers['x-farmbot-rpc-id']);
    const unsafe = await my.ask(
      'POST',
      '/api/tools',
      { name: 'Ill-labelled' },
      { 'x-farmbot-rpc-id': 'x'.repeat(201) },
    );
    expect(unsafe.told[0]?.label).toMatch(uuid);
    const { email } = my.account;
    const signIn = { user: { email, password: 'password123', agree_to_terms: true } };
    const agreed = await my.server.call('POST', '/api/tokens', { body: signIn });
    const [user] = await my.take();
    expect(user).toMatchObject({ resource: 'User', origin: 'client', label: agreed.headers['x-farmbot-rpc-id'] });
  });

  it('are not made by changes that change nothing, refused requests or reading', async () => {
    const id = await my.make('tools', { name: 'Hoe', flow_rate_ml_per_s: 13 });
    const group = await my.make('point_groups');
    for (const body of [
      {},
      { nonsense: 1 },
      { name: 'Hoe' },
      { name: ' Hoe ' },
      { flow_rate_ml_per_s: '13' },
      { id: 5, name: null },
    ])
      expect((await my.must('PATCH', `/api/tools/${id}`, body)).told, JSON.stringify(body)).toEqual([]);
    expect(inShort((await my.must('PATCH', `/api/point_groups/${group}`, {})).told)).toEqual([`PointGroup ${group}`]);
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
      const answer = await my.ask(method, path, body);
      expect([answer.status, answer.told], `${method} ${path}`).toEqual([status, []]);
    }
    await my.must('POST', '/api/points', { pointer_type: 'ToolSlot', x: 1, y: 1, tool_id: id });
    expect(await my.ask('DELETE', `/api/tools/${id}`)).toMatchObject({ status: 422, told: [] });
  });

  it('the same peripheral posted again: nothing', async () => {
    const body = { label: 'Pump', pin: 8 };
    expect((await my.must('POST', '/api/peripherals', body)).told).toHaveLength(1);
    expect((await my.must('POST', '/api/peripherals', body)).told).toEqual([]);
  });

  it('deleting a mounted tool: the device without it, and the tool', async () => {
    const id = await my.make('tools');
    await my.must('PATCH', '/api/device', { mounted_tool_id: id });
    const { told } = await my.must('DELETE', `/api/tools/${id}`);
    expect(inShort(told)).toEqual([`Device ${my.account.deviceId}`, `Tool ${id} gone`]);
    expect(told[0]?.body).toBe((await my.must('GET', '/api/device')).text);
  });

  it('deleting points: each one, and each of their groups once, under a label of its own', async () => {
    const [a, b, c] = [await my.make('points'), await my.make('points'), await my.make('points')];
    const group = await my.make('point_groups', { point_ids: [a, b, c] });
    const other = await my.make('point_groups', { point_ids: [c] });
    const { told } = await my.must('DELETE', `/api/points/${a},${b},999999`);
    expect(inShort(told).sort()).toEqual(
      [`Point ${a} gone`, `Point ${b} gone`, `PointGroup ${group} labelled otherwise`].sort(),
    );
    const event = told.find(({ resource }) => resource === 'PointGroup');
    expect(event?.label).toMatch(uuid);
    expect(event?.body).toBe((await my.must('GET', `/api/point_groups/${group}`)).text);
    expect(JSON.parse(event?.body ?? '')).toMatchObject({ point_ids: [c] });
    expect((await my.must('PATCH', `/api/points/${a}`, { name: 'Archived' })).told, 'an archived point').toEqual([]);
    await my.must('DELETE', `/api/point_groups/${other}`);
  });

  it('saved gardens: templates with their garden, plants that come and go', async () => {
    const old = (await my.must('GET', '/api/points')).json.filter(
      (point: { pointer_type: string }) => point.pointer_type === 'Plant',
    );
    const shot = (await my.must('POST', '/api/saved_gardens/snapshot', { name: 'Now' })).told;
    const garden = (await my.must('GET', '/api/saved_gardens')).json.find(
      ({ name }: { name: string }) => name === 'Now',
    );
    const templates = (await my.must('GET', '/api/plant_templates')).json.filter(
      (template: { saved_garden_id: number }) => template.saved_garden_id === garden.id,
    );
    expect(old.length).toBeGreaterThan(0);
    const wanted = [`SavedGarden ${garden.id}`, ...templates.map(({ id }: { id: number }) => `PlantTemplate ${id}`)];
    expect(inShort(shot).sort()).toEqual(wanted.sort());

    const applied = (await my.must('POST', `/api/saved_gardens/${garden.id}/apply`)).told.filter(
      ({ resource }) => resource === 'Point',
    );
    const now = (await my.must('GET', '/api/points')).json.filter(
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

    const gone = (await my.must('DELETE', `/api/saved_gardens/${garden.id}`)).told;
    expect(inShort(gone).sort()).toEqual(wanted.map((text) => `${text} gone`).sort());
  });

  it('deleting all envs or telemetries: each one', async () => {
    const envs = [await my.make('farmware_envs'), await my.make('farmware_envs')];
    expect(inShort((await my.must('DELETE', '/api/farmware_envs/all')).told)).toEqual(
      envs.map((id) => `FarmwareEnv ${id} gone`),
    );
    const rows = [await my.make('telemetries'), await my.make('telemetries')];
    expect(inShort((await my.must('DELETE', '/api/telemetries/all')).told)).toEqual(
      rows.map((id) => `Telemetry ${id} gone`),
    );
    expect((await my.must('DELETE', '/api/telemetries/all')).told).toEqual([]);
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
