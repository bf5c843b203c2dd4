import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import mqtt from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedInAccount, signUp } from '../../support/accounts.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { anyPort, suiteServer } from '../../support/servers.ts';

// Clients of MQTT 5: mosquitto_sub, mosquitto_pub and paho of Debian, and mqtt.js.

const run = promisify(execFile);

describe('MQTT 5', () => {
  const server = suiteServer('sqlite', { EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off', MQTT_PORT: anyPort });
  const reachable = () => ({ client: server.client, outbox: null });
  const address = ({ bot, token }: { readonly bot: string; readonly token: string }) => {
    const { hostname, port } = new URL(server.mqtt);
    return ['-h', hostname, '-p', port, '-u', bot, '-P', token, '-V', '5'];
  };
  let ada: SignedInAccount;
  /** A client of MQTT 3.1.1, as robots are. */
  let robot: MqttTestClient;
  beforeAll(async () => {
    ada = await signUp(reachable(), 'ada');
    robot = await MqttTestClient.connect(server.mqtt, { username: ada.bot, password: ada.token });
    await robot.subscribe([`bot/${ada.bot}/from_clients`, `bot/${ada.bot}/logs`], 1);
  });
  afterAll(() => robot.end());

  it('has mosquitto send and receive, with reasons', async () => {
    const subscriber = run('mosquitto_sub', [
      ...address(ada),
      ...['-t', `bot/${ada.bot}/from_device`, '-t', `bot/${ada.bot}/status`, '-q', '1', '-C', '2', '-W', '50'],
      ...['-F', '%t %p %q %P'],
    ]);
    await robot.publish(`bot/${ada.bot}/status`, 'retained', { qos: 1, retain: true });
    const send = (topic: string, ...words: readonly string[]) =>
      run('mosquitto_pub', [...address(ada), '-t', topic, '-q', '1', '-m', 'hello', ...words]);
    await expect
      .poll(async () => {
        await send(`bot/${ada.bot}/from_device`, '-D', 'publish', 'user-property', 'unit', 'mm');
        return Promise.race([subscriber, null]);
      })
      .not.toBe(null);
    const lines = (await subscriber).stdout.trim().split('\n').sort();
    expect(lines).toEqual([
      `bot/${ada.bot}/from_device hello 1 unit:mm`,
      expect.stringMatching(`^bot/${ada.bot}/(from_device hello 1 unit:mm|status retained 1 )$`),
    ]);
    await send(`bot/${ada.bot}/from_clients`);
    await robot.first(`bot/${ada.bot}/from_clients`);
    expect((await send('bot/device_999/logs')).stderr).toContain('Publish 1 failed: Not authorized.');
    const wrong = run('mosquitto_sub', [...address({ ...ada, token: 'x' }), '-t', 'x', '-W', '30']);
    await expect(wrong).rejects.toMatchObject({ stderr: expect.stringMatching(/bad user name or password/i) });
    const others = await run('mosquitto_sub', [...address(ada), '-t', 'bot/+/logs', '-t', '#', '-W', '30']);
    expect(others.stderr).toContain('All subscription requests were denied');
  });

  it('has paho send, receive, and keep a session', async () => {
    const script = resolve(import.meta.dirname, 'paho5.py');
    const { hostname, port } = new URL(server.mqtt);
    const { stdout } = await run('/usr/bin/python3', [script, hostname, port, ada.bot, ada.token]);
    expect(JSON.parse(stdout)).toEqual({
      wrong: [134, 'The password is not a valid session token.'],
      sessions: [0, 1],
      granted: [1, 135],
      expiry: 86_400,
      received: [
        ['live', 1, 'text/plain', [['unit', 'mm']]],
        ['kept', 1, 'text/plain', [['unit', 'mm']]],
      ],
      ended: [142, 'Another connection uses the same client id.'],
    });
  });

  it.each([
    ['mqtt', () => server.mqtt],
    ['ws', () => `${server.base.replace('http', 'ws')}/ws`],
  ])('has mqtt.js connect over %s, and repeat no refused message', async (_name, url) => {
    const options = { username: ada.bot, password: ada.token, protocolVersion: 5, reconnectPeriod: 100 } as const;
    const client = await mqtt.connectAsync(url(), options);
    let connects = 1;
    client.on('connect', () => connects++);
    const granted = await client.subscribeAsync({ [`bot/${ada.bot}/logs`]: { qos: 1, nl: true } });
    expect(granted.map(({ qos }) => qos)).toEqual([1]);
    const received: unknown[] = [];
    client.on('message', (topic, payload, { properties }) => {
      // Not the log about the refused message.
      if (!String(payload).includes('refused')) received.push([topic, String(payload), properties]);
    });
    const refused = client.publishAsync('bot/device_999/logs', 'x', { qos: 1 });
    await expect(refused).rejects.toThrow(/Not authorized/);
    const log = JSON.stringify({ type: 'info', major_version: 15, message: `Hello over ${_name}` });
    await client.publishAsync(`bot/${ada.bot}/logs`, log, { qos: 2, properties: { contentType: 'application/json' } });
    await robot.waitUntil((messages) => messages.some(({ text }) => text === log));
    await robot.publish(`bot/${ada.bot}/logs`, log.replace('Hello', 'Reply'), { qos: 1 });
    await expect.poll(() => received).toEqual([[`bot/${ada.bot}/logs`, log.replace('Hello', 'Reply'), undefined]]);
    const { json } = await server.client.get('/api/logs', ada.token);
    expect(JSON.stringify(json)).toContain(`Hello over ${_name}`);
    expect(connects).toBe(1);
    await client.endAsync(true);
  });
});
