import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { MqttTestClient } from '../../test/support/mqtt-test-client.ts';
import { systemClock } from '../core/clock.ts';
import { Counters } from '../core/counters.ts';
import { MqttServer } from '../mqtt/mqtt-server.ts';
import { layoutOf } from '../mqtt/retained-messages.ts';
import { BrokerConnection, brokerUrlOf, robotBackOff } from './broker-connection.ts';
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

it('ignores retained messages', async () => {
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
  const [port] = server.ports;
  const client = await MqttTestClient.connect(`mqtt://127.0.0.1:${port}`, { username: 'device_5' });
  await client.publish('bot/device_5/from_clients', 'old', { qos: 1, retain: true });
  const received: string[] = [];
  const connected = await new Promise<BrokerConnection>((resolve, reject) => {
    const connection = new BrokerConnection({
      token: async () => token('ws://127.0.0.1/ws', '127.0.0.1'),
      port,
      backOff: robotBackOff,
      log: () => undefined,
      connected: () => resolve(connection),
      received: (channel, payload) => void received.push(`${channel} ${payload}`),
      failed: reject,
    });
    connection.start();
  });
  await client.publish('bot/device_5/from_clients', 'new', { qos: 1, retain: true });
  await client.publish('bot/device_5/ping/1', 'last');
  await expect.poll(() => received).toEqual(['from_clients new', 'ping/1 last']);
  await connected.end();
  await client.end();
  await server.stop();
});
