import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callsOf } from '../../support/account-calls.ts';
import { password, startApp, type TestApp } from '../../support/app.ts';
import { freePort } from '../../support/free-port.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { waitUntil } from '../../support/robot-server.ts';

// Debian's mosquitto is Home Assistant's broker.

/** The fields of Home Assistant's documentation, by component. */
interface FieldLists {
  /** Of the payload of a device. */
  readonly root: readonly string[];
  readonly shared: readonly string[];
  readonly device: readonly string[];
  readonly origin: readonly string[];
  readonly availability: readonly string[];
  readonly components: Readonly<
    Record<string, { readonly required: readonly string[]; readonly optional: readonly string[] }>
  >;
  /** Of the JSON on the state topic of an update. */
  readonly updateState: readonly string[];
}

const secret = 'home-secret';
let folder: string;
let port: number;
let broker: ChildProcess;
let fields: FieldLists;

beforeAll(async () => {
  fields = JSON.parse(await readFile(join(import.meta.dirname, 'fields.json'), 'utf8'));
  folder = await mkdtemp(join(tmpdir(), 'potager-mosquitto-'));
  port = await freePort();
  const passwords = join(folder, 'passwords');
  await new Promise((resolve) =>
    spawn('mosquitto_passwd', ['-b', '-c', passwords, 'potager', secret]).once('close', resolve),
  );
  const lines = [`listener ${port} 127.0.0.1`, `password_file ${passwords}`, 'user root', 'allow_anonymous false'];
  await writeFile(join(folder, 'mosquitto.conf'), `${lines.join('\n')}\n`);
  broker = spawn('/usr/sbin/mosquitto', ['-c', join(folder, 'mosquitto.conf')], { stdio: 'ignore' });
});
afterAll(async () => {
  broker.kill();
  await rm(folder, { recursive: true });
});

/** Returns the last retained or live payload of a topic. */
const last = (client: MqttTestClient, topic: string): string | undefined =>
  client.received.findLast((each) => each.topic === topic)?.text;

const ok = { status: 'ok', explanation: null };

/** Returns all templates in a value. */
const templatesIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, each]) => (name.endsWith('_template') ? [String(each)] : templatesIn(each)))
    : [];

