import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type SignedInAccount, signIn, signUp } from '../../support/accounts.ts';
import { createMigratedDatabase, setAvailability } from '../../support/databases.ts';
import { EventReader } from '../../support/event-reader.ts';
import { FakeHookServer } from '../../support/fake-hook-server.ts';
import { freePort } from '../../support/free-port.ts';
import { isObject, type Json, numberAt, textAt } from '../../support/json.ts';
import { startBridge } from '../../support/mosquitto-bridge.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { RabbitMq } from '../../support/rabbitmq.ts';
import { ScriptedRobot } from '../../support/scripted-robot.ts';
import { cheapPasswords, createTempFolder, ServerProcess } from '../../support/servers.ts';
import { suiteReceiver, verified } from '../../support/webhook-receiver.ts';

/** A log as a robot sends it. */
const log = (message: string): string =>
  JSON.stringify({ major_version: 17, type: 'success', message, channels: [], meta: {} });

const messagesIn = (logs: Json): string[] =>
  Array.isArray(logs) ? logs.map((each) => (isObject(each) ? String(each.message) : '')) : [];

/** Maximum time to wait for a state, in ms: long enough for a busy machine. */
const maxWait = 60_000;

// One RabbitMQ for all tests: starting it takes longer than all of them. Its hooks are at one port, where Potager runs with PostgreSQL: streams and webhooks of SQLite are
// tested with the built-in broker.
describe('RabbitMQ with Potager', { timeout: 2 * maxWait }, () => {
  let rabbitMq: RabbitMq;
  let port: number;
  const receiver = suiteReceiver();

  beforeAll(async () => {
    port = await freePort();
    rabbitMq = await RabbitMq.prepare(`http://127.0.0.1:${port}`);
    await rabbitMq.start();
  });

  afterAll(async () => rabbitMq?.remove());

  async function prepare(database: string, at: number): Promise<ServerProcess> {
    const settings = {
      HOST: '127.0.0.1',
      EMAIL_VERIFICATION: 'off',
      RATE_LIMITS: 'off',
      FETCH_ALLOW: '127.0.0.1',
      ...rabbitMq.settings,
      // The broker's URL for virtual robots.
      MQTT_WS_URL: rabbitMq.webMqttUrl,
      DATABASE_URL: database,
    };
    return new ServerProcess(await createTempFolder(), at, settings, cheapPasswords);
  }

  describe('on postgres', () => {
    let server: ServerProcess;
    let database: string;
    let ada: SignedInAccount;
    let bob: SignedInAccount;
    let markers = 0;
    const clients: MqttTestClient[] = [];

    beforeAll(async () => {
      database = (await createMigratedDatabase('postgres', '')) ?? '';
      server = await prepare(database, port);
      await server.start();
      ada = await signUp({ client: server.client, outbox: null }, 'Ada');
      bob = await signUp({ client: server.client, outbox: null }, 'Bob');
    });

    afterAll(async () => server?.remove());

    afterEach(async () => {
      for (const client of clients.splice(0)) await client.end();
    });

    async function connect(
      account: Pick<SignedInAccount, 'bot' | 'token'>,
      options: { clientId?: string; clean?: boolean; url?: string } = {},
    ): Promise<MqttTestClient> {
      const { url = rabbitMq.mqttUrl, ...rest } = options;
      const client = await MqttTestClient.connect(url, { username: account.bot, password: account.token, ...rest });
      clients.push(client);
      return client;
    }

    const signInAgain = (account: SignedInAccount): Promise<SignedInAccount> =>
      signIn(server.client, account.name, account.email, account.password);

    const createTool = async (account: SignedInAccount, name: string): Promise<number> =>
      numberAt((await server.client.post('/api/tools', { name }, account.token)).json, 'id');

    const storedLogs = async (prefix: string): Promise<string[]> =>
      messagesIn((await server.client.get('/api/logs', ada.token)).json).filter((text) => text.startsWith(prefix));

    /** Waits until `count` of Ada's logs with a prefix are stored, and returns all of them. */
    async function waitForLogs(prefix: string, count: number): Promise<string[]> {
      await expect
        .poll(async () => (await storedLogs(prefix)).length, { timeout: maxWait, message: server.logs() })
        .toBeGreaterThanOrEqual(count);
      return storedLogs(prefix);
    }

    /** Waits until everything that Ada's robots published is processed: logs are stored in order, so a last one shows it. */
    async function waitForIngestion(robot: MqttTestClient, count = 1): Promise<void> {
      const prefix = `marker ${++markers}.`;
      for (let i = 0; i < count; i++) await robot.publish(`bot/${ada.bot}/logs`, log(`${prefix}${i}`), { qos: 1 });
      await waitForLogs(prefix, count);
    }

    it.each(['mqtt', 'web-mqtt'] as const)('accepts a token over %s, and announces changes', async (protocol) => {
      const url = protocol === 'mqtt' ? rabbitMq.mqttUrl : rabbitMq.webMqttUrl;
      const client = await connect(ada, { url });
      const channels = ['from_clients', 'sync/#', 'ping/#', 'terminal_input'].map((each) => `bot/${ada.bot}/${each}`);
      expect(await client.subscribe([...channels, 'public_broadcast'])).toEqual([0, 0, 0, 0, 0]);
      const id = await createTool(ada, `Rake over ${protocol}`);
      const announcement = await client.first(`bot/${ada.bot}/sync/Tool/${id}`);
      expect(announcement).toMatchObject({ retain: false, qos: 0 });
      expect(JSON.parse(announcement.text).body).toMatchObject({ id, name: `Rake over ${protocol}` });
    });

    it('stores the logs of a robot once, and no telemetry without a target', async () => {
      const robot = await connect(ada);
      for (let i = 0; i < 20; i++) await robot.publish(`bot/${ada.bot}/logs`, log(`robot ${i}`), { qos: 1 });
      await robot.publish(`bot/${ada.bot}/logs`, 'no JSON', { qos: 1 });
      await robot.publish(`bot/${ada.bot}/telemetry`, '{"telemetry_soc_temp":40}', { qos: 1 });
      await robot.publish(`bot/${ada.bot}/telemetry`, '{"telemetry_soc_temp":41,"telemetry_target":"rpi4"}', {
        qos: 1,
      });
      await waitForIngestion(robot);
      expect((await storedLogs('robot ')).toSorted()).toEqual(
        Array.from({ length: 20 }, (_, i) => `robot ${i}`).sort(),
      );
      const telemetries = async () => (await server.client.get('/api/telemetries', ada.token)).json;
      await expect.poll(telemetries, { timeout: maxWait }).toMatchObject([{ soc_temp: 41, target: 'rpi4' }]);
      expect(messagesIn((await server.client.get('/api/logs', bob.token)).json).join()).not.toContain('robot');
    });

    it('streams messages of robots, and delivers their events to webhooks', async () => {
      const gardener = await signUp({ client: server.client, outbox: null }, 'Gardener');
      expect((await server.run(['user', 'admin', gardener.email, 'on'])).code).toBe(0);
      const received = (path: string) => receiver.at(path).map(({ json }) => json.type);
      const path = '/robot';
      const events = ['connected', 'error_log', 'sequence_finished'];
      const hook = { url: receiver.url(path), resources: [], robot_events: events };
      const { secret } = (await server.client.post('/api/webhooks', hook, gardener.token)).json as { secret: string };
      const stream = await EventReader.open(`${server.base}/api/events?live=status,logs,telemetry`, gardener.token);
      try {
        const robot = await ScriptedRobot.connect(rabbitMq.mqttUrl, gardener);
        await robot.publish('status', { informational_settings: { busy: false } });
        await robot.publish('telemetry', { telemetry_soc_temp: 42, telemetry_target: 'rpi4' });
        await robot.publish('logs', JSON.parse(log('All is well.')));
        await robot.publish('logs', { ...JSON.parse(log('The pump is stuck.')), type: 'error' });
        await expect
          .poll(() => stream.events.map(({ name, data }) => [name, data]), { timeout: maxWait })
          .toEqual([
            ['status', { informational_settings: { busy: false } }],
            ['telemetry', { telemetry_soc_temp: 42, telemetry_target: 'rpi4' }],
            ['logs', { major_version: 17, type: 'success', message: 'All is well.', channels: [], meta: {} }],
            ['logs', { major_version: 17, type: 'error', message: 'The pump is stuck.', channels: [], meta: {} }],
          ]);
        const sequence = await server.client.post('/api/sequences', { name: 'Water', body: [] }, gardener.token);
        const sequence_id = numberAt(sequence.json, 'id');
        const sent = server.client.post('/api/commands', { program: { sequence_id }, wait: 60 }, gardener.token);
        const { label } = await robot.request();
        await robot.publish('from_device', { kind: 'rpc_ok', args: { label } });
        expect((await sent).json).toEqual({ status: 'ok', explanation: null });
        const types = ['robot.connected', 'robot.error_log', 'robot.sequence_finished'];
        await expect.poll(() => received(path), { timeout: maxWait }).toEqual(types);
        const [, failure, finished] = receiver.at(path);
        expect(failure?.json.data).toMatchObject({ event: 'error_log', message: 'The pump is stuck.' });
        expect(finished?.json.data).toMatchObject({ sequence_ids: [sequence_id], result: 'ok' });
        for (const each of receiver.at(path)) expect(verified(secret, each)).toEqual(each.json);
        await robot.end();
      } finally {
        stream.close();
      }
    });

    it.each(['mqtt', 'web-mqtt'] as const)('rejects clients without a valid token over %s', async (protocol) => {
      const url = protocol === 'mqtt' ? rabbitMq.mqttUrl : rabbitMq.webMqttUrl;
      const expectRejection = (options: object) => expect(MqttTestClient.connect(url, options)).rejects.toThrow();
      await expectRejection({});
      await expectRejection({ username: ada.bot, password: 'nothing' });
      await expectRejection({ username: bob.bot, password: ada.token });
      await expectRejection({ username: 'guest', password: 'guest' });
      await expectRejection({ username: 'admin', password: 'admin' });
    });

    it.each(['#', '+/+/#', 'bot/#', 'bot/+/logs', '$SYS/#', 'bot/device_%/#', 'bot/device_%/logs'])(
      'closes the connection of a client that subscribes to %s',
      async (pattern) => {
        const client = await connect(ada);
        const topic = pattern.replace('device_%', bob.bot);
        await expect(client.subscribe([`bot/${ada.bot}/status`, topic])).rejects.toThrow();
        await client.waitUntilClosed();
      },
    );

    it('closes the connection of a client that publishes to another device, and does not deliver the message', async () => {
      const own = await connect(bob);
      await own.subscribe(`bot/${bob.bot}/#`);
      const other = await connect(ada);
      await other.publish(`bot/${bob.bot}/from_clients`, '{}');
      await other.waitUntilClosed();
      await own.publish(`bot/${bob.bot}/status`, 'later');
      await own.waitUntil((received) => received.some(({ text }) => text === 'later'), 'a later message');
      expect(own.received.filter(({ topic }) => topic.endsWith('from_clients'))).toEqual([]);
    });

    it('closes the connection of a client that publishes to an unknown channel', async () => {
      const client = await connect(ada);
      await client.publish(`bot/${ada.bot}/plants`, 'x');
      await client.waitUntilClosed();
    });

    it('lets a bridge of mosquitto connect that hides that it is one, and its state', async () => {
      const own = `bot/${ada.bot}/`;
      const connectBridge = (...lines: readonly string[]) =>
        startBridge(
          rabbitMq.mqttUrl,
          ada,
          `topic from_clients in 1 ${own} ${own}`,
          `topic status out 1 ${own} ${own}`,
          ...lines,
        );
      const plain = await connectBridge();
      await expect.poll(plain.log, { timeout: maxWait }).toMatch(/local\.\S+ closed its connection/);
      expect(plain.log()).not.toContain('Received CONNACK');
      await plain.stop();
      const bridge = await connectBridge('try_private false', 'notifications false');
      await expect.poll(bridge.log, { timeout: maxWait }).toContain('Received SUBACK');
      const near = await connect(ada);
      await near.subscribe(`${own}#`);
      const beyond = await MqttTestClient.connect(bridge.url);
      clients.push(beyond);
      await beyond.subscribe('#');
      await near.publish(`${own}from_clients`, 'command', { qos: 1 });
      await beyond.first(`${own}from_clients`);
      await beyond.publish(`${own}status`, 'state', { qos: 1 });
      await near.first(`${own}status`);
      expect(beyond.received.map(({ text }) => text)).toEqual(['command', 'state']);
      await bridge.stop();
    });

    it('rejects the client id of another device', async () => {
      const robot = await connect(ada, { clientId: `${ada.bot}_17.1.2`, clean: false });
      await robot.subscribe(`bot/${ada.bot}/sync/#`, 1);
      const browser = await connect(ada, { clientId: 'FBJS-one', clean: false });
      await browser.subscribe(`bot/${ada.bot}/sync/#`, 1);
      await expect(connect(bob, { clientId: `${ada.bot}_17.1.2`, clean: false })).rejects.toThrow();
      await expect(connect(bob, { clientId: 'FBJS-one', clean: false })).rejects.toThrow();
      await createTool(ada, 'Seen by its owner');
      await robot.waitUntil((received) => received.length > 0);
      await browser.waitUntil((received) => received.length > 0);
    });

    it('publishes no last will of a connection whose rights have ended, and retains nothing', async () => {
      const { client } = server;
      const send = async (
        by: { readonly token: string },
        method: string,
        path: string,
        body?: object,
      ): Promise<Json> => {
        const response = await client.send(method, path, { token: by.token, ...(body && { body: { ...body } }) });
        expect(response.status, response.text).toBe(200);
        return response.text === '' ? null : response.json;
      };
      const topic = `bot/${ada.bot}/from_clients`;
      const robot = await connect(ada);
      await robot.subscribe(topic);
      const password = bob.password;
      const join = async (): Promise<string> => {
        const invited = await send(ada, 'POST', '/api/invitations', { email: bob.email, role: 'gardener' });
        const token = textAt(invited, 'link').split('/').pop() ?? '';
        return textAt(await send(bob, 'POST', '/api/invitations/accept', { token }), 'token.encoded');
      };
      const member = `/api/members/${bob.userId}`;
      const endings: Record<string, (token: string) => Promise<{ password: string; end: () => Promise<unknown> }>> = {
        removed: async (token) => ({
          password: token,
          end: () => send(ada, 'DELETE', member, { password: ada.password }),
        }),
        demoted: async (token) => ({
          password: token,
          end: () => send(ada, 'PATCH', member, { role: 'viewer', password: ada.password }),
        }),
        narrowed: async (token) => {
          const body = { name: 'Script', scopes: ['read', 'control'], expires_at: null, password };
          const created = await send({ token }, 'POST', '/api/personal_tokens', body);
          const path = `/api/personal_tokens/${numberAt(created, 'id')}`;
          return {
            password: textAt(created, 'token'),
            end: () => send({ token }, 'PATCH', path, { scopes: ['read'], password }),
          };
        },
      };
      const willed = async (credential: string, text: string) => {
        const will = { topic, payload: Buffer.from(text), qos: 0 as const, retain: true };
        const options = { username: ada.bot, password: credential, will };
        const opened = await MqttTestClient.connect(rabbitMq.mqttUrl, options);
        clients.push(opened);
        return opened;
      };
      for (const [name, start] of Object.entries(endings))
        for (const way of ['cut', 'dropped']) {
          const ending = await start(await join());
          const one = await willed(ending.password, `${name} ${way}`);
          await ending.end();
          if (way === 'dropped') one.client.stream.destroy();
          await one.waitUntilClosed();
          if (name !== 'removed') await send(ada, 'DELETE', member, { password: ada.password });
        }
      (await willed(ada.token, 'valid')).client.stream.destroy();
      await robot.waitUntil((received) => received.some(({ text }) => text === 'valid'), 'a valid will');
      // RabbitMQ publishes wills within milliseconds of the end of a connection.
      await robot.publish(topic, 'last', { qos: 1, retain: true });
      await robot.waitUntil((received) => received.some(({ text }) => text === 'last'), 'the last message');
      expect(robot.received.map(({ text }) => text)).toEqual(['valid', 'last']);
      const late = await connect(ada);
      await late.subscribe(topic);
      await robot.publish(topic, 'end');
      await late.waitUntil((received) => received.length > 0);
      expect(late.received.map(({ text }) => text)).toEqual(['end']);
    });

    it('lets clients go on publishing while the database is unavailable', async () => {
      const robot = await connect(ada);
      const topic = `bot/${ada.bot}/from_clients`;
      await robot.subscribe(topic);
      const client = await connect(ada);
      await setAvailability(database, false);
      try {
        // RabbitMQ caches permissions for a second.
        await sleep(1500);
        await client.publish(topic, 'meanwhile', { qos: 1 });
      } finally {
        await setAvailability(database, true);
      }
      await expect.poll(async () => (await server.client.get('/health')).status, { timeout: maxWait }).toBe(200);
      await sleep(1500);
      await client.publish(topic, 'later', { qos: 1 });
      await robot.waitUntil((received) => received.length === 2);
      expect(robot.received.map(({ text }) => text)).toEqual(['meanwhile', 'later']);
    });

    it('lets a client whose token has ended neither publish nor subscribe where its connection cannot be closed', async () => {
      const { BROKER_MANAGEMENT_URL: _, ...env } = server.env;
      await server.stop();
      const plain = new ServerProcess(server.folder, port, env);
      try {
        await plain.start();
        const robot = await connect(ada);
        const topic = `bot/${ada.bot}/from_clients`;
        await robot.subscribe(topic);
        const sessions = [await signInAgain(ada), await signInAgain(ada)] as const;
        const [publisher, subscriber] = [await connect(sessions[0]), await connect(sessions[1])];
        await publisher.publish(topic, 'first', { qos: 1 });
        for (const { token } of sessions)
          expect((await server.client.send('DELETE', '/api/tokens', { token })).status).toBe(204);
        // RabbitMQ caches permissions for a second.
        await sleep(1500);
        expect([publisher.isConnected, subscriber.isConnected]).toEqual([true, true]);
        publisher.publish(topic, 'second').catch(() => undefined);
        await expect(subscriber.subscribe(topic)).rejects.toThrow();
        await publisher.waitUntilClosed();
        await robot.publish(topic, 'last', { qos: 1 });
        await robot.waitUntil((received) => received.some(({ text }) => text === 'last'), 'the last message');
        expect(robot.received.map(({ text }) => text)).toEqual(['first', 'last']);
      } finally {
        await plain.kill();
        plain.client.close();
        await server.start();
      }
    });

    it('stores logs with the times that scripts write, in the order of their receipt', async () => {
      const robot = await connect(ada);
      const times = [
        Date.now() / 1000 + 365 * 86_400,
        1_700_000_000.75,
        1_700_000_000_750,
        '2023-11-14T22:13:20.75Z',
        5,
      ];
      for (const [i, created_at] of times.entries())
        await robot.publish(`bot/${ada.bot}/logs`, JSON.stringify({ ...JSON.parse(log(`timed ${i}`)), created_at }), {
          qos: 1,
        });
      await waitForLogs('timed', 5);
      const { json } = await server.client.get('/api/logs', ada.token);
      const listed = json as { message: string; created_at: number }[];
      const timed = listed.filter(({ message }) => message.startsWith('timed'));
      expect(timed.map(({ message, created_at }) => [message, created_at])).toEqual([
        ['timed 4', 5],
        ['timed 3', 1_700_000_000],
        ['timed 2', 1_700_000_000],
        ['timed 1', 1_700_000_000],
        ['timed 0', Math.floor(Number(times[0]))],
      ]);
    });

    it('stores its own notices once', async () => {
      const carol = await signUp({ client: server.client, outbox: null }, 'Carol');
      const stored = async () => messagesIn((await server.client.get('/api/logs', carol.token)).json);
      const client = await connect(carol);
      await client.subscribe(`bot/${carol.bot}/logs`);
      const foreign = await connect(carol);
      await foreign.publish(`bot/${bob.bot}/logs`, log('x'));
      await foreign.waitUntilClosed();
      await client.waitUntil((received) => received.length > 0, 'the notice');
      // Logs are stored in order: a later one shows that the notice was not stored again.
      await client.publish(`bot/${carol.bot}/logs`, log('later'), { qos: 1 });
      await client.waitUntil((received) => received.some(({ text }) => text.includes('later')), 'the later log');
      await expect.poll(stored, { timeout: maxWait }).toContain('later');
      expect((await stored()).length).toBe(client.received.length);
    });

    it('stores messages that were published while it was stopped, and repeated ones once', async () => {
      const robot = await connect(ada);
      const created_at = Math.floor(Date.now() / 1000);
      const repeated = JSON.stringify({ ...JSON.parse(log('meanwhile again')), created_at });
      await robot.publish(`bot/${ada.bot}/logs`, repeated, { qos: 1 });
      await waitForIngestion(robot);
      await server.stop();
      // RabbitMQ closes the connection of a client when no hook answers. In production, a second process does.
      const hooks = await FakeHookServer.start(port);
      await robot.publish(`bot/${ada.bot}/logs`, repeated, { qos: 1 });
      for (let i = 0; i < 10; i++) await robot.publish(`bot/${ada.bot}/logs`, log(`meanwhile ${i}`), { qos: 1 });
      await hooks.stop();
      await server.start();
      const stored = await waitForLogs('meanwhile', 11);
      expect(stored.toSorted()).toEqual([...Array.from({ length: 10 }, (_, i) => `meanwhile ${i}`), 'meanwhile again']);
    });

    it('passes commands to robots, and shows their status', async () => {
      const gardener = await signUp({ client: server.client, outbox: null }, 'Gardener');
      const program = { kind: 'wait', args: { milliseconds: 1 } };
      const command = async () =>
        (await server.client.post('/api/commands', { program, wait: 60 }, gardener.token)).json;
      expect(await command()).toMatchObject({ status: 'offline' });
      const robot = await ScriptedRobot.connect(rabbitMq.mqttUrl, gardener);
      // A request to a robot does not show that it is connected.
      await robot.publish('from_clients', { kind: 'rpc_request', args: { label: 'self' }, body: [] });
      await robot.request();
      await robot.publish('status', { informational_settings: { busy: true } });
      await expect
        .poll(async () => (await server.client.get('/api/robot', gardener.token)).json, { timeout: maxWait })
        .toMatchObject({ connected: true, status: { busy: true } });
      const sent = command();
      const { label, body } = await robot.request(2);
      expect(body).toEqual([program]);
      await robot.publish('from_device', { kind: 'rpc_ok', args: { label } });
      expect(await sent).toEqual({ status: 'ok', explanation: null });
      await robot.end();
    });

    it('has virtual robots, which leave when a real one comes', async () => {
      const gardener = await signUp({ client: server.client, outbox: null }, 'Gardener');
      const put = (running: boolean) =>
        server.client.send('PUT', '/api/virtual_robot', { token: gardener.token, body: { running } });
      expect((await put(true)).json).toMatchObject({ running: true, connected: true });
      const program = { kind: 'move_relative', args: { x: 5, y: 0, z: 0, speed: 100 } };
      const sent = await server.client.post('/api/commands', { program, wait: 60 }, gardener.token);
      expect(sent.json).toEqual({ status: 'ok', explanation: null });
      expect((await put(false)).json).toMatchObject({ running: false, position: { x: 5 } });
      // Its own messages do not count as a real robot's.
      expect((await put(true)).json).toMatchObject({ running: true });
      const robot = await ScriptedRobot.connect(rabbitMq.mqttUrl, gardener, `${gardener.bot}_17.1.2`);
      await expect
        .poll(async () => (await server.client.get('/api/virtual_robot', gardener.token)).json, { timeout: maxWait })
        .toMatchObject({ running: false, ended_because: 'A real robot connected.' });
      await robot.end();
    });

    it('closes the connections of a personal token that is narrowed or deleted, and of a removed member', async () => {
      const [owner, guest] = [
        await signUp({ client: server.client, outbox: null }, 'Owner'),
        await signUp({ client: server.client, outbox: null }, 'Guest'),
      ];
      const send = (method: string, path: string, body?: Json) =>
        server.client.send(method, path, { token: owner.token, ...(body !== undefined && { body }) });
      const create = async (name: string): Promise<{ readonly id: number; readonly token: string }> =>
        (await send('POST', '/api/personal_tokens', { name, scopes: ['read', 'control'] })).json as never;
      const [narrowed, deleted, kept] = [await create('A'), await create('B'), await create('C')];
      const invited = await send('POST', '/api/invitations', { email: guest.email, role: 'gardener' });
      const invitation = textAt(invited.json, 'link').split('/').pop() ?? '';
      const accept = await server.client.post('/api/invitations/accept', { token: invitation }, guest.token);
      const asMember = { bot: owner.bot, token: textAt(accept.json, 'token.encoded') };
      const as = ({ token }: { readonly token: string }) => connect({ bot: owner.bot, token });
      const [first, second, third, member] = [
        ...[await as(narrowed), await as(deleted), await as(kept)],
        ...[await connect(asMember)],
      ];
      const status = `bot/${owner.bot}/status`;
      for (const each of [first, second, third, member]) expect(await each?.subscribe([status])).toEqual([0]);

      expect((await send('PATCH', `/api/personal_tokens/${narrowed.id}`, { scopes: ['garden'] })).status).toBe(422);
      expect((await send('PATCH', `/api/personal_tokens/${narrowed.id}`, { scopes: ['read'] })).status).toBe(200);
      await first?.waitUntilClosed();
      const again = await as(narrowed);
      expect(await again.subscribe([status])).toEqual([0]);
      await again.publish(`bot/${owner.bot}/from_clients`, '{}');
      await again.waitUntilClosed();
      expect((await send('DELETE', `/api/personal_tokens/${deleted.id}`)).status).toBe(200);
      await second?.waitUntilClosed();
      await expect(as(deleted)).rejects.toThrow();
      expect((await send('DELETE', `/api/members/${guest.userId}`)).status).toBe(200);
      await member?.waitUntilClosed();
      await expect(connect(asMember)).rejects.toThrow();
      expect(third?.isConnected).toBe(true);
      expect((await connect(guest)).isConnected).toBe(true);
    });

    it('closes the connections of a user whom an administrator disables, and shows the broker to administrators', async () => {
      const [admin, user] = [
        await signUp({ client: server.client, outbox: null }, 'Admin'),
        await signUp({ client: server.client, outbox: null }, 'User'),
      ];
      expect((await server.run(['user', 'admin', admin.email, 'on'])).code).toBe(0);
      const connected = await connect(user);
      const disable = (disabled: boolean) =>
        server.client.send('PATCH', `/api/admin/users/${user.userId}`, { token: admin.token, body: { disabled } });
      expect((await disable(true)).status).toBe(200);
      await connected.waitUntilClosed();
      await expect(connect(user)).rejects.toThrow();
      expect((await disable(false)).status).toBe(200);
      expect((await connect(await signInAgain(user))).isConnected).toBe(true);
      const shown = await server.client.get('/api/admin/server', admin.token);
      expect(shown.json).toMatchObject({ broker: { ok: true, message: expect.stringContaining('RabbitMQ') } });
      expect((await server.client.get('/api/admin/server', user.token)).status).toBe(401);
    });

    it('publishes nothing for owners where other members would receive it', async () => {
      const [owner, guest] = [
        await signUp({ client: server.client, outbox: null }, 'Owner'),
        await signUp({ client: server.client, outbox: null }, 'Guest'),
      ];
      const send = (method: string, path: string, body?: Json) =>
        server.client.send(method, path, { token: owner.token, ...(body !== undefined && { body }) });
      const topics = [`bot/${owner.bot}/sync/#`];
      const own = await connect(owner);
      await own.subscribe(topics);
      await send('PATCH', '/api/users', { name: 'Alone' });
      await own.waitUntil((received) => received.some(({ text }) => text.includes('Alone')));
      const invited = await send('POST', '/api/invitations', { email: guest.email, role: 'viewer' });
      const invitation = textAt(invited.json, 'link').split('/').pop() ?? '';
      const accept = await server.client.post('/api/invitations/accept', { token: invitation }, guest.token);
      const viewer = await connect({ bot: owner.bot, token: textAt(accept.json, 'token.encoded') });
      expect(await viewer.subscribe(topics)).toEqual([0]);
      await send('PATCH', '/api/users', { name: 'Not alone' });
      await send('POST', '/api/tools', { name: 'After it' });
      await viewer.waitUntil((received) => received.some(({ text }) => text.includes('After it')));
      expect(viewer.received.map(({ topic }) => topic.split('/')[3])).toEqual(['Tool']);
      await own.waitUntil((received) => received.some(({ text }) => text.includes('After it')));
      expect(own.received.some(({ text }) => text.includes('Not alone'))).toBe(false);
    });

    it('closes the connections of a deleted token and no others', async () => {
      const [deleted, other] = [await signInAgain(ada), await signInAgain(ada)];
      const closing = await connect(deleted);
      const staying = await connect(other);
      const web = await connect(deleted, { url: rabbitMq.webMqttUrl });
      const stranger = await connect(bob);
      const response = await server.client.send('DELETE', '/api/tokens', { token: deleted.token });
      expect(response.status).toBe(204);
      await closing.waitUntilClosed();
      await web.waitUntilClosed();
      await expect(connect(deleted)).rejects.toThrow();
      expect([staying.isConnected, stranger.isConnected]).toEqual([true, true]);
    });

    it('delivers the factory reset before it closes connections after a changed password', async () => {
      const eve = await signUp({ client: server.client, outbox: null }, 'Eve');
      const robot = await connect(eve);
      await robot.subscribe(`bot/${eve.bot}/from_clients`);
      const caller = await signInAgain(eve);
      const browser = await connect(caller);
      const body = { password: eve.password, new_password: 'password456', new_password_confirmation: 'password456' };
      const response = await server.client.send('PATCH', '/api/users', { token: caller.token, body });
      expect(response.status).toBe(200);
      await robot.waitUntilClosed();
      expect(robot.received.map(({ text }) => JSON.parse(text))).toEqual([
        {
          kind: 'rpc_request',
          args: { label: 'FROM_API' },
          body: [{ kind: 'factory_reset', args: { package: 'farmbot_os' } }],
        },
      ]);
      expect(browser.isConnected).toBe(true);
    });

    it('closes all connections of a deleted account', async () => {
      const guest = await signUp({ client: server.client, outbox: null }, 'Guest');
      const one = await connect(guest);
      const two = await connect(guest, { url: rabbitMq.webMqttUrl });
      const response = await server.client.send('DELETE', '/api/users', {
        token: guest.token,
        body: { password: guest.password },
      });
      expect(response.status).toBe(200);
      await one.waitUntilClosed();
      await two.waitUntilClosed();
    });

    it('announces changes while RabbitMQ was stopped, in order', async () => {
      const clientId = `${ada.bot}_17.1.2`;
      const robot = await connect(ada, { clientId, clean: false });
      await robot.subscribe(`bot/${ada.bot}/sync/#`, 1);
      await robot.end();
      await rabbitMq.stop();
      const ids: number[] = [];
      for (let i = 0; i < 5; i++) ids.push(await createTool(ada, `Meanwhile ${i}`));
      await rabbitMq.start();
      const back = await connect(ada, { clientId, clean: false });
      const topics = ids.map((id) => `bot/${ada.bot}/sync/Tool/${id}`);
      // Changes that the robot missed before are announced again, and may come in between.
      const announced = () =>
        [...new Set(back.received.map(({ topic }) => topic))].filter((one) => topics.includes(one));
      await back.waitUntil(() => announced().length === topics.length, 'announcements');
      expect(announced()).toEqual(topics);
      await back.publish(`bot/${ada.bot}/logs`, log('after the stop'), { qos: 1 });
      await waitForLogs('after the stop', 1);
      expect(server.logs()).toContain('announcements wait');
    });

    it('stores each log once with two processes', async () => {
      const second = await prepare(database, await freePort());
      await second.start();
      try {
        const robot = await connect(ada);
        const texts = Array.from({ length: 200 }, (_, i) => `shared ${i}`);
        await Promise.all(texts.map((text) => robot.publish(`bot/${ada.bot}/logs`, log(text), { qos: 1 })));
        // Enough for both processes to get some of them.
        await waitForIngestion(robot, 20);
        expect((await waitForLogs('shared', 200)).toSorted()).toEqual(texts.toSorted());
        const path = '/two-processes';
        expect((await server.run(['user', 'admin', ada.email, 'on'])).code).toBe(0);
        const hook = { url: receiver.url(path), resources: ['Tool'], robot_events: ['error_log'] };
        expect((await second.client.post('/api/webhooks', hook, ada.token)).status).toBe(200);
        const client = await connect(ada);
        await client.subscribe(`bot/${ada.bot}/sync/#`);
        const { status } = await second.client.post('/api/tools', { name: 'By the second' }, ada.token);
        expect(status).toBe(200);
        await client.waitUntil((received) => received.length > 0, 'the announcement');
        // Messages of robots and changes by either process are delivered once, whichever process received it.
        const failures = Array.from({ length: 6 }, (_, i) => `Stuck ${i}`);
        for (const text of failures)
          await robot.publish(`bot/${ada.bot}/logs`, JSON.stringify({ ...JSON.parse(log(text)), type: 'error' }), {
            qos: 1,
          });
        await createTool(ada, 'By the first');
        const delivered = () => receiver.at(path).map(({ json }) => json.data.record?.name ?? json.data.message);
        await expect
          .poll(() => delivered().toSorted(), { timeout: maxWait })
          .toEqual(['By the first', 'By the second', ...failures]);
        // Commands and their responses pass any of the processes.
        const scripted = await ScriptedRobot.connect(rabbitMq.mqttUrl, ada);
        await scripted.publish('status', { informational_settings: { locked: true } });
        for (const each of [server, second])
          await expect
            .poll(async () => (await each.client.get('/api/robot', ada.token)).json, { timeout: maxWait })
            .toMatchObject({ connected: true, status: { locked: true } });
        for (const [index, each] of [server, second].entries()) {
          const sent = each.client.post('/api/robot/unlock', {}, ada.token);
          const { label } = await scripted.request(index + 1);
          await scripted.publish('from_device', { kind: 'rpc_ok', args: { label } });
          expect((await sent).json).toEqual({ status: 'ok', explanation: null });
        }
        await scripted.end();
      } finally {
        await second.stop();
        await rm(second.folder, { recursive: true });
      }
    });

    it('runs a virtual robot in one process, and in the other when that is killed', async () => {
      const second = await prepare(database, await freePort());
      await second.start();
      const gardener = await signUp({ client: second.client, outbox: null }, 'Gardener');
      const { token } = gardener;
      const put = await second.client.send('PUT', '/api/virtual_robot', { token, body: { running: true } });
      expect(put.json).toMatchObject({ running: true, connected: true });
      await second.kill();
      await rm(second.folder, { recursive: true });
      const program = { kind: 'wait', args: { milliseconds: 1 } };
      await expect
        .poll(async () => (await server.client.post('/api/commands', { program, wait: 2 }, token)).json, {
          timeout: maxWait,
        })
        .toEqual({ status: 'ok', explanation: null });
    });
  });
});
