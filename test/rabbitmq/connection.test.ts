import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { Counters } from '../../src/core/counters.ts';
import type { Logger } from '../../src/core/logger.ts';
import type { RabbitMqOptions } from '../../src/live/rabbitmq/rabbitmq-broker.ts';
import { RabbitMqBroker } from '../../src/live/rabbitmq/rabbitmq-broker.ts';
import { checkRabbitMq } from '../../src/live/rabbitmq/rabbitmq-check.ts';
import { FakeHookServer } from '../support/fake-hook-server.ts';
import { MqttTestClient } from '../support/mqtt-test-client.ts';
import { adminPassword, type RabbitMq, startRabbitMq } from '../support/rabbitmq.ts';

/** Lines of the log, with their reasons. */
class Lines implements Logger {
  readonly all: string[] = [];
  #add = (object: object, message: string): void => {
    this.all.push(`${message} ${JSON.stringify(object)}`);
  };
  debug = this.#add;
  info = this.#add;
  warn = this.#add;
  error = this.#add;
}

interface Stored {
  readonly channel: string;
  readonly deviceId: number;
  readonly text: string;
}

async function until(holds: () => boolean, what: string, limit = 15_000): Promise<void> {
  const end = Date.now() + limit;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`${what} did not come`);
    await sleep(20);
  }
}

