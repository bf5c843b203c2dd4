import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type SignedInAccount, signIn, signUp } from '../support/accounts.ts';
import { createDatabase } from '../support/databases.ts';
import { type Engine, engines } from '../support/engines.ts';
import { freePort } from '../support/free-port.ts';
import { isObject, type Json, numberAt } from '../support/json.ts';
import { MqttTestClient } from '../support/mqtt-test-client.ts';
import { RabbitMq } from '../support/rabbitmq.ts';
import { createTempFolder, ServerProcess } from '../support/servers.ts';

/** A log as a robot sends it. */
const log = (message: string): string =>
  JSON.stringify({ major_version: 17, type: 'success', message, channels: [], meta: {} });

const messagesIn = (logs: Json): string[] =>
  Array.isArray(logs) ? logs.map((each) => (isObject(each) ? String(each.message) : '')) : [];

/** Stores the logs that come, and gives their messages once `count` are there and no more came for a moment. */
async function storedLogs(
  server: ServerProcess,
  account: SignedInAccount,
  about: string,
  count: number,
): Promise<string[]> {
  const read = async () =>
    messagesIn((await server.client.get('/api/logs', account.token)).json).filter((each) => each.startsWith(about));
  const end = Date.now() + 15_000;
  while ((await read()).length < count) {
    if (Date.now() > end) throw new Error(`${(await read()).length} of ${count} logs were stored:\n${server.logs()}`);
    await sleep(50);
  }
  await sleep(300);
  return read();
}

