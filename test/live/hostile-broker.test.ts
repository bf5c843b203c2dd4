import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { EmbeddedBrokerOptions } from '../../src/live/embedded-broker.ts';
import { BrokerHarness } from '../support/broker-harness.ts';
import type { MqttTestClient } from '../support/mqtt-test-client.ts';
import { encodeRemainingLength, packets, RawMqttClient } from '../support/raw-mqtt-client.ts';

let broker: BrokerHarness;
const open = async (options: Partial<EmbeddedBrokerOptions> = {}): Promise<BrokerHarness> => {
  broker = await BrokerHarness.start(options);
  return broker;
};
afterEach(() => broker.stop());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Proves that the broker serves others. */
async function serves(): Promise<void> {
  const client = await broker.connect('device_9');
  await client.subscribe('bot/device_9/status');
  await client.publish('bot/device_9/status', 'ok');
  await client.waitUntil((heard) => heard.length === 1);
  await client.end();
}

const hugeConnect = Buffer.concat([
  Buffer.from([0x10]),
  encodeRemainingLength(100_000_000),
  packets.anonymous.subarray(2),
]);

describe('who is not let in', () => {
  it.each([
    ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'), 'not_mqtt'],
    ['zeros', Buffer.alloc(10_000), 'not_mqtt'],
    ['a PUBLISH before the CONNECT', packets.publish('bot/device_5/logs', 'x'), 'not_mqtt'],
    ['a CONNECT of 100 MB', hugeConnect, 'too_large'],
    ['a CONNECT that is none', Buffer.from('100400044d51', 'hex'), 'protocol'],
    ['a CONNECT of another protocol', Buffer.from('100c000448545450040200000000', 'hex'), 'protocol'],
  ])('cuts %s at once', async (_name, bytes, reason) => {
    await open();
    const start = performance.now();
    const client = await RawMqttClient.open(broker.port);
    client.send(bytes);
    await client.waitUntilClosed();
    expect(performance.now() - start).toBeLessThan(1000);
    expect(client.receivedHex).toBe('');
    expect(broker.count('broker_cut', reason)).toBe(1);
    expect(broker.logLines).toHaveLength(1);
    await serves();
  });

  it('cuts random bytes', async () => {
    await open();
    const clients = await Promise.all(Array.from({ length: 50 }, () => RawMqttClient.open(broker.port)));
    for (const client of clients) client.send(Buffer.concat([Buffer.from([0x10, 0x7f]), randomBytes(2000)]));
    for (const client of clients) await client.waitUntilClosed();
    await serves();
    expect(broker.logLines.length).toBeLessThanOrEqual(21);
  });

  it.each([
    ['nobody', packets.anonymous, '20020005'],
    ['somebody without a password', packets.connect('device_5', ''), '20020004'],
    ['a bad token', packets.connect('device_5', 'x'), '20020004'],
    ['the token of another device', packets.connect('device_5', 'device_6:a'), '20020005'],
    ['a wrong password of the admin', packets.connect('admin', 'x'), '20020005'],
    ['a session without a name', packets.connect('device_5', 'device_5:a', { isClean: false }), '20020002'],
    ['an endless client id', packets.connect('device_5', 'device_5:a', { clientId: 'x'.repeat(300) }), '20020002'],
  ])('answers %s', async (_name, bytes, answer) => {
    await open();
    const client = await RawMqttClient.open(broker.port);
    client.send(bytes, packets.subscribe(['bot/device_5/#']));
    await client.waitUntilClosed();
    expect(client.receivedHex).toBe(answer);
    expect(broker.broker.status().connections).toBe(0);
    await serves();
  });

  it('answers MQTT 5 that it speaks 3.1.1', async () => {
    await open();
    await expect(broker.connect('device_5', { protocolVersion: 5 })).rejects.toThrow(/protocol version/i);
  });

  it('cuts who does not sign in in time', async () => {
    await open({ limits: { connectTimeout: 200 } });
    let go = () => {};
    broker.access.delay = new Promise<void>((resolve) => {
      go = resolve;
    });
    const silent = await RawMqttClient.open(broker.port);
    const slow = await RawMqttClient.open(broker.port);
    slow.send(packets.connect('device_5', 'device_5:a').subarray(0, 20));
    const undecided = await RawMqttClient.open(broker.port);
    undecided.send(packets.connect('device_5', 'device_5:a'));
    await Promise.all([silent.waitUntilClosed(), slow.waitUntilClosed(), undecided.waitUntilClosed()]);
    go();
    expect(broker.count('broker_cut', 'connect_timeout')).toBe(3);
    await pause(20);
    expect(broker.broker.status().connections).toBe(0);
    await serves();
  });

  it('lets people in while somebody opens 2,500 connections', async () => {
    await open();
    const clients: RawMqttClient[] = [];
    for (let index = 0; index < 2500; index += 100)
      clients.push(
        ...(await Promise.all(
          Array.from({ length: 100 }, () => RawMqttClient.open(broker.port, `127.0.0.${2 + Math.floor(index / 900)}`)),
        )),
      );
    await serves();
    await broker.waitUntil(() => clients.filter(({ isClosed }) => isClosed).length >= 500, 'the cuts');
    expect(clients.filter(({ isClosed }) => isClosed)).toHaveLength(501);
    expect(clients.slice(0, 501).every(({ isClosed }) => isClosed)).toBe(true);
    expect(broker.count('broker_cut', 'too_many_pending')).toBe(501);
    for (const client of clients) client.end();
    await serves();
  });

  it('limits the connections of one device', async () => {
    await open({ limits: { maxConnectionsPerUser: 3 } });
    for (let index = 0; index < 3; index++) await RawMqttClient.signIn(broker.port, 'device_5');
    const client = await RawMqttClient.open(broker.port);
    client.send(packets.connect('device_5', 'device_5:a'));
    await client.waitUntilClosed();
    // Without an answer: those who get one do not come back by themselves.
    expect(client.receivedHex).toBe('');
    expect(broker.count('broker_refusals', 'too_many_connections')).toBe(1);
    await serves();
  });

  it("limits the connections of all visitors together, and nobody else's", async () => {
    await open({ limits: { maxSharedConnections: 2, maxConnectionsPerUser: 1 } });
    const visitors = [await broker.connect('farmbot_demo'), await broker.connect('farmbot_demo')];
    const client = await RawMqttClient.open(broker.port);
    client.send(packets.connect('farmbot_demo', 'x'));
    await client.waitUntilClosed();
    expect([client.receivedHex, broker.count('broker_refusals', 'too_many_connections')]).toEqual(['', 1]);
    await serves();
    await visitors[0]?.end();
    await broker.waitUntil(() => broker.broker.status().connections === 1, 'the end');
    await (await broker.connect('farmbot_demo')).end();
    await visitors[1]?.end();
  });
});

