import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { EmbeddedBrokerOptions } from '../../../src/live/embedded-broker.ts';
import { BrokerHarness } from '../../support/broker-harness.ts';
import type { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { encodeRemainingLength, packets, RawMqttClient } from '../../support/raw-mqtt-client.ts';

let broker: BrokerHarness;
const open = async (options: Partial<EmbeddedBrokerOptions> = {}): Promise<BrokerHarness> => {
  broker = await BrokerHarness.start(options);
  return broker;
};
afterEach(() => broker.stop());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Checks that the broker serves other clients. */
async function serves(): Promise<void> {
  const client = await broker.connect('device_9');
  await client.subscribe('bot/device_9/status');
  await client.publish('bot/device_9/status', 'ok');
  await client.waitUntil((received) => received.length === 1);
  await client.end();
}

const will = (topic: string) => ({ topic, payload: Buffer.from('gone'), qos: 1 as const, retain: false });

const hugeConnect = Buffer.concat([
  Buffer.from([0x10]),
  encodeRemainingLength(100_000_000),
  packets.anonymous.subarray(2),
]);

describe('rejected clients', () => {
  it.each([
    ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'), 'not_mqtt'],
    ['zeros', Buffer.alloc(10_000), 'not_mqtt'],
    ['a PUBLISH before the CONNECT', packets.publish('bot/device_5/logs', 'x'), 'not_mqtt'],
    ['a CONNECT of 100 MB', hugeConnect, 'too_large'],
    ['a CONNECT that is none', Buffer.from('100400044d51', 'hex'), 'protocol'],
    ['a CONNECT of another protocol', Buffer.from('100c000448545450040200000000', 'hex'), 'protocol'],
  ])('are disconnected after %s', async (_name, bytes, reason) => {
    await open();
    const client = await RawMqttClient.open(broker.port);
    client.send(bytes);
    await client.waitUntilClosed();
    expect(client.receivedHex).toBe('');
    expect(broker.count('broker_cut', reason)).toBe(1);
    expect(broker.logLines).toHaveLength(1);
    await serves();
  });

  it('are disconnected after random bytes', async () => {
    await open();
    const clients = await Promise.all(Array.from({ length: 50 }, () => RawMqttClient.open(broker.port)));
    for (const client of clients) client.send(Buffer.concat([Buffer.from([0x10, 0x7f]), randomBytes(2000)]));
    for (const client of clients) await client.waitUntilClosed();
    await serves();
  });

  it.each([
    ['no username', packets.anonymous, '20020005'],
    ['no password', packets.connect('device_5', ''), '20020004'],
    ['a bad token', packets.connect('device_5', 'x'), '20020004'],
    ['the token of another device', packets.connect('device_5', 'device_6:a'), '20020005'],
    ['a wrong password of the admin', packets.connect('admin', 'x'), '20020005'],
    ['a session without a name', packets.connect('device_5', 'device_5:a', { isClean: false }), '20020002'],
    ['an endless client id', packets.connect('device_5', 'device_5:a', { clientId: 'x'.repeat(300) }), '20020002'],
  ])('get an answer: %s', async (_name, bytes, response) => {
    await open();
    const client = await RawMqttClient.open(broker.port);
    client.send(bytes, packets.subscribe(['bot/device_5/#']));
    await client.waitUntilClosed();
    expect(client.receivedHex).toBe(response);
    expect(broker.broker.status().connections).toBe(0);
    await serves();
  });

  it('are disconnected if they do not sign in before the timeout', async () => {
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
    await serves();
    await broker.waitUntil(() => broker.broker.status().connections === 0, 'the end of all connections');
  });

  it.each([true, false])(
    'are disconnected after one and a half times the keep-alive time, clean session %s',
    async (isClean) => {
      await open();
      const client = await RawMqttClient.open(broker.port);
      // Due before the timer of the broker, however slow the machine is.
      const shorter = pause(1400).then(() => 'open');
      client.send(packets.connect('device_5', 'device_5:a', { clientId: 'x', isClean, keepAlive: 1 }));
      await client.waitUntil(() => client.receivedHex === '20020000', 'the sign-in');
      expect(await Promise.race([shorter, client.waitUntilClosed().then(() => 'closed')])).toBe('open');
      await client.waitUntilClosed();
      expect(broker.count('broker_cut', 'keep_alive')).toBe(1);
      await serves();
    },
  );

  it('do not include clients that wait for their turn to sign in', async () => {
    await open({ limits: { connectTimeout: 200, maxSigningIn: 1, maxWaitingPerAddress: 2 } });
    let go = () => {};
    broker.access.delay = new Promise<void>((resolve) => {
      go = resolve;
    });
    const waiting = [await RawMqttClient.open(broker.port), await RawMqttClient.open(broker.port)] as const;
    const undecided = await RawMqttClient.open(broker.port);
    undecided.send(packets.connect('device_5', 'device_5:a'));
    await broker.waitUntil(() => broker.access.signIns === 1, 'the first sign-in');
    for (const client of waiting) client.send(packets.connect('device_6', 'device_6:a'));
    const tooMany = await RawMqttClient.open(broker.port);
    tooMany.send(packets.connect('device_7', 'device_7:a'));
    // Without an answer: clients that get one do not reconnect.
    await tooMany.waitUntilClosed();
    expect(tooMany.receivedHex).toBe('');
    expect(broker.count('broker_refusals', 'not_checked')).toBe(1);
    // The others were opened before it.
    await undecided.waitUntilClosed();
    expect(broker.access.signIns).toBe(1);
    go();
    for (const client of waiting) await client.waitUntil(() => client.receivedHex === '20020000', 'the sign-in');
    expect(broker.count('broker_cut', 'connect_timeout')).toBe(1);
    for (const client of waiting) client.end();
    await serves();
  });

  it('do not block others with 2,500 connections', async () => {
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

  it('are beyond the maximum of one device', async () => {
    await open({ limits: { maxConnectionsPerUser: 3 } });
    for (let index = 0; index < 3; index++) await RawMqttClient.signIn(broker.port, 'device_5');
    const client = await RawMqttClient.open(broker.port);
    client.send(packets.connect('device_5', 'device_5:a'));
    await client.waitUntilClosed();
    // Without an answer: clients that get one do not reconnect.
    expect(client.receivedHex).toBe('');
    expect(broker.count('broker_refusals', 'too_many_connections')).toBe(1);
    await serves();
  });

  it('are beyond the maximum of all demo visitors', async () => {
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

/** Returns an HTTP request that asks for a WebSocket. */
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
  it('are closed at other paths, also when the client keeps its side open', async () => {
    await open();
    const socket = connect({ port: broker.httpPort, host: '127.0.0.1', allowHalfOpen: true });
    let response = '';
    let hasEnded = false;
    let isBroken = false;
    socket.on('data', (chunk: Buffer) => {
      response += chunk.toString();
    });
    socket.on('end', () => {
      hasEnded = true;
    });
    socket.on('error', () => {
      isBroken = true;
    });
    socket.write(upgrade('/nope'));
    await broker.waitUntil(() => hasEnded, 'the end of the answer');
    expect(response).toMatch(/^HTTP\/1.1 404 /);
    // Writing to a closed socket resets the connection.
    await broker.waitUntil(() => {
      socket.write('x');
      return isBroken;
    }, 'the reset');
    expect(broker.count('broker_refusals', 'web_socket_path')).toBe(1);
    expect(broker.logLines).toHaveLength(1);
    await serves();
  });

  it('count as pending connections at other paths', async () => {
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

  it('answer pings, and are closed when the pongs are not read', async () => {
    await open();
    const socket = new WebSocket(`ws://127.0.0.1:${broker.httpPort}/ws`, 'mqtt');
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('open', resolve));
    const response = new Promise((resolve) => socket.once('pong', (data: Buffer) => resolve(data.toString())));
    socket.ping('hello');
    expect(await response).toBe('hello');
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
    ['invalid frames', Buffer.from('f28000000000', 'hex'), 'web_socket'],
    ['frames of 4 GB', Buffer.from('82ff000000010000000000000000', 'hex'), 'too_large'],
  ])('are closed after %s', async (_name, frame, reason) => {
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

describe('topics', () => {
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

  it.each(filters)('rejects the filter %s and keeps the connection', async (filter) => {
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
    await spy.waitUntil((received) => received.length > 0);
    expect(spy.received.map(({ text }) => text)).toEqual(['own']);
    expect(spy.isConnected).toBe(true);
    await Promise.all([spy.end(), other.end()]);
  });

  it('lets all clients read the public topic, and none write to it', async () => {
    await open();
    const reader = await broker.connect('device_5');
    expect(await reader.subscribe(['public_broadcast', 'public_broadcast/#'])).toEqual([0, 0]);
    await broker.broker.publish({ topic: 'public_broadcast', payload: '{"type":"reload"}' });
    await reader.waitUntil((received) => received.length === 1);
    await reader.publish('public_broadcast', 'x');
    await reader.waitUntilClosed();
    expect(reader.received).toHaveLength(1);
  });

  it('gives a demo visitor the topic of its secret and the public topic only', async () => {
    await open();
    const one = await broker.connect('farmbot_demo', { clientId: 'same', clean: false });
    const other = await broker.connect('farmbot_demo', { clientId: 'same', clean: false });
    expect(await one.subscribe(['demos/+', 'demos/#', 'demos/a/b', 'bot/device_5/logs', 'demos/a'])).toEqual([
      128, 128, 128, 128, 0,
    ]);
    await other.subscribe('demos/b');
    await broker.broker.publish({ topic: 'demos/a', payload: 'token' });
    await one.waitUntil((received) => received.length === 1);
    await broker.broker.publish({ topic: 'demos/b', payload: 'other' });
    await other.waitUntil((received) => received.length === 1);
    expect(one.received).toHaveLength(1);
    await other.subscribe('public_broadcast');
    await broker.broker.publish({ topic: 'public_broadcast', payload: 'reload' });
    await other.waitUntil((received) => received.length === 2);
    await one.publish('demos/b', 'x');
    await one.waitUntilClosed();
    expect([other.isConnected, other.received.length]).toEqual([true, 2]);
    await other.end();
  });

  it.each([
    'bot/device_6/logs',
    'bot/device_6/unknown',
    'bot/device_50/unknown',
    'bot/device_5',
    'bot/unknown',
    'bot/device_5/terminal_input',
    'bot/device_05/logs',
    '$SYS/x',
    '$SYS/broker/connection/state',
    'x/$SYS/broker/connection/home/state',
    'demos/secret',
    `bot/device_5/logs${'/x'.repeat(110)}`,
  ])('closes the connection of a client that publishes to %s', async (topic) => {
    await open();
    const admin = await broker.connect('admin');
    await admin.subscribe('#');
    const client = await RawMqttClient.signIn(broker.port, 'device_5');
    client.send(packets.publish(topic, 'x', 1));
    await client.waitUntilClosed();
    expect(client.receivedHex).toBe('');
    await admin.publish('bot/device_5/status', 'end');
    await admin.waitUntil((received) => received.length > 0);
    expect(admin.received.map(({ text }) => text)).toEqual(['end']);
    expect(broker.ingested).toEqual([]);
    expect(broker.access.unknown).toEqual([]);
    await admin.end();
  });

  it('lets the admin read all topics except system topics', async () => {
    await open();
    const admin = await broker.connect('admin');
    expect(await admin.subscribe(['#', 'bot/+/logs', '$SYS/#'])).toEqual([0, 0, 128]);
    const client = await broker.connect('device_5');
    await client.publish('bot/device_5/logs', 'x');
    await admin.waitUntil((received) => received.length > 0);
    expect(admin.received.map(({ topic }) => topic)).toEqual(['bot/device_5/logs']);
    await Promise.all([admin.end(), client.end()]);
  });

  it('drops messages on unknown channels of the own device and states of bridges, and reports the former', async () => {
    await open();
    const spy = await broker.connect('device_5');
    await spy.subscribe('bot/device_5/#');
    const client = await broker.connect('device_5', { clientId: 'x', will: will('bot/device_5/gone') });
    const unknown = ['bot/device_5/plants', 'bot/device_5/log', 'bot/device_5/', `bot/device_5/${'x'.repeat(300)}`];
    for (const qos of [0, 1] as const)
      for (const topic of [...unknown, '$SYS/broker/connection/home.potager/state'])
        await client.publish(topic, '1', { qos, retain: true });
    await client.client.publishAsync('bot/device_5/a/b/c/d/e/f/g/h/i/j/k', '1', { qos: 2 });
    client.client.stream.destroy();
    await broker.waitUntil(() => broker.access.unknown.includes('device_5 bot/device_5/gone'), 'the will');
    const told = unknown.map((topic) => `device_5 ${topic}`);
    const others = ['device_5 bot/device_5/a/b/c/d/e/f/g/h/i/j/k', 'device_5 bot/device_5/gone'];
    expect(broker.access.unknown).toEqual([...told, ...told, ...others]);
    const admin = await broker.connect('admin');
    await admin.publish('$SYS/broker/connection/home.potager/state', '1', { qos: 1, retain: true });
    await spy.publish('bot/device_5/status', 'own');
    await spy.waitUntil((received) => received.length > 0);
    expect(spy.received.map(({ text }) => text)).toEqual(['own']);
    expect([client.isConnected, admin.isConnected, spy.isConnected]).toEqual([false, true, true]);
    expect(broker.access.denied).toEqual([]);
    expect(broker.ingested).toEqual([]);
    await Promise.all([admin.end(), spy.end()]);
  });

  it('limits topics and filters of the admin', async () => {
    await open();
    const admin = await broker.connect('admin');
    const [longest, long] = ['x'.repeat(255), 'x'.repeat(256)];
    expect(await admin.subscribe([longest, long, 'a/b/c/d/e/f/g/h/i/j', 'a/b/c/d/e/f/g/h/i/j/#'])).toEqual([
      0, 128, 0, 128,
    ]);
    await admin.publish(longest, 'a', { qos: 1 });
    await admin.publish('a/b/c/d/e/f/g/h/i/j', 'b', { qos: 1 });
    await admin.waitUntil((received) => received.length === 2);
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
    await client.waitUntil((received) => received.length === 1);
    await client.publish(`${ten}/11`, 'x');
    await client.waitUntilClosed();
    expect(client.received).toHaveLength(1);
    expect(broker.count('broker_refusals', 'topic_levels')).toBe(1);
  });

  it('accepts 100 filters, and disconnects a client after 100 rejected ones', async () => {
    await open();
    const client = await broker.connect('device_5');
    const own = Array.from({ length: 105 }, (_, index) => `bot/device_5/ping/${index}`);
    const responses = await client.subscribe(own);
    expect(responses.filter((response) => response === 0)).toHaveLength(100);
    expect(responses.slice(100)).toEqual([128, 128, 128, 128, 128]);
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

describe('clients beyond the limits', () => {
  it('are disconnected at the header of a packet beyond 2 MiB', async () => {
    await open();
    const client = await RawMqttClient.signIn(broker.port, 'device_5');
    client.send(packets.publish('bot/device_5/logs', Buffer.alloc(1_500_000, 0x20), 1));
    await client.waitUntil(() => client.receivedHex === '40020001', 'the acknowledgement');
    client.send(packets.publish('bot/device_5/logs', Buffer.alloc(2_100_000), 1).subarray(0, 10));
    await client.waitUntilClosed();
    expect(broker.count('broker_cut', 'too_large')).toBe(1);
    expect(broker.ingested.map(({ text }) => text.length)).toEqual([1_500_000]);
  });

  it('may send any bytes after the CONNECT', async () => {
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

  it('are slowed down without losing messages', async () => {
    const time = { now: 1_000_000 };
    const limits = { bucketSize: 100, tokensPerSecond: 400 };
    await open({ limitsRates: true, limits, clock: { now: () => time.now } });
    broker.access.expires = Number.POSITIVE_INFINITY;
    const subscriber = await broker.connect('device_5');
    await subscriber.subscribe('bot/device_5/status');
    const client = await RawMqttClient.signIn(broker.port, 'device_5');
    for (let index = 0; index < 300; index++) client.send(packets.publish('bot/device_5/status', String(index)));
    await subscriber.waitUntil((received) => received.length >= 100);
    await serves();
    expect(subscriber.received).toHaveLength(100);
    time.now += 250;
    await subscriber.waitUntil((received) => received.length >= 200);
    await serves();
    expect(subscriber.received).toHaveLength(200);
    client.send(packets.disconnect);
    time.now += 1000;
    await subscriber.waitUntil((received) => received.length >= 300);
    expect(subscriber.received.map(({ text }) => Number(text))).toEqual(
      Array.from({ length: 300 }, (_, index) => index),
    );
    time.now += 1000;
    await client.waitUntilClosed();
    await subscriber.end();
  });

  it('do not delay others with 10,000 messages that match 900 filters', async () => {
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
    await healthy.waitUntil((received) => received.length === 5);
    // In order of arrival, nearly all of the flood would be first.
    expect(before).toBeLessThan(5_000);
    const each = packets.publish(`bot/device_5/sync${'/a'.repeat(7)}`, 'x').length;
    await broker.waitUntil(() => taken() >= 10_005, 'the rest of the flood');
    for (const subscriber of subscribers)
      await subscriber.waitUntil(() => subscriber.receivedLength === 10_000 * each, 'each message once');
    for (const client of [...subscribers, ...publishers]) client.end();
    await healthy.end();
  });

  it('wait when their logs are stored more slowly than they send them', async () => {
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
    for (let round = 0; round < 5; round++) await serves();
    // Messages in the slice that reached the limit, and messages in the stream.
    expect(begun).toBeLessThan(300);
    go();
    await broker.waitUntil(() => broker.ingested.length === 2_000, 'all logs');
    client.end();
  });

  it('are disconnected when 4 MiB are queued for them', async () => {
    await open();
    const stalled = await RawMqttClient.signIn(broker.port, 'device_5');
    stalled.send(packets.subscribe(['bot/device_5/status']));
    await stalled.waitUntil(() => stalled.receivedHex === '9003000100', 'the subscription');
    stalled.socket.pause();
    const listener = await broker.connect('device_5');
    await listener.subscribe('bot/device_5/status');
    for (let index = 0; index < 30; index++) {
      await broker.broker.publish({ topic: 'bot/device_5/status', payload: 'x'.repeat(500_000) });
      await listener.waitUntil((received) => received.length === index + 1);
    }
    expect(broker.count('broker_cut', 'queue_full')).toBe(1);
    expect(broker.broker.status().connections).toBe(1);
    stalled.end();
    await listener.end();
  });

  it('are disconnected when the total of queued bytes is too large, the largest first', async () => {
    await open({ limits: { maxQueuedBytes: 3_000_000, maxTotalQueuedBytes: 5_000_000 } });
    const stalled = await Promise.all(Array.from({ length: 8 }, () => RawMqttClient.signIn(broker.port, 'device_5')));
    for (const each of stalled) {
      each.send(packets.subscribe(['bot/device_5/status']));
      await each.waitUntil(() => each.receivedHex === '9003000100', 'the subscription');
      each.socket.pause();
    }
    const listener = await broker.connect('device_5');
    await listener.subscribe('bot/device_5/status');
    // Loopback sockets buffer several MB before anything is queued.
    for (let index = 0; index < 200 && broker.count('broker_cut', 'queues_full') < 3; index++) {
      await broker.broker.publish({ topic: 'bot/device_5/status', payload: 'x'.repeat(250_000) });
      await listener.waitUntil((received) => received.length === index + 1);
    }
    expect(broker.count('broker_cut', 'queues_full')).toBeGreaterThanOrEqual(3);
    expect(listener.isConnected).toBe(true);
    for (const each of stalled) each.end();
    await listener.end();
  });

  it('are disconnected when the total of partial packets is too large, the largest first', async () => {
    await open({ limits: { maxTotalPartialBytes: 3_000_000 } });
    const clients = await Promise.all(Array.from({ length: 5 }, () => RawMqttClient.signIn(broker.port, 'device_5')));
    const beginning = packets.publish('bot/device_5/logs', Buffer.alloc(2_000_000)).subarray(0, 1_000_000);
    for (const client of clients) client.send(beginning);
    await broker.waitUntil(() => broker.count('broker_cut', 'unfinished_full') >= 2, 'the cuts');
    await serves();
    for (const client of clients) client.end();
  });

  it('are disconnected after 100 unreleased QoS 2 messages', async () => {
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
  ])('are disconnected after a WebSocket message with %s', async (_name, send, reason) => {
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

  it('may split packets into WebSocket messages anywhere', async () => {
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

  it('cause twenty log lines per second', async () => {
    await open({ clock: { now: () => 1_000_000 } });
    const clients = await Promise.all(Array.from({ length: 200 }, () => RawMqttClient.open(broker.port)));
    for (const client of clients) client.send(Buffer.from('garbage'));
    for (const client of clients) await client.waitUntilClosed();
    expect(broker.count('broker_cut', 'not_mqtt')).toBe(200);
    expect(broker.logLines.filter((line) => line.includes('not_mqtt'))).toHaveLength(20);
  });
});

describe('twenty subscribers that never read, and ten CONNECTs of 100 MB', () => {
  const topic = 'bot/device_5/status';
  const filler = 'x'.repeat(10_000);

  /** Publishes numbered messages, and returns the median of their delays, in ms. */
  async function medianDelay(subscriber: MqttTestClient, sender: MqttTestClient, count: number): Promise<number> {
    subscriber.take();
    const sent: number[] = [];
    for (let index = 0; index < count; index++) {
      sent.push(performance.now());
      await sender.publish(topic, `${index} ${filler}`);
      if (index % 5 === 0) await pause(1);
    }
    await subscriber.waitUntil((received) => received.length === count);
    expect(subscriber.received.map(({ text }) => Number(text.split(' ', 1)))).toEqual(sent.map((_, index) => index));
    const delays = subscriber.received.map(({ at }, index) => at - (sent[index] ?? 0));
    return delays.sort((one, other) => one - other)[count >> 1] ?? 0;
  }

  it('neither delay the messages of others, nor fill the memory', async () => {
    await open();
    const subscriber = await broker.connect('device_5');
    await subscriber.subscribe(topic);
    const sender = await broker.connect('device_5');
    await medianDelay(subscriber, sender, 200);
    const undisturbed = await medianDelay(subscriber, sender, 1000);
    const stalled = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const client = await RawMqttClient.signIn(broker.port, 'device_5');
        client.send(packets.subscribe(['bot/device_5/#']));
        await client.waitUntil(() => client.receivedHex === '9003000100', 'the subscription');
        client.socket.pause();
        return client;
      }),
    );
    const memory = process.memoryUsage.rss();
    const attackers = await Promise.all(Array.from({ length: 10 }, () => RawMqttClient.open(broker.port)));
    for (const attacker of attackers) {
      attacker.send(hugeConnect);
      for (let index = 0; index < 100; index++) attacker.socket.write(Buffer.alloc(100_000));
    }
    // A subscriber that blocked the others would delay them indefinitely.
    expect(await medianDelay(subscriber, sender, 2000)).toBeLessThan(10 * undisturbed);
    expect((process.memoryUsage.rss() - memory) / 1024 / 1024).toBeLessThan(250);
    for (const attacker of attackers) await attacker.waitUntilClosed();
    for (const each of stalled) each.end();
    await Promise.all([subscriber.end(), sender.end()]);
  });
});
