import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import mqttPacket from 'mqtt-packet';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { Counters } from '../../../src/core/counters.ts';
import type { Logger } from '../../../src/core/logger.ts';
import type { RabbitMqOptions } from '../../../src/live/rabbitmq/rabbitmq-broker.ts';
import { RabbitMqBroker } from '../../../src/live/rabbitmq/rabbitmq-broker.ts';
import { checkRabbitMq } from '../../../src/live/rabbitmq/rabbitmq-check.ts';
import { FakeHookServer } from '../../support/fake-hook-server.ts';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { adminPassword, type RabbitMq, startRabbitMq } from '../../support/rabbitmq.ts';

/** Collects log lines with their details. */
class LogLines implements Logger {
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

/** Waits until a condition holds. Rejects after a minute. */
async function waitUntil(holds: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 60_000;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`timeout: ${what}`);
    await sleep(20);
  }
}

/** A broker that claims to have each session, and delivers nothing. */
async function deafBroker(): Promise<Server> {
  const server = createServer((socket) => {
    const parser = mqttPacket.parser({ protocolVersion: 4 });
    const answer = (packet: mqttPacket.Packet) => socket.write(mqttPacket.generate(packet));
    parser.on('packet', (packet) => {
      const { cmd, messageId = 0 } = packet;
      if (cmd === 'connect') answer({ cmd: 'connack', returnCode: 0, sessionPresent: packet.clean !== true });
      else if (cmd === 'subscribe') answer({ cmd: 'suback', messageId, granted: [0] });
      else if (cmd === 'publish' && packet.qos > 0) answer({ cmd: 'puback', messageId });
    });
    socket.on('data', (chunk) => parser.parse(chunk));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describe('the connection to RabbitMQ', () => {
  let hooks: FakeHookServer;
  let rabbitMq: RabbitMq;
  let lines: LogLines;
  let counters: Counters;
  const brokers: RabbitMqBroker[] = [];
  const clients: MqttTestClient[] = [];

  beforeAll(async () => {
    hooks = await FakeHookServer.start();
    // The hooks are asked about `admin`, too: the slower configuration, which must work as well.
    rabbitMq = await startRabbitMq(hooks.base, false);
  });

  afterAll(async () => {
    await rabbitMq?.remove();
    await hooks?.stop();
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) await client.end();
    for (const broker of brokers.splice(0)) await broker.stop();
  });

  function create(options: Partial<RabbitMqOptions> = {}): RabbitMqBroker {
    lines = new LogLines();
    counters = new Counters();
    const broker = new RabbitMqBroker({
      url: rabbitMq.amqpUrl,
      adminPassword,
      managementUrl: null,
      ingest: async () => undefined,
      observe: () => undefined,
      server: () => {
        throw new Error('not used');
      },
      findValidTokens: async () => new Map(),
      runsRobot: async () => false,
      clock: systemClock,
      counters,
      log: lines,
      ...options,
    });
    brokers.push(broker);
    return broker;
  }

  async function start(options: Partial<RabbitMqOptions> = {}): Promise<RabbitMqBroker> {
    const broker = create(options);
    await broker.start();
    await waitUntil(() => broker.status().ok, 'the connection');
    return broker;
  }

  async function connect(username: string, topics: string[], options: { clean?: boolean; clientId?: string } = {}) {
    const client = await MqttTestClient.connect(rabbitMq.mqttUrl, { username, password: 'x', ...options });
    clients.push(client);
    if (topics.length > 0) await client.subscribe(topics, options.clean === false ? 1 : 0);
    return client;
  }

  /** Collects ingested messages. */
  function createStore() {
    const stored: Stored[] = [];
    const ingest = async (channel: string, deviceId: number, payload: Buffer): Promise<void> => {
      stored.push({ channel, deviceId, text: payload.toString() });
    };
    return { stored, ingest };
  }

  it('publishes in order, and reports that it is connected', async () => {
    const broker = await start();
    const client = await connect('device_1', ['bot/device_1/sync/#']);
    for (let i = 1; i <= 20; i++)
      await broker.publish({ topic: `bot/device_1/sync/Point/${i}`, payload: `{"n":${i}}` });
    await client.waitUntil((received) => received.length === 20);
    expect(client.received.map(({ topic, text }) => `${topic} ${text}`)).toEqual(
      Array.from({ length: 20 }, (_, i) => `bot/device_1/sync/Point/${i + 1} {"n":${i + 1}}`),
    );
    expect(client.received[0]).toMatchObject({ qos: 0, retain: false });
    expect(broker.status()).toMatchObject({ ok: true, connections: null });
    expect(String(broker.status().message)).toContain('BROKER_MANAGEMENT_URL');
  });

  it('consumes logs and telemetry of exactly these keys, and not its own messages', async () => {
    const { stored, ingest } = createStore();
    const broker = await start({ ingest });
    const client = await connect('device_7', []);
    await broker.publish({ topic: 'bot/device_7/logs', payload: '"own"' });
    await client.publish('bot/device_7/logs', 'one', { qos: 1 });
    await client.publish('bot/device_7/telemetry', 'two', { qos: 1 });
    await client.publish('bot/device_07/logs', 'zero first', { qos: 1 });
    await client.publish('bot/device_7x/logs', 'no number', { qos: 1 });
    await client.publish('bot/somebody/logs', 'no device', { qos: 1 });
    await client.publish('bot/device_7/logs/deeper', 'deeper', { qos: 1 });
    await client.publish('bot/device_7/logs', Buffer.from([0xff, 0x00, 0xfe]), { qos: 1 });
    await client.publish('bot/device_7/logs', 'last', { qos: 1 });
    await waitUntil(() => stored.some(({ text }) => text === 'last') && stored.length >= 4, 'the last message');
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

  it('puts back messages that cannot be stored, waits, and consumes them again, in order', async () => {
    const { stored, ingest } = createStore();
    const attempts = new Map<string, number[]>();
    await start({
      async ingest(channel, deviceId, payload) {
        const times = attempts.get(payload.toString()) ?? [];
        attempts.set(payload.toString(), [...times, performance.now()]);
        if (times.length === 0 && channel === 'logs') throw new Error('the database is unavailable');
        await ingest(channel, deviceId, payload);
      },
    });
    const client = await connect('device_8', []);
    const roundTrips: number[] = [];
    for (let i = 1; i <= 5; i++) {
      const sent = performance.now();
      await client.publish('bot/device_8/telemetry', `${i}`, { qos: 1 });
      await waitUntil(() => attempts.has(`${i}`), 'a telemetry');
      roundTrips.push(performance.now() - sent);
    }
    stored.splice(0);
    for (const text of ['a', 'b', 'c']) await client.publish('bot/device_8/logs', text, { qos: 1 });
    await waitUntil(() => stored.length === 3, 'the messages');
    const [first = 0, second = 0] = attempts.get('a') ?? [];
    expect(second - first).toBeGreaterThan(2 * Math.min(...roundTrips));
    expect(stored.map(({ text }) => text)).toEqual(['a', 'b', 'c']);
    expect(lines.all.filter((line) => line.startsWith('messages cannot be stored and are put back'))).toHaveLength(1);
  });

  it('consumes messages that were published while it was stopped', async () => {
    const first = await start();
    await first.stop();
    const client = await connect('device_9', []);
    await client.publish('bot/device_9/logs', 'meanwhile', { qos: 1 });
    await client.publish('bot/device_9/telemetry', 'too', { qos: 1 });
    const { stored, ingest } = createStore();
    await start({ ingest });
    await waitUntil(() => stored.length === 2, 'the messages');
    expect(stored.map(({ text }) => text).sort()).toEqual(['meanwhile', 'too']);
  });

  it('shares the queues with other processes: each message is consumed once', async () => {
    const one = createStore();
    const two = createStore();
    await start({ ingest: one.ingest });
    await start({ ingest: two.ingest });
    const client = await connect('device_10', []);
    const texts = Array.from({ length: 50 }, (_, i) => `log ${i}`);
    for (const text of texts) await client.publish('bot/device_10/logs', text, { qos: 1 });
    // Each process handles its messages in order: after 20 more, enough for both, the first 50 are handled.
    const markers = Array.from({ length: 20 }, (_, i) => `marker ${i}`);
    for (const text of markers) await client.publish('bot/device_10/logs', text, { qos: 1 });
    const all = () => [...one.stored, ...two.stored].map(({ text }) => text);
    await waitUntil(() => markers.every((text) => all().includes(text)), 'the messages');
    expect(all().sort()).toEqual([...texts, ...markers].sort());
    expect(one.stored.length).toBeGreaterThan(0);
    expect(two.stored.length).toBeGreaterThan(0);
  });

  it('reconnects after its queue was deleted and after its connection was closed', async () => {
    const { stored, ingest } = createStore();
    const broker = await start({ ingest });
    await rabbitMq.manage('DELETE', '/api/queues/%2F/api_log_workers');
    await waitUntil(() => !broker.status().ok, 'the loss');
    await waitUntil(() => broker.status().ok, 'the connection');
    const client = await connect('device_11', ['bot/device_11/#']);
    await client.publish('bot/device_11/logs', 'after the queue', { qos: 1 });
    await waitUntil(() => stored.length === 1, 'the message');
    const connections = (await rabbitMq.manage('GET', '/api/connections/username/admin')) as { name: string }[];
    expect(connections).toHaveLength(1);
    await rabbitMq.manage('DELETE', '/api/connections/username/admin');
    await waitUntil(() => !broker.status().ok, 'the loss');
    await broker.publish({ topic: 'bot/device_11/sync/Tool/1', payload: '{}' });
    await client.waitUntil((received) => received.some(({ topic }) => topic === 'bot/device_11/sync/Tool/1'));
  });

  it('waits while RabbitMQ is stopped, logs it once, and publishes in order later', async () => {
    const broker = await start();
    const before = await connect('device_12', ['bot/device_12/sync/#'], { clean: false, clientId: 'device_12_1' });
    await broker.publish({ topic: 'bot/device_12/sync/Point/0', payload: '{}' });
    await before.waitUntil((received) => received.length === 1);
    await before.end();
    await rabbitMq.stop();
    await waitUntil(() => !broker.status().ok, 'the loss');
    const published = (async () => {
      for (let i = 1; i <= 5; i++) await broker.publish({ topic: `bot/device_12/sync/Point/${i}`, payload: '{}' });
    })();
    const others = Promise.all(
      [1, 2, 3].map((i) => broker.publish({ topic: `bot/device_12/sync/Tool/${i}`, payload: '{}' })),
    );
    await waitUntil(() => String(broker.status().message).includes('4 messages are waiting'), 'four waiting messages');
    await rabbitMq.start();
    await Promise.all([published, others]);
    const after = await MqttTestClient.connect(rabbitMq.mqttUrl, {
      username: 'device_12',
      password: 'x',
      clean: false,
      clientId: 'device_12_1',
    });
    clients.push(after);
    await after.waitUntil((received) => received.length >= 8);
    expect(after.received.map(({ topic }) => topic).filter((topic) => topic.includes('Point'))).toEqual(
      [1, 2, 3, 4, 5].map((i) => `bot/device_12/sync/Point/${i}`),
    );
    expect(lines.all.filter((line) => line.includes('refuses connections'))).toHaveLength(1);
    expect(lines.all.at(-1)).toContain('"waited":4');
  });

  it('marks messages that it stored, but could not acknowledge because RabbitMQ stopped', async () => {
    const repetitions: unknown[] = [];
    let store: () => void = () => undefined;
    const ingest: RabbitMqOptions['ingest'] = async (_channel, _deviceId, _payload, repetition) => {
      repetitions.push(repetition?.());
      if (repetitions.length > 1) return;
      await new Promise<void>((resolve) => {
        store = resolve;
      });
      repetitions.push(repetition?.());
    };
    await start({ ingest });
    const client = await connect('device_9', []);
    await client.publish('bot/device_9/logs', 'stored', { qos: 1 });
    await waitUntil(() => repetitions.length === 1, 'the message');
    await rabbitMq.stop();
    store();
    await waitUntil(() => repetitions.length === 2, 'the turn of the message');
    await rabbitMq.start();
    await waitUntil(() => repetitions.length === 3, 'the message again');
    expect(repetitions).toEqual(['possible', 'likely', 'likely']);
  });

  it('marks messages that waited for it: a robot may have sent them again after a restart of RabbitMQ', async () => {
    await (await start()).stop();
    const client = await connect('device_9', []);
    await client.publish('bot/device_9/logs', 'again', { qos: 1 });
    const repetitions: unknown[] = [];
    await start({ ingest: async (_channel, _deviceId, _payload, repetition) => void repetitions.push(repetition?.()) });
    await waitUntil(() => repetitions.length === 1, 'the message');
    expect(repetitions).toEqual(['possible']);
  });

  it('drops a connection that does not respond, and publishes on the next', async () => {
    const broker = await start({ confirmTimeout: 1500 });
    const client = await connect('device_13', ['bot/device_13/sync/#'], { clean: false, clientId: 'device_13_1' });
    await rabbitMq.suspend();
    const published = broker.publish({ topic: 'bot/device_13/sync/Point/1', payload: '{}' });
    try {
      await waitUntil(() => !broker.status().ok, 'the loss');
      expect(String(broker.status().message)).toContain('timed out');
    } finally {
      rabbitMq.resume();
    }
    await published;
    await client.waitUntil((received) => received.length >= 1);
  });

  it('rejects waiting messages when it is stopped', async () => {
    const broker = create({ url: 'amqp://127.0.0.1:1' });
    await broker.start();
    const published = broker.publish({ topic: 'bot/device_1/sync/Tool/1', payload: '{}' });
    await waitUntil(() => String(broker.status().message).includes('127.0.0.1:1 refuses connections'), 'the reason');
    const rejected = expect(published).rejects.toThrow('The server is stopping.');
    await broker.stop();
    await rejected;
  });

  it('holds 10,000 waiting messages at most', async () => {
    const broker = create({ url: 'amqp://127.0.0.1:1' });
    await broker.start();
    const waiting = Array.from({ length: 10_000 }, (_, i) =>
      broker.publish({ topic: `bot/device_1/sync/Tool/${i}`, payload: '{}' }).catch(() => 'rejected'),
    );
    await expect(broker.publish({ topic: 'bot/device_1/sync/Tool/1', payload: '{}' })).rejects.toThrow(
      '10000 messages are waiting for RabbitMQ already.',
    );
    await broker.stop();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['rejected']));
  });

  it('reports a wrong password, without the password', async () => {
    const broker = create({ adminPassword: 'a-wrong-password' });
    await broker.start();
    await waitUntil(() => String(broker.status().message).includes('refused the user admin'), 'the refusal');
    expect(lines.all.join('\n')).toContain('BROKER_ADMIN_PASSWORD');
    expect(lines.all.join('\n')).not.toContain('a-wrong-password');
  });

  it('rejects URLs that are not AMQP', () => {
    expect(() => create({ url: 'mqtt://127.0.0.1' })).toThrow('BROKER_URL must begin with amqp:// or amqps://');
  });

  it('fails the doctor if it brings sessions back without their subscriptions', async () => {
    const server = await deafBroker();
    const mqttUrl = `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const results = await checkRabbitMq({
      url: rabbitMq.amqpUrl,
      adminPassword,
      managementUrl: null,
      hookAddresses: null,
      publicUrl: null,
      mqttUrl,
    });
    server.close();
    expect(results.at(-1)).toEqual({
      name: 'broker sessions',
      ok: false,
      message: `RabbitMQ at ${mqttUrl} brings sessions of robots back without their subscriptions, so a robot hears nothing after a reconnection until it restarts: use another version of RabbitMQ.`,
    });
  });

  it('is checked by the doctor', async () => {
    const check = async (options: Partial<Parameters<typeof checkRabbitMq>[0]>) =>
      (
        await checkRabbitMq({
          url: rabbitMq.amqpUrl,
          adminPassword,
          managementUrl: rabbitMq.managementUrl,
          hookAddresses: null,
          publicUrl: null,
          mqttUrl: rabbitMq.mqttUrl,
          ...options,
        })
      ).map(({ name, ok, isWarning, message }) => `${name} ${isWarning ? 'warning' : ok} ${message}`);
    const amqp = rabbitMq.amqpUrl.replace('amqp://', '');
    expect(await check({})).toEqual([
      `broker true RabbitMQ at ${amqp} accepts this server's sign-in and messages.`,
      `broker management true RabbitMQ's management interface at ${rabbitMq.managementUrl} responds.`,
      'broker hooks true The hooks at /api/rmq respond only to programs on this machine.',
      `broker retention false RabbitMQ at ${rabbitMq.mqttUrl} retains messages, so a command with the retain flag runs at each start of the robot: set "mqtt.retained_message_store = rabbit_mqtt_retained_msg_store_noop" in rabbitmq.conf.`,
      `broker sessions true Robots hear RabbitMQ at ${rabbitMq.mqttUrl} after a reconnection.`,
    ]);
    const late = await connect('device_1', []);
    await late.subscribe('potager/doctor/+');
    expect((await check({ mqttUrl: rabbitMq.webMqttUrl }))[3]).toMatch(/^broker retention false RabbitMQ at ws:/);
    expect(late.received.map(({ text }) => text)).toEqual(['test', '']);
    expect((await check({ mqttUrl: 'mqtt://127.0.0.1:1' }))[3]).toMatch(
      /^broker retention warning .* was not checked, .*\(ECONNREFUSED\)/,
    );
    const wrong = await check({ adminPassword: 'a-wrong-password' });
    expect(wrong[0]).toMatch(/^broker false RabbitMQ at .* refused the user admin: .* Is `serve` running\?$/);
    expect(wrong[1]).toBe(
      `broker management false RabbitMQ's management interface at ${rabbitMq.managementUrl} refused the user or the password.`,
    );
    expect(await check({ url: 'amqp://127.0.0.1:1', managementUrl: 'http://admin:x@127.0.0.1:2' })).toEqual([
      'broker false RabbitMQ at 127.0.0.1:1 refuses connections: it may not be running.',
      "broker management false RabbitMQ's management interface at http://127.0.0.1:2 does not respond (ECONNREFUSED).",
      'broker hooks true The hooks at /api/rmq respond only to programs on this machine.',
    ]);
    expect((await check({ adminPassword: null }))[0]).toContain('BROKER_ADMIN_PASSWORD is not set');
    expect((await check({ managementUrl: null }))[1]).toContain('BROKER_MANAGEMENT_URL is not set');
    expect((await check({ url: `${rabbitMq.amqpUrl}/elsewhere` }))[0]).toMatch(/^broker false .*elsewhere/);
  });
});