/** The first bytes of a WebSocket, or of what looks for one. */
const upgrade = (path: string): Buffer =>
  Buffer.from(
    [
      `GET ${path} HTTP/1.1`,
      'Host: x',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      'Sec-WebSocket-Protocol: mqtt',
      '\r\n',
    ].join('\r\n'),
  );

describe('WebSockets', () => {
  it('are closed by the server where there are none, also when the client keeps its side open', async () => {
    await open();
    const socket = connect({ port: broker.httpPort, host: '127.0.0.1', allowHalfOpen: true });
    let answer = '';
    let hasEnded = false;
    let isBroken = false;
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString();
    });
    socket.on('end', () => {
      hasEnded = true;
    });
    socket.on('error', () => {
      isBroken = true;
    });
    socket.write(upgrade('/nope'));
    await broker.waitUntil(() => hasEnded, 'the end of the answer');
    expect(answer).toMatch(/^HTTP\/1.1 404 /);
    // A socket that is closed resets whoever writes to it.
    await broker.waitUntil(() => {
      socket.write('x');
      return isBroken;
    }, 'the reset');
    expect(broker.count('broker_refusals', 'web_socket_path')).toBe(1);
    expect(broker.logLines).toHaveLength(1);
    await serves();
  });

  it('count as not signed in where there are none', async () => {
    await open({ limits: { maxPendingPerAddress: 1 } });
    const silent = await RawMqttClient.open(broker.port);
    const client = await RawMqttClient.open(broker.httpPort);
    client.send(upgrade('/nope'));
    await Promise.all([client.waitUntilClosed(), silent.waitUntilClosed()]);
    expect(broker.count('broker_cut', 'too_many_pending')).toBe(1);
    const other = await RawMqttClient.open(broker.port);
    await serves();
    other.end();
  });

  it('answer pings, and are cut when the answers are not read', async () => {
    await open();
    const socket = new WebSocket(`ws://127.0.0.1:${broker.httpPort}/ws`, 'mqtt');
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('open', resolve));
    const answer = new Promise((resolve) => socket.once('pong', (data: Buffer) => resolve(data.toString())));
    socket.ping('hello');
    expect(await answer).toBe('hello');
    socket.send(packets.connect('device_5', 'device_5:a'));
    await new Promise((resolve) => socket.once('message', resolve));
    let isClosed = false;
    socket.once('close', () => {
      isClosed = true;
    });
    for (let round = 0; round < 1_000 && !isClosed; round++) {
      for (let index = 0; index < 1_000 && socket.readyState === WebSocket.OPEN; index++) socket.ping();
      await pause(1);
    }
    expect(isClosed).toBe(true);
    expect(broker.count('broker_cut', 'ping_flood')).toBe(1);
    expect(broker.logLines.filter((line) => line.includes('ping_flood'))).toHaveLength(1);
    await serves();
  });

  it.each([
    ['frames that are none', Buffer.from('f28000000000', 'hex'), 'web_socket'],
    ['frames of 4 GB', Buffer.from('82ff000000010000000000000000', 'hex'), 'too_large'],
  ])('are cut for %s', async (_name, frame, reason) => {
    await open();
    const client = await RawMqttClient.open(broker.httpPort);
    client.send(upgrade('/ws'));
    await client.waitUntil(() => client.receivedLength > 0, 'the answer');
    client.send(frame);
    await client.waitUntilClosed();
    expect(broker.count('broker_cut', reason)).toBe(1);
    expect(broker.logLines).toHaveLength(1);
    await serves();
  });
});

