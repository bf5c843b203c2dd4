import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import type { Json } from '../../support/json.ts';
import { numberAt, textAt } from '../../support/json.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { createTempFolder, ServerProcess } from '../../support/servers.ts';
import type { AttackContext } from '../attack-context.ts';
import type { AttackedAccount } from '../attacked-server.ts';
import type { Attempt } from '../attempt.ts';
import { always } from '../attempt.ts';

/** Milliseconds in which a message of a closed connection would have arrived. */
const settleTime = 400;

/** A garden, and people who get rights in it. */
class SharedGarden {
  readonly owner: AttackedAccount;
  readonly #context: AttackContext;

  constructor(context: AttackContext, owner: AttackedAccount) {
    this.#context = context;
    this.owner = owner;
  }

  static async create(context: AttackContext): Promise<SharedGarden> {
    return new SharedGarden(context, await context.server.createAccount('host'));
  }

  /** Sends a request that must succeed. */
  async send(by: { readonly token: string }, method: string, path: string, body?: object): Promise<Json> {
    const options = { token: by.token, ...(body && { body: { ...body } }) };
    const response = await this.#context.server.proxy.send(method, path, options);
    expect(response.status, response.text).toBeLessThan(300);
    return response.text === '' ? null : response.json;
  }

  /** Returns a new account with its session of the garden. */
  async gardener(): Promise<AttackedAccount & { readonly home: string }> {
    const guest = await this.#context.server.createAccount('guest');
    const invited = await this.send(this.owner, 'POST', '/api/invitations', { email: guest.email, role: 'gardener' });
    const token = textAt(invited, 'link').split('/').pop() ?? '';
    const accepted = await this.send(guest, 'POST', '/api/invitations/accept', { token });
    return { ...guest, home: guest.token, token: textAt(accepted, 'token.encoded') };
  }

  connect(
    password: string,
    options: Parameters<typeof MqttTestClient.connect>[1] = {},
    mqtt = this.#context.server.mqtt,
  ): Promise<MqttTestClient> {
    return MqttTestClient.connect(mqtt, { username: this.owner.bot, password, ...options });
  }

  topic(channel: string): string {
    return `bot/${this.owner.bot}/${channel}`;
  }
}

type Gardener = Awaited<ReturnType<SharedGarden['gardener']>>;

/** A credential of a gardener, and the act that ends it. */
interface Ending {
  readonly password: string;
  end(): Promise<unknown>;
}

type Endings = Readonly<Record<string, (garden: SharedGarden, guest: Gardener) => Ending | Promise<Ending>>>;

const personalToken = async (garden: SharedGarden, guest: Gardener) => {
  const body = { name: 'Script', scopes: ['read', 'control'], expires_at: null, password: guest.password };
  const created = await garden.send(guest, 'POST', '/api/personal_tokens', body);
  return { password: textAt(created, 'token'), path: `/api/personal_tokens/${numberAt(created, 'id')}` };
};

/** The ways in which the rights of a gardener's connection end. */
const endings: Endings = {
  removed: (garden, { token, userId }) => ({
    password: token,
    end: () => garden.send(garden.owner, 'DELETE', `/api/members/${userId}`, { password: garden.owner.password }),
  }),
  demoted: (garden, { token, userId }) => ({
    password: token,
    end: () =>
      garden.send(garden.owner, 'PATCH', `/api/members/${userId}`, { role: 'viewer', password: garden.owner.password }),
  }),
  'signed out': (garden, guest) => ({
    password: guest.token,
    end: () => garden.send(guest, 'DELETE', '/api/tokens'),
  }),
  'with a new password': (garden, { token, home, password }) => ({
    password: token,
    end: () =>
      garden.send({ token: home }, 'PATCH', '/api/users', {
        password,
        new_password: `${password}!`,
        new_password_confirmation: `${password}!`,
      }),
  }),
  'with a revoked token': async (garden, guest) => {
    const { password, path } = await personalToken(garden, guest);
    return { password, end: () => garden.send(guest, 'DELETE', path, { password: guest.password }) };
  },
  'with a narrowed token': async (garden, guest) => {
    const { password, path } = await personalToken(garden, guest);
    return {
      password,
      end: () => garden.send(guest, 'PATCH', path, { scopes: ['read'], password: guest.password }),
    };
  },
};

/** Channels, and topics below them, on which a message would be run, shown or stored again. */
const commandTopics = [
  ...['from_clients', 'from_api', 'from_device', 'ping/1', 'pong/1', 'sync/Point/1', 'terminal_output', 'logs'],
  ...['telemetry', 'status/deeper'],
];

const count = Object.keys(endings).length;

