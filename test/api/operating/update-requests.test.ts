import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDevice } from '../../../src/device/device-creation.ts';
import type { DeviceRow } from '../../../src/device/devices.ts';
import { devices } from '../../../src/device/devices.ts';
import { VirtualRobot } from '../../../src/robot/virtual-robot.ts';
import type { Account } from '../../support/app.ts';
import { password, suiteApp } from '../../support/app.ts';
import { describeEngines, itAnyEngine } from '../../support/engines.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { waitUntil } from '../../support/robot-server.ts';

const hour = 3_600_000;
const day = 24 * hour;

describeEngines('update requests', (engine) => {
  const host = engine === 'sqlite' ? '127.0.0.24' : '127.0.0.25';
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  const server = suiteApp(
    engine,
    { HOST: host, PORT: '0', MQTT_PORT: '1883', BROKER_ADMIN_PASSWORD: 'adminadmin' },
    clock,
  );
  let base: string;
  let account: Account;
  let listener: MqttTestClient;

  beforeAll(async () => {
    ({ address: base } = await server.app.listen());
    account = await server.signUp();
    await (await server.app.operations.releases()).add({
      version: '15.4.12',
      platform: 'rpi3',
      channel: 'stable',
      image_url: 'https://images.example/a.fw',
    });
    await (await server.app.operations.releases()).add({
      version: '16.0.0-rc2',
      platform: 'rpi4',
      channel: 'beta',
      image_url: 'https://images.example/b.fw',
    });
    listener = await MqttTestClient.connect(`mqtt://${host}:1883`, { username: 'admin', password: 'adminadmin' });
    await listener.subscribe('bot/+/from_clients');
  });
  afterEach(async () => {
    // Each test runs on a new day in the middle of an hour, independent of the current time.
    clock.ahead = (Math.floor(clock.now() / hour) + 50) * hour + hour / 2 - Date.now();
    await changeAll({ fbos_version: null });
    // The run that became due with the jump: otherwise the server begins it in the middle of the next test.
    await server.app.runJobs();
    listener.take();
  });
  afterAll(async () => {
    await listener.end();
  });

  const present = () => new Date(clock.now()).toISOString();
  const hourNow = () => new Date(clock.now()).getUTCHours();

  /** Creates a device that is due for an update, with these changes. */
  const dueDevice = (changes: Partial<DeviceRow> = {}): Partial<DeviceRow> => ({
    fbos_version: '15.4.11',
    last_saw_api: present(),
    ota_hour_utc: hourNow(),
    ...changes,
  });
  const change = (id: number, changes: Partial<DeviceRow>) =>
    server.app.server().device(id).update(devices, changes, {});
  const changeAll = async (changes: Partial<DeviceRow>): Promise<void> => {
    for (const { id } of await server.app.server().rows(devices)) await change(id, changes);
  };

  /** Advances the clock by an hour and returns the devices that were asked. */
  async function run(): Promise<number[]> {
    clock.ahead += hour;
    await server.app.runJobs();
    // Messages arrive in order.
    await listener.publish('bot/device_0/from_clients', 'end');
    await listener.waitUntil((messages) => messages.at(-1)?.text === 'end', 'the end');
    return listener
      .take()
      .slice(0, -1)
      .map(({ topic }) => Number(/device_(\d+)/.exec(topic)?.[1]));
  }
  /** Returns the hour of the next run. */
  const next = () => (hourNow() + 1) % 24;

  it('are handled by a robot', async () => {
    const lines: string[] = [];
    const robot = new VirtualRobot({
      server: base,
      credentials: { email: account.email, password },
      log: (line) => lines.push(line),
      backOff: { first: 50, max: 400 },
    });
    await robot.start();
    const everything = await MqttTestClient.connect(`mqtt://${host}:1883`, {
      username: `device_${account.deviceId}`,
      password: account.token,
    });
    await everything.subscribe(`bot/device_${account.deviceId}/#`);
    try {
      await change(account.deviceId, dueDevice({ ota_hour_utc: null }));
      clock.ahead += hour;
      await server.app.runJobs();
      const of = (channel: string) => everything.received.filter(({ topic }) => topic.endsWith(channel));
      const response = () => of('from_device').find(({ text }) => text.includes('FROM_API'));
      await everything.waitUntil(() => response() !== undefined, 'the answer of the robot');
      expect(of('from_clients').map(({ text }) => JSON.parse(text))).toEqual([
        {
          kind: 'rpc_request',
          args: { label: 'FROM_API', priority: 500 },
          body: [{ kind: 'check_updates', args: { package: 'farmbot_os' } }],
        },
      ]);
      expect(JSON.parse(response()?.text ?? '')).toEqual({ kind: 'rpc_ok', args: { label: 'FROM_API' } });
    } finally {
      await robot.stop();
      await everything.end();
    }
  });

  it('are sent once a day in the configured hour', async () => {
    await change(account.deviceId, dueDevice({ ota_hour_utc: next() }));
    const before = (await server.call('GET', '/api/device', { token: account.token })).json;
    expect(await run()).toEqual([account.deviceId]);
    for (let i = 1; i < 24; i++) expect([i, await run()]).toEqual([i, []]);
    expect(await run()).toEqual([account.deviceId]);
    const { json } = await server.call('GET', '/api/device', { token: account.token });
    expect(json).toEqual(before);
  });

  itAnyEngine('are sent once a day without a configured hour', async () => {
    await change(account.deviceId, dueDevice({ ota_hour_utc: null }));
    const notifiedRuns: number[] = [];
    for (let i = 0; i < 49; i++) if ((await run()).length > 0) notifiedRuns.push(i);
    expect(notifiedRuns).toEqual([0, 24, 48]);
  });

  describe('are not sent', () => {
    it.each<[string, (now: number) => Partial<DeviceRow>]>([
      ['at another hour', () => ({ ota_hour_utc: (next() + 1) % 24 })],
      [
        'to a robot that was not seen for three days',
        (now) => ({ last_saw_api: new Date(now - 3 * day).toISOString() }),
      ],
      ['to a robot that was never seen', () => ({ last_saw_api: null })],
      ['to a robot of an unknown version', () => ({ fbos_version: null })],
      ['to a robot that has the newest', () => ({ fbos_version: '15.4.12' })],
    ])('%s', async (_what, changes) => {
      await change(account.deviceId, dueDevice({ ota_hour_utc: next(), ...changes(clock.now()) }));
      expect(await run()).toEqual([]);
    });

    it('to a robot without automatic updates, or whose channel has no releases', async () => {
      await change(account.deviceId, dueDevice({ ota_hour_utc: null }));
      const patch = (body: object) => server.call('PATCH', '/api/fbos_config', { token: account.token, body });
      await patch({ os_auto_update: false });
      expect(await run()).toEqual([]);
      await patch({ os_auto_update: true, update_channel: 'alpha' });
      expect(await run()).toEqual([]);
      await patch({ update_channel: 'beta' });
      await change(account.deviceId, { fbos_version: '16.0.0.pre.RC2' });
      expect(await run()).toEqual([]);
      // A null counts as not sent. [decision 54]
      await patch({ update_channel: null });
      expect(await run()).toEqual([]);
      await patch({ update_channel: 'stable' });
      expect(await run()).toEqual([account.deviceId]);
    });
  });

  it('are sent to 50 robots an hour, in turn', async () => {
    await server.app.server().transaction(async (scope) => {
      for (let i = 0; i < 60; i++) await createDevice(scope);
    });
    await changeAll(dueDevice({ ota_hour_utc: null }));
    const all = (await server.app.server().rows(devices)).map(({ id }) => id);
    const first = await run();
    expect(first).toHaveLength(50);
    const second = await run();
    expect([...first, ...second].sort((a, b) => a - b)).toEqual(all);
    expect(await run()).toEqual([]);
    clock.ahead += 21 * hour;
    await changeAll({ last_saw_api: present() });
    // The devices asked first are first again.
    expect((await run()).toSorted((a, b) => a - b)).toEqual(first.toSorted((a, b) => a - b));
    await waitUntil(async () => (await server.app.server().count(devices)) === all.length, 'the devices');
  });
});