describe('topics of others', () => {
  const filters = [
    '#',
    '+/+/#',
    '+',
    'bot/#',
    'bot/+/logs',
    'bot/device_6/#',
    'bot/device_6/logs',
    'bot/device_55/logs',
    'bot/device_5',
    '$SYS/#',
    '$SYS/+/heartbeat',
    '$share/group/bot/device_5/logs',
    '$share/group/bot/device_6/logs',
    'demos/secret',
    'bot/device_5/unknown',
    `bot/device_5/logs/${'x'.repeat(300)}`,
  ];

  it.each(filters)('refuses %s and keeps the connection', async (filter) => {
    await open();
    const spy = await broker.connect('device_5');
    const [refused, granted] = await spy.subscribe([filter, 'bot/device_5/#']);
    expect([refused, granted]).toEqual([128, 0]);
    const other = await broker.connect('device_6');
    await other.subscribe('bot/device_6/logs');
    await other.publish('bot/device_6/logs', 'secret', { qos: 1 });
    await broker.broker.publish({ topic: 'bot/device_6/sync/Point/1', payload: 'secret' });
    await broker.broker.publish({ topic: 'demos/secret', payload: 'secret' });
    await spy.publish('bot/device_5/status', 'own');
    await spy.waitUntil((heard) => heard.length > 0);
    expect(spy.received.map(({ text }) => text)).toEqual(['own']);
    expect(spy.isConnected).toBe(true);
    await Promise.all([spy.end(), other.end()]);
  });

  it('lets everybody read what is meant for everybody, and nobody write it', async () => {
    await open();
    const reader = await broker.connect('device_5');
    expect(await reader.subscribe(['public_broadcast', 'public_broadcast/#'])).toEqual([0, 0]);
    await broker.broker.publish({ topic: 'public_broadcast', payload: '{"type":"reload"}' });
    await reader.waitUntil((heard) => heard.length === 1);
    await reader.publish('public_broadcast', 'x');
    await reader.waitUntilClosed();
    expect(reader.received).toHaveLength(1);
  });

  it('gives a visitor the topic of its secret only', async () => {
    await open();
    const one = await broker.connect('farmbot_demo', { clientId: 'same', clean: false });
    const other = await broker.connect('farmbot_demo', { clientId: 'same', clean: false });
    expect(await one.subscribe(['demos/+', 'demos/#', 'demos/a/b', 'bot/device_5/logs', 'demos/a'])).toEqual([
      128, 128, 128, 128, 0,
    ]);
    await other.subscribe('demos/b');
    await broker.broker.publish({ topic: 'demos/a', payload: 'token' });
    await one.waitUntil((heard) => heard.length === 1);
    await broker.broker.publish({ topic: 'demos/b', payload: 'other' });
    await other.waitUntil((heard) => heard.length === 1);
    expect(one.received).toHaveLength(1);
    await one.publish('demos/b', 'x');
    await one.waitUntilClosed();
    expect([other.isConnected, other.received.length]).toEqual([true, 1]);
    await other.end();
  });

  it.each([
    'bot/device_6/logs',
    'bot/device_5/unknown',
    'bot/device_5/terminal_input',
    'bot/device_05/logs',
    '$SYS/x',
    'demos/secret',
    `bot/device_5/logs/${'x'.repeat(300)}`,
    `bot/device_5/logs${'/x'.repeat(110)}`,
  ])('ends the connection of who publishes to %s', async (topic) => {
    await open();
    const admin = await broker.connect('admin');
    await admin.subscribe('#');
    const client = await RawMqttClient.signIn(broker.port, 'device_5');
    client.send(packets.publish(topic, 'x', 1));
    await client.waitUntilClosed();
    expect(client.receivedHex).toBe('');
    await admin.publish('bot/device_5/status', 'end');
    await admin.waitUntil((heard) => heard.length > 0);
    expect(admin.received.map(({ text }) => text)).toEqual(['end']);
    expect(broker.ingested).toEqual([]);
    await admin.end();
  });

  it('lets the admin read all, but not the system', async () => {
    await open();
    const admin = await broker.connect('admin');
    expect(await admin.subscribe(['#', 'bot/+/logs', '$SYS/#'])).toEqual([0, 0, 128]);
    const client = await broker.connect('device_5');
    await client.publish('bot/device_5/logs', 'x');
    await admin.waitUntil((heard) => heard.length > 0);
    expect(admin.received.map(({ topic }) => topic)).toEqual(['bot/device_5/logs']);
    await Promise.all([admin.end(), client.end()]);
  });

  it('limits topics and filters of the admin, too', async () => {
    await open();
    const admin = await broker.connect('admin');
    const [longest, long] = ['x'.repeat(255), 'x'.repeat(256)];
    expect(await admin.subscribe([longest, long, 'a/b/c/d/e/f/g/h/i/j', 'a/b/c/d/e/f/g/h/i/j/#'])).toEqual([
      0, 128, 0, 128,
    ]);
    await admin.publish(longest, 'a', { qos: 1 });
    await admin.publish('a/b/c/d/e/f/g/h/i/j', 'b', { qos: 1 });
    await admin.waitUntil((heard) => heard.length === 2);
    expect(['filter_length', 'filter_levels'].map((reason) => broker.count('broker_refusals', reason))).toEqual([1, 1]);
    const other = await broker.connect('admin');
    for (const [client, topic, reason] of [
      [admin, long, 'topic_length'],
      [other, 'a/b/c/d/e/f/g/h/i/j/k', 'topic_levels'],
    ] as const) {
      await client.publish(topic, 'x');
      await client.waitUntilClosed();
      expect(broker.count('broker_refusals', reason)).toBe(1);
    }
  });

  it('lets a device use ten levels', async () => {
    await open();
    const client = await broker.connect('device_5');
    const ten = 'bot/device_5/sync/4/5/6/7/8/9/10';
    expect(await client.subscribe([ten, `${ten}/11`, `${ten}/#`, 'bot/device_5/+/+/+/+/+/+/+/+'])).toEqual([
      0, 128, 128, 0,
    ]);
    await client.publish(ten, 'x');
    await client.waitUntil((heard) => heard.length === 1);
    await client.publish(`${ten}/11`, 'x');
    await client.waitUntilClosed();
    expect(client.received).toHaveLength(1);
    expect(broker.count('broker_refusals', 'topic_levels')).toBe(1);
  });

  it('takes 100 filters, and cuts who asks for 100 in vain', async () => {
    await open();
    const client = await broker.connect('device_5');
    const own = Array.from({ length: 105 }, (_, index) => `bot/device_5/ping/${index}`);
    const answers = await client.subscribe(own);
    expect(answers.filter((answer) => answer === 0)).toHaveLength(100);
    expect(answers.slice(100)).toEqual([128, 128, 128, 128, 128]);
    await new Promise((resolve) => client.client.unsubscribe(own.slice(0, 10), resolve));
    expect(await client.subscribe(own.slice(100))).toEqual([0, 0, 0, 0, 0]);
    const raw = await RawMqttClient.signIn(broker.port, 'device_5');
    raw.send(packets.subscribe(Array.from({ length: 1000 }, (_, index) => `a/${index}`)));
    await raw.waitUntilClosed();
    expect(broker.access.denied.length).toBeLessThanOrEqual(100);
    expect(broker.count('broker_cut', 'too_many_filters')).toBe(1);
    await client.end();
  });
});