describe('Home Assistant', () => {
  let server: TestApp;
  let home: MqttTestClient;
  const host = '127.0.0.33';

  beforeAll(async () => {
    const url = `mqtt://potager:${secret}@127.0.0.1:${port}`;
    server = await startApp('postgres', { HOST: host, PORT: '0', MQTT_PORT: '1883', HOME_ASSISTANT: url });
    await server.app.listen();
    home = await MqttTestClient.connect(`mqtt://127.0.0.1:${port}`, { username: 'potager', password: secret });
    await home.subscribe('#');
  });
  afterAll(async () => {
    await server.close();
    await home.end();
  });

  it('gets a garden as one device, its state, and commands its robot', async () => {
    // The first account administers the server.
    const admin = await server.signUp();
    const { token, deviceId } = await server.signUp();
    const { ok: call } = callsOf(server, { token });
    const base = `potager/device_${deviceId}`;
    const discoveryTopic = `homeassistant/device/potager_device_${deviceId}/config`;

    // An administrator must allow it.
    const onOwnBroker = { configured: true, username: null, has_password: false };
    expect(await call('GET', '/api/home_assistant')).toEqual({ ...onOwnBroker, allowed: false, on: false });
    const refused = await server.call('PATCH', '/api/home_assistant', { token, body: { on: true } });
    expect(refused).toMatchObject({ status: 422, json: { error: expect.stringContaining('administrator') } });
    const permission = `/api/admin/home_assistant/${deviceId}`;
    const allow = (allowed: unknown) => server.call('PATCH', permission, { token: admin.token, body: { allowed } });
    const own = await server.call('PATCH', permission, { token, body: { allowed: true } });
    expect(own.status).toBe(403);
    expect((await allow(null)).status).toBe(422);
    expect((await allow(true)).status).toBe(200);
    expect(
      await server.call('PATCH', '/api/admin/home_assistant/999999', { token: admin.token, body: { allowed: true } }),
    ).toMatchObject({ status: 404 });
    for (const on of [undefined, null, {}])
      expect((await server.call('PATCH', '/api/home_assistant', { token, body: { on } })).status).toBe(422);

    // Names of users are never part of a template.
    const label = '{{ states("sensor.secret") }}';
    const peripheral = await call('POST', '/api/peripherals', { pin: 8, label, mode: 0 });
    const sensor = await call('POST', '/api/sensors', { pin: 59, label: 'Soil', mode: 1, type: 'soil_moisture' });
    await call('POST', '/api/sensors', { pin: 63, label: 'Tool', mode: 0 });
    const move = { kind: 'move_relative', args: { x: 10, y: 0, z: 0, speed: 100 } };
    const sequence = await call('POST', '/api/sequences', { name: 'Step aside', pinned: true, body: [move] });
    await call('POST', '/api/sequences', { name: 'Not pinned', body: [move] });
    expect(await call('PATCH', '/api/home_assistant', { on: true })).toEqual({
      ...onOwnBroker,
      allowed: true,
      on: true,
    });
    expect(await server.call('POST', '/api/home_assistant/password', { token })).toMatchObject({ status: 422 });
    await home.first(discoveryTopic);
    const discovery = JSON.parse(last(home, discoveryTopic) ?? '');
    const { device, origin, availability, components } = discovery;
    expect(Object.keys(discovery).filter((name) => !fields.root.includes(name))).toEqual([]);
    expect(Object.keys(device).filter((name) => !fields.device.includes(name))).toEqual([]);
    expect(Object.keys(origin).filter((name) => !fields.origin.includes(name))).toEqual([]);
    expect(availability).toEqual([{ topic: 'potager/availability' }]);
    expect(Object.keys(components).toSorted()).toEqual(
      [
        ...['busy', 'connected', 'emergency_stop', 'firmware', `peripheral_${peripheral.id}`, 'photo', 'position_x'],
        ...['position_y', 'position_z', `sensor_${sensor.id}`, `sequence_${sequence.id}`, 'soc_temp', 'software'],
        ...['unlock', 'update', 'wifi'],
      ].toSorted(),
    );
    for (const [key, component] of Object.entries<Record<string, unknown>>(components)) {
      const list = fields.components[String(component.platform)];
      const known = [...fields.shared, ...(list?.required ?? []), ...(list?.optional ?? [])];
      expect(
        Object.keys(component).filter((name) => !known.includes(name)),
        key,
      ).toEqual([]);
      for (const name of list ? ['platform', 'unique_id', ...list.required] : ['a documented platform'])
        expect(Object.keys(component), key).toContain(name);
      expect(component.unique_id).toBe(`potager_device_${deviceId}_${key}`);
    }
    expect(components[`peripheral_${peripheral.id}`].name).toBe(label);
    expect(components[`sensor_${sensor.id}`]).toMatchObject({ device_class: 'moisture', unit_of_measurement: '%' });
    for (const template of templatesIn(discovery)) expect(template).toMatch(/^\{\{ value_json\.[a-z_0-9]+ \}\}$/);
    await waitUntil(() => last(home, 'potager/availability') === 'online', 'the availability');
    const state = () => JSON.parse(last(home, `${base}/state`) ?? '{}');
    await waitUntil(() => state().connected === 'OFF', 'the state');

    // With a robot.
    expect(await call('PATCH', '/api/virtual_robot', { running: true })).toMatchObject({ connected: true });
    const command = (path: string, payload: string) => home.publish(`${base}/command/${path}`, payload);
    await command(`peripheral/${peripheral.id}`, 'ON');
    await waitUntil(() => state()[`peripheral_${peripheral.id}`] === 'ON', 'the peripheral');
    await command(`sequence/${sequence.id}`, 'PRESS');
    await waitUntil(() => state().position_x === 10, 'the movement');
    expect(state()).toMatchObject({
      connected: 'ON',
      software: '15.5.3',
      firmware: '6.6.20.R.virtual',
      soc_temp: 42,
      wifi: 80,
    });
    const update = JSON.parse(last(home, `${base}/update`) ?? '');
    expect(update).toMatchObject({ installed_version: '15.5.3' });
    expect(Object.keys(update).filter((name) => !fields.updateState.includes(name))).toEqual([]);
    const read = { kind: 'read_pin', args: { pin_number: 59, pin_mode: 1, label: 'Soil' } };
    expect(await call('POST', '/api/commands', { program: read, wait: 60 })).toEqual(ok);
    await waitUntil(() => state()[`sensor_${sensor.id}`] > 0, 'the moisture');
    expect(state()[`moisture_${sensor.id}`]).toBeCloseTo((state()[`sensor_${sensor.id}`] / 1023) * 100, 0);
    await command('emergency_stop', 'PRESS');
    await waitUntil(async () => (await call('GET', '/api/robot')).status.locked === true, 'the stop');
    await command('unlock', 'PRESS');
    await waitUntil(async () => (await call('GET', '/api/robot')).status.locked === false, 'the unlocking');

    await command('update', 'INSTALL');
    await waitUntil(
      async () => JSON.stringify(await call('GET', '/api/logs')).includes('always up to date'),
      'the log',
    );

    // Messages that are not commands of this garden change nothing; nor do retained ones, which Home Assistant never sends.
    const other = await server.signUp();
    const before = state().position_x;
    await home.publish(`potager/device_${other.deviceId}/command/emergency_stop`, 'PRESS');
    await home.publish(`${base}/command/sequence/999999`, 'PRESS');
    await home.publish(`${base}/command/sequence/x`, 'PRESS');
    await home.publish(`${base}/command/sequence/${sequence.id}`, 'press');
    await command(`peripheral/${peripheral.id}`, 'OFF');
    await waitUntil(() => state()[`peripheral_${peripheral.id}`] === 'OFF', 'the peripheral');
    expect(state().position_x).toBe(before);

    // A change of the garden changes the device; after a start of Home Assistant everything is published again.
    await call('PATCH', `/api/sequences/${sequence.id}`, { name: 'Step back' });
    await waitUntil(() => last(home, discoveryTopic)?.includes('"Step back"') === true, 'the new name');
    const count = () => home.received.filter(({ topic }) => topic === discoveryTopic).length;
    const sent = count();
    await home.publish('homeassistant/status', 'online');
    await waitUntil(() => count() > sent, 'the discovery');

    // Home Assistant removes a component when only its platform is left, also if it was deleted while no process published.
    const removal = (key: string, platform: string) =>
      home.received.some(({ topic, text }) => {
        const components = topic === discoveryTopic && text !== '' ? JSON.parse(text).components : {};
        return JSON.stringify(components[key]) === JSON.stringify({ platform });
      });
    const listed = () => JSON.parse(last(home, discoveryTopic) ?? '{}').components ?? {};
    const isRemoved = (key: string, platform: string) => removal(key, platform) && !(key in listed());
    const [gone, earlier] = [`sequence_${sequence.id}`, 'sequence_999998'];
    await call('PATCH', `/api/sequences/${sequence.id}`, { pinned: false });
    await waitUntil(() => isRemoved(gone, 'button'), 'the removal of the button');

    // It is removed when it is switched off, or no longer allowed.
    await call('PATCH', '/api/home_assistant', { on: false });
    await waitUntil(() => last(home, discoveryTopic) === '' && last(home, `${base}/state`) === '', 'the removal');
    await call('PATCH', '/api/home_assistant', { on: true });
    await waitUntil(() => last(home, discoveryTopic) !== '', 'the return');
    expect((await allow(false)).status).toBe(200);
    await waitUntil(() => last(home, discoveryTopic) === '', 'the removal');
    await call('PATCH', '/api/virtual_robot', { running: false });
    // The work of an earlier run is completed.
    await home.publish(discoveryTopic, JSON.stringify({ components: { [earlier]: { platform: 'button' } } }), {
      retain: true,
    });
    expect((await allow(true)).status).toBe(200);
    await waitUntil(() => isRemoved(earlier, 'button'), 'the removal of the earlier button');
    // The last garden is removed when its account is deleted.
    expect((await server.call('DELETE', '/api/users', { token, body: { password } })).status).toBe(200);
    await server.app.runJobs();
    await waitUntil(() => last(home, discoveryTopic) === '' && last(home, `${base}/state`) === '', 'the removal');
  });
});
