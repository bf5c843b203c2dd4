import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { countPending } from '../../../src/db/announcement-progress.ts';
import { changeCursors, recordTrimmed, robotReader } from '../../../src/db/change-cursors.ts';
import { upToDate } from '../../../src/live/robots/robot-cursors.ts';
import { type BrokerApp, suiteBrokerApp } from '../../support/broker-app.ts';
import { describeEngines } from '../../support/engines.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';

const robotOs = { 'user-agent': 'FarmbotOS/15.4.11 (rpi3) rpi3 ()' };

/** A garden with a person, and a robot that connects as robot OS does. */
async function garden(server: BrokerApp) {
  const { token, deviceId } = await server.signUp();
  const bot = `device_${deviceId}`;
  const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await server.call(method, path, { token, headers, ...(body && { body }) });
    expect(response.status, `${method} ${path} ${response.text}`).toBe(200);
    return response.json;
  };
  const connect = async (clientId: string): Promise<MqttTestClient> => {
    const client = await server.connect(bot, token, clientId);
    await client.subscribe([`bot/${bot}/from_clients`, `bot/${bot}/sync/#`]);
    return client;
  };
  const scope = () => server.app.server().device(deviceId);
  // As a robot does when it starts.
  await call('GET', '/api/device/sync', undefined, robotOs);
  const settled = () => expect.poll(() => countPending(server.app.server()), { timeout: 45_000 }).toBe(0);
  return {
    bot,
    token,
    call,
    scope,
    /** Connects once everything so far was announced. */
    async robot() {
      await settled();
      return connect(`${bot}_15.4.11`);
    },
    settled,
    async page() {
      await settled();
      return connect('page');
    },
    tool: (name: string, label = 'label of the request') =>
      call('POST', '/api/tools', { name }, { 'x-farmbot-rpc-id': label }),
    /** The change after which the robot may lack some; null: none. */
    async lacksAfter() {
      const [row] = await scope().rows(changeCursors, { where: { reader: robotReader } });
      return row === undefined || row.position === upToDate ? null : row.position;
    },
  };
}

/** Topics below `sync`, and the bodies' names; null for deletions. */
const announced = (client: MqttTestClient) =>
  client.received
    .filter(({ topic }) => topic.includes('/sync/'))
    .map(({ topic, text }) => [topic.split('/sync/')[1], JSON.parse(text).body?.name ?? null]);

const labels = (client: MqttTestClient) => client.received.map(({ text }) => JSON.parse(text).args.label);