describe('clients that want too much', () => {
  it('cuts packets beyond 2 MiB before they come, and takes those below', async () => {
    await open();
    const client = await RawMqttClient.signIn(broker.port, 'device_5');
    client.send(packets.publish('bot/device_5/logs', Buffer.alloc(1_500_000, 0x20), 1));
    await client.waitUntil(() => client.receivedHex === '40020001', 'the acknowledgement');
    client.send(packets.publish('bot/device_5/logs', Buffer.alloc(2_100_000), 1).subarray(0, 10));
    await client.waitUntilClosed();
    expect(broker.count('broker_cut', 'too_large')).toBe(1);
    expect(broker.ingested.map(({ text }) => text.length)).toEqual([1_500_000]);
  });

  it('survives any bytes after the CONNECT', async () => {
    await open();
    for (let round = 0; round < 400; round++) {
      const client = await RawMqttClient.signIn(broker.port, 'device_5');
      const body = randomBytes(round % 40);
      const header = (round * 7) % 256;
      client.send(
        Buffer.concat([Buffer.from([header]), encodeRemainingLength(body.length), body]),
        packets.ping,
        randomBytes(30),
      );
      if (round % 3 === 0) client.send(packets.subscribe(['bot/device_5/#']), packets.publish('bot/device_5/a', 'x'));
      if (round % 20 === 0) await pause(5);
      client.end();
    }
    await serves();
    await broker.waitUntil(() => broker.broker.status().connections === 0, 'the end of all');
  });

  it('slows down who sends too fast, and loses nothing', async () => {
    await open({ limitsRates: true, limits: { bucketSize: 100, tokensPerSecond: 400 } });
    const listener = await broker.connect('device_5');
    await listener.subscribe('bot/device_5/status');
    const client = await RawMqttClient.signIn(broker.port, 'device_5');
    const start = performance.now();
    for (let index = 0; index < 300; index++) client.send(packets.publish('bot/device_5/status', String(index)));
    client.send(packets.disconnect);
    await listener.waitUntil((heard) => heard.length >= 90);
    await pause(20);
    expect(listener.received.length).toBeLessThan(200);
    await listener.waitUntil((heard) => heard.length === 300);
    expect(performance.now() - start).toBeGreaterThan(300);
    expect(listener.received.map(({ text }) => Number(text))).toEqual(Array.from({ length: 300 }, (_, index) => index));
    await client.waitUntilClosed();
    await listener.end();
  });

  it('lets others pass while ten clients send 1,000 messages at once that meet 900 filters', async () => {
    await open({ limitsRates: true });
    const filters = Array.from({ length: 100 }, (_, index) =>
      ['bot/device_5/sync', ...Array.from({ length: 7 }, (_, level) => ((index >> level) & 1 ? '+' : 'a'))].join('/'),
    );
    const flood = Buffer.concat(
      Array.from({ length: 1_000 }, () => packets.publish(`bot/device_5/sync${'/a'.repeat(7)}`, 'x')),
    );
    const subscribers = await Promise.all(
      Array.from({ length: 9 }, () => RawMqttClient.signIn(broker.port, 'device_5')),
    );
    for (const subscriber of subscribers) subscriber.send(packets.subscribe(filters));
    for (const subscriber of subscribers)
      await subscriber.waitUntil(() => subscriber.receivedLength >= 100, 'the subscription');
    for (const subscriber of subscribers) subscriber.clear();
    const publishers = await Promise.all(
      Array.from({ length: 10 }, () => RawMqttClient.signIn(broker.port, 'device_5')),
    );
    const healthy = await broker.connect('device_6');
    await healthy.subscribe('bot/device_6/status');
    const taken = () => broker.counters.total('broker_messages');
    let before = 0;
    healthy.client.on('message', () => {
      before = taken();
      if (healthy.received.length < 5) void healthy.publish('bot/device_6/status', 'x');
    });
    for (const publisher of publishers) publisher.send(flood);
    await healthy.publish('bot/device_6/status', 'x');
    await healthy.waitUntil((heard) => heard.length === 5);
    // In order of their coming, nearly all of the flood would be first.
    expect(before).toBeLessThan(5_000);
    const each = packets.publish(`bot/device_5/sync${'/a'.repeat(7)}`, 'x').length;
    await broker.waitUntil(() => taken() >= 10_005, 'the rest of the flood');
    for (const subscriber of subscribers)
      await subscriber.waitUntil(() => subscriber.receivedLength === 10_000 * each, 'each message once');
    for (const client of [...subscribers, ...publishers]) client.end();
    await healthy.end();
  });

  it('has those wait whose logs are stored more slowly than they come', async () => {
    await open({ limits: { maxUnhandledBytes: 10_000 } });
    let begun = 0;
    let go = () => {};
    const stored = new Promise<void>((resolve) => {
      go = resolve;
    });
    broker.store = () => {
      begun++;
      return stored;
    };
    const client = await RawMqttClient.signIn(broker.port, 'device_5');
    const log = packets.publish('bot/device_5/logs', 'x'.repeat(1_000));
    for (let index = 0; index < 50; index++) client.send(...Array.from({ length: 40 }, () => log));
    await broker.waitUntil(() => begun > 10, 'the first logs');
    await serves();
    await pause(100);
    // What came in one piece with those that reached the limit, and what waits in the stream.
    expect(begun).toBeLessThan(300);
    go();
    await broker.waitUntil(() => broker.ingested.length === 2_000, 'all logs');
    client.end();
  });

  it('cuts who does not read when 4 MiB wait for it, and keeps the others', async () => {
    await open();
    const deaf = await RawMqttClient.signIn(broker.port, 'device_5');
    deaf.send(packets.subscribe(['bot/device_5/status']));
    await deaf.waitUntil(() => deaf.receivedHex === '9003000100', 'the subscription');
    deaf.socket.pause();
    const listener = await broker.connect('device_5');
    await listener.subscribe('bot/device_5/status');
    for (let index = 0; index < 30; index++) {
      await broker.broker.publish({ topic: 'bot/device_5/status', payload: 'x'.repeat(500_000) });
      await listener.waitUntil((heard) => heard.length === index + 1);
    }
    expect(broker.count('broker_cut', 'queue_full')).toBe(1);
    expect(broker.broker.status().connections).toBe(1);
    deaf.end();
    await listener.end();
  });

  it('cuts those who hold most when all together hold too much', async () => {
    await open({ limits: { maxQueuedBytes: 3_000_000, maxTotalQueuedBytes: 5_000_000 } });
    const deaf = await Promise.all(Array.from({ length: 8 }, () => RawMqttClient.signIn(broker.port, 'device_5')));
    for (const each of deaf) {
      each.send(packets.subscribe(['bot/device_5/status']));
      await each.waitUntil(() => each.receivedHex === '9003000100', 'the subscription');
      each.socket.pause();
    }
    const listener = await broker.connect('device_5');
    await listener.subscribe('bot/device_5/status');
    // A loopback's sockets take several MB before anything waits.
    for (let index = 0; index < 200 && broker.count('broker_cut', 'queues_full') < 3; index++) {
      await broker.broker.publish({ topic: 'bot/device_5/status', payload: 'x'.repeat(250_000) });
      await listener.waitUntil((heard) => heard.length === index + 1);
    }
    expect(broker.count('broker_cut', 'queues_full')).toBeGreaterThanOrEqual(3);
    expect(listener.isConnected).toBe(true);
    for (const each of deaf) each.end();
    await listener.end();
  });

  it('cuts those who begin most when all together begin too much', async () => {
    await open({ limits: { maxTotalPartialBytes: 3_000_000 } });
    const clients = await Promise.all(Array.from({ length: 5 }, () => RawMqttClient.signIn(broker.port, 'device_5')));
    const beginning = packets.publish('bot/device_5/logs', Buffer.alloc(2_000_000)).subarray(0, 1_000_000);
    for (const client of clients) client.send(beginning);
    await broker.waitUntil(() => broker.count('broker_cut', 'unfinished_full') >= 2, 'the cuts');
    await serves();
    for (const client of clients) client.end();
  });

  it('holds few unreleased QoS 2 messages of a client', async () => {
    await open();
    const client = await RawMqttClient.signIn(broker.port, 'device_5');
    for (let id = 1; id <= 101; id++) client.send(packets.publish('bot/device_5/status', 'x', 2, id));
    await client.waitUntilClosed();
    await serves();
  });

  it.each([
    ['text', (socket: WebSocket) => socket.send('hello'), 'not_mqtt'],
    ['garbage', (socket: WebSocket) => socket.send(Buffer.from('GET /')), 'not_mqtt'],
    ['a large first message', (socket: WebSocket) => socket.send(Buffer.alloc(1_000_000, 0x10)), 'too_large'],
  ])('cuts a WebSocket that sends %s', async (_name, send, reason) => {
    await open();
    const socket = new WebSocket(`ws://127.0.0.1:${broker.httpPort}/ws`, 'mqtt');
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('open', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    send(socket);
    await closed;
    expect(broker.count('broker_cut', reason)).toBe(1);
    await serves();
  });

  it('takes packets of a WebSocket however they are cut', async () => {
    await open();
    const socket = new WebSocket(`ws://127.0.0.1:${broker.httpPort}/ws`, 'mqtt');
    await new Promise((resolve) => socket.once('open', resolve));
    const found: Buffer[] = [];
    socket.on('message', (data: Buffer) => found.push(data));
    for (const byte of packets.connect('device_5', 'device_5:a')) socket.send(Buffer.from([byte]));
    socket.send(
      Buffer.concat([packets.subscribe(['bot/device_5/status']), packets.publish('bot/device_5/status', 'x')]),
    );
    await broker.waitUntil(() => Buffer.concat(found).length >= 4 + 5 + 24, 'the message');
    expect(Buffer.concat(found).toString('hex')).toBe(
      `200200009003000100${packets.publish('bot/device_5/status', 'x').toString('hex')}`,
    );
    socket.terminate();
  });

  it('writes at most twenty lines a second about clients, and one more', async () => {
    await open();
    const clients = await Promise.all(Array.from({ length: 200 }, () => RawMqttClient.open(broker.port)));
    for (const client of clients) client.send(Buffer.from('garbage'));
    for (const client of clients) await client.waitUntilClosed();
    expect(broker.count('broker_cut', 'not_mqtt')).toBe(200);
    expect(broker.logLines.length).toBeLessThanOrEqual(41);
  });
});

describe('twenty subscribers that never read and ten CONNECTs of 100 MB', () => {
  it('leave the messages of others quick, and the memory small', async () => {
    await open();
    const topic = 'bot/device_5/status';
    const deaf = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const client = await RawMqttClient.signIn(broker.port, 'device_5');
        client.send(packets.subscribe(['bot/device_5/#']));
        await client.waitUntil(() => client.receivedHex === '9003000100', 'the subscription');
        client.socket.pause();
        return client;
      }),
    );
    const listener: MqttTestClient = await broker.connect('device_5');
    await listener.subscribe(topic);
    const sender = await broker.connect('device_5');
    const attackers = await Promise.all(Array.from({ length: 10 }, () => RawMqttClient.open(broker.port)));
    for (const attacker of attackers) {
      attacker.send(hugeConnect);
      for (let index = 0; index < 100; index++) attacker.socket.write(Buffer.alloc(100_000));
    }
    const filler = 'x'.repeat(10_000);
    const sent: number[] = [];
    let most = 0;
    for (let index = 0; index < 2000; index++) {
      sent.push(performance.now());
      await sender.publish(topic, `${index} ${filler}`);
      if (index % 5 === 0) await pause(1);
      most = Math.max(most, process.memoryUsage.rss());
    }
    await listener.waitUntil((heard) => heard.length === 2000);
    const delays = listener.received.map(({ at }, index) => at - (sent[index] ?? 0)).sort((one, other) => one - other);
    expect(listener.received.map(({ text }) => Number(text.split(' ', 1)))).toEqual(sent.map((_, index) => index));
    expect(delays[1980]).toBeLessThan(50);
    expect(most / 1024 / 1024).toBeLessThan(300);
    expect(attackers.every(({ isClosed }) => isClosed)).toBe(true);
    for (const each of deaf) each.end();
    await Promise.all([listener.end(), sender.end()]);
  });
});
