import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resourceRights, resources } from '../../src/resources.ts';
import { Announcements } from '../exchanges/announcements.ts';
import { liveScenarios } from '../exchanges/live-scenarios.ts';
import { report, runScenario } from '../exchanges/runner.ts';
import { suiteApp } from '../support/app.ts';
import { describeAnyEngine, describeEngines } from '../support/engines.ts';
import { eventSummaries, suiteEventClient } from '../support/event-recording-client.ts';
import { actionsOf, example, hasExample } from '../support/examples.ts';
import { HttpClient } from '../support/http-client.ts';

// The announced changes. event-delivery.test.ts tests their times and receivers.

/** The names of announcements, which clients dispatch on. [rule V22] */
const names: Readonly<Record<string, string | null>> = {
  ai_feedbacks: null,
  alerts: 'Alert',
  curves: 'Curve',
  farm_events: 'FarmEvent',
  farmware_envs: 'FarmwareEnv',
  farmware_installations: 'FarmwareInstallation',
  fbos_configs: 'FbosConfig',
  firmware_configs: 'FirmwareConfig',
  folders: 'Folder',
  images: 'Image',
  logs: null,
  peripherals: 'Peripheral',
  pin_bindings: 'PinBinding',
  plant_templates: 'PlantTemplate',
  point_groups: 'PointGroup',
  points: 'Point',
  regimens: 'Regimen',
  saved_gardens: 'SavedGarden',
  scene_objects: 'SceneObject',
  sensor_readings: 'SensorReading',
  sensors: 'Sensor',
  sequences: 'Sequence',
  telemetries: 'Telemetry',
  tools: 'Tool',
  web_app_configs: null,
  webcam_feeds: 'WebcamFeed',
  wizard_step_results: null,
};

/** Changes for a PATCH whose JSON is easily written in another way. Other resources are changed to their next example. */
const changes: Readonly<Record<string, object>> = {
  curves: { data: { '9': 1, '10': 2 } },
  farm_events: { repeat: 2 },
  farmware_envs: { value: { b: 1, a: ['ü', '\u2028'] } },
  peripherals: { label: '"quoted" \\ 🌱' },
  plant_templates: { x: 0.1 },
  points: { x: 0.1, y: -1e-7, radius: 1e15, meta: { '2': 'b', '1': 'a' } },
  point_groups: { criteria: { number_gt: { x: 1.5 } } },
  saved_gardens: { notes: 'Two\nlines' },
  scene_objects: { show: false },
  sequences: { color: 'red' },
  tools: { seeder_tip_z_offset: 16777217.5 },
  webcam_feeds: { name: 'Ünï' },
};

const byName = resources
  .filter((resource) => hasExample(resource) && resource.name !== 'images')
  .map((resource) => [resource.name, resource] as const);