describeEngines('announcements of missed changes', (engine) => {
  const server = suiteBrokerApp(engine);

  it('follow when the robot subscribes, with the newest state of each record, under new labels', async () => {
    const { robot, page, tool, call, lacksAfter } = await garden(server);
    const first = await robot();
    const other = await page();
    // Its subscription was handled.
    await expect.poll(lacksAfter).toBeNull();
    const [rake, hoe, fork] = [await tool('Rake'), await tool('Hoe'), await tool('Fork')];
    await first.waitUntil((received) => received.length === 3);
    await first.end();
    const label = 'label of the request';
    await call('PATCH', `/api/tools/${rake.id}`, { name: 'Edited' }, { 'x-farmbot-rpc-id': label });
    await call('DELETE', `/api/tools/${hoe.id}`);
    await call('PATCH', `/api/tools/${rake.id}`, { name: 'Edited again' }, { 'x-farmbot-rpc-id': label });
    await other.waitUntil((received) => received.length === 6);
    const second = await robot();
    await second.waitUntil((received) => received.length >= 2);
    await expect.poll(lacksAfter).toBeNull();
    expect(announced(second)).toEqual([
      [`Tool/${hoe.id}`, null],
      [`Tool/${rake.id}`, 'Edited again'],
    ]);
    expect(new Set(labels(second)).size).toBe(2);
    expect(labels(second)).not.toContain(label);
    // To the robot alone.
    expect(other.received.length).toBe(6);
    // Changes that it received are not announced to it again.
    await call('PATCH', `/api/tools/${fork.id}`, { name: 'Pitchfork' });
    await second.waitUntil((received) => received.length === 3);
    await second.end();
    const third = await robot();
    await sleep(600);
    expect(third.received).toEqual([]);
  });

  it('follow also where a session is brought back with its subscriptions', async () => {
    const { bot, token, tool, settled } = await garden(server);
    const connect = async () => {
      const options = { username: bot, password: token, clientId: `${bot}_15.4.11`, clean: false, resubscribe: false };
      return MqttTestClient.connect(`mqtt://127.0.0.1:${server.settings.MQTT_PORT}`, options);
    };
    const first = await connect();
    await first.subscribe(`bot/${bot}/sync/#`);
    await first.end();
    const rake = await tool('Rake');
    await settled();
    // Robot OS does not subscribe again then.
    const second = await connect();
    await second.waitUntil((received) => received.length === 1);
    expect(announced(second)).toEqual([[`Tool/${rake.id}`, 'Rake']]);
    await second.end();
  });

  it('include messages to a connection that had fallen silent', async () => {
    const { robot, tool } = await garden(server);
    const first = await robot();
    await tool('Rake');
    await first.waitUntil((received) => received.length === 1);
    await sleep(1200);
    const hoe = await tool('Hoe');
    await first.waitUntil((received) => received.length === 2);
    // With the id of the first one, whose end the server has not noticed.
    const second = await robot();
    await second.waitUntil((received) => received.length > 0);
    await sleep(300);
    expect(announced(second).at(-1)).toEqual([`Tool/${hoe.id}`, 'Hoe']);
  });

  it('are not made to the first robot of a garden, which synchronizes when it starts', async () => {
    const { token, deviceId } = await server.signUp();
    const settled = () => expect.poll(() => countPending(server.app.server()), { timeout: 45_000 }).toBe(0);
    await settled();
    const robot = await server.connect(`device_${deviceId}`, token, `device_${deviceId}_15.4.11`);
    await robot.subscribe(`bot/device_${deviceId}/sync/#`);
    await sleep(600);
    expect(robot.received).toEqual([]);
  });

  it('begin with the last synchronization', async () => {
    const { robot, tool, call } = await garden(server);
    await tool('Rake');
    await call('GET', '/api/device/sync', undefined, robotOs);
    const hoe = await tool('Hoe');
    // A page’s list is none of the robot.
    await call('GET', '/api/device/sync');
    const client = await robot();
    await client.waitUntil((received) => received.length > 0);
    await sleep(300);
    expect(announced(client)).toEqual([[`Tool/${hoe.id}`, 'Hoe']]);
  });

  it('are not made to other clients', async () => {
    const { page, tool, lacksAfter } = await garden(server);
    const first = await page();
    await tool('Rake');
    await first.waitUntil((received) => received.length === 1);
    await first.end();
    await tool('Hoe');
    const second = await page();
    await sleep(600);
    expect(announced(second)).toEqual([]);
    expect(await lacksAfter()).not.toBeNull();
  });

  it('are one step “sync” where the log does not reach back, or is too long', async () => {
    const { robot, tool, scope, lacksAfter, call } = await garden(server);
    const first = await robot();
    await expect.poll(lacksAfter).toBeNull();
    await first.end();
    await tool('Rake');
    await expect.poll(lacksAfter).not.toBeNull();
    const position = Number(await lacksAfter());
    await scope().transaction((inner) => recordTrimmed(inner, position + 1));
    const second = await robot();
    await second.waitUntil((received) => received.length === 1);
    const sync = [{ topic: expect.stringMatching(/from_clients$/), text: expect.any(String) }];
    expect(second.received).toMatchObject(sync);
    expect(JSON.parse(String(second.received[0]?.text))).toEqual({
      kind: 'rpc_request',
      args: { label: expect.any(String), priority: 500 },
      body: [{ kind: 'sync', args: {} }],
    });
    await second.end();
    for (const y of [1, 2])
      await call('POST', '/api/points/bulk', {
        points: Array.from({ length: 499 }, (_, x) => ({ pointer_type: 'Weed', x, y })),
      });
    for (const name of ['Hoe', 'Fork', 'Spade']) await tool(name);
    const third = await robot();
    await third.waitUntil((received) => received.length > 0);
    await expect.poll(lacksAfter).toBeNull();
    expect(third.received).toMatchObject(sync);
  });
});
