import { describe, expect, it } from 'vitest';
import type { RobotTransport } from '../../../src/robot/robot-api.ts';
import { startCuttableProxy } from '../../support/cuttable-proxy.ts';
import type { Json } from '../../support/json.ts';
import { MqttTestClient, type ReceivedMessage } from '../../support/mqtt-test-client.ts';
import { suiteRobotServer, waitUntil } from '../../support/robot-server.ts';
import { ScriptedRobot } from '../../support/scripted-robot.ts';

interface SentRequest {
  readonly call: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests access bodies of any shape
  readonly body: any;
  /** Of `performance.now()`. */
  readonly at: number;
}

const garden = suiteRobotServer('sqlite', '127.0.0.40');

/** A garden with points at x = 0, 10, 20 …, and variables, and a way to start its robot with OS 15.4.11. */
async function meet(points: number, variables: readonly string[] = []) {
  const gardener = await garden.signUp();
  const send = async (method: string, path: string, body: Json) => {
    const headers = { 'content-type': 'application/json' };
    const { status, json } = await garden.http.send(method, path, { token: gardener.token, headers, body });
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`);
    // biome-ignore lint/suspicious/noExplicitAny: tests access records of any shape
    return json as any;
  };
  const ids: number[] = [];
  const listener = await MqttTestClient.connect(garden.mqtt, { username: gardener.bot, password: gardener.token });
  await listener.subscribe(`bot/${gardener.bot}/sync/#`);
  for (let i = 0; i < points; i++) {
    const weed = { pointer_type: 'Weed', name: `Weed ${i}`, x: 10 * i, y: 0, z: 0, radius: 10 };
    ids.push((await send('POST', '/api/points', weed)).id);
  }
  for (const key of variables) await send('POST', '/api/farmware_envs', { key, value: 'old' });
  // A robot that is connected by then does not fetch announced records.
  const isMade = ({ topic }: ReceivedMessage) => /\/sync\/(Point|FarmwareEnv)\//.test(topic);
  const made = points + variables.length;
  await listener.waitUntil((received) => received.filter(isMade).length === made, 'the announcements');
  await listener.end();
  const requests: SentRequest[] = [];
  const transport: RobotTransport = async (url, request) => {
    const { body, method } = request;
    const { pathname } = new URL(url);
    const sent = typeof body === 'string' ? JSON.parse(body) : null;
    requests.push({ call: `${method} ${pathname}`, body: sent, at: performance.now() });
    const response = await fetch(url, request);
    return { status: response.status, text: await response.text(), url };
  };
  const start = async (port?: number) => {
    let isSynced = false;
    const synced = () => {
      isSynced = true;
    };
    const options = { version: '15.4.11', transport, uploadPause: 20, synced, port } as const;
    const started = await garden.robot(gardener, options);
    await waitUntil(() => isSynced, 'the synchronization');
    return started;
  };
  const callsOf = () => requests.map(({ call }) => call);
  /** Sends a request to the robot, and waits for its response. */
  const ask = async (...body: object[]) => {
    const { bot, token } = gardener;
    const client = await MqttTestClient.connect(garden.mqtt, { username: bot, password: token });
    await client.subscribe(`bot/${bot}/from_device`);
    const request = { kind: 'rpc_request', args: { label: 'ask', priority: 500 }, body };
    await client.publish(`bot/${bot}/from_clients`, JSON.stringify(request));
    await client.waitUntil((received) => received.some(({ text }) => text.includes('"ask"')), 'the response');
    await client.end();
  };
  return { gardener, send, ids, requests, transport, callsOf, start, ask };
}

const mark = (resource_id: number) => ({
  kind: 'update_resource',
  args: { resource: { kind: 'resource', args: { resource_type: 'Weed', resource_id } } },
  body: [{ kind: 'pair', args: { label: 'plant_stage', value: 'removed' } }],
});

describe('a virtual robot with OS 15.4.11', () => {
  it('fetches each record by itself, at most 250 a second, and no lists', async () => {
    const { ids, requests, callsOf, start, gardener } = await meet(60);
    const { robot } = await start();
    expect(callsOf()).toContain('GET /api/fbos_config.json');
    expect(callsOf().filter((call) => call === 'GET /api/device/sync.json')).toHaveLength(1);
    expect(callsOf().filter((call) => /^GET \/api\/(points|farmware_envs)$/.test(call))).toEqual([]);
    const times = requests.filter(({ call }) => /points\/\d/.test(call)).map(({ at }) => at);
    expect(times).toHaveLength(ids.length);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(4 * (ids.length - 2));
    const { json } = await garden.http.get('/api/device', gardener.token);
    expect(json).toMatchObject({ fbos_version: '15.4.11' });
    await robot.stop();
  });

  it('fetches no more when it is stopped', async () => {
    const { gardener, ids, requests, transport } = await meet(60);
    const { robot } = await garden.robot(gardener, { version: '15.4.11', transport });
    await robot.stop();
    const count = requests.length;
    expect(count).toBeLessThan(ids.length);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(requests).toHaveLength(count);
  });

  it('uploads all points, as they were, after one of them was marked', async () => {
    const { gardener, send, ids, requests, start, ask } = await meet(5);
    const { robot } = await start();
    const { json: before } = await garden.http.get(`/api/points/${ids[4]}`, gardener.token);
    const { updated_at } = before as { updated_at: string };
    await ask(mark(ids[1] ?? 0));
    const uploads = () => requests.filter(({ call }) => call.startsWith('PATCH'));
    await waitUntil(() => uploads().length > 0, 'the first upload');
    await send('PATCH', `/api/points/${ids[4]}`, { x: 777 });
    await waitUntil(() => uploads().length >= ids.length, 'the uploads');
    expect(uploads().map(({ call }) => call)).toEqual(ids.map((id) => `PATCH /api/points/${id}`));
    expect(uploads()[4]?.body).toMatchObject({ x: 40, name: 'Weed 4', updated_at });
    expect(uploads()[1]?.body).toMatchObject({ plant_stage: 'removed', name: 'Weed 1' });
    expect(uploads()[1]?.body.updated_at > updated_at).toBe(true);
    // The upload puts back no edit, and the mark is stored.
    const stored = async (i: number) => (await garden.http.get(`/api/points/${ids[i]}`, gardener.token)).json;
    expect(await stored(4)).toMatchObject({ x: 777 });
    expect(await stored(1)).toMatchObject({ plant_stage: 'removed' });
    // A second mark is another round.
    await ask(mark(ids[0] ?? 0));
    await waitUntil(() => uploads().length >= 2 * ids.length, 'the second uploads');
    await robot.stop();
  });

  it('uploads all variables after one of them was set', async () => {
    const { requests, start, ask } = await meet(0, ['a', 'b']);
    const { robot, lines } = await start();
    await ask({ kind: 'set_user_env', args: {}, body: [{ kind: 'pair', args: { label: 'b', value: 'new' } }] });
    const uploads = () => requests.filter(({ call }) => call.startsWith('PATCH'));
    await waitUntil(() => uploads().length === 2, 'the uploads');
    const bodies = uploads().map(({ body }) => `${Object.keys(body)} ${body.key} ${body.value}`);
    expect(bodies.sort()).toEqual(['id,key,value a old', 'id,key,value b new']);
    expect(lines.filter((line) => line.startsWith('Could not'))).toEqual([]);
    await robot.stop();
  });

  it('comes back immediately with its session and without a synchronization, and again when it is restarted', async () => {
    const { callsOf, start, ask } = await meet(1);
    const proxy = await startCuttableProxy('127.0.0.40', 1883);
    const { robot, lines } = await start(proxy.port);
    const connections = () => lines.filter((line) => line.startsWith('Connected')).length;
    for (const count of [2, 3]) {
      proxy.cut();
      await waitUntil(() => connections() === count, 'the return');
    }
    expect(lines).toContain('Reconnecting in 0 s.');
    await ask({ kind: 'read_status', args: {} });
    expect(callsOf().filter((call) => call.endsWith('sync.json'))).toHaveLength(1);
    await ask({ kind: 'reboot', args: { package: 'farmbot_os' } });
    await waitUntil(() => callsOf().filter((call) => call.endsWith('sync.json')).length === 2, 'the restart');
    await robot.stop();
    await proxy.close();
  });

  it('receives the changes of the time when it was away, though it does not synchronize', async () => {
    const { gardener, send, ids, requests, start, ask } = await meet(2);
    const proxy = await startCuttableProxy('127.0.0.40', 1883);
    const { robot, lines } = await start(proxy.port);
    proxy.isDown = true;
    proxy.cut();
    await waitUntil(() => lines.includes('The connection was closed.'), 'the end of the connection');
    await send('PATCH', `/api/points/${ids[1]}`, { x: 500 });
    const { bot, token } = gardener;
    const listener = await MqttTestClient.connect(garden.mqtt, { username: bot, password: token });
    await listener.subscribe(`bot/${bot}/from_device`);
    proxy.isDown = false;
    await listener.waitUntil((received) => received.length > 0, 'the response to the announcement');
    await listener.end();
    await ask(mark(ids[0] ?? 0));
    const upload = () => requests.find(({ call }) => call === `PATCH /api/points/${ids[1]}`);
    await waitUntil(() => upload() !== undefined, 'the upload');
    expect(upload()?.body).toMatchObject({ x: 500 });
    await robot.stop();
    await proxy.close();
  });

  it('keeps a revoked token until it is restarted', async () => {
    const { start } = await meet(0);
    const { robot, lines } = await start();
    const token = robot.token ?? '';
    await garden.http.send('DELETE', '/api/tokens', { token });
    await waitUntil(() => lines.filter((line) => line === 'The broker rejected the token.').length >= 3, 'rejections');
    expect(lines.filter((line) => line.startsWith('Connected'))).toHaveLength(1);
    expect(robot.token).toBe(token);
    await robot.stop();
  });
});

describe('the scripted robot', () => {
  it('hears requests in a kept session without subscribing again', async () => {
    const gardener = await garden.signUp();
    const id = `${gardener.bot}_15.4.11`;
    const first = await ScriptedRobot.connect(garden.mqtt, gardener, id, { clean: false });
    await first.end();
    const second = await ScriptedRobot.connect(garden.mqtt, gardener, id, { clean: false });
    const { bot, token } = gardener;
    const client = await MqttTestClient.connect(garden.mqtt, { username: bot, password: token });
    const request = { kind: 'rpc_request', args: { label: 'hello', priority: 500 }, body: [] };
    await client.publish(`bot/${bot}/from_clients`, JSON.stringify(request));
    expect((await second.request()).label).toBe('hello');
    await client.end();
    await second.end();
  });
});
