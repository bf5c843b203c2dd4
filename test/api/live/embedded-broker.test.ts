import { request } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import mqtt from 'mqtt';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { channelNames } from '../../../src/live/topics.ts';
import { BrokerHarness } from '../../support/broker-harness.ts';
import type { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { packets, RawMqttClient } from '../../support/raw-mqtt-client.ts';

let broker: BrokerHarness;
beforeEach(async () => {
  broker = await BrokerHarness.start();
});
afterEach(() => broker.stop());

const texts = (listener: MqttTestClient): string[] => listener.received.map(({ topic, text }) => `${topic} ${text}`);

/** Waits until a client has received everything that was published to it before. */
async function waitForDelivery(listener: MqttTestClient): Promise<void> {
  const name = `bot/device_5/pong/${Math.random()}`;
  await listener.subscribe(name);
  await listener.publish(name, '');
  await listener.waitUntil((received) => received.some(({ topic }) => topic === name));
}

describe('the built-in broker: messages', () => {
  it.each(['mqtt://127.0.0.1', 'ws://127.0.0.1/ws', 'ws://127.0.0.1/ws/', 'ws://127.0.0.1/mqtt?x=1'])(
    'delivers messages between clients over %s',
    async (address) => {
      const url = address.replace('127.0.0.1', `127.0.0.1:${address.startsWith('ws') ? broker.httpPort : broker.port}`);
      const robot = await broker.connect('device_5', { url, clientId: 'device_5_17.1.2' });
      const browser = await broker.connect('device_5', { url, clientId: `FBJS-15.9.8-${'x'.repeat(36)}` });
      expect(await robot.subscribe(['bot/device_5/from_clients', 'bot/device_5/ping/#'])).toEqual([0, 0]);
      expect(await browser.subscribe(['bot/device_5/pong/#', 'bot/device_5/status'], 1)).toEqual([1, 1]);
      await browser.publish('bot/device_5/ping/17', '17');
      await robot.waitUntil((received) => received.length === 1);
      await robot.publish('bot/device_5/pong/17', '17', { qos: 1 });
      await browser.waitUntil((received) => received.length === 1);
      expect(texts(robot)).toEqual(['bot/device_5/ping/17 17']);
      expect(browser.received[0]).toMatchObject({ topic: 'bot/device_5/pong/17', text: '17', qos: 1, retain: false });
      expect(broker.broker.status()).toEqual({
        ok: true,
        message: `The built-in message broker listens on port ${broker.port}; 2 clients are connected.`,
        connections: 2,
      });
      await Promise.all([robot.end(), browser.end()]);
    },
  );

  it('accepts the WebSocket subprotocol mqtt on its paths, and responds with 404 on others', async () => {
    const statusOf = (path: string) => fetch(`http://127.0.0.1:${broker.httpPort}${path}`).then(({ status }) => status);
    expect(await statusOf('/ws')).toBe(200);
    const upgrade = (path: string, protocol: string) =>
      new Promise<string>((resolve, reject) => {
        const headers = {
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
          'sec-websocket-protocol': protocol,
        };
        request({ port: broker.httpPort, path, headers })
          .on('upgrade', (response, socket) => {
            socket.destroy();
            resolve(`101 ${response.headers['sec-websocket-protocol']}`);
          })
          .on('response', (response) => {
            response.resume();
            resolve(String(response.statusCode));
          })
          .on('error', reject)
          .end();
      });
    expect(await upgrade('/ws', 'mqtt')).toBe('101 mqtt');
    expect(await upgrade('/ws', 'chat, mqtt')).toBe('101 mqtt');
    expect(await upgrade('/api/ws', 'mqtt')).toBe('404');
    expect(await upgrade('/', 'mqtt')).toBe('404');
  });

  it('drops messages of a viewer, silently', async () => {
    const robot = await broker.connect('device_5');
    await robot.subscribe('bot/device_5/#');
    broker.access.rights = { role: 'viewer', scopes: null };
    const viewer = await broker.connect('device_5');
    expect(await viewer.subscribe(['bot/device_5/#', 'bot/device_6/#'])).toEqual([0, 128]);
    for (const channel of ['from_clients', 'logs', 'sync/Point/1', 'status'])
      await viewer.publish(`bot/device_5/${channel}`, 'no', { qos: 1, retain: true });
    await viewer.publish('bot/device_6/from_clients', 'no', { qos: 1 });
    await robot.publish('bot/device_5/status', 'yes');
    expect((await viewer.first('bot/device_5/status')).text).toBe('yes');
    expect(texts(robot)).toEqual(['bot/device_5/status yes']);
    expect(broker.ingested).toEqual([]);
    expect(broker.count('broker_refusals', 'ignored')).toBe(5);
    broker.access.rights = { role: 'owner', scopes: null };
    const late = await broker.connect('device_5');
    await late.subscribe('bot/device_5/#');
    await waitForDelivery(late);
    expect(late.received.filter(({ retain }) => retain)).toEqual([]);
    await Promise.all([robot.end(), viewer.end(), late.end()]);
  });

  it('delivers messages of the server, in order, without retaining or ingesting it', async () => {
    const robot = await broker.connect('device_5');
    const other = await broker.connect('device_6');
    await robot.subscribe('bot/device_5/#');
    await other.subscribe('bot/device_6/#', 1);
    const numbers = Array.from({ length: 500 }, (_, index) => String(index));
    for (const text of numbers) void broker.broker.publish({ topic: 'bot/device_5/sync/Point/7', payload: text });
    await broker.broker.publish({ topic: 'bot/device_5/logs', payload: '{"message":"ü"}' });
    await robot.waitUntil((received) => received.length === 501);
    expect(robot.received.slice(0, 500).map(({ text }) => text)).toEqual(numbers);
    expect(robot.received.at(-1)).toMatchObject({ text: '{"message":"ü"}', retain: false, qos: 0 });
    expect(broker.ingested).toEqual([]);
    const late = await broker.connect('device_5');
    await late.subscribe('bot/device_5/#');
    await waitForDelivery(late);
    expect(late.received).toHaveLength(1);
    expect(other.received).toEqual([]);
    await Promise.all([robot.end(), other.end(), late.end()]);
  });

  it('delivers once to a client with two matching filters, and loses nothing when QoS 0 and 1 are mixed', async () => {
    const client = await broker.connect('device_5');
    await client.subscribe('bot/device_5/#', 0);
    await client.subscribe('bot/device_5/status', 1);
    await client.subscribe('bot/device_5/logs', 1);
    const sender = await broker.connect('device_5');
    const expected: string[] = [];
    const sent: Promise<void>[] = [];
    for (let index = 0; index < 300; index++) {
      const topic = index % 3 === 0 ? 'bot/device_5/status' : 'bot/device_5/logs';
      sent.push(sender.publish(topic, String(index), { qos: index % 2 === 0 ? 1 : 0 }));
      expected.push(`${topic} ${index}`);
    }
    await Promise.all(sent);
    await waitForDelivery(client);
    const deliveries = texts(client).filter((text) => !text.includes('/pong/'));
    expect([...deliveries].sort()).toEqual([...expected].sort());
    await Promise.all([client.end(), sender.end()]);
  });

  it('delivers with the highest QoS that was granted for a matching filter', async () => {
    const client = await broker.connect('device_5');
    await client.subscribe(['bot/device_5/#', 'bot/device_5/+'], 0);
    await client.subscribe('bot/device_5/sync/#', 1);
    const sender = await broker.connect('device_5');
    await sender.publish('bot/device_5/status', 'a', { qos: 1, retain: true });
    await sender.publish('bot/device_5/sync/Point/7', 'b', { qos: 1 });
    await sender.publish('bot/device_5/sync/Point/7', 'c', { qos: 0 });
    await client.waitUntil((received) => received.length === 3);
    const deliveries = client.received.map(({ text, qos, retain }) => `${text} ${qos} ${retain}`);
    expect(deliveries.sort()).toEqual(['a 0 false', 'b 1 false', 'c 0 false']);
    await new Promise((resolve) => client.client.unsubscribe('bot/device_5/sync/#', resolve));
    await sender.publish('bot/device_5/sync/Point/7', 'd', { qos: 1 });
    await client.waitUntil(() => client.received.length === 4);
    expect(client.received[3]).toMatchObject({ text: 'd', qos: 0 });
    await new Promise((resolve) => client.client.unsubscribe(['bot/device_5/#', 'bot/device_5/+'], resolve));
    await sender.publish('bot/device_5/sync/Point/7', 'e', { qos: 1 });
    await waitForDelivery(client);
    expect(client.received).toHaveLength(5);
    await Promise.all([client.end(), sender.end()]);
  });

  it('accepts QoS 2 and delivers it once', async () => {
    const client = await broker.connect('device_5');
    await client.subscribe('bot/device_5/logs', 1);
    await client.client.publishAsync('bot/device_5/logs', '{"a":1}', { qos: 2 });
    await client.waitUntil((received) => received.length === 1);
    expect(client.received[0]?.qos).toBe(1);
    expect(broker.ingested).toHaveLength(1);
    await client.end();
  });

  it('publishes the will of a client whose connection breaks, and of no other', async () => {
    const watcher = await broker.connect('device_5');
    await watcher.subscribe('bot/device_5/#');
    const will = (topic: string) => ({
      will: { topic, payload: Buffer.from('offline'), qos: 0 as const, retain: false },
    });
    const robot = await broker.connect('device_5', will('bot/device_5/status'));
    robot.client.stream.destroy();
    await watcher.waitUntil((received) => received.length === 1);
    expect(texts(watcher)).toEqual(['bot/device_5/status offline']);
    const disconnecting = await broker.connect('device_5', will('bot/device_5/status'));
    await disconnecting.client.endAsync(false);
    const foreign = await broker.connect('device_6', will('bot/device_5/status'));
    foreign.client.stream.destroy();
    await foreign.waitUntilClosed();
    await broker.waitUntil(() => broker.access.denied.length === 1, 'the refusal of the will');
    await waitForDelivery(watcher);
    expect(watcher.received).toHaveLength(2);
    await watcher.end();
  });

  it.each(['closes it', 'fails to check it', 'is stopped'])(
    'publishes no will of a connection whose token has ended when the server %s',
    async (how) => {
      const watcher = await broker.connect('device_5');
      await watcher.subscribe('bot/device_5/#');
      const payload = Buffer.from('offline');
      const options = {
        jti: 'old',
        will: { topic: 'bot/device_5/from_clients', payload, qos: 1 as const, retain: false },
      };
      const client = await broker.connect('device_5', options);
      let checks = 0;
      broker.access.checked = async () => {
        checks++;
        if (how === 'fails to check it') throw new Error('the database is unavailable');
      };
      if (how === 'is stopped') await broker.stop();
      else {
        broker.access.revoked.add('old');
        if (how === 'closes it') await broker.broker.endSessions(5);
        else client.client.stream.destroy();
        await broker.waitUntil(() => checks === (how === 'closes it' ? 2 : 1), 'the check of the will');
        await waitForDelivery(watcher);
        const reason = how === 'closes it' ? 'ended_will' : 'not_checked';
        expect(broker.count('broker_refusals', reason)).toBe(1);
      }
      expect(texts(watcher).filter((each) => each.endsWith('offline'))).toEqual([]);
      await watcher.end();
    },
  );

  it('asks about a will again when the connection ends, and not while the server stops', async () => {
    const watcher = await broker.connect('device_5');
    await watcher.subscribe('bot/device_5/status');
    const will = { topic: 'bot/device_5/status', payload: Buffer.from('offline'), qos: 0 as const, retain: false };
    const client = await broker.connect('device_5', { will });
    let answer = () => {};
    let isAsked = false;
    broker.access.checked = () => {
      isAsked = true;
      return new Promise<void>((resolve) => {
        answer = resolve;
      });
    };
    client.client.stream.destroy();
    await broker.waitUntil(() => isAsked, 'the check of the will');
    const stopped = broker.broker.stop();
    answer();
    await stopped;
    expect(watcher.received).toEqual([]);
    await watcher.end();
  });

  it.each(['is broken', 'is replaced'])(
    'publishes a will before what the client publishes after its connection %s',
    async (how) => {
      const watcher = await broker.connect('device_5');
      await watcher.subscribe('bot/device_5/status');
      const will = { topic: 'bot/device_5/status', payload: Buffer.from('offline'), qos: 1 as const, retain: true };
      const robot = await broker.connect('device_5', { clientId: 'robot', will });
      const answers: (() => void)[] = [];
      broker.access.checked = () => new Promise((resolve) => void answers.push(() => resolve(undefined)));
      if (how === 'is broken') {
        robot.client.stream.destroy();
        await broker.waitUntil(() => answers.length === 1, 'the check of the will');
      }
      const back = await RawMqttClient.open(broker.port);
      // Without waiting for the CONNACK.
      back.send(
        packets.connect('device_5', 'device_5:a', { clientId: 'robot' }),
        packets.publish('bot/device_5/status', 'online', 0, 0, true),
        packets.publish('bot/device_5/status', 'and working', 0, 0, true),
      );
      await broker.waitUntil(() => answers.length === 1, 'the check of the will');
      await back.waitUntil(() => back.receivedHex === '20020000', 'the CONNACK');
      await sleep(50);
      expect(watcher.received).toEqual([]);
      answers[0]?.();
      await watcher.waitUntil((received) => received.length === 3);
      expect(watcher.received.map(({ text }) => text)).toEqual(['offline', 'online', 'and working']);
      watcher.take();
      await new Promise((resolve) => watcher.client.unsubscribe('bot/device_5/status', resolve));
      await watcher.subscribe('bot/device_5/status');
      await watcher.waitUntil((received) => received.length === 1);
      expect(texts(watcher)).toEqual(['bot/device_5/status and working']);
      back.end();
      await watcher.end();
    },
  );

  it('closes the earlier connection with a client id, within one account only', async () => {
    const first = await broker.connect('device_5', { clientId: 'same' });
    const foreign = await broker.connect('device_6', { clientId: 'same' });
    const second = await broker.connect('device_5', { clientId: 'same' });
    await first.waitUntilClosed();
    expect([second.isConnected, foreign.isConnected]).toEqual([true, true]);
    await Promise.all([second.end(), foreign.end()]);
  });
});

describe('the built-in broker: ingestion', () => {
  it('ingests logs and telemetry of clients, and nothing else', async () => {
    const robot = await broker.connect('device_5');
    await robot.publish('bot/device_5/logs', '{"n":1}');
    await robot.publish('bot/device_5/telemetry', '{"n":2}', { qos: 1 });
    await robot.publish('bot/device_5/logs/deeper', '3', { qos: 1 });
    await robot.publish('bot/device_5/status', '4', { qos: 1 });
    const admin = await broker.connect('admin');
    await admin.publish('bot/device_9/logs', '', { qos: 1 });
    expect(broker.ingested).toEqual([
      { channel: 'logs', deviceId: 5, text: '{"n":1}' },
      { channel: 'telemetry', deviceId: 5, text: '{"n":2}' },
      { channel: 'logs', deviceId: 9, text: '' },
    ]);
    await Promise.all([robot.end(), admin.end()]);
  });

  it('acknowledges QoS 1 after it is stored, and does not wait with QoS 0', async () => {
    let store = () => {};
    const stored = new Promise<void>((resolve) => {
      store = resolve;
    });
    broker.store = () => stored;
    const robot = await broker.connect('device_5');
    const browser = await broker.connect('device_5');
    await browser.subscribe('bot/device_5/logs');
    let isAcknowledged = false;
    await robot.publish('bot/device_5/logs', '0');
    await browser.waitUntil((received) => received.length === 1);
    const acknowledged = robot.publish('bot/device_5/logs', '1', { qos: 1 }).then(() => {
      isAcknowledged = true;
    });
    await waitForDelivery(browser);
    expect([isAcknowledged, browser.received.length, broker.ingested.length]).toEqual([false, 2, 0]);
    store();
    await acknowledged;
    await browser.waitUntil((received) => received.length === 3);
    expect(broker.ingested.map(({ text }) => text)).toEqual(['0', '1']);
    await Promise.all([robot.end(), browser.end()]);
  });

  it('closes the connection of a client whose QoS 1 message could not be stored', async () => {
    broker.store = () => Promise.reject(new Error('no database'));
    const robot = await broker.connect('device_5');
    await robot.publish('bot/device_5/logs', '0');
    robot.publish('bot/device_5/logs', '1', { qos: 1 }).catch(() => undefined);
    await robot.waitUntilClosed();
    expect(broker.count('broker_cut', 'not_stored')).toBe(1);
  });

  it('handles messages that a client sent before it disconnected', async () => {
    const robot = await broker.connect('device_5');
    for (let index = 0; index < 200; index++) robot.client.publish('bot/device_5/logs', String(index));
    await robot.client.endAsync(false);
    await broker.waitUntil(() => broker.ingested.length === 200, 'all logs');
  });
});

describe('the built-in broker: retained messages and sessions', () => {
  it('stores retained messages, and deletes them with an empty message', async () => {
    const robot = await broker.connect('device_5');
    await robot.publish('bot/device_5/status', 'old', { retain: true, qos: 1 });
    await robot.publish('bot/device_5/status', 'new', { retain: true, qos: 1 });
    const browser = await broker.connect('device_5');
    await browser.subscribe('bot/device_5/#');
    await browser.waitUntil((received) => received.length === 1);
    await waitForDelivery(browser);
    expect(browser.received[0]).toMatchObject({ topic: 'bot/device_5/status', text: 'new', retain: true, qos: 0 });
    expect(browser.received).toHaveLength(2);
    await browser.subscribe('bot/device_5/status', 1);
    await browser.waitUntil((received) => received.length === 3);
    expect(browser.received[2]).toMatchObject({ text: 'new', retain: true, qos: 1 });
    await robot.publish('bot/device_5/status', '', { retain: true, qos: 1 });
    await browser.subscribe('bot/device_5/status', 1);
    await waitForDelivery(browser);
    expect(browser.received.slice(3).filter(({ retain }) => retain)).toEqual([]);
    const other = await broker.connect('device_6');
    await other.subscribe('bot/device_6/#');
    await other.publish('bot/device_6/status', 'mine', { qos: 1 });
    await other.waitUntil((received) => received.length === 1);
    expect(texts(other)).toEqual(['bot/device_6/status mine']);
    await Promise.all([robot.end(), browser.end(), other.end()]);
  });

  it('delivers messages with the retain flag on other channels once, to subscribed clients', async () => {
    const [robot, admin] = [await broker.connect('device_5'), await broker.connect('admin')];
    await robot.subscribe('bot/device_5/#');
    const channels = channelNames
      .filter((name) => name !== 'terminal_input')
      .flatMap((name) => [name, `${name}/deeper`]);
    const willTopic = 'bot/device_5/from_clients';
    const will = { topic: willTopic, payload: Buffer.from('of a will'), qos: 1 as const, retain: true };
    const dropped = await broker.connect('device_5', { will });
    for (const channel of channels) await robot.publish(`bot/device_5/${channel}`, 'x', { retain: true, qos: 1 });
    await admin.publish('bot/device_5/terminal_input', 'of the administrator', { retain: true, qos: 1 });
    dropped.client.stream.destroy();
    await robot.waitUntil((received) => received.length === channels.length + 2, 'all messages');
    expect(robot.received.filter(({ retain }) => retain)).toEqual([]);
    const late = await broker.connect('device_5');
    await late.subscribe('bot/device_5/#');
    await waitForDelivery(late);
    expect(late.received.filter(({ topic }) => !topic.includes('/pong/')).map(({ topic }) => topic)).toEqual([
      'bot/device_5/status',
    ]);
    await Promise.all([robot.end(), admin.end(), late.end()]);
  });

  const persistent = { clean: false, clientId: 'robot' };

  it('keeps a session: its filters, and QoS 1 messages', async () => {
    const first = await broker.connect('device_5', persistent);
    await first.subscribe(['bot/device_5/from_clients', 'bot/device_5/status'], 1);
    await first.client.endAsync(false);
    const sender = await broker.connect('device_5');
    await sender.publish('bot/device_5/from_clients', 'a', { qos: 1 });
    await sender.publish('bot/device_5/from_clients', 'b', { qos: 0 });
    await sender.publish('bot/device_5/status', 'c', { qos: 1 });
    const second = await broker.connect('device_5', persistent);
    await second.waitUntil((received) => received.length >= 2);
    await sender.publish('bot/device_5/from_clients', 'd');
    await second.waitUntil((received) => received.length >= 3);
    expect(texts(second)).toEqual([
      'bot/device_5/from_clients a',
      'bot/device_5/status c',
      'bot/device_5/from_clients d',
    ]);
    await second.client.endAsync(false);
    const third = await broker.connect('device_5', persistent);
    await waitForDelivery(third);
    expect(third.received).toHaveLength(1);
    await third.client.endAsync(false);
    const clean = await broker.connect('device_5', { clean: true, clientId: 'robot' });
    await clean.client.endAsync(false);
    const fourth = await broker.connect('device_5', persistent);
    await sender.publish('bot/device_5/from_clients', 'e', { qos: 1 });
    await waitForDelivery(fourth);
    expect(fourth.received).toHaveLength(1);
    await Promise.all([sender.end(), fourth.end()]);
  });

  it('marks messages that it sends again, and no others', async () => {
    const received = async (...hex: readonly string[]) => {
      const client = await RawMqttClient.open(broker.port);
      client.send(packets.connect('device_5', 'device_5:a', { clientId: 'again', isClean: false }));
      client.send(packets.subscribe(['bot/device_5/from_clients'], 2));
      const pattern = new RegExp(`^2002..00(9003000102)?${hex.join('')}(9003000102)?$`);
      await client.waitUntil(() => pattern.test(client.receivedHex), hex.join());
      return client;
    };
    const id = '(....)';
    const topic = Buffer.from('bot/device_5/from_clients').toString('hex');
    const message = (first: string, text: string) => `${first}1e0019${topic}${id}${text}`;
    const idOf = ({ receivedHex }: RawMqttClient, text: string) =>
      new RegExp(`${topic}${id}${text}`).exec(receivedHex)?.[1] ?? '';
    const sender = await broker.connect('device_5');

    const first = await received();
    // A sender that repeats its own message sends the first one to this client.
    const repeated = packets.publish('bot/device_5/from_clients', 'a', 1, 7);
    repeated[0] = 0x3a;
    const raw = await RawMqttClient.signIn(broker.port, 'device_5');
    raw.send(repeated);
    await first.waitUntil(() => new RegExp(message('32', '61')).test(first.receivedHex), 'the first message');
    await sender.client.publishAsync('bot/device_5/from_clients', 'b', { qos: 2 });
    await first.waitUntil(() => new RegExp(message('34', '62')).test(first.receivedHex), 'the second message');
    first.end();
    await broker.waitUntil(() => broker.broker.status().connections === 2, 'the end of the connection');
    await sender.publish('bot/device_5/from_clients', 'c', { qos: 1 });

    const second = await received(message('3a', '61'), message('3c', '62'), message('32', '63'));
    second.send(Buffer.from(`4002${idOf(second, '61')}5002${idOf(second, '62')}`, 'hex'));
    await second.waitUntil(() => second.receivedHex.endsWith(`6202${idOf(second, '62')}`), 'the release');
    second.end();
    await broker.waitUntil(() => broker.broker.status().connections === 2, 'the end of the connection');
    // A release is repeated as it was.
    const third = await received(`6202${idOf(second, '62')}`, message('3a', '63'));
    third.end();
    raw.end();
    await sender.end();
  });

  it('never gives a session to another account', async () => {
    const first = await broker.connect('device_5', persistent);
    await first.subscribe('bot/device_5/from_clients', 1);
    await first.client.endAsync(false);
    const sender = await broker.connect('device_5');
    await sender.publish('bot/device_5/from_clients', 'secret', { qos: 1 });
    const otherAccount = await broker.connect('device_6', persistent);
    const prefixedId = await broker.connect('device_6', { clean: false, clientId: 'device_5/robot' });
    await sender.publish('bot/device_5/from_clients', 'more', { qos: 1 });
    await otherAccount.subscribe('bot/device_6/status');
    await prefixedId.subscribe('bot/device_6/status');
    expect([...otherAccount.received, ...prefixedId.received]).toEqual([]);
    const owner = await broker.connect('device_5', persistent);
    await owner.waitUntil((received) => received.length === 2);
    await Promise.all([sender.end(), otherAccount.end(), prefixedId.end(), owner.end()]);
  });

  it('does not store rejected filters of a subscription with granted ones', async () => {
    const spy = await broker.connect('device_6', { clean: false, clientId: 'spy' });
    expect(await spy.subscribe(['bot/device_6/logs', 'bot/device_5/from_clients', 'bot/device_6/status'], 1)).toEqual([
      1, 128, 1,
    ]);
    await spy.client.endAsync(false);
    const sender = await broker.connect('device_5');
    await sender.publish('bot/device_5/from_clients', 'secret', { qos: 1 });
    const own = await broker.connect('device_6');
    await own.publish('bot/device_6/logs', 'own', { qos: 1 });
    await own.publish('bot/device_6/status', 'own', { qos: 1 });
    const back = await broker.connect('device_6', { clean: false, clientId: 'spy' });
    await back.waitUntil((received) => received.length === 2);
    expect(texts(back).sort()).toEqual(['bot/device_6/logs own', 'bot/device_6/status own']);
    await Promise.all([sender.end(), own.end(), back.end()]);
  });

  it('queues 1,000 messages for an offline client, and no more', async () => {
    const first = await broker.connect('device_5', persistent);
    await first.subscribe('bot/device_5/status', 1);
    await first.client.endAsync(false);
    const sender = await broker.connect('device_5');
    const sent: Promise<void>[] = [];
    for (let index = 0; index < 1100; index++)
      sent.push(sender.publish('bot/device_5/status', String(index), { qos: 1 }));
    await Promise.all(sent);
    const second = await broker.connect('device_5', persistent);
    await second.waitUntil((received) => received.length >= 1000);
    await waitForDelivery(second);
    expect(second.received).toHaveLength(1001);
    expect([second.received[0]?.text, second.received[999]?.text]).toEqual(['0', '999']);
    await Promise.all([sender.end(), second.end()]);
  });

  it('deletes a session after a day', async () => {
    broker.access.expires += 48 * 60 * 60_000;
    const first = await broker.connect('device_5', persistent);
    await first.subscribe('bot/device_5/status', 1);
    await first.client.endAsync(false);
    await broker.waitUntil(() => broker.broker.status().connections === 0, 'the end');
    broker.time.offset = 24 * 60 * 60_000 - 10_000;
    broker.broker.server.sweep();
    const sender = await broker.connect('device_5');
    await sender.publish('bot/device_5/status', 'kept', { qos: 1 });
    const second = await broker.connect('device_5', persistent);
    await second.waitUntil((received) => received.length === 1);
    await second.client.endAsync(false);
    await broker.waitUntil(() => broker.broker.status().connections === 1, 'the end');
    broker.time.offset += 24 * 60 * 60_000 + 10_000;
    broker.broker.server.sweep();
    await sender.publish('bot/device_5/status', 'lost', { qos: 1 });
    const third = await broker.connect('device_5', persistent);
    await waitForDelivery(third);
    expect(third.received).toHaveLength(1);
    await Promise.all([sender.end(), third.end()]);
  });
});

describe('the built-in broker: sign-in and shutdown', () => {
  it('closes the connections of revoked tokens after their pending messages, and no others', async () => {
    const robot = await broker.connect('device_5', { jti: 'old', clientId: 'robot', clean: false });
    const overWeb = await broker.connect('device_5', { jti: 'old', url: `ws://127.0.0.1:${broker.httpPort}/ws` });
    const current = await broker.connect('device_5', { jti: 'new' });
    const neighbor = await broker.connect('device_6', { jti: 'other' });
    for (const each of [robot, overWeb, current]) await each.subscribe('bot/device_5/from_clients', 1);
    const large = 'x'.repeat(1_000_000);
    await broker.broker.publish({ topic: 'bot/device_5/from_clients', payload: large });
    await broker.broker.publish({ topic: 'bot/device_5/from_clients', payload: 'factory_reset' });
    broker.access.revoked.add('old');
    await broker.broker.endSessions(5);
    await Promise.all([robot.waitUntilClosed(), overWeb.waitUntilClosed()]);
    expect(robot.received.map(({ text }) => text.length)).toEqual([1_000_000, 13]);
    expect(overWeb.received.map(({ text }) => text.length)).toEqual([1_000_000, 13]);
    expect([current.isConnected, neighbor.isConnected]).toEqual([true, true]);
    expect(broker.count('broker_cut', 'token_revoked')).toBe(2);
    await current.publish('bot/device_5/from_clients', 'later', { qos: 1 });
    const back = await broker.connect('device_5', { jti: 'new', clientId: 'robot', clean: false });
    await waitForDelivery(back);
    expect(back.received).toHaveLength(1);
    await Promise.all([current.end(), neighbor.end(), back.end()]);
  });

  it('does not wait for a client that does not read before closing its connection', async () => {
    const robot = await broker.connect('device_5', { jti: 'old' });
    await robot.subscribe('bot/device_5/from_clients');
    robot.client.stream.pause();
    for (let index = 0; index < 6; index++)
      await broker.broker.publish({ topic: 'bot/device_5/from_clients', payload: 'x'.repeat(500_000) });
    broker.access.revoked.add('old');
    await broker.broker.endSessions(5);
    expect(broker.broker.status().connections).toBe(0);
    await robot.end();
  });

  it('does not wait for a client that does not read before it ends connections of others', async () => {
    // A broker that waited for it would close the other connection a minute later.
    const own = await BrokerHarness.start({ limits: { maxQueuedBytes: 64 * 1024 * 1024, closeTimeout: 60_000 } });
    const slow = await own.connect('device_5', { jti: 'slow' });
    await slow.subscribe('bot/device_5/from_clients');
    slow.client.stream.pause();
    for (let index = 0; index < 40; index++)
      await own.broker.publish({ topic: 'bot/device_5/from_clients', payload: 'x'.repeat(500_000) });
    const other = await own.connect('device_6', { jti: 'other' });
    own.access.revoked.add('slow');
    own.tokensVersion = 'second';
    await own.waitUntil(() => own.count('broker_cut', 'token_revoked') === 1, 'the end of the first');
    own.access.revoked.add('other');
    own.tokensVersion = 'third';
    await other.waitUntilClosed();
    await Promise.all([slow.end(), own.stop()]);
  });

  it('ends everything that depends on a token that another process revoked, after a factory reset that is due', async () => {
    const [robot, script] = [
      await broker.connect('device_5', { jti: 'old', clientId: 'device_5_17.1.2', clean: false }),
      await broker.connect('device_5', { jti: 'other' }),
    ];
    await robot.subscribe('bot/device_5/from_clients');
    const member = await broker.connect('device_5', { jti: 'member' });
    const neighbor = await broker.connect('device_6', { jti: 'guest' });
    await neighbor.publish('bot/device_6/status', 'of the guest', { qos: 1, retain: true });
    const offline = await broker.connect('device_6', { jti: 'guest', clientId: 'page', clean: false });
    await offline.subscribe('bot/device_6/from_clients', 1);
    await offline.end();
    let checks = 0;
    broker.access.checked = async () => {
      checks++;
      if (checks === 1) throw new Error('the database is unavailable');
    };
    broker.resetting = new Set([5]);
    broker.access.revoked.add('old').add('member').add('guest');
    broker.tokensVersion = 'second';
    await Promise.all([neighbor.waitUntilClosed(), member.waitUntilClosed()]);
    expect([robot.isConnected, script.isConnected, checks > 1]).toEqual([true, true, true]);
    broker.resetting = new Set();
    await robot.waitUntilClosed();
    expect(script.isConnected).toBe(true);
    // Nothing is asked again while nothing changes.
    const before = checks;
    await sleep(1200);
    expect(checks).toBe(before);
    const back = await broker.connect('device_6', { jti: 'new', clientId: 'page', clean: false });
    await script.publish('bot/device_5/from_clients', 'x', { qos: 1 });
    await back.subscribe('bot/device_6/#');
    await back.publish('bot/device_6/from_clients', 'last', { qos: 1 });
    await back.waitUntil((received) => received.length > 0);
    expect(texts(back)).toEqual(['bot/device_6/from_clients last']);
    // While changes of other processes are not known, everything is checked each time.
    broker.tokensVersion = null;
    broker.access.revoked.add('other');
    await script.waitUntilClosed();
    await back.end();
  });

  it('deletes the messages retained with a token when that ends, and nothing else', async () => {
    const [robot, neighbor] = [await broker.connect('device_5'), await broker.connect('device_55', { jti: 'other' })];
    const guest = await broker.connect('device_6', { jti: 'guest' });
    for (const [client, id] of [
      [robot, 5],
      [neighbor, 55],
      [guest, 6],
    ] as const)
      await client.publish(`bot/device_${id}/status`, `of ${id}`, { retain: true, qos: 1 });
    const payload = Buffer.from('of a will');
    const will = { topic: 'bot/device_6/status', payload, qos: 0 as const, retain: true };
    const willed = await broker.connect('device_6', { jti: 'willed', will });
    const admin = await broker.connect('admin');
    const retained = async (): Promise<string[]> => {
      admin.take();
      await new Promise((resolve) => admin.client.unsubscribe('bot/+/status', resolve));
      await admin.subscribe('bot/+/status');
      // Each is sent a tick after the one before.
      for (let index = 0; index < 5; index++) await admin.subscribe('bot/+/pong');
      return admin.received.flatMap(({ text, retain }) => (retain ? [text] : [])).sort();
    };
    expect(await retained()).toEqual(['of 5', 'of 55', 'of 6']);
    willed.client.stream.destroy();
    await admin.waitUntil((received) => received.some(({ text }) => text === 'of a will'));
    await guest.end();
    broker.access.revoked.add('guest').add('a');
    await broker.broker.endSessions(6);
    expect(await retained()).toEqual(['of 5', 'of 55', 'of a will']);
    broker.access.revoked.add('willed');
    await broker.broker.endSessions(6);
    await broker.broker.endSessions(5);
    await robot.waitUntilClosed();
    expect(await retained()).toEqual(['of 55']);
    await neighbor.end();
    await broker.broker.endSessions(55);
    expect(await retained()).toEqual(['of 55']);
    broker.time.offset = 2 * 60 * 60_000;
    broker.broker.server.sweep();
    expect(await retained()).toEqual([]);
    await admin.publish('bot/device_7/status', 'of the administrator', { retain: true, qos: 1 });
    expect(await retained()).toEqual(['of the administrator']);
    await broker.broker.endSessions(7);
    expect(await retained()).toEqual([]);
    await admin.end();
  });

  it('lets clients reconnect after a temporary failure', async () => {
    const password = 'device_5:a';
    const failure = Promise.reject(new Error('the database is unavailable'));
    failure.catch(() => undefined);
    broker.access.delay = failure;
    const client = mqtt.connect(broker.url, {
      username: 'device_5',
      password,
      reconnectPeriod: 30,
      protocolVersion: 4,
    });
    const errors: string[] = [];
    client.on('error', ({ message }) => errors.push(message));
    await broker.waitUntil(() => broker.count('broker_refusals', 'not_checked') >= 2, 'the second attempt');
    expect(client.connected).toBe(false);
    broker.access.delay = Promise.resolve();
    await broker.waitUntil(() => client.connected, 'the connection');
    expect(errors).toEqual([]);
    expect(broker.logLines.filter((line) => line.includes('not_checked')).length).toBeGreaterThanOrEqual(2);
    await client.endAsync(true);
  });

  it('lets clients reconnect after others have disconnected', async () => {
    const own = await BrokerHarness.start({ limits: { maxConnectionsPerUser: 1 } });
    const first = await own.connect('device_5');
    const password = 'device_5:a';
    const client = mqtt.connect(own.url, { username: 'device_5', password, reconnectPeriod: 30, protocolVersion: 4 });
    client.on('error', () => undefined);
    await own.waitUntil(() => own.count('broker_refusals', 'too_many_connections') >= 2, 'the second attempt');
    await first.end();
    await own.waitUntil(() => client.connected, 'the connection');
    await client.endAsync(true);
    await own.stop();
  });

  it('sends no CONNACK to a client that signs in during the shutdown', async () => {
    const own = await BrokerHarness.start();
    let finishCheck = () => {};
    own.access.delay = new Promise<void>((resolve) => {
      finishCheck = resolve;
    });
    const client = await RawMqttClient.open(own.port);
    client.send(packets.connect('device_5', 'device_5:a'));
    await own.waitUntil(() => own.access.signIns === 1, 'the sign-in');
    const stopped = own.stop();
    finishCheck();
    await Promise.all([stopped, client.waitUntilClosed()]);
    expect(client.receivedHex).toBe('');
  });

  it('rejects a token that was revoked while it was checked', async () => {
    let finishCheck = () => {};
    broker.access.delay = new Promise<void>((resolve) => {
      finishCheck = resolve;
    });
    const attempt = broker.connect('device_5', { jti: 'old' }).then(
      () => 'connected',
      (error: Error) => error.message,
    );
    await broker.waitUntil(() => broker.access.signIns === 1, 'the sign-in');
    const ended = broker.broker.endSessions(5);
    finishCheck();
    // Revoked only now, as if the sign-in had read the token before.
    queueMicrotask(() => broker.access.revoked.add('old'));
    await ended;
    expect(await attempt).toMatch(/Bad username or password|Connection refused/i);
  });

  it('ends everything that depends on a token within a second after it expires, and nothing else', async () => {
    broker.access.expires = Date.now() + 60_000;
    const robot = await broker.connect('device_5');
    const offline = await broker.connect('device_5', { clientId: 'page', clean: false });
    await offline.subscribe('bot/device_5/from_clients', 1);
    await offline.end();
    await robot.publish('bot/device_5/status', 'retained', { retain: true, qos: 1 });
    broker.access.expires += 60_000;
    const [other, next] = [await broker.connect('device_6'), await broker.connect('device_5')];
    const admin = await broker.connect('admin');
    broker.time.offset = 59_000;
    const before = performance.now();
    await robot.waitUntilClosed();
    // A second, and the delay of a busy machine.
    expect(performance.now() - before).toBeLessThan(30_000);
    expect([other.isConnected, next.isConnected, admin.isConnected]).toEqual([true, true, true]);
    expect(broker.count('broker_cut', 'token_expired')).toBe(1);
    await next.publish('bot/device_5/from_clients', 'later', { qos: 1 });
    const back = await broker.connect('device_5', { clientId: 'page', clean: false });
    await back.subscribe('bot/device_5/status');
    await waitForDelivery(back);
    expect(texts(back)).toEqual([expect.stringContaining('/pong/')]);
    await Promise.all([other.end(), next.end(), admin.end(), back.end()]);
  });

  it('reports a port that is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = address && typeof address === 'object' ? address.port : 0;
    const failure = await BrokerHarness.start({ port }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'EADDRINUSE',
      message: expect.stringContaining(`Port ${port}, the port of the message broker, is used by another program.`),
    });
    await new Promise((resolve) => other.close(resolve));
  });

  it('stops while a client does not read', async () => {
    const own = await BrokerHarness.start();
    const clients = await Promise.all(Array.from({ length: 20 }, () => own.connect('device_5')));
    const [stalled] = clients;
    await stalled?.subscribe('bot/device_5/status');
    stalled?.client.stream.pause();
    for (let index = 0; index < 6; index++)
      await own.broker.publish({ topic: 'bot/device_5/status', payload: 'x'.repeat(500_000) });
    await own.stop();
    await Promise.all(clients.slice(1).map((client) => client.waitUntilClosed()));
    expect(own.broker.status()).toMatchObject({ ok: false, connections: 0 });
    await expect(own.broker.publish({ topic: 'bot/device_5/status', payload: '' })).rejects.toThrow('not running');
    await stalled?.end();
  });
});
