import { execFile, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { signUp } from '../../support/accounts.ts';
import { numberAt } from '../../support/json.ts';
import { startBridge } from '../../support/mosquitto-bridge.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { anyPort, suiteServer } from '../../support/servers.ts';

// Independent clients: mosquitto_sub, mosquitto_pub, and the bridge of mosquitto, of Debian.

const run = promisify(execFile);

describe('mosquitto', () => {
  const server = suiteServer('sqlite', { EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off', MQTT_PORT: anyPort });
  const reachable = () => ({ client: server.client, outbox: null });
  const address = (account: { bot: string; token: string }) => {
    const { hostname, port } = new URL(server.mqtt);
    return ['-h', hostname, '-p', port, '-u', account.bot, '-P', account.token, '-V', 'mqttv311'];
  };

  it('receives changes over HTTP', async () => {
    const ada = await signUp(reachable(), 'ada');
    const subscriber = spawn('mosquitto_sub', [
      ...address(ada),
      '-t',
      `bot/${ada.bot}/sync/Tool/#`,
      '-C',
      '2',
      '-W',
      '50',
      '-v',
    ]);
    let output = '';
    subscriber.stdout.on('data', (part) => {
      output += part;
    });
    const ended = new Promise((resolve) => subscriber.once('close', resolve));
    let id = 0;
    // It does not report its subscription: changes are made until it has received two.
    for (let i = 0; subscriber.exitCode === null; i++) {
      const created = await server.client.post('/api/tools', { name: `Hoe ${i}` }, ada.token);
      id = numberAt(created.json, 'id');
      await sleep(100);
    }
    await ended;
    expect(output).toMatch(
      new RegExp(`^bot/${ada.bot}/sync/Tool/\\d+ {"args":{"label":"[0-9a-f-]{36}"},"body":{"id":\\d+,`),
    );
    expect(id).toBeGreaterThan(0);
  });

  it('sends a log, which is acknowledged after it is stored', async () => {
    const ada = await signUp(reachable(), 'ada');
    const send = async (message: string, created_at: unknown) => {
      const log = { type: 'info', major_version: 15, message, created_at };
      await run('mosquitto_pub', [...address(ada), '-q', '1', '-t', `bot/${ada.bot}/logs`, '-m', JSON.stringify(log)]);
    };
    // A script whose clock is a year ahead, and others that write times in their way.
    const ahead = Math.floor(Date.now() / 1000) + 365 * 86_400;
    await send('Hello from mosquitto', ahead);
    await send('with fractions', 1_700_000_000.75);
    await send('in milliseconds', 1_700_000_000_750);
    await send('as text', '2023-11-14T22:13:20.750Z');
    const { json } = await server.client.get('/api/logs', ada.token);
    expect(json).toMatchObject([
      { message: 'as text', created_at: 1_700_000_000 },
      { message: 'in milliseconds', created_at: 1_700_000_000 },
      { message: 'with fractions', created_at: 1_700_000_000 },
      { message: 'Hello from mosquitto', type: 'info', created_at: ahead },
    ]);
  });

  it('connects as a bridge with default settings, in both directions', async () => {
    const ada = await signUp(reachable(), 'ada');
    const own = `bot/${ada.bot}/`;
    const bridge = await startBridge(server.mqtt, ada, `topic # both 1 ${own} ${own}`);
    await expect.poll(bridge.log).toMatch(/Received SUBACK from local\.\S+\.potager/);
    const connects = bridge.log().split('sending CONNECT').length;

    const beyond = await MqttTestClient.connect(bridge.url);
    await beyond.subscribe('#');
    const { client } = server;
    const near = await MqttTestClient.connect(server.mqtt, { username: ada.bot, password: ada.token });
    await near.subscribe([`${own}from_clients`, `${own}from_device`]);
    const log = { type: 'info', major_version: 15, message: 'From beyond the bridge' };
    // Its own words would come back to a robot as another command.
    await beyond.publish(`${own}from_clients`, 'command', { qos: 1 });
    await beyond.publish(`${own}plants`, 'unknown', { qos: 1, retain: true });
    await beyond.publish(`${own}logs`, JSON.stringify(log), { qos: 1 });
    await near.first(`${own}from_clients`);
    await near.publish(`${own}from_device`, 'reply', { qos: 1 });
    expect((await beyond.first(`${own}from_device`)).text).toBe('reply');

    const messages = async () =>
      (await client.get('/api/logs', ada.token)).json as unknown as readonly { readonly message: string }[];
    const [stored, dropped] = [
      'From beyond the bridge',
      `The message broker dropped a message of ${ada.bot}: there is no channel ${own}plants.`,
    ];
    await expect
      .poll(async () => (await messages()).map(({ message }) => message))
      .toEqual(expect.arrayContaining([stored, dropped]));
    expect((await messages()).filter(({ message }) => message.includes('$SYS'))).toEqual([]);
    const texts = ({ received }: MqttTestClient, channel: string) =>
      received.filter(({ topic }) => topic === `${own}${channel}`).map(({ text }) => text);
    for (const client of [beyond, near])
      expect([texts(client, 'from_clients'), texts(client, 'from_device')]).toEqual([['command'], ['reply']]);
    expect(texts(beyond, 'logs').filter((text) => text.includes(log.message))).toHaveLength(1);
    expect(bridge.log().split('sending CONNECT').length).toBe(connects);
    await Promise.all([near.end(), beyond.end()]);
    await bridge.stop();
  });

  it('is rejected with a wrong token, and on topics of others', async () => {
    const [ada, eve] = [await signUp(reachable(), 'ada'), await signUp(reachable(), 'eve')];
    const wrong = run('mosquitto_sub', [...address({ ...ada, token: eve.token }), '-t', 'x', '-W', '30']);
    await expect(wrong).rejects.toMatchObject({ stderr: expect.stringMatching(/not authori[sz]ed|bad user name/i) });
    for (const topic of ['#', '$SYS/#', 'bot/+/logs', `bot/${ada.bot}/logs`]) {
      const { stdout, stderr } = await run('mosquitto_sub', [...address(eve), '-t', topic, '-W', '30']);
      expect([stdout, stderr], topic).toEqual(['', expect.stringContaining('All subscription requests were denied')]);
    }
  });
});
