import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { startCuttableProxy } from '../../test/support/cuttable-proxy.ts';
import { MqttTestClient } from '../../test/support/mqtt-test-client.ts';
import { systemClock } from '../core/clock.ts';
import { Counters } from '../core/counters.ts';
import { MqttServer } from '../mqtt/mqtt-server.ts';
import { layoutOf } from '../mqtt/retained-messages.ts';
import { BrokerConnection, brokerUrlOf } from './broker-connection.ts';
import type { OsVersion } from './os-version.ts';
import { RobotError, readToken } from './robot-api.ts';

const token = (mqttWs: string, mqtt = 'garden.local') => ({ encoded: '', bot: 'device_5', mqtt, mqttWs });

it('derives the URL of the broker from the token', () => {
  expect(brokerUrlOf(token('ws://garden.local:3000/ws'), {})).toBe('mqtt://garden.local:1883');
  expect(brokerUrlOf(token('wss://garden.local/ws'), {})).toBe('mqtts://garden.local:8883');
  expect(brokerUrlOf(token('ws://garden.local:3000/ws'), { port: 1999 })).toBe('mqtt://garden.local:1999');
  expect(brokerUrlOf(token('wss://garden.local/ws'), { webSocket: true })).toBe('wss://garden.local/ws');
  expect(brokerUrlOf(token('ws://[::1]:3000/ws', '::1'), {})).toBe('mqtt://[::1]:1883');
});

it('parses the claims of a token', () => {
  const claims = { bot: 'device_5', mqtt: 'garden.local', mqtt_ws: 'ws://garden.local:3000/ws', sub: 1 };
  const encoded = `e30.${btoa(JSON.stringify(claims))}.c2ln`;
  expect(readToken(encoded)).toEqual({
    encoded,
    bot: 'device_5',
    mqtt: 'garden.local',
    mqttWs: 'ws://garden.local:3000/ws',
  });
  for (const bad of ['', 'a.b.c', 'e30.e30.e30', `e30.${btoa('null')}.x`])
    expect(() => readToken(bad)).toThrow(RobotError);
});

async function startBroker() {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const server = new MqttServer({
    host: '127.0.0.1',
    port: 0,
    tls: null,
    webSocketPaths: new Set<string>(),
    limitsRates: true,
    counters: new Counters(),
    clock: systemClock,
    log,
    onMessage: () => null,
    // As other brokers do.
    retention: layoutOf('bot', new Set(['from_clients'])),
    authenticator: {
      authenticate: async ({ username: name }) => ({
        name,
        isShared: false,
        credential: null,
        canPublish: () => true,
        canSubscribe: () => true,
        canReceive: () => true,
      }),
      findValidCredentials: async (credentials) => credentials,
    },
  });
  await server.start(createServer());
  return { port: server.ports[0] ?? 0, stop: () => server.stop() };
}

/** Connects a robot with a version of its operating system. */
async function connectRobot(port: number, version: OsVersion) {
  const robot = { received: [] as string[], connections: 0, lines: [] as string[], end: () => connection.end() };
  const connection = new BrokerConnection({
    version,
    token: async () => token('ws://127.0.0.1/ws', '127.0.0.1'),
    port,
    backOff: { first: 100, max: 200 },
    log: (line) => robot.lines.push(line),
    connected: () => robot.connections++,
    received: (channel, payload) => void robot.received.push(`${channel} ${payload}`),
    failed: (reason) => robot.lines.push(reason),
  });
  connection.start();
  await expect.poll(() => robot.connections).toBe(1);
  return robot;
}

it('names the broker that it does not reach', async () => {
  const broker = await startBroker();
  const robot = await connectRobot(broker.port, '15.5.3');
  await broker.stop();
  const line = `The broker at mqtt://127.0.0.1:${broker.port} is unreachable (ECONNREFUSED).`;
  await expect.poll(() => robot.lines).toContain(line);
  await robot.end();
});

it('ignores retained messages', async () => {
  const broker = await startBroker();
  const client = await MqttTestClient.connect(`mqtt://127.0.0.1:${broker.port}`, { username: 'device_5' });
  await client.publish('bot/device_5/from_clients', 'old', { qos: 1, retain: true });
  const robot = await connectRobot(broker.port, '15.5.3');
  await client.publish('bot/device_5/from_clients', 'new', { qos: 1, retain: true });
  await client.publish('bot/device_5/ping/1', 'last');
  await expect.poll(() => robot.received).toEqual(['from_clients new', 'ping/1 last']);
  await robot.end();
  await client.end();
  await broker.stop();
});

it.each([
  ['15.5.3', [1, 2, 3]],
  // Its first session ends with the connection.
  ['15.4.11', [1, 2, 2]],
] as const)('%s has subscribed %j times after its connections', async (version, counts) => {
  const broker = await startBroker();
  const proxy = await startCuttableProxy('127.0.0.1', broker.port);
  const robot = await connectRobot(proxy.port, version);
  // The first byte of SUBSCRIBE, which is sent alone: after the response to CONNECT.
  const subscriptions = () => proxy.sent.filter(([first]) => first === 0x82).length;
  const seen = [subscriptions()];
  for (const connections of [2, 3]) {
    proxy.cut();
    await expect.poll(() => robot.connections).toBe(connections);
    seen.push(subscriptions());
  }
  expect(seen).toEqual(counts);
  const client = await MqttTestClient.connect(`mqtt://127.0.0.1:${broker.port}`, { username: 'device_5' });
  await client.publish('bot/device_5/from_clients', 'hello');
  await expect.poll(() => robot.received).toEqual(['from_clients hello']);
  await robot.end();
  await client.end();
  await proxy.close();
  await broker.stop();
});

it('OS 15.4 tries once immediately when it has lost its connection, the newest after a pause', async () => {
  const broker = await startBroker();
  const proxy = await startCuttableProxy('127.0.0.1', broker.port);
  const robots = [await connectRobot(proxy.port, '15.4.11'), await connectRobot(proxy.port, '15.5.3')];
  proxy.cut();
  await expect.poll(() => robots.map(({ connections }) => connections)).toEqual([2, 2]);
  const pauses = robots.map(({ lines }) => lines.filter((line) => line.startsWith('Reconnecting')));
  expect(pauses).toEqual([['Reconnecting in 0 s.'], ['Reconnecting in 0.1 s.']]);
  for (const robot of robots) await robot.end();
  await proxy.close();
  await broker.stop();
});
