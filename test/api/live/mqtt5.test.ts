import type { IConnectPacket, ISubscribePacket } from 'mqtt-packet';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BrokerHarness } from '../../support/broker-harness.ts';
import { Mqtt5PacketClient } from '../../support/mqtt5-packet-client.ts';
import { RawMqttClient } from '../../support/raw-mqtt-client.ts';

let broker: BrokerHarness;
const clients: Mqtt5PacketClient[] = [];
beforeEach(async () => {
  broker = await BrokerHarness.start();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.destroy();
  await broker.stop();
});

async function open(options: Partial<IConnectPacket> & { readonly jti?: string } = {}, name = 'device_5') {
  const client = await Mqtt5PacketClient.connect(broker.port, name, options);
  clients.push(client);
  return client;
}

const topic = 'bot/device_5/from_clients';
const publish = (payload: string, options: object = {}) =>
  ({ cmd: 'publish', topic, payload, qos: 0, retain: false, dup: false, ...options }) as const;
const texts = (client: Mqtt5PacketClient) => client.messages.map(({ payload }) => String(payload));
const kept = (sessionExpiryInterval: number, options: Partial<IConnectPacket> = {}) => ({
  clientId: 'kept',
  clean: false,
  ...options,
  properties: { sessionExpiryInterval, ...options.properties },
});

/** Waits until everything that was published before has been delivered. */
async function settled(client: Mqtt5PacketClient): Promise<void> {
  const end = `bot/device_5/pong/${Math.random()}`;
  await client.subscribe({ topic: end });
  client.send(publish('', { topic: end }));
  await client.waitUntil(() => client.messages.some((message) => message.topic === end), 'the last message');
  client.received.splice(
    client.received.findIndex((packet) => packet.cmd === 'publish' && packet.topic === end),
    1,
  );
}

async function gone(count = 0): Promise<void> {
  await broker.waitUntil(() => broker.broker.status().connections === count, 'the end of connections');
}

