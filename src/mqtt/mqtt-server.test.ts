import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { afterEach, describe, expect, it } from 'vitest';
import { MqttTestClient } from '../../test/support/mqtt-test-client.ts';
import { Counters } from '../core/counters.ts';
import { MqttServer } from './mqtt-server.ts';
import { layoutOf } from './retained-messages.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const clients: MqttTestClient[] = [];
let server: MqttServer;
/** Users whose credentials are no longer valid. */
const ended = new Set<string>();
/** The messages of eve that the server took. */
const taken: string[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end()));
  await server.stop();
  ended.clear();
});

/** Starts a server for chat rooms: users have the password `yes`, and may use the topics `chat/<user>/…`. */
async function start(messages: string[] = []): Promise<void> {
  server = new MqttServer({
    host: '127.0.0.1',
    port: 0,
    tls: null,
    webSocketPaths: new Set(['/chat']),
    retention: layoutOf('chat', new Set(['room'])),
    authenticator: {
      async authenticate({ username, password }) {
        if (password !== 'yes') return 'bad_credentials';
        const isOwn = (topic: string): boolean => topic.startsWith(`chat/${username}/`);
        const allows = (topic: string): true | Promise<boolean> => isOwn(topic) || Promise.resolve(false);
        const credential = { id: 'yes', expires: Number.POSITIVE_INFINITY };
        return {
          name: username,
          isShared: false,
          credential,
          ...(username === 'eve' && { maxConnections: 1, take: (...message) => void taken.push(message.join(' ')) }),
          canPublish: allows,
          canSubscribe: allows,
          canReceive: isOwn,
        };
      },
      findValidCredentials: async (credentials) =>
        new Map([...credentials].filter(([userName]) => !ended.has(userName))),
    },
    onMessage(topic, payload) {
      messages.push(`${topic} ${payload}`);
      return null;
    },
    limitsRates: true,
    counters: new Counters(),
    clock: { now: Date.now },
    log,
  });
  await server.start(createServer());
}

async function connect(
  username: string,
  password = 'yes',
  options: Parameters<typeof MqttTestClient.connect>[1] = {},
): Promise<MqttTestClient> {
  const login = { username, password, ...options };
  const client = await MqttTestClient.connect(`mqtt://127.0.0.1:${server.ports[0]}`, login);
  clients.push(client);
  return client;
}

describe('an MQTT server', () => {
  it('keeps no buffer for each number that packets may contain', async () => {
    const fromAedes = createRequire(createRequire(import.meta.url).resolve('aedes'));
    const { cache } = fromAedes('mqtt-packet/numbers');
    // As in a new process: clients of other tests may have filled it.
    for (const number of Object.keys(cache)) delete cache[number];
    fromAedes('mqtt-packet').writeToStream.cacheNumbers = true;
    await start();
    // The client leaves the library as the server set it.
    await connect('eve', 'yes', { writeCache: true });
    expect(Object.keys(cache)).toEqual([]);
  });

  it('uses the given authenticator and permissions', async () => {
    const messages: string[] = [];
    await start(messages);
    await expect(connect('ada', 'no')).rejects.toThrow();
    const [ada, bob] = [await connect('ada'), await connect('bob')];
    expect(await ada.subscribe(['chat/ada/#', 'chat/bob/#'])).toEqual([0, 128]);
    await ada.publish('chat/ada/room', 'hello', { qos: 1, retain: true });
    await ada.waitUntil((received) => received.length === 1);
    await bob.publish('chat/ada/room', 'intrusion');
    await bob.waitUntilClosed();
    expect(messages).toEqual(['chat/ada/room hello']);
    expect(ada.received.map(({ text }) => text)).toEqual(['hello']);
  });

  it('takes the messages of a user, whose connections are limited, and ends no connection for them', async () => {
    const messages: string[] = [];
    await start(messages);
    const [ada, eve] = [await connect('ada'), await connect('eve')];
    await ada.subscribe('chat/ada/#');
    for (const [qos, topic] of [
      [0, 'chat/ada/room'],
      [1, 'chat/eve/room'],
    ] as const)
      await eve.publish(topic, 'hello', { qos, retain: true });
    await new Promise((resolve, reject) =>
      eve.client.publish('chat/ada/room', 'once', { qos: 2 }, (error) => (error ? reject(error) : resolve(null))),
    );
    expect(taken).toEqual(['chat/ada/room hello', 'chat/eve/room hello', 'chat/ada/room once']);
    await expect(connect('eve')).rejects.toThrow();
    await eve.subscribe('chat/eve/#');
    await ada.publish('chat/ada/room', 'hi', { qos: 1 });
    await ada.waitUntil((received) => received.length > 0);
    expect([ada.received.map(({ text }) => text), eve.received, messages]).toEqual([['hi'], [], ['chat/ada/room hi']]);
  });

  it('takes no will of a user whose credential has ended', async () => {
    await start();
    const payload = Buffer.from('will');
    const leave = async () => {
      taken.length = 0;
      const eve = await connect('eve', 'yes', { will: { topic: 'chat/ada/room', payload, qos: 1, retain: true } });
      return async () => {
        eve.client.stream.destroy();
        await expect.poll(() => server.connections).toBe(0);
        await new Promise((resolve) => setTimeout(resolve, 20));
      };
    };
    await (await leave())();
    expect(taken).toEqual(['chat/ada/room will']);
    const drop = await leave();
    ended.add('eve');
    await drop();
    expect(taken).toEqual([]);
  });

  it('ends the sessions of revoked credentials, and deletes retained messages of their user', async () => {
    await start();
    const [ada, bob] = [await connect('ada'), await connect('bob')];
    for (const user of ['ada', 'bob'])
      await (user === 'ada' ? ada : bob).publish(`chat/${user}/room`, 'hello', { qos: 1, retain: true });
    ended.add('ada');
    await Promise.all([server.endSessions('ada'), server.endSessions('bob')]);
    ended.clear();
    await ada.waitUntilClosed();
    expect([bob.isConnected, server.connections]).toEqual([true, 1]);
    await bob.subscribe('chat/bob/#');
    await bob.waitUntil((received) => received.length === 1);
    const back = await connect('ada');
    await back.subscribe('chat/ada/#');
    await back.publish('chat/ada/room', 'again', { qos: 1 });
    await back.waitUntil((received) => received.length > 0);
    expect(back.received.map(({ text }) => text)).toEqual(['again']);
  });
});