const announced = byName.filter(([, { options }]) => options.changeLogName);
const silent = byName.filter(([, { options }]) => !options.changeLogName);
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describeEngines('announcements', (engine) => {
  const api = suiteEventClient(engine);

  it('have the names that clients know', () => {
    const known = resources.filter(({ name, options }) => name in names || !options.addition);
    const published = known.map(({ name, options: { changeLogName } }) => [
      name,
      changeLogName !== null && resourceRights.isPublished(changeLogName) ? changeLogName : null,
    ]);
    expect(Object.fromEntries(published)).toEqual(names);
  });

  it.each(announced)('%s: a create, an update and a delete, with the bytes of HTTP', async (name, resource) => {
    const path = `/api/${name}`;
    const next = () => example(api.server, name, api.account);
    const created = await api.requestOk('POST', path, await next());
    const recordId: number = created.json.id;
    const common = { resource: resource.options.changeLogName, recordId, label: 'L', origin: 'client' };
    const expected = { ...common, deviceId: api.account.deviceId };
    expect(created.events).toMatchObject([{ ...expected, body: created.text }]);
    const change = changes[name] ?? (actionsOf(resource).has('update') ? await next() : null);
    if (change !== null) {
      const changed = await api.requestOk('PATCH', `${path}/${recordId}`, change);
      expect(changed.events).toMatchObject([{ ...expected, body: changed.text }]);
      expect(changed.json).toMatchObject(name === 'point_groups' ? {} : change);
      const again = await api.requestOk('PATCH', `${path}/${recordId}`, change);
      expect(again.events).toHaveLength(resource.options.announcesEveryUpdate ? 1 : 0);
    }
    expect((await api.requestOk('GET', path)).events).toEqual([]);
    const deleted = await api.requestOk('DELETE', `${path}/${recordId}`);
    expect(deleted.events).toMatchObject([{ ...expected, body: null }]);
  });

  it.each(silent)('%s: nothing', async (name, resource) => {
    const actions = actionsOf(resource);
    const next = () => example(api.server, name, api.account);
    const created = await api.requestOk('POST', `/api/${name}`, await next());
    expect(created.events).toEqual([]);
    const path = `/api/${name}/${created.json.id}`;
    if (actions.has('update')) expect((await api.requestOk('PATCH', path, await next())).events).toEqual([]);
    if (actions.has('destroy') || name === 'logs') expect((await api.requestOk('DELETE', path)).events).toEqual([]);
  });

  it('alerts: deletions', async () => {
    const [alert] = (await api.requestOk('GET', '/api/alerts')).json;
    expect(eventSummaries((await api.requestOk('DELETE', `/api/alerts/${alert.id}`)).events)).toEqual([
      `Alert ${alert.id} deleted`,
    ]);
  });

  it('the device and its users: the JSON of HTTP', async () => {
    const { deviceId, userId } = api.account;
    const device = await api.requestOk('PATCH', '/api/device', { name: 'Käfer', timezone: 'Europe/Berlin' });
    expect(device.events).toMatchObject([{ resource: 'Device', recordId: deviceId, label: 'L', body: device.text }]);
    const user = await api.requestOk('PATCH', '/api/users', { language: 'Deutsch' });
    expect(user.events).toMatchObject([{ resource: 'User', recordId: userId, label: 'L', body: user.text }]);
    expect((await api.requestOk('PATCH', '/api/users', { language: 'Deutsch' })).events).toEqual([]);
    expect((await api.requestOk('PATCH', '/api/device', { name: ' Käfer ' })).events).toEqual([]);
    expect((await api.requestOk('GET', '/api/device/sync')).events).toEqual([]);
    const robot = await api.request('GET', '/api/device', undefined, { 'user-agent': 'FarmBotOS/15.4.6 (x) x' });
    expect([robot.status, robot.json.fbos_version, robot.events]).toEqual([200, '15.4.6', []]);
    expect((await api.request('GET', '/api/tokens')).events).toEqual([]);
  });

  it('configs: updates and resets, not creations; the config of the web app: never', async () => {
    for (const [path, name, change] of [
      ['fbos_config', 'FbosConfig', { safe_height: 7 }],
      ['firmware_config', 'FirmwareConfig', { param_e_stop_on_mov_err: 1 }],
    ] as const) {
      const { json } = await api.requestOk('GET', `/api/${path}`);
      const changed = await api.requestOk('PATCH', `/api/${path}`, change);
      expect(changed.events).toMatchObject([{ resource: name, recordId: json.id, label: 'L', body: changed.text }]);
      expect((await api.requestOk('PATCH', `/api/${path}`, change)).events).toEqual([]);
      expect(eventSummaries((await api.requestOk('DELETE', `/api/${path}`)).events)).toEqual([
        `${name} ${json.id} deleted`,
      ]);
      expect((await api.requestOk('GET', `/api/${path}`)).events).toEqual([]);
    }
    expect((await api.requestOk('PATCH', '/api/web_app_config', { dark_mode: false })).events).toEqual([]);
    expect((await api.requestOk('DELETE', '/api/web_app_config')).events).toEqual([]);
  });

  it('carry the id of the request, sent or generated', async () => {
    const { token } = api.account;
    const response = await api.server.call('POST', '/api/tools', { token, body: { name: 'Unlabelled' } });
    const [event] = await api.takeEvents();
    expect(event?.label).toMatch(uuid);
    expect(event?.label).toBe(response.headers['x-farmbot-rpc-id']);
    const unsafe = await api.request(
      'POST',
      '/api/tools',
      { name: 'Invalid label' },
      { 'x-farmbot-rpc-id': 'x'.repeat(201) },
    );
    expect(unsafe.events[0]?.label).toMatch(uuid);
    const { email } = api.account;
    const signIn = { user: { email, password: 'password123', agree_to_terms: true } };
    const agreed = await api.server.call('POST', '/api/tokens', { body: signIn });
    const [user] = await api.takeEvents();
    expect(user).toMatchObject({ resource: 'User', origin: 'client', label: agreed.headers['x-farmbot-rpc-id'] });
  });

  it('are not caused by updates without a change, rejected requests or reads', async () => {
    const id = await api.create('tools', { name: 'Hoe', flow_rate_ml_per_s: 13 });
    const group = await api.create('point_groups');
    for (const body of [
      {},
      { nonsense: 1 },
      { name: 'Hoe' },
      { name: ' Hoe ' },
      { flow_rate_ml_per_s: '13' },
      { id: 5, name: null },
    ])
      expect((await api.requestOk('PATCH', `/api/tools/${id}`, body)).events, JSON.stringify(body)).toEqual([]);
    expect(eventSummaries((await api.requestOk('PATCH', `/api/point_groups/${group}`, {})).events)).toEqual([
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
      const response = await api.request(method, path, body);
      expect([response.status, response.events], `${method} ${path}`).toEqual([status, []]);
    }
    await api.requestOk('POST', '/api/points', { pointer_type: 'ToolSlot', x: 1, y: 1, tool_id: id });
    expect(await api.request('DELETE', `/api/tools/${id}`)).toMatchObject({ status: 422, events: [] });
  });

  it('a repeated create without changes announces nothing', async () => {
    const body = { label: 'Pump', pin: 8 };
    expect((await api.requestOk('POST', '/api/peripherals', body)).events).toHaveLength(1);
    expect((await api.requestOk('POST', '/api/peripherals', body)).events).toEqual([]);
  });

  it('deleting a mounted tool: the device without it, and the tool', async () => {
    const id = await api.create('tools');
    await api.requestOk('PATCH', '/api/device', { mounted_tool_id: id });
    const { events } = await api.requestOk('DELETE', `/api/tools/${id}`);
    expect(eventSummaries(events)).toEqual([`Device ${api.account.deviceId}`, `Tool ${id} deleted`]);
    expect(events[0]?.body).toBe((await api.requestOk('GET', '/api/device')).text);
  });

  it('deleting points: each one, and each of their groups once, under another label', async () => {
    const [a, b, c] = [await api.create('points'), await api.create('points'), await api.create('points')];
    const group = await api.create('point_groups', { point_ids: [a, b, c] });
    const other = await api.create('point_groups', { point_ids: [c] });
    const { events } = await api.requestOk('DELETE', `/api/points/${a},${b},999999`);
    expect(eventSummaries(events).sort()).toEqual(
      [`Point ${a} deleted`, `Point ${b} deleted`, `PointGroup ${group} with another label`].sort(),
    );
    const event = events.find(({ resource }) => resource === 'PointGroup');
    expect(event?.label).toMatch(uuid);
    expect(event?.body).toBe((await api.requestOk('GET', `/api/point_groups/${group}`)).text);
    expect(JSON.parse(event?.body ?? '')).toMatchObject({ point_ids: [c] });
    expect(
      (await api.requestOk('PATCH', `/api/points/${a}`, { name: 'Archived' })).events,
      'an archived point',
    ).toEqual([]);
    await api.requestOk('DELETE', `/api/point_groups/${other}`);
  });

  it('saved gardens: templates with their garden, plants that are created and deleted', async () => {
    const old = (await api.requestOk('GET', '/api/points')).json.filter(
      (point: { pointer_type: string }) => point.pointer_type === 'Plant',
    );
    const shot = (await api.requestOk('POST', '/api/saved_gardens/snapshot', { name: 'Now' })).events;
    const garden = (await api.requestOk('GET', '/api/saved_gardens')).json.find(
      ({ name }: { name: string }) => name === 'Now',
    );
    const templates = (await api.requestOk('GET', '/api/plant_templates')).json.filter(
      (template: { saved_garden_id: number }) => template.saved_garden_id === garden.id,
    );
    expect(old.length).toBeGreaterThan(0);
    const wanted = [`SavedGarden ${garden.id}`, ...templates.map(({ id }: { id: number }) => `PlantTemplate ${id}`)];
    expect(eventSummaries(shot).sort()).toEqual(wanted.sort());

    const applied = (await api.requestOk('POST', `/api/saved_gardens/${garden.id}/apply`)).events.filter(
      ({ resource }) => resource === 'Point',
    );
    const now = (await api.requestOk('GET', '/api/points')).json.filter(
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

    const deletions = (await api.requestOk('DELETE', `/api/saved_gardens/${garden.id}`)).events;
    expect(eventSummaries(deletions).sort()).toEqual(wanted.map((text) => `${text} deleted`).sort());
  });

  it('deleting all envs or telemetries: each one', async () => {
    const envs = [await api.create('farmware_envs'), await api.create('farmware_envs')];
    expect(eventSummaries((await api.requestOk('DELETE', '/api/farmware_envs/all')).events)).toEqual(
      envs.map((id) => `FarmwareEnv ${id} deleted`),
    );
    const rows = [await api.create('telemetries'), await api.create('telemetries')];
    expect(eventSummaries((await api.requestOk('DELETE', '/api/telemetries/all')).events)).toEqual(
      rows.map((id) => `Telemetry ${id} deleted`),
    );
    expect((await api.requestOk('DELETE', '/api/telemetries/all')).events).toEqual([]);
  });
});

// RabbitMQ's clients get those of PostgreSQL: test/peers/rabbitmq/exchanges.test.ts.
describeAnyEngine('announcements as recorded', () => {
  const server = suiteApp('sqlite', { HOST: '127.0.0.1', PORT: '0' });
  let client: HttpClient;
  let announcements: Announcements;
  beforeAll(async () => {
    client = new HttpClient((await server.app.listen()).address);
    announcements = await Announcements.of(server.app);
  });
  afterAll(async () => {
    client.close();
  });

  describe.concurrent('each', () => {
    it.each(liveScenarios)('$file: $scenario.name', async ({ scenario }) => {
      const wrong = await runScenario(scenario, { client, outbox: null }, announcements);
      if (wrong.length > 0) throw new Error(report(wrong));
    });
  });
});
