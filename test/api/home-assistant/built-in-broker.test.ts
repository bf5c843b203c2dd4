import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeAssistants } from '../../../src/home-assistant/home-assistant-rows.ts';
import { type Account, password, startApp, type TestApp } from '../../support/app.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { waitUntil } from '../../support/robot-server.ts';

// Home Assistant connects to the built-in broker: a client that subscribes as it does.

const host = '127.0.0.34';
/** Its subscriptions at its start: the discovery of every platform, with one level for the object, or two. */
const platforms = [
  ...['alarm_control_panel', 'binary_sensor', 'button', 'camera', 'climate', 'cover', 'date', 'datetime', 'device'],
  ...['device_automation', 'device_tracker', 'event', 'fan', 'humidifier', 'image', 'lawn_mower', 'light', 'lock'],
  ...['notify', 'number', 'scene', 'select', 'sensor', 'siren', 'switch', 'tag', 'text', 'time', 'update', 'vacuum'],
  ...['valve', 'water_heater'],
];
const discoveryFilters = platforms.flatMap((component) => [
  `homeassistant/${component}/+/config`,
  `homeassistant/${component}/+/+/config`,
]);

interface Garden extends Account {
  readonly discoveryTopic: string;
  readonly base: string;
}

describe('Home Assistant on the built-in broker', () => {
  const url = `mqtt://${host}:1883`;
  let server: TestApp;
  let admin: Account;
  const clients: MqttTestClient[] = [];

  beforeAll(async () => {
    server = await startApp('sqlite', { HOST: host, PORT: '0', MQTT_PORT: '1883', HOME_ASSISTANT: 'on' });
    await server.app.listen();
    admin = await server.signUp();
  });
  afterAll(async () => {
    for (const client of clients) await client.end();
    await server.close();
  });

  const call = async ({ token }: { token: string }, method: string, path: string, body?: object) => {
    const response = await server.call(method, path, { token, body });
    expect(response.status, `${method} ${path} ${response.text}`).toBe(200);
    return response.json;
  };
  const allow = (deviceId: number, allowed: boolean) =>
    call(admin, 'PATCH', `/api/admin/home_assistant/${deviceId}`, { allowed });
  const renew = async (garden: { token: string }): Promise<{ username: string; password: string }> =>
    call(garden, 'POST', '/api/home_assistant/password');
  const connect = async (username: string, secret: string, protocolVersion: 4 | 5 = 4): Promise<MqttTestClient> => {
    const client = await MqttTestClient.connect(url, { username, password: secret, protocolVersion });
    clients.push(client);
    return client;
  };
  /** Connects as Home Assistant does when it starts, with the version that it is set to. */
  const start = async (
    login: { username: string; password: string },
    protocolVersion: 4 | 5 = 4,
  ): Promise<MqttTestClient> => {
    const home = await connect(login.username, login.password, protocolVersion);
    expect(await home.subscribe(discoveryFilters)).toEqual(discoveryFilters.map(() => 0));
    await home.publish('homeassistant/status', 'online');
    return home;
  };
  const shownGarden = async (): Promise<Garden> => {
    const account = await server.signUp();
    await allow(account.deviceId, true);
    await call(account, 'PATCH', '/api/home_assistant', { on: true });
    const { deviceId } = account;
    return {
      ...account,
      discoveryTopic: `homeassistant/device/potager_device_${deviceId}/config`,
      base: `potager/device_${deviceId}`,
    };
  };
  const last = (client: MqttTestClient, topic: string): string | undefined =>
    client.received.findLast((each) => each.topic === topic)?.text;
  const isRefused = (secret: { username: string; password: string }) =>
    expect(MqttTestClient.connect(url, secret)).rejects.toThrow();

  it('gives a garden a user, which an owner with the password creates and renews', async () => {
    const account = await server.signUp();
    const username = `home_assistant_${account.deviceId}`;
    const state = { configured: true, allowed: false, on: false, username, has_password: false };
    expect(await call(account, 'GET', '/api/home_assistant')).toEqual(state);
    const make = (token: string) => server.call('POST', '/api/home_assistant/password', { token });
    expect((await make(account.token)).status).toBe(422);
    await allow(account.deviceId, true);
    expect((await make(account.token)).json).toEqual({ error: 'Switch Home Assistant on for this garden first.' });

    // The session of a robot, a personal token, and a session that began long ago, may not.
    const signIn = { user: { email: account.email, password } };
    const robot = await server.call('POST', '/api/tokens', {
      body: signIn,
      headers: { 'user-agent': 'FARMBOTOS/16.0.0 (RPI3) RPI3' },
    });
    const scopes = ['control', 'account', 'admin', 'garden', 'read'];
    const script = await call(account, 'POST', '/api/personal_tokens', { name: 'Script', scopes });
    for (const token of [robot.json.token.encoded, script.token]) {
      const patched = await server.call('PATCH', '/api/home_assistant', { token, body: { on: true } });
      expect([patched.status, (await make(token)).status]).toEqual([403, 403]);
    }
    await call(account, 'PATCH', '/api/home_assistant', { on: true });
    const login = await renew(account);
    expect(login).toEqual({ username, password: expect.stringMatching(/^ha_[\w-]{27}$/) });
    expect(await call(account, 'GET', '/api/home_assistant')).toEqual({
      ...state,
      allowed: true,
      on: true,
      has_password: true,
    });
    // Nor may the robot use its topics.
    const device = await connect(`device_${account.deviceId}`, robot.json.token.encoded);
    expect(await device.subscribe(['homeassistant/#', `potager/device_${account.deviceId}/#`])).toEqual([128, 128]);
    const press = device.publish(`potager/device_${account.deviceId}/command/unlock`, 'PRESS', { qos: 1 });
    await expect(press).rejects.toThrow('ended');
    // Stored as a hash.
    const rows = await server.app.server().rows(homeAssistants);
    expect(JSON.stringify(rows)).not.toContain(login.password);

    await isRefused({ username, password: 'ha_wrong' });
    await isRefused({ username: `home_assistant_${admin.deviceId}`, password: login.password });
    await isRefused({ username: `home_assistant_0${account.deviceId}`, password: login.password });
    await isRefused({ username: `device_${account.deviceId}`, password: login.password });
    await isRefused({ username, password: account.token });
    const home = await connect(username, login.password);
    const other = await renew(account);
    await home.waitUntilClosed();
    await isRefused(login);
    await connect(username, other.password);
  });

  it('shows its garden, follows its states, and commands its robot, and no other', async () => {
    const garden = await shownGarden();
    const { base, discoveryTopic } = garden;
    const { id: peripheral } = await call(garden, 'POST', '/api/peripherals', { pin: 8, label: 'Water', mode: 0 });
    const move = { kind: 'move_relative', args: { x: 10, y: 0, z: 0, speed: 100 } };
    const body = { name: 'Step aside', pinned: true, body: [move] };
    const { id: sequence } = await call(garden, 'POST', '/api/sequences', body);
    const stranger = await shownGarden();
    const home = await start(await renew(garden));
    const foreign = await start(await renew(stranger));

    await home.first(discoveryTopic);
    const discovery = () => JSON.parse(last(home, discoveryTopic) ?? '{}');
    await waitUntil(() => discovery().components?.[`sequence_${sequence}`] !== undefined, 'the discovery');
    const { availability, components } = discovery();
    const topics = [availability[0].topic, components.position_x.state_topic, components.photo.url_topic];
    expect(topics).toEqual([`${base}/availability`, `${base}/state`, `${base}/photo`]);
    expect(await home.subscribe([...topics, components.update.state_topic])).toEqual([0, 0, 0, 0]);
    await home.first(`${base}/availability`);
    await home.first(`${base}/state`);
    expect(last(home, `${base}/availability`)).toBe('online');
    // A client that subscribes later gets the retained messages of its garden only.
    const later = await start(await renew(garden), 5);
    await home.waitUntilClosed();
    expect(await later.subscribe(['homeassistant/#', `${base}/#`])).toEqual([0, 0]);
    await waitUntil(() => later.received.some(({ retain }) => retain), 'what is retained');
    expect((await later.first(discoveryTopic)).retain).toBe(true);

    const state = () => JSON.parse(last(later, `${base}/state`) ?? '{}');
    await call(garden, 'PUT', '/api/virtual_robot', { running: true });
    await waitUntil(() => state().connected === 'ON', 'the robot');
    await later.publish(components[`sequence_${sequence}`].command_topic, 'PRESS');
    await waitUntil(() => state().position_x === 10, 'the movement');
    await later.publish(components[`peripheral_${peripheral}`].command_topic, 'ON', { qos: 1 });
    await waitUntil(() => state()[`peripheral_${peripheral}`] === 'ON', 'the peripheral');

    // The other garden's user reads nothing of it, and its messages have no effect and end no connection.
    expect(
      await foreign.subscribe([
        `${base}/#`,
        `${base}/state`,
        'potager/#',
        '#',
        '+/#',
        `bot/device_${garden.deviceId}/#`,
      ]),
    ).toEqual([128, 128, 128, 128, 128, 128]);
    expect(await foreign.subscribe(['homeassistant/#', discoveryTopic])).toEqual([0, 0]);
    const press = `${base}/command/sequence/${sequence}`;
    const rpc = JSON.stringify({ kind: 'rpc_request', args: { label: 'x' }, body: [move] });
    for (const topic of [press, discoveryTopic, `${base}/state`, `bot/device_${garden.deviceId}/from_clients`])
      await foreign.publish(topic, topic === press ? 'PRESS' : rpc, { qos: 1, retain: true });
    await foreign.publish(`bot/device_${stranger.deviceId}/from_clients`, rpc, { qos: 1 });
    // Neither does the garden's own where it has no command.
    await later.publish(discoveryTopic, '', { qos: 1, retain: true });
    await later.publish(`bot/device_${garden.deviceId}/from_clients`, rpc, { qos: 1 });

    // Nor may devices, people and personal tokens read or write there.
    const scopes = ['read', 'control', 'garden', 'logs'];
    const script = await call(garden, 'POST', '/api/personal_tokens', { name: 'Script', scopes });
    const guest = await server.signUp();
    const invited = await call(garden, 'POST', '/api/invitations', { email: guest.email, role: 'viewer' });
    const accepted = await call(guest, 'POST', '/api/invitations/accept', {
      token: String(invited.link).split('/').pop(),
    });
    const others = [
      [garden.token, 'closed'],
      [script.token, 'closed'],
      [accepted.token.encoded, 'ignored'],
    ] as const;
    for (const [token, end] of others) {
      for (const [topic, payload] of [
        [press, 'PRESS'],
        [discoveryTopic, ''],
        ['homeassistant/status', 'online'],
      ] as const) {
        const device = await connect(`device_${garden.deviceId}`, token);
        expect(await device.subscribe(['homeassistant/#', `${base}/#`, 'potager/#'])).toEqual([128, 128, 128]);
        const sent = device.publish(topic, payload, { qos: 1, retain: true });
        if (end === 'closed') await expect(sent).rejects.toThrow('ended');
        else await sent;
        expect(device.received).toEqual([]);
        await device.end();
      }
    }

    // After all of that only the next command changes the state.
    await later.publish(components[`peripheral_${peripheral}`].command_topic, 'OFF');
    await waitUntil(() => state()[`peripheral_${peripheral}`] === 'OFF', 'the peripheral');
    expect(state().position_x).toBe(10);
    expect(foreign.isConnected).toBe(true);
    expect(foreign.received.filter(({ topic }) => topic !== stranger.discoveryTopic)).toEqual([]);
    expect(later.received.filter(({ topic, text }) => topic === discoveryTopic && text === '')).toEqual([]);

    // After its start everything is published again, to this garden's user only.
    const count = (client: MqttTestClient) => client.received.filter(({ topic }) => topic.endsWith('/config')).length;
    const [sent, sentToOther] = [count(later), count(foreign)];
    await later.publish('homeassistant/status', 'online');
    await waitUntil(() => count(later) > sent, 'the discovery');
    expect(count(foreign)).toBe(sentToOther);
    expect(later.received.filter(({ topic }) => topic === 'homeassistant/status')).toEqual([]);
    await call(garden, 'PUT', '/api/virtual_robot', { running: false });
  });

  it('ends with its password: when it is switched off, no longer allowed, reset or deleted', async () => {
    const garden = await shownGarden();
    const { deviceId, discoveryTopic } = garden;
    const connected = async (): Promise<MqttTestClient> => {
      const home = await start(await renew(garden));
      await home.first(discoveryTopic);
      return home;
    };
    const removed = async (home: MqttTestClient) => {
      await home.waitUntilClosed();
      expect(last(home, discoveryTopic)).toBe('');
    };

    const first = await connected();
    await call(garden, 'PATCH', '/api/home_assistant', { on: false });
    // Home Assistant removes the device before it is disconnected.
    await removed(first);
    expect(await call(garden, 'PATCH', '/api/home_assistant', { on: true })).toMatchObject({ has_password: false });

    const second = await connected();
    await allow(deviceId, false);
    await removed(second);
    await allow(deviceId, true);
    expect(await call(garden, 'GET', '/api/home_assistant')).toMatchObject({ on: true, has_password: false });

    const third = await connected();
    await call(garden, 'POST', '/api/device/reset', { password });
    await server.app.runJobs();
    await removed(third);

    const fourth = await connected();
    await call(garden, 'DELETE', '/api/users', { password });
    await server.app.runJobs();
    await removed(fourth);
  });

  it('ends when the creator of the password is no longer an owner', async () => {
    const account = await server.signUp();
    const { id } = await call(account, 'POST', '/api/gardens', { name: 'Greenhouse' });
    const token = String((await call(account, 'POST', `/api/gardens/${id}/token`)).token.encoded);
    const partner = await server.signUp();
    const invited = await call({ token }, 'POST', '/api/invitations', { email: partner.email, role: 'owner' });
    const accepted = await call(partner, 'POST', '/api/invitations/accept', {
      token: String(invited.link).split('/').pop(),
    });
    await allow(id, true);
    await call({ token }, 'PATCH', '/api/home_assistant', { on: true });
    const home = await start(await renew({ token }));
    const owner = { token: accepted.token.encoded };
    await call(owner, 'PATCH', `/api/members/${account.userId}`, { role: 'gardener' });
    await home.waitUntilClosed();
  });

  it('has few connections', async () => {
    const garden = await shownGarden();
    const login = await renew(garden);
    for (let count = 0; count < 5; count++) await connect(login.username, login.password);
    await isRefused(login);
  });
});