describe('the connection to RabbitMQ', () => {
  let hooks: FakeHookServer;
  let rabbitMq: RabbitMq;
  let lines: Lines;
  let counters: Counters;
  const brokers: RabbitMqBroker[] = [];
  const listeners: MqttTestClient[] = [];

  beforeAll(async () => {
    hooks = await FakeHookServer.start();
    // `admin` is asked about at the hooks, too: the slower of the two ways, which must work as well.
    rabbitMq = await startRabbitMq(hooks.base, false);
  }, 90_000);

  afterAll(async () => {
    await rabbitMq?.remove();
    await hooks?.stop();
  }, 60_000);

  afterEach(async () => {
    for (const listener of listeners.splice(0)) await listener.end();
    for (const broker of brokers.splice(0)) await broker.stop();
  });

  function make(options: Partial<RabbitMqOptions> = {}): RabbitMqBroker {
    lines = new Lines();
    counters = new Counters();
    const broker = new RabbitMqBroker({
      url: rabbitMq.amqpUrl,
      adminPassword,
      managementUrl: null,
      ingest: async () => undefined,
      server: () => {
        throw new Error('no database is needed here');
      },
      findValidTokens: async () => new Set(),
      clock: systemClock,
      counters,
      log: lines,
      ...options,
    });
    brokers.push(broker);
    return broker;
  }

  async function started(options: Partial<RabbitMqOptions> = {}): Promise<RabbitMqBroker> {
    const broker = make(options);
    await broker.start();
    await until(() => broker.status().ok, 'the connection');
    return broker;
  }

  async function listen(bot: string, topics: string[], options: { clean?: boolean; clientId?: string } = {}) {
    const listener = await MqttTestClient.connect(rabbitMq.mqttUrl, { username: bot, password: 'x', ...options });
    listeners.push(listener);
    if (topics.length > 0) await listener.subscribe(topics, options.clean === false ? 1 : 0);
    return listener;
  }

  /** Collects what is handed over for storing. */
  function store() {
    const stored: Stored[] = [];
    const ingest = async (channel: string, deviceId: number, payload: Buffer): Promise<void> => {
      stored.push({ channel, deviceId, text: payload.toString() });
    };
    return { stored, ingest };
  }

  it('publishes in order and says so when it is connected', async () => {
    const broker = await started();
    const listener = await listen('device_1', ['bot/device_1/sync/#']);
    for (let i = 1; i <= 20; i++)
      await broker.publish({ topic: `bot/device_1/sync/Point/${i}`, payload: `{"n":${i}}` });
    await listener.waitUntil((heard) => heard.length === 20);
    expect(listener.received.map(({ topic, text }) => `${topic} ${text}`)).toEqual(
      Array.from({ length: 20 }, (_, i) => `bot/device_1/sync/Point/${i + 1} {"n":${i + 1}}`),
    );
    expect(listener.received[0]).toMatchObject({ qos: 0, retain: false });
    expect(broker.status()).toMatchObject({ ok: true, connections: null });
    expect(broker.status().message).toContain('BROKER_MANAGEMENT_URL');
  });

  it('reads logs and telemetry of exactly the right keys, and none of its own', async () => {
    const { stored, ingest } = store();
    const broker = await started({ ingest });
    const listener = await listen('device_7', []);
    await broker.publish({ topic: 'bot/device_7/logs', payload: '"own"' });
    await listener.publish('bot/device_7/logs', 'one', { qos: 1 });
    await listener.publish('bot/device_7/telemetry', 'two', { qos: 1 });
    await listener.publish('bot/device_07/logs', 'zero first', { qos: 1 });
    await listener.publish('bot/device_7x/logs', 'no number', { qos: 1 });
    await listener.publish('bot/somebody/logs', 'no device', { qos: 1 });
    await listener.publish('bot/device_7/logs/deeper', 'deeper', { qos: 1 });
    await listener.publish('bot/device_7/logs', Buffer.from([0xff, 0x00, 0xfe]), { qos: 1 });
    await listener.publish('bot/device_7/logs', 'last', { qos: 1 });
    await until(() => stored.some(({ text }) => text === 'last') && stored.length >= 4, 'the last message');
    expect(stored.filter(({ channel }) => channel === 'logs').map(({ text }) => text)).toEqual([
      'one',
      Buffer.from([0xff, 0x00, 0xfe]).toString(),
      'last',
    ]);
    expect(stored.filter(({ channel }) => channel === 'telemetry')).toEqual([
      { channel: 'telemetry', deviceId: 7, text: 'two' },
    ]);
    expect(counters.values('logs_dropped').get('topic')).toBe(3);
  });

  it('puts back what cannot be stored, waits, and reads it again, in order', async () => {
    const { stored, ingest } = store();
    const attempts: string[] = [];
    let isAway = true;
    await started({
      async ingest(channel, deviceId, payload) {
        attempts.push(payload.toString());
        if (isAway) throw new Error('the database is away');
        await ingest(channel, deviceId, payload);
      },
    });
    const listener = await listen('device_8', []);
    for (const text of ['a', 'b', 'c']) await listener.publish('bot/device_8/logs', text, { qos: 1 });
    await until(() => attempts.length >= 3, 'the first attempts');
    const beginning = performance.now();
    isAway = false;
    await until(() => stored.length === 3, 'the messages');
    expect(performance.now() - beginning).toBeGreaterThan(500);
    expect(stored.map(({ text }) => text)).toEqual(['a', 'b', 'c']);
    expect(lines.all.filter((line) => line.startsWith('messages cannot be stored'))).toHaveLength(1);
  });

  it('reads what was published while it was away', async () => {
    const first = await started();
    await first.stop();
    const listener = await listen('device_9', []);
    await listener.publish('bot/device_9/logs', 'meanwhile', { qos: 1 });
    await listener.publish('bot/device_9/telemetry', 'too', { qos: 1 });
    const { stored, ingest } = store();
    await started({ ingest });
    await until(() => stored.length === 2, 'the messages');
    expect(stored.map(({ text }) => text).sort()).toEqual(['meanwhile', 'too']);
  });

  it('shares the queues among processes: each message reaches one', async () => {
    const one = store();
    const two = store();
    await started({ ingest: one.ingest });
    await started({ ingest: two.ingest });
    const listener = await listen('device_10', []);
    const texts = Array.from({ length: 50 }, (_, i) => `log ${i}`);
    for (const text of texts) await listener.publish('bot/device_10/logs', text, { qos: 1 });
    await until(() => one.stored.length + two.stored.length >= 50, 'the messages');
    await sleep(200);
    expect([...one.stored, ...two.stored].map(({ text }) => text).sort()).toEqual(texts.toSorted());
    expect(one.stored.length).toBeGreaterThan(0);
    expect(two.stored.length).toBeGreaterThan(0);
  });

  it('goes on after its queue was deleted and after its connection was closed', async () => {
    const { stored, ingest } = store();
    const broker = await started({ ingest });
    await rabbitMq.manage('DELETE', '/api/queues/%2F/api_log_workers');
    await until(() => !broker.status().ok, 'the loss');
    await until(() => broker.status().ok, 'the connection');
    const listener = await listen('device_11', ['bot/device_11/#']);
    await listener.publish('bot/device_11/logs', 'after the queue', { qos: 1 });
    await until(() => stored.length === 1, 'the message');
    const connections = (await rabbitMq.manage('GET', '/api/connections/username/admin')) as { name: string }[];
    expect(connections).toHaveLength(1);
    await rabbitMq.manage('DELETE', '/api/connections/username/admin');
    await until(() => !broker.status().ok, 'the loss');
    await broker.publish({ topic: 'bot/device_11/sync/Tool/1', payload: '{}' });
    await listener.waitUntil((heard) => heard.some(({ topic }) => topic === 'bot/device_11/sync/Tool/1'));
  });

  it('waits while RabbitMQ is stopped, says so once, and publishes in order when it is back', async () => {
    const broker = await started();
    const before = await listen('device_12', ['bot/device_12/sync/#'], { clean: false, clientId: 'device_12_1' });
    await broker.publish({ topic: 'bot/device_12/sync/Point/0', payload: '{}' });
    await before.waitUntil((heard) => heard.length === 1);
    await before.end();
    await rabbitMq.stop();
    await until(() => !broker.status().ok, 'the loss');
    const published = (async () => {
      for (let i = 1; i <= 5; i++) await broker.publish({ topic: `bot/device_12/sync/Point/${i}`, payload: '{}' });
    })();
    const others = Promise.all(
      [1, 2, 3].map((i) => broker.publish({ topic: `bot/device_12/sync/Tool/${i}`, payload: '{}' })),
    );
    await sleep(1500);
    expect(broker.status().message).toContain('4 messages wait');
    await rabbitMq.start();
    await Promise.all([published, others]);
    const after = await MqttTestClient.connect(rabbitMq.mqttUrl, {
      username: 'device_12',
      password: 'x',
      clean: false,
      clientId: 'device_12_1',
    });
    listeners.push(after);
    await after.waitUntil((heard) => heard.length >= 8);
    expect(after.received.map(({ topic }) => topic).filter((topic) => topic.includes('Point'))).toEqual(
      [1, 2, 3, 4, 5].map((i) => `bot/device_12/sync/Point/${i}`),
    );
    expect(lines.all.filter((line) => line.includes('Nothing listens'))).toHaveLength(1);
    expect(lines.all.at(-1)).toContain('"waited":4');
  }, 60_000);

  it('gives a connection up that is silent, and publishes on the next', async () => {
    const broker = await started();
    const listener = await listen('device_13', ['bot/device_13/sync/#'], { clean: false, clientId: 'device_13_1' });
    await rabbitMq.suspend();
    const published = broker.publish({ topic: 'bot/device_13/sync/Point/1', payload: '{}' });
    try {
      await until(() => !broker.status().ok, 'the loss', 20_000);
      expect(broker.status().message).toContain('is dead');
    } finally {
      rabbitMq.resume();
    }
    await published;
    await listener.waitUntil((heard) => heard.length >= 1);
  }, 60_000);

  it('rejects what waits when it is stopped', async () => {
    const broker = make({ url: 'amqp://127.0.0.1:1' });
    await broker.start();
    const published = broker.publish({ topic: 'bot/device_1/sync/Tool/1', payload: '{}' });
    await until(() => broker.status().message.includes('Nothing listens at 127.0.0.1:1.'), 'the reason');
    const rejected = expect(published).rejects.toThrow('The server is stopping.');
    await broker.stop();
    await rejected;
  });

  it('lets 10,000 messages wait and no more', async () => {
    const broker = make({ url: 'amqp://127.0.0.1:1' });
    await broker.start();
    const waiting = Array.from({ length: 10_000 }, (_, i) =>
      broker.publish({ topic: `bot/device_1/sync/Tool/${i}`, payload: '{}' }).catch(() => 'rejected'),
    );
    await expect(broker.publish({ topic: 'bot/device_1/sync/Tool/1', payload: '{}' })).rejects.toThrow(
      '10000 messages wait for RabbitMQ already.',
    );
    await broker.stop();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['rejected']));
  });

  it('says plainly that the password is wrong, without the password', async () => {
    const broker = make({ adminPassword: 'a-wrong-password' });
    await broker.start();
    await until(() => broker.status().message.includes('refused the user admin'), 'the refusal');
    expect(lines.all.join('\n')).toContain('BROKER_ADMIN_PASSWORD');
    expect(lines.all.join('\n')).not.toContain('a-wrong-password');
  });

  it('refuses addresses that are not of AMQP', () => {
    expect(() => make({ url: 'mqtt://127.0.0.1' })).toThrow('BROKER_URL must begin with amqp:// or amqps://');
  });

  it('is examined in plain words', async () => {
    const look = async (options: Partial<Parameters<typeof checkRabbitMq>[0]>) =>
      (
        await checkRabbitMq({
          url: rabbitMq.amqpUrl,
          adminPassword,
          managementUrl: rabbitMq.managementUrl,
          ...options,
        })
      ).map(({ name, ok, message }) => `${name} ${ok} ${message}`);
    const amqp = rabbitMq.amqpUrl.replace('amqp://', '');
    expect(await look({})).toEqual([
      `broker true RabbitMQ at ${amqp} lets this server in and takes messages.`,
      `broker management true RabbitMQ's management interface at ${rabbitMq.managementUrl} answers.`,
    ]);
    const wrong = await look({ adminPassword: 'a-wrong-password' });
    expect(wrong[0]).toMatch(/^broker false RabbitMQ at .* refused the user admin: .* Does `serve` run\?$/);
    expect(wrong[1]).toBe(
      `broker management false RabbitMQ's management interface at ${rabbitMq.managementUrl} refuses the user or the password.`,
    );
    expect(await look({ url: 'amqp://127.0.0.1:1', managementUrl: 'http://admin:x@127.0.0.1:2' })).toEqual([
      'broker false Nothing listens at 127.0.0.1:1.',
      "broker management false RabbitMQ's management interface at http://127.0.0.1:2 does not answer (ECONNREFUSED).",
    ]);
    expect((await look({ adminPassword: null }))[0]).toContain('BROKER_ADMIN_PASSWORD is not set');
    expect((await look({ managementUrl: null }))[1]).toContain('BROKER_MANAGEMENT_URL is not set');
    expect((await look({ url: `${rabbitMq.amqpUrl}/elsewhere` }))[0]).toMatch(/^broker false .*elsewhere/);
  });
});