// One RabbitMQ for all: it takes longer to start than all tests together. Its hooks are at one port, where Potager is started with either database.
describe('RabbitMQ with Potager', () => {
  let rabbitMq: RabbitMq;
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    rabbitMq = await RabbitMq.prepare(`http://127.0.0.1:${port}`);
    await rabbitMq.start();
  }, 90_000);

  afterAll(async () => rabbitMq?.remove(), 60_000);

  async function prepare(engine: Engine, database: string | null, at: number): Promise<ServerProcess> {
    return new ServerProcess(await createTempFolder(), at, {
      HOST: '127.0.0.1',
      EMAIL_VERIFICATION: 'off',
      RATE_LIMITS: 'off',
      ...rabbitMq.settings,
      ...(engine === 'postgres' && database !== null && { DATABASE_URL: database }),
    });
  }

  describe.each(engines)('on %s', (engine) => {
    let server: ServerProcess;
    let database: string | null = null;
    let ada: SignedInAccount;
    let bob: SignedInAccount;
    const listeners: MqttTestClient[] = [];

    beforeAll(async () => {
      database = engine === 'postgres' ? await createDatabase() : null;
      server = await prepare(engine, database, port);
      await server.start();
      ada = await signUp({ client: server.client, outbox: null }, 'Ada');
      bob = await signUp({ client: server.client, outbox: null }, 'Bob');
    }, 60_000);

    afterAll(async () => server?.remove(), 60_000);

    afterEach(async () => {
      for (const listener of listeners.splice(0)) await listener.end();
    });

    async function connect(
      account: Pick<SignedInAccount, 'bot' | 'token'>,
      options: { clientId?: string; clean?: boolean; url?: string } = {},
    ): Promise<MqttTestClient> {
      const { url = rabbitMq.mqttUrl, ...rest } = options;
      const listener = await MqttTestClient.connect(url, { username: account.bot, password: account.token, ...rest });
      listeners.push(listener);
      return listener;
    }

    const again = (account: SignedInAccount): Promise<SignedInAccount> =>
      signIn(server.client, account.name, account.email, account.password);

    const makeTool = async (account: SignedInAccount, name: string): Promise<number> =>
      numberAt((await server.client.post('/api/tools', { name }, account.token)).json, 'id');

    it.each(['mqtt', 'web-mqtt'] as const)('lets a token in over %s and announces changes to it', async (way) => {
      const url = way === 'mqtt' ? rabbitMq.mqttUrl : rabbitMq.webMqttUrl;
      const listener = await connect(ada, { url });
      const channels = ['from_clients', 'sync/#', 'ping/#', 'terminal_input'].map((each) => `bot/${ada.bot}/${each}`);
      expect(await listener.subscribe([...channels, 'public_broadcast'])).toEqual([0, 0, 0, 0, 0]);
      const id = await makeTool(ada, `Rake over ${way}`);
      await listener.waitUntil((heard) => heard.length > 0, 'the announcement');
      expect(listener.received[0]).toMatchObject({ topic: `bot/${ada.bot}/sync/Tool/${id}`, retain: false, qos: 0 });
      expect(JSON.parse(listener.received[0]?.text ?? '').body).toMatchObject({ id, name: `Rake over ${way}` });
    });

    it.each(['mqtt', 'web-mqtt'] as const)('lets nobody in without a token over %s', async (way) => {
      const url = way === 'mqtt' ? rabbitMq.mqttUrl : rabbitMq.webMqttUrl;
      const refused = (options: object) => expect(MqttTestClient.connect(url, options)).rejects.toThrow();
      await refused({});
      await refused({ username: ada.bot, password: 'nothing' });
      await refused({ username: bob.bot, password: ada.token });
      await refused({ username: 'guest', password: 'guest' });
      await refused({ username: 'admin', password: 'admin' });
    });

    it.each(['#', '+/+/#', 'bot/#', 'bot/+/logs', '$SYS/#', 'bot/device_%/#', 'bot/device_%/logs'])(
      'ends the connection of a client that subscribes to %s',
      async (pattern) => {
        const listener = await connect(ada);
        const topic = pattern.replace('device_%', bob.bot);
        await expect(listener.subscribe([`bot/${ada.bot}/status`, topic])).rejects.toThrow();
        await listener.waitUntilClosed();
      },
    );

    it('ends the connection of a client that publishes to another device, and nobody hears it', async () => {
      const own = await connect(bob);
      await own.subscribe(`bot/${bob.bot}/#`);
      const other = await connect(ada);
      await other.publish(`bot/${bob.bot}/from_clients`, '{}');
      await other.waitUntilClosed();
      await sleep(200);
      expect(own.received.filter(({ topic }) => topic.endsWith('from_clients'))).toEqual([]);
    });

    it('refuses the client id of another device, which would get that one’s messages', async () => {
      const robot = await connect(ada, { clientId: `${ada.bot}_17.1.2`, clean: false });
      await robot.subscribe(`bot/${ada.bot}/sync/#`, 1);
      const browser = await connect(ada, { clientId: 'FBJS-one', clean: false });
      await browser.subscribe(`bot/${ada.bot}/sync/#`, 1);
      await expect(connect(bob, { clientId: `${ada.bot}_17.1.2`, clean: false })).rejects.toThrow();
      await expect(connect(bob, { clientId: 'FBJS-one', clean: false })).rejects.toThrow();
      await makeTool(ada, 'Seen by its owner');
      await robot.waitUntil((heard) => heard.length > 0);
      await browser.waitUntil((heard) => heard.length > 0);
    });

    it('stores the logs of a robot once, and no telemetry without a target', async () => {
      const robot = await connect(ada);
      for (let i = 0; i < 20; i++) await robot.publish(`bot/${ada.bot}/logs`, log(`robot ${i}`), { qos: 1 });
      await robot.publish(`bot/${ada.bot}/logs`, 'no JSON', { qos: 1 });
      await robot.publish(`bot/${ada.bot}/telemetry`, '{"telemetry_soc_temp":40}', { qos: 1 });
      await robot.publish(`bot/${ada.bot}/telemetry`, '{"telemetry_soc_temp":41,"telemetry_target":"rpi4"}', {
        qos: 1,
      });
      const stored = await storedLogs(server, ada, 'robot ', 20);
      expect(stored.toSorted()).toEqual(Array.from({ length: 20 }, (_, i) => `robot ${i}`).sort());
      const telemetries = (await server.client.get('/api/telemetries', ada.token)).json;
      expect(telemetries).toMatchObject([{ soc_temp: 41, target: 'rpi4' }]);
      expect(messagesIn((await server.client.get('/api/logs', bob.token)).json).join()).not.toContain('robot');
    });

    it('stores its own notices once', async () => {
      const listener = await connect(ada);
      await listener.subscribe(`bot/${ada.bot}/logs`);
      const beginning = messagesIn((await server.client.get('/api/logs', ada.token)).json).length;
      await expect(connect({ bot: bob.bot, token: ada.token })).rejects.toThrow();
      const foreign = await connect(ada);
      await foreign.publish(`bot/${bob.bot}/logs`, log('x'));
      await foreign.waitUntilClosed();
      await listener.waitUntil((heard) => heard.length > 0, 'the notice');
      await sleep(500);
      const stored = messagesIn((await server.client.get('/api/logs', ada.token)).json).length - beginning;
      expect(stored).toBe(listener.received.length);
    });

    it('stores what was published while it was stopped', async () => {
      const robot = await connect(ada);
      // RabbitMQ asks the hooks again about a topic after a second of silence: this robot goes on talking.
      await robot.publish(`bot/${ada.bot}/logs`, log('before'), { qos: 1 });
      await storedLogs(server, ada, 'before', 1);
      await server.stop();
      for (let i = 0; i < 10; i++) await robot.publish(`bot/${ada.bot}/logs`, log(`meanwhile ${i}`), { qos: 1 });
      await server.start();
      const stored = await storedLogs(server, ada, 'meanwhile', 10);
      expect(stored.toSorted()).toEqual(Array.from({ length: 10 }, (_, i) => `meanwhile ${i}`));
    });

    it('ends the connection of a deleted token and no other', async () => {
      const [gone, stays] = [await again(ada), await again(ada)];
      const leaving = await connect(gone);
      const staying = await connect(stays);
      const web = await connect(gone, { url: rabbitMq.webMqttUrl });
      const stranger = await connect(bob);
      const answer = await server.client.send('DELETE', '/api/tokens', { token: gone.token });
      expect(answer.status).toBe(204);
      await leaving.waitUntilClosed();
      await web.waitUntilClosed();
      await expect(connect(gone)).rejects.toThrow();
      expect([staying.isConnected, stranger.isConnected]).toEqual([true, true]);
    }, 40_000);

    it('delivers the factory reset before it ends connections after a changed password', async () => {
      const eve = await signUp({ client: server.client, outbox: null }, 'Eve');
      const robot = await connect(eve);
      await robot.subscribe(`bot/${eve.bot}/from_clients`);
      const caller = await again(eve);
      const browser = await connect(caller);
      const body = { password: eve.password, new_password: 'password456', new_password_confirmation: 'password456' };
      const answer = await server.client.send('PATCH', '/api/users', { token: caller.token, body });
      expect(answer.status).toBe(200);
      await robot.waitUntilClosed();
      expect(robot.received.map(({ text }) => JSON.parse(text))).toEqual([
        {
          kind: 'rpc_request',
          args: { label: 'FROM_API' },
          body: [{ kind: 'factory_reset', args: { package: 'farmbot_os' } }],
        },
      ]);
      expect(browser.isConnected).toBe(true);
    }, 40_000);

    it('ends all connections of a deleted account at once', async () => {
      const guest = await signUp({ client: server.client, outbox: null }, 'Guest');
      const one = await connect(guest);
      const two = await connect(guest, { url: rabbitMq.webMqttUrl });
      const answer = await server.client.send('DELETE', '/api/users', {
        token: guest.token,
        body: { password: guest.password },
      });
      expect(answer.status).toBe(200);
      await one.waitUntilClosed();
      await two.waitUntilClosed();
    }, 40_000);

    it('announces what changed while RabbitMQ was stopped, in order', async () => {
      const clientId = `${ada.bot}_17.1.2`;
      const robot = await connect(ada, { clientId, clean: false });
      await robot.subscribe(`bot/${ada.bot}/sync/#`, 1);
      await robot.end();
      await rabbitMq.stop();
      const ids: number[] = [];
      for (let i = 0; i < 5; i++) ids.push(await makeTool(ada, `Meanwhile ${i}`));
      await rabbitMq.start();
      const back = await connect(ada, { clientId, clean: false });
      await back.waitUntil(
        (heard) => heard.filter(({ topic }) => topic.includes('/Tool/')).length >= 5,
        'announcements',
      );
      expect(back.received.map(({ topic }) => topic)).toEqual(ids.map((id) => `bot/${ada.bot}/sync/Tool/${id}`));
      await back.publish(`bot/${ada.bot}/logs`, log('after the stop'), { qos: 1 });
      await storedLogs(server, ada, 'after the stop', 1);
      expect(server.logs()).toContain('announcements wait');
    }, 60_000);

    if (engine === 'postgres')
      it('stores each log once with two processes', async () => {
        const second = await prepare(engine, database, await freePort());
        await second.start();
        try {
          const robot = await connect(ada);
          const texts = Array.from({ length: 200 }, (_, i) => `shared ${i}`);
          await Promise.all(texts.map((text) => robot.publish(`bot/${ada.bot}/logs`, log(text), { qos: 1 })));
          expect((await storedLogs(server, ada, 'shared', 200)).toSorted()).toEqual(texts.toSorted());
          const listener = await connect(ada);
          await listener.subscribe(`bot/${ada.bot}/sync/#`);
          const { status } = await second.client.post('/api/tools', { name: 'By the second' }, ada.token);
          expect(status).toBe(200);
          await listener.waitUntil((heard) => heard.length > 0, 'the announcement');
        } finally {
          await second.stop();
          await rm(second.folder, { recursive: true });
        }
      }, 40_000);
  });
});