/** Starts another process on the database of the attacked one, or returns that if the database can have only one. */
async function otherProcess(context: AttackContext): Promise<{ mqtt: string; remove: () => Promise<void> }> {
  const { server } = context;
  const { env } = server.process;
  if (env.DATABASE_URL === undefined) return { mqtt: server.mqtt, remove: async () => undefined };
  const settings = { ...env, MQTT_PORT: String(await freePort()) };
  const other = new ServerProcess(await createTempFolder(), await freePort(), settings);
  await other.start();
  return {
    mqtt: other.mqtt,
    // The database is the attacked server's.
    async remove() {
      await other.kill();
      other.client.close();
      await rm(other.folder, { recursive: true, force: true });
    },
  };
}

/** Remains at the message broker of people and tokens whose rights in a garden end. */
export const brokerRightsAttempts: readonly Attempt[] = [
  {
    name: 'Command the robot by the last will of a connection whose rights have ended',
    property: 'Message broker: permissions',
    defense: 'the will is not published, whether the server or the client ends the connection',
    tries: always(2 * count),
    async run(context) {
      const garden = await SharedGarden.create(context);
      const topic = garden.topic('from_clients');
      const robot = await garden.connect(garden.owner.token);
      await robot.subscribe(topic);
      const will = (text: string, qos: 0 | 1 = 0) => ({
        will: { topic, payload: Buffer.from(text), qos, retain: false },
      });
      for (const [name, start] of Object.entries(endings))
        for (const way of ['cut', 'dropped']) {
          const ending = await start(garden, await garden.gardener());
          const client = await garden.connect(ending.password, will(`of one ${name}, ${way}`, way === 'cut' ? 0 : 1));
          await ending.end();
          if (way === 'dropped') client.client.stream.destroy();
          await client.waitUntilClosed();
          await sleep(settleTime);
          const isPublished = robot.received.some(({ text }) => text === `of one ${name}, ${way}`);
          context.record(isPublished ? 'will published' : 'will not published');
        }
      // Of a connection that has its rights.
      const valid = await garden.connect((await garden.gardener()).token, will('valid'));
      valid.client.stream.destroy();
      await robot.waitUntil((received) => received.length > 0, 'the will of a gardener');
      expect(robot.received.map(({ text }) => text)).toEqual(['valid']);
      await robot.end();
    },
  },
  {
    name: 'Leave commands to later starts of the robot with the retain flag, and keep a status after its author has lost the garden',
    property: 'Message broker: permissions',
    defense: 'only `status` is retained, until the credential of its author ends',
    tries: always(commandTopics.length + 1 + count),
    async run(context) {
      const garden = await SharedGarden.create(context);
      /** Returns the messages for a client that connects now. */
      const retained = async (): Promise<string[]> => {
        const late = await garden.connect(garden.owner.token);
        await late.subscribe(garden.topic('#'));
        await sleep(settleTime);
        await late.end();
        return late.received.map(({ topic, text }) => `${topic} ${text}`);
      };
      const author = await garden.connect((await garden.gardener()).token);
      for (const topic of commandTopics)
        await author.publish(garden.topic(topic), '{"kind":"rpc_request"}', { qos: 1, retain: true });
      const will = { topic: garden.topic('from_clients'), payload: Buffer.from('{}'), qos: 1 as const, retain: true };
      const willed = await garden.connect((await garden.gardener()).token, { will });
      willed.client.stream.destroy();
      await willed.waitUntilClosed();
      await sleep(settleTime);
      const commands = await retained();
      for (const topic of [...commandTopics, 'of a will'])
        context.record(commands.some((each) => each.includes(topic)) ? 'retained' : 'not retained');
      expect(commands).toEqual([]);
      for (const [name, start] of Object.entries(endings)) {
        const ending = await start(garden, await garden.gardener());
        const client = await garden.connect(ending.password);
        await client.publish(garden.topic('status'), name, { qos: 1, retain: true });
        await client.end();
        expect(await retained()).toEqual([`${garden.topic('status')} ${name}`]);
        await ending.end();
        await expect.poll(retained, { timeout: 5000 }).toEqual([]);
        context.record('deleted with its credential');
      }
      await author.end();
    },
  },
  {
    name: 'Stay connected to the broker of another process after losing the garden',
    property: 'Message broker: permissions',
    defense: 'the connection is closed within about a second, on every process',
    tries: always(count),
    async run(context) {
      const garden = await SharedGarden.create(context);
      const other = await otherProcess(context);
      try {
        for (const start of Object.values(endings)) {
          const ending = await start(garden, await garden.gardener());
          const client = await garden.connect(ending.password, {}, other.mqtt);
          await client.subscribe(garden.topic('#'));
          await ending.end();
          await expect.poll(() => client.isConnected, { timeout: 5000 }).toBe(false);
          context.record('connection closed');
        }
      } finally {
        await other.remove();
      }
    },
  },
];
