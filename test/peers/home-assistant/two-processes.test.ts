import { type ChildProcess, spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SignedInAccount, signUp } from '../../support/accounts.ts';
import { createMigratedDatabase, dropDatabase } from '../../support/databases.ts';
import { freePort } from '../../support/free-port.ts';
import { type Json, textAt } from '../../support/json.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { cheapPasswords, createTempFolder, ServerProcess } from '../../support/servers.ts';

const environment = { HOST: '127.0.0.1', EMAIL_VERIFICATION: 'off', RATE_LIMITS: 'off' };

describe('Home Assistant with two processes on PostgreSQL', () => {
  let url = '';
  let folder = '';
  let broker: ChildProcess | null = null;
  const processes: ServerProcess[] = [];
  const clients: MqttTestClient[] = [];

  beforeEach(async () => {
    folder = await createTempFolder();
    url = (await createMigratedDatabase('postgres', folder)) ?? '';
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.end();
    for (const process of processes.splice(0)) {
      await process.kill();
      process.client.close();
      await rm(process.folder, { recursive: true, force: true });
    }
    broker?.kill();
    broker = null;
    await dropDatabase(url);
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (homeAssistant: string): Promise<ServerProcess> => {
    const settings = { ...environment, HOME_ASSISTANT: homeAssistant, MQTT_PORT: String(await freePort()) };
    const env = { ...settings, DATABASE_URL: url };
    const process = new ServerProcess(await createTempFolder(), await freePort(), env, cheapPasswords);
    processes.push(process);
    await process.start();
    return process;
  };
  const connect = async (...options: Parameters<typeof MqttTestClient.connect>): Promise<MqttTestClient> => {
    const client = await MqttTestClient.connect(...options);
    clients.push(client);
    return client;
  };
  const send = async (process: ServerProcess, account: SignedInAccount, method: string, path: string, body?: Json) => {
    const { token } = account;
    const response = await process.client.send(method, path, { token, ...(body !== undefined && { body }) });
    expect(response.status, response.text).toBe(200);
    return response.json;
  };

  /** Starts Home Assistant's broker, and a client that receives everything there. */
  const startBroker = async (): Promise<{ address: string; home: MqttTestClient }> => {
    const port = await freePort();
    const config = join(folder, 'mosquitto.conf');
    await writeFile(config, `listener ${port} 127.0.0.1\nallow_anonymous true\nuser root\nsys_interval 1\n`);
    broker = spawn('/usr/sbin/mosquitto', ['-c', config], { stdio: 'ignore' });
    const address = `mqtt://127.0.0.1:${port}`;
    const isOpen = () =>
      connect(address).then(
        () => true,
        () => false,
      );
    await expect.poll(isOpen).toBe(true);
    const [home] = clients;
    if (!home) throw new Error('it is connected');
    await home.subscribe(['homeassistant/#', 'potager/#', '$SYS/broker/clients/connected'], 1);
    return { address, home };
  };
  const last = (home: MqttTestClient, topic: string) => home.received.findLast((each) => each.topic === topic)?.text;
  const isAvailability = (home: MqttTestClient, payload: string) => () =>
    last(home, 'potager/availability') === payload;

  it('is served by one of them, and by the other after a kill', async () => {
    const { address, home } = await startBroker();
    const one = await start(address);
    // The first account administers the server, so its garden is allowed.
    const account = await signUp({ client: one.client, outbox: null }, 'ada');
    await send(one, account, 'PATCH', '/api/home_assistant', { on: true });
    const discoveryTopic = `homeassistant/device/potager_device_${account.deviceId}/config`;
    await home.first(discoveryTopic);
    const two = await start(address);

    const named = (name: string) =>
      home.received.filter(({ topic, text }) => topic === discoveryTopic && text.includes(`"${name}"`)).length;
    const add = (process: ServerProcess, label: string, pin: number) =>
      send(process, account, 'POST', '/api/peripherals', { label, pin, mode: 0 });
    // The first process publishes changes of the other, once.
    await add(two, 'Water', 8);
    await home.waitUntil(() => named('Water') > 0, 'the peripheral');
    await add(one, 'Light', 7);
    await home.waitUntil(() => named('Light') > 0, 'the other peripheral');
    expect([named('Water'), named('Light')]).toEqual([2, 1]);
    // This client, and one process.
    await home.waitUntil(() => last(home, '$SYS/broker/clients/connected') === '2', 'the number of clients');

    home.take();
    await one.kill();
    await home.waitUntil(isAvailability(home, 'offline'), 'the last will');
    await home.waitUntil(isAvailability(home, 'online'), 'the other process');
    await home.first(discoveryTopic);
    await add(two, 'Fan', 9);
    await home.waitUntil(() => named('Fan') > 0, 'a change after it');
    expect(named('Fan')).toBe(1);
  });

  it('receives nothing from a process that was replaced while it was suspended, nor by its last will', async () => {
    const { address, home } = await startBroker();
    const one = await start(address);
    const account = await signUp({ client: one.client, outbox: null }, 'ada');
    await send(one, account, 'PATCH', '/api/home_assistant', { on: true });
    await home.waitUntil(isAvailability(home, 'online'), 'the first process');
    const two = await start(address);
    const connected = (count: number) => () => last(home, '$SYS/broker/clients/connected') === String(count);

    const discoveryTopic = `homeassistant/device/potager_device_${account.deviceId}/config`;
    await home.first(discoveryTopic);
    home.take();
    one.signal('SIGSTOP');
    await home.first(discoveryTopic);
    await home.waitUntil(connected(3), 'the number of clients');
    // The first one, which receives it after the second, must not run it again.
    const refusal = 'a command of Home Assistant was refused';
    await home.publish(`potager/device_${account.deviceId}/command/sequence/999999`, 'PRESS');
    await expect.poll(() => two.logs()).toContain(refusal);
    home.take();
    one.signal('SIGCONT');
    await home.waitUntil(connected(2), 'the end of the first connection');
    expect(home.received.filter(({ topic }) => topic === 'potager/availability')).toEqual([]);
    expect(one.logs()).not.toContain(refusal);

    home.take();
    two.signal('SIGSTOP');
    await home.first(discoveryTopic);
    home.take();
    await two.kill();
    const said = () => home.received.filter(({ topic }) => topic === 'potager/availability').map(({ text }) => text);
    await home.waitUntil(() => said().length > 1, 'the correction of the last will');
    expect(said()).toEqual(['offline', 'online']);
  });

  it('is disconnected from the built-in broker of one by the other', async () => {
    const [one, two] = [await start('on'), await start('on')];
    const account = await signUp({ client: one.client, outbox: null }, 'ada');
    const { deviceId } = account;
    await send(one, account, 'PATCH', '/api/home_assistant', { on: true });
    const login = await send(one, account, 'POST', '/api/home_assistant/password');
    const options = { username: textAt(login, 'username'), password: textAt(login, 'password') };
    const discoveryTopic = `homeassistant/device/potager_device_${deviceId}/config`;
    const homes = [await connect(one.mqtt, options), await connect(two.mqtt, options)];
    for (const home of homes) {
      await home.subscribe('homeassistant/#');
      await home.first(discoveryTopic);
    }
    await send(one, account, 'PATCH', '/api/home_assistant', { on: false });
    for (const home of homes) {
      await home.waitUntilClosed();
      expect(home.received.at(-1)).toMatchObject({ topic: discoveryTopic, text: '' });
    }
    for (const { mqtt } of [one, two]) await expect(MqttTestClient.connect(mqtt, options)).rejects.toThrow();
  });
});