describe('a client of MQTT 5', () => {
  it('hears what the server has, and its client id', async () => {
    const limits = {
      receiveMaximum: 100,
      maximumPacketSize: 2_097_152,
      subscriptionIdentifiersAvailable: false,
      sharedSubscriptionAvailable: false,
    };
    const client = await open();
    const { assignedClientIdentifier, ...properties } = (await client.next('connack')).properties ?? {};
    expect(properties).toEqual(limits);
    expect(assignedClientIdentifier).toMatch(/^[0-9a-f-]{36}$/);
    expect(await (await open({ clientId: 'x' })).next('connack')).toMatchObject({
      reasonCode: 0,
      sessionPresent: false,
      properties: limits,
    });
    const demo = await open({ clientId: 'x', properties: { sessionExpiryInterval: 60 } }, 'farmbot_demo');
    expect((await demo.next('connack')).properties).toMatchObject({
      assignedClientIdentifier: expect.stringMatching(/^[0-9a-f-]{36}$/),
      sessionExpiryInterval: 0,
    });
  });

  it.each([
    ['a bad token', { password: Buffer.from('x') }, 0x86, 'The password is not a valid session token.'],
    ['another device', { password: Buffer.from('device_6:a') }, 0x87, /do not belong together/],
    ['an endless client id', { clientId: 'x'.repeat(300) }, 0x85, 'The client id is too long.'],
    ['a method', { properties: { authenticationMethod: 'SCRAM-SHA-1' } }, 0x8c, /^Enhanced authentication/],
  ])('is rejected with a reason for %s', async (_name, options, reasonCode, reason) => {
    const client = await open(options);
    const { properties, ...connack } = await client.next('connack');
    expect([connack.reasonCode, properties?.reasonString]).toEqual([reasonCode, expect.stringMatching(reason)]);
    await client.waitUntil(() => client.isClosed, 'the end');
    expect(client.received).toHaveLength(1);
    expect(broker.broker.status().connections).toBe(0);
  });

  it.each([0, 1, 2] as const)('gets the properties of messages with QoS %s, and of the retained one', async (qos) => {
    const properties = {
      payloadFormatIndicator: true,
      contentType: 'text/plain',
      responseTopic: 'bot/device_5/from_device',
      correlationData: Buffer.from([0, 1, 255]),
      userProperties: { unit: ['mm', 'm'], __proto__: 'x' },
    };
    const status = { topic: 'bot/device_5/status', qos, retain: true, messageId: 1, properties };
    const [reader, writer, old] = [await open(), await open(), await broker.connect('device_5')];
    await reader.subscribe({ topic: status.topic, qos });
    await old.subscribe(status.topic, 1);
    writer.send(publish('état', status));
    await reader.waitUntil(() => reader.messages.length === 1, 'the message');
    expect(reader.messages[0]).toMatchObject({ qos, retain: false, dup: false, properties });
    const late = await open();
    await late.subscribe({ topic: status.topic, qos });
    await late.waitUntil(() => late.messages.length === 1, 'the retained message');
    expect(late.messages[0]).toMatchObject({ qos, retain: true, properties });
    expect(String(late.messages[0]?.payload)).toBe('état');
    expect((await old.first(status.topic)).text).toBe('état');
    await old.publish(status.topic, 'old', { qos: 1 });
    await reader.waitUntil(() => reader.messages.length === 2, 'the message of the other client');
    expect(reader.messages[1]?.properties).toBeUndefined();
    await old.end();
  });

  it('gets reason codes for filters and messages, and stays connected', async () => {
    const client = await open();
    const filters = [
      topic,
      'bot/device_6/#',
      '$share/a/bot/device_5/logs',
      '$SYS/#',
      `bot/device_5/${'x'.repeat(300)}`,
    ];
    expect(await client.subscribe(...filters.map((each) => ({ topic: each })))).toEqual([0, 0x87, 0x9e, 0x87, 0x87]);
    expect(await client.subscribe({ topic }, { topic: '#' }, { topic })).toEqual([0, 0x87, 0]);
    const many = Array.from({ length: 150 }, (_, at) => ({ topic: `bot/device_5/ping/${at}`, qos: 1 as const }));
    expect(await client.subscribe(...many)).toEqual(many.map((_, at) => (at < 99 ? 1 : 0x87)));
    client.send({ cmd: 'unsubscribe', messageId: 9, unsubscriptions: [topic, 'bot/device_5/none'] });
    expect(await client.next('unsuback')).toMatchObject({ messageId: 9, granted: [0, 0x11] });
    client.send(publish('x', { topic: 'bot/device_6/logs', qos: 1, messageId: 7 }));
    expect(await client.next('puback')).toMatchObject({ messageId: 7, reasonCode: 0x87 });
    // More than may be unreleased: a refused message is not released.
    for (let messageId = 1; messageId <= 150; messageId++)
      client.send(publish('x', { topic: 'bot/device_6/logs', qos: 2, messageId }));
    expect(await client.next('pubrec', 149)).toMatchObject({ messageId: 150, reasonCode: 0x87 });
    client.send(publish('x', { topic: 'bot/device_5/logs', qos: 2, messageId: 1 }));
    expect(await client.next('pubrec', 150)).toMatchObject({ messageId: 1, reasonCode: 0 });
    client.send({ cmd: 'pubrel', messageId: 1 });
    expect(await client.next('pubcomp')).toMatchObject({ messageId: 1, reasonCode: 0 });
    client.send(publish('x', { topic: 'bot/device_5/unknown', qos: 1, messageId: 8 }));
    expect(await client.next('puback', 1)).toMatchObject({ messageId: 8, reasonCode: 0 });
    expect(broker.ingested.map(({ channel }) => channel)).toEqual(['logs']);
    expect(client.isClosed).toBe(false);
  });

  it.each([
    ['publishes to another device', publish('x', { topic: 'bot/device_6/logs' }), 0x87],
    ['uses a topic alias', publish('x', { properties: { topicAlias: 1 } }), 0x94],
    ['publishes with the id of a subscription', publish('x', { properties: { subscriptionIdentifier: 1 } }), 0x82],
    [
      'subscribes with an id',
      { cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 0 }], properties: { subscriptionIdentifier: 1 } },
      0xa1,
    ],
    ['begins another authentication', { cmd: 'auth', reasonCode: 0x19 }, 0x82],
    ['signs in again', { cmd: 'connect', protocolVersion: 5, protocolId: 'MQTT', clientId: '', clean: true }, 0x82],
    ['publishes to a wildcard', publish('x', { topic: 'bot/device_5/#' }), 0x82],
  ] as const)('is told why its connection ends when it %s', async (_name, packet, reasonCode) => {
    const client = await open();
    client.send(packet as never);
    const disconnect = await client.next('disconnect');
    expect(disconnect).toMatchObject({ reasonCode, properties: { reasonString: expect.stringMatching(/\.$/) } });
    await client.waitUntil(() => client.isClosed, 'the end');
  });

  it('is told that its token has ended, that another took over, and that the server stops or heard nothing', async () => {
    const reasonOf = async (client: Mqtt5PacketClient) => (await client.next('disconnect')).reasonCode;
    const revoked = await open({ jti: 'ended' });
    broker.access.revoked.add('ended');
    await broker.broker.endSessions(5);
    expect(await reasonOf(revoked)).toBe(0x87);
    const first = await open({ clientId: 'same' });
    const second = await open({ clientId: 'same' });
    expect(await reasonOf(first)).toBe(0x8e);
    const silent = await open({ keepalive: 1 });
    expect(await reasonOf(silent)).toBe(0x8d);
    const stopped = broker.broker.stop();
    expect(await reasonOf(second)).toBe(0x8b);
    await stopped;
  });

  it('chooses whether it gets its own, retained and flagged messages', async () => {
    const status = 'bot/device_5/status';
    const writer = await open();
    writer.send(publish('1', { topic: status, retain: true, qos: 1, messageId: 1 }));
    await writer.next('puback');
    const client = await open(kept(60));
    await client.subscribe({ topic: status, rh: 2, rap: true, qos: 1 }, { topic, nl: true });
    await client.subscribe({ topic: status, rh: 1, rap: true, qos: 1 });
    client.send(publish('own'));
    writer.send(publish('other'), publish('2', { topic: status, retain: true, qos: 1, messageId: 2 }));
    await settled(client);
    expect(client.messages.map(({ payload, retain }) => [String(payload), retain])).toEqual([
      ['other', false],
      ['2', true],
    ]);
    await client.end();
    await gone(1);
    writer.send(publish('3', { topic: status, retain: true, qos: 1, messageId: 3 }));
    await writer.next('puback', 2);
    const again = await open(kept(60));
    expect((await again.next('connack')).sessionPresent).toBe(true);
    await again.subscribe({ topic: 'bot/device_5/+', rh: 1 });
    await settled(again);
    expect(again.messages.map(({ payload, retain }) => [String(payload), retain])).toEqual([
      // Not acknowledged before, missed, and retained.
      ['2', true],
      ['3', true],
      ['3', true],
    ]);
    expect(again.messages.map(({ dup }) => dup)).toEqual([true, false, false]);
  });

  it('chooses that for each of its subscriptions', async () => {
    const status = 'bot/device_5/status';
    const client = await open();
    client.send(publish('1', { topic: status, retain: true, qos: 1, messageId: 1 }));
    await client.next('puback');
    await client.subscribe({ topic: 'bot/device_5/#', rh: 1 });
    await settled(client);
    expect(texts(client)).toEqual(['1']);
    await client.subscribe({ topic: status, rh: 2 }, { topic: '#', rh: 0 });
    await client.subscribe({ topic: 'bot/device_5/#', rh: 1 }, { topic: 'bot/device_5/ping/#' });
    await settled(client);
    expect(texts(client)).toEqual(['1']);
    // Sent together, and answered one after the other.
    const subscribe = (messageId: number, rh: number): ISubscribePacket => ({
      cmd: 'subscribe',
      messageId,
      subscriptions: [{ topic: 'bot/device_5/+', qos: 0, rh }],
    });
    client.send(subscribe(1, 2), subscribe(2, 0), subscribe(3, 1), subscribe(4, 2));
    await settled(client);
    expect(texts(client)).toEqual(['1', '1']);
  });

  it('has a session as long as it asks for, a day at most', async () => {
    const sender = await open({ clientId: 'sender' });
    const send = async (text: string) => {
      sender.send(publish(text, { qos: 1, messageId: 1 }));
      const count = sender.received.length;
      await sender.waitUntil(() => sender.received.length > count, 'the PUBACK');
    };
    const session = async (expiry: number, options: Partial<IConnectPacket> = {}) => {
      const client = await open(kept(expiry, options));
      const { sessionPresent, properties } = await client.next('connack');
      return { client, sessionPresent, expiry: properties?.sessionExpiryInterval };
    };
    const leave = async (client: Mqtt5PacketClient, properties = {}) => {
      client.send({ cmd: 'disconnect', reasonCode: 0, properties });
      await gone(1);
    };
    const first = await session(60);
    expect([first.sessionPresent, first.expiry]).toEqual([false, undefined]);
    await first.client.subscribe({ topic, qos: 1 });
    await leave(first.client);
    await send('missed');
    broker.time.offset += 59_000;
    broker.broker.server.sweep();
    const second = await session(1_000_000);
    expect([second.sessionPresent, second.expiry]).toEqual([true, 86_400]);
    await second.client.waitUntil(() => texts(second.client).join() === 'missed', 'the missed message');
    second.client.send({ cmd: 'puback', messageId: second.client.messages[0]?.messageId ?? 0 });
    await leave(second.client, { sessionExpiryInterval: 10 });
    broker.time.offset += 11_000;
    broker.broker.server.sweep();
    const third = await session(60);
    expect(third.sessionPresent).toBe(false);
    await third.client.subscribe({ topic, qos: 1 });
    await leave(third.client);
    const fourth = await session(60, { clean: true });
    expect(fourth.sessionPresent).toBe(false);
    await send('not subscribed');
    await settled(fourth.client);
    expect(texts(fourth.client)).toEqual([]);
    await fourth.client.subscribe({ topic, qos: 1 });
    await leave(fourth.client);
    const fifth = await session(0);
    expect(fifth.sessionPresent).toBe(true);
    await leave(fifth.client, { sessionExpiryInterval: 60 });
    expect((await session(60)).sessionPresent).toBe(false);
  });

  it('gets no message that has expired, and the rest of the time with others', async () => {
    const [reader, writer] = [await open(kept(600)), await open()];
    const old = await broker.connect('device_5', { clientId: 'old', clean: false });
    await reader.subscribe({ topic: 'bot/device_5/#', qos: 1 });
    await old.subscribe('bot/device_5/#', 1);
    await Promise.all([reader.end(), old.end()]);
    await gone(1);
    const send = (text: string, seconds: number, options = {}) =>
      publish(text, { qos: 1, messageId: 1, properties: { messageExpiryInterval: seconds }, ...options });
    writer.send(send('short', 10), send('long', 100));
    writer.send(send('retained', 50, { topic: 'bot/device_5/status', retain: true }));
    await writer.next('puback', 2);
    broker.time.offset += 30_000;
    const expiry = (client: Mqtt5PacketClient) =>
      client.messages.map(
        ({ payload, properties }) => [String(payload), properties?.messageExpiryInterval ?? 0] as const,
      );
    const again = await open(kept(600));
    await settled(again);
    expect(expiry(again).map(([text]) => text)).toEqual(['long', 'retained']);
    for (const [text, left] of expiry(again)) expect(left).toBeGreaterThan(text === 'long' ? 10 : 0);
    for (const [text, left] of expiry(again)) expect(left).toBeLessThanOrEqual(text === 'long' ? 70 : 20);
    const oldAgain = await broker.connect('device_5', { clientId: 'old', clean: false });
    await oldAgain.waitUntil((received) => received.length === 2);
    expect(oldAgain.received.map(({ text }) => text)).toEqual(['long', 'retained']);
    const late = await open();
    await late.subscribe({ topic: 'bot/device_5/status' });
    await late.waitUntil(() => late.messages.length === 1, 'the retained message');
    const later = await open();
    broker.time.offset += 30_000;
    await later.subscribe({ topic: 'bot/device_5/status' });
    broker.broker.server.sweep();
    await later.subscribe({ topic: 'bot/device_5/status' });
    await settled(later);
    expect(later.messages).toEqual([]);
    // The longest time, on a clock that is set back.
    writer.send(send('ages', 0xffff_ffff, { topic: 'bot/device_5/status', retain: true }));
    await writer.next('puback', 3);
    broker.time.offset -= 10_000;
    await later.subscribe({ topic: 'bot/device_5/status' });
    await later.waitUntil(() => expiry(later).length === 2, 'the message, and the retained one');
    expect(expiry(later)).toEqual([
      ['ages', 0xffff_ffff],
      ['ages', 0xffff_ffff],
    ]);
    await oldAgain.end();
  });

  it('gets no more messages at once than it can take, and none that is too large', async () => {
    const limited = await open(kept(60, { properties: { receiveMaximum: 2, maximumPacketSize: 100 } }));
    await limited.subscribe({ topic, qos: 2 });
    const writer = await open();
    for (let at = 1; at <= 3; at++) writer.send(publish(`${at}`, { qos: 1, messageId: at }));
    writer.send(publish('x'.repeat(100), { qos: 1, messageId: 9 }), publish('x'.repeat(100)));
    await writer.next('puback', 3);
    await limited.waitUntil(() => limited.messages.length === 2, 'two messages');
    writer.send(publish('zero'));
    for (let at = 4; at <= 5; at++) writer.send(publish(`${at}`, { qos: 2, messageId: at }));
    await limited.waitUntil(() => texts(limited).includes('zero'), 'the message with QoS 0');
    await writer.next('pubrec', 1);
    expect(texts(limited)).toEqual(['1', '2', 'zero']);
    const idOf = (text: string) => limited.messages.find(({ payload }) => String(payload) === text)?.messageId ?? 0;
    limited.send({ cmd: 'puback', messageId: idOf('2') });
    await limited.waitUntil(() => texts(limited).at(-1) === '3', 'the third message');
    limited.send({ cmd: 'puback', messageId: idOf('1') }, { cmd: 'puback', messageId: idOf('3') });
    await limited.waitUntil(() => texts(limited).at(-1) === '5', 'the fifth message');
    limited.send({ cmd: 'pubrec', messageId: idOf('4'), reasonCode: 0x83 }, { cmd: 'pubrec', messageId: idOf('5') });
    await limited.next('pubrel');
    await limited.end();
    await gone(1);
    const again = await open(kept(60, { properties: { receiveMaximum: 1 } }));
    // What is left is the release of the fifth.
    expect(await again.next('pubrel')).toMatchObject({ messageId: idOf('5') });
    await settled(again);
    expect(again.messages).toEqual([]);
  });

  it('may send 8 KiB of properties with a message, and 16 KiB with another packet', async () => {
    const value = (length: number) => ({ properties: { userProperties: { x: 'y'.repeat(length - 6) } } });
    const [reader, writer] = [await open(), await open()];
    await reader.subscribe({ topic, qos: 1 });
    writer.send(publish('x', value(8192)), publish('x', { qos: 1, messageId: 1, ...value(8192) }));
    await reader.waitUntil(() => reader.messages.length === 2, 'the messages');
    expect(reader.messages[1]?.properties).toEqual(value(8192).properties);
    for (const packet of [
      publish('x', value(8193)),
      publish('x'.repeat(100_000), { qos: 2, messageId: 2, ...value(8193) }),
      { cmd: 'puback', messageId: 1, reasonCode: 0, ...value(16_400) },
    ] as const) {
      const client = await open();
      client.send(packet as never);
      await client.waitUntil(() => client.isClosed, 'the end');
    }
    expect(broker.count('broker_cut', 'too_large')).toBe(3);
    expect(reader.messages).toHaveLength(2);
  });

  it('may not repeat properties, nor use those of other packets', async () => {
    const reader = await open();
    await reader.subscribe({ topic });
    const message = (properties: string) => {
      const [head, bytes] = [Buffer.from(topic), Buffer.from(properties, 'hex')];
      const body = Buffer.concat([Buffer.from([0, head.length]), head, Buffer.from([bytes.length]), bytes]);
      return Buffer.concat([Buffer.from([0x30, body.length]), body]);
    };
    // Content types, times of expiry, the time of a session, formats, and values that do not end.
    for (const properties of [
      '030001610300016203000163',
      '02000000010200000001',
      '1100000001',
      '0100010101',
      '260001610005',
      '02',
    ]) {
      const client = await open();
      client.socket.write(message(properties));
      expect((await client.next('disconnect')).reasonCode, properties).toBe(0x82);
      await client.waitUntil(() => client.isClosed, 'the end');
    }
    const connect = (properties: string) => {
      const bytes = Buffer.from(
        `00044d51545405c20000${properties}000000086465766963655f35000a6465766963655f353a61`,
        'hex',
      );
      return Buffer.concat([Buffer.from([0x10, bytes.length]), bytes]);
    };
    for (const properties of ['0a11000000011100000001', '03210000', '05270000' + '0000', '06210001210001']) {
      const raw = await RawMqttClient.open(broker.port);
      raw.send(connect(properties));
      await raw.waitUntilClosed();
      expect(raw.receivedHex, properties).toBe('');
    }
    const valid = await RawMqttClient.open(broker.port);
    valid.send(connect('05110000003c'));
    await valid.waitUntil(() => valid.receivedHex.startsWith('20'), 'the CONNACK');
    valid.end();
    const writer = await open();
    writer.send(publish('x', { properties: { contentType: 'a' } }));
    await reader.waitUntil(() => reader.messages.length === 1, 'the message');
  });

  it('is disconnected when 4 MiB wait for its acknowledgments', async () => {
    const slow = await open({ properties: { receiveMaximum: 1 } });
    await slow.subscribe({ topic, qos: 1 });
    const writer = await open();
    for (let at = 1; at <= 6; at++) {
      writer.send(publish('x'.repeat(1_000_000), { qos: 1, messageId: at }));
      await writer.next('puback', at - 1);
    }
    await slow.waitUntil(() => slow.isClosed, 'the end');
    expect(slow.messages).toHaveLength(1);
    expect(broker.count('broker_cut', 'queue_full')).toBe(1);
  });

  it('has a will that is published late, not after it has connected again, and also when it asks for that', async () => {
    const reader = await open();
    await reader.subscribe({ topic: 'bot/device_5/pong/#' });
    const will = (text: string, willDelayInterval = 0) => ({
      topic: 'bot/device_5/pong/will',
      payload: Buffer.from(text),
      qos: 1 as const,
      retain: false,
      properties: { willDelayInterval, contentType: 'text/plain' },
    });
    const away = await open(kept(60, { will: will('never', 3600) }));
    await away.subscribe({ topic });
    await away.end();
    await gone(1);
    const taken = await open(kept(60, { will: will('neither', 3600) }));
    const back = await open(kept(60, { will: will('late', 1) }));
    await taken.next('disconnect');
    back.send(publish('x', { topic: 'bot/device_5/logs', qos: 1, messageId: 1 }));
    await back.next('puback');
    await back.end();
    // Its session ends with the connection, so its will is not late.
    const short = await open({ will: will('at once', 3600) });
    await short.end();
    const asking = await open({ will: will('asked') });
    asking.send({ cmd: 'disconnect', reasonCode: 4 });
    const silent = await open({ will: will('none') });
    silent.send({ cmd: 'disconnect', reasonCode: 0 });
    await reader.waitUntil(() => reader.messages.length === 3, 'three wills');
    expect(texts(reader).sort()).toEqual(['asked', 'at once', 'late']);
    expect(reader.messages[0]?.properties).toEqual({ contentType: 'text/plain' });
  });

  it('has a late will published when its session ends earlier', async () => {
    const reader = await open();
    await reader.subscribe({ topic: 'bot/device_5/pong/#' });
    const enter = async (clientId: string) => {
      const will = {
        topic: `bot/device_5/pong/${clientId}`,
        payload: Buffer.from(clientId),
        qos: 0,
        retain: false,
      } as const;
      const properties = { willDelayInterval: 3600 };
      const client = await open(kept(600, { clientId, will: { ...will, properties } }));
      await client.subscribe({ topic });
      return client;
    };
    const heard = (count: number) => reader.waitUntil(() => reader.messages.length === count, `${count} wills`);
    // A new session, with either version, after the end of the connection or before it.
    for (const clientId of ['away', 'old']) await (await enter(clientId)).end();
    await enter('here');
    await gone(2);
    await open({ clientId: 'away' });
    await open({ clientId: 'here' });
    const old = await broker.connect('device_5', { clientId: 'old' });
    await heard(3);
    expect(texts(reader).sort()).toEqual(['away', 'here', 'old']);
    await (await enter('late')).end();
    await gone(4);
    broker.time.offset += 601_000;
    broker.broker.server.sweep();
    await heard(4);
    for (let at = 1; at <= 22; at++) {
      await (await enter(`many ${at}`)).end();
      await gone(4);
    }
    await heard(6);
    expect(texts(reader).slice(3)).toEqual(['late', 'many 1', 'many 2']);
    await old.end();
  });
});
