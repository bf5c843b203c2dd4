import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IClientOptions } from 'mqtt';
import { generate } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { MqttTestClient } from '../../support/mqtt-test-client.ts';
import { RabbitMq } from '../../support/rabbitmq.ts';
import { suiteFixture } from '../../support/suite-fixture.ts';

// What docs/rabbitmq.md says of RabbitMQ 3.10.8, without Potager: where it changes, the page has to.

const maxMessageSize = 100_000;
const login = { username: 'client', password: 'secret' };
const keepAlive = 2;

describe('RabbitMQ 3.10.8', () => {
  const rabbitmq = suiteFixture(
    async () => {
      const prepared = await RabbitMq.configured(
        ({ amqp, mqtt, webMqtt, management }) => `
listeners.tcp.local = 127.0.0.1:${amqp}
mqtt.listeners.tcp.local = 127.0.0.1:${mqtt}
mqtt.allow_anonymous = false
mqtt.vhost = /
mqtt.exchange = amq.topic
web_mqtt.tcp.ip = 127.0.0.1
web_mqtt.tcp.port = ${webMqtt}
management.tcp.ip = 127.0.0.1
management.tcp.port = ${management}
max_message_size = ${maxMessageSize}
default_user = ${login.username}
default_pass = ${login.password}
log.console = true
log.file = false
`,
        '[rabbitmq_mqtt,rabbitmq_web_mqtt,rabbitmq_management].\n',
      );
      await prepared.start();
      return prepared;
    },
    (started) => started.remove(),
  );
  const open = (options: IClientOptions = {}) => MqttTestClient.connect(rabbitmq.mqttUrl, { ...login, ...options });
  const textsOf = ({ received }: MqttTestClient, topic: string) =>
    received.filter((message) => message.topic === topic).map(({ text, qos }) => `${text} ${qos}`);

  let topics = 0;
  /** Waits until a client has received everything that was published before, by any client. */
  async function settled(client: MqttTestClient): Promise<void> {
    const topic = `settled/${++topics}`;
    await client.subscribe(topic);
    for (const qos of [0, 1] as const) await client.publish(topic, '', { qos });
    await client.waitUntil((received) => received.filter((message) => message.topic === topic).length === 2);
  }

  /** Sends a CONNECT, and returns the answer and how long the connection was open, in ms. */
  const answerTo = (options: object): Promise<{ hex: string; time: number }> =>
    new Promise((resolve) => {
      const socket = connect(Number(new URL(rabbitmq.mqttUrl).port), '127.0.0.1');
      const began = performance.now();
      let hex = '';
      socket.on('data', (data: Buffer) => {
        hex += data.toString('hex');
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve({ hex, time: performance.now() - began }));
      const packet = {
        ...{ cmd: 'connect', protocolId: 'MQTT', clientId: 'raw', clean: true, keepalive: keepAlive },
        ...{ ...login, password: Buffer.from(login.password), ...options },
      } as const;
      socket.write(generate(packet as never, options));
    });

  it('is of that version', () => {
    expect(readdirSync('/usr/lib/rabbitmq/lib')).toContain('rabbitmq_server-3.10.8');
  });

  it('closes the connection of a client of MQTT 5, and of a bridge that says so, without a CONNACK', async () => {
    expect((await answerTo({ protocolVersion: 5 })).hex).toBe('');
    expect((await answerTo({ protocolVersion: 4, bridgeMode: true })).hex).toBe('');
  });

  it('waits for three times the keep-alive time', async () => {
    const { hex, time } = await answerTo({ protocolVersion: 4 });
    expect(hex).toBe('20020000');
    // One and a half times were 3 s.
    expect(time).toBeGreaterThan(2.5 * keepAlive * 1000);
  });

  it('publishes no will of a client whose id another one takes, but one of a broken connection', async () => {
    const reader = await open();
    await reader.subscribe('will/#');
    const will = (payload: string) => ({
      topic: 'will/x',
      payload: Buffer.from(payload),
      qos: 1 as const,
      retain: false,
    });
    const first = await open({ clientId: 'same', will: will('taken over') });
    const second = await open({ clientId: 'same', will: will('broken') });
    await first.waitUntilClosed();
    second.client.stream.destroy();
    await reader.waitUntil((received) => received.length > 0);
    await settled(reader);
    expect(textsOf(reader, 'will/x')).toEqual(['broken 0']);
    await reader.end();
  });

  it('has retained messages for exact topics only', async () => {
    const writer = await open();
    await writer.publish('kept/a', 'x', { qos: 1, retain: true });
    const exact = await open();
    // It stores the message after the acknowledgment.
    await expect
      .poll(async () => {
        await exact.subscribe('kept/a');
        await settled(exact);
        return exact.received.some(({ topic, retain }) => topic === 'kept/a' && retain);
      })
      .toBe(true);
    for (const filter of ['kept/+', 'kept/#', '#']) {
      const reader = await open();
      await reader.subscribe(filter);
      await settled(reader);
      expect(textsOf(reader, 'kept/a'), filter).toEqual([]);
      await reader.end();
    }
    await Promise.all([writer.end(), exact.end()]);
  });

  it('delivers a topic with a dot as another topic', async () => {
    const client = await open();
    await client.subscribe('#');
    await client.publish('a.b/c', 'x', { qos: 1 });
    await client.waitUntil((received) => received.length > 0);
    expect(client.received.map(({ topic }) => topic)).toEqual(['a/b/c']);
    await client.end();
  });

  it('delivers twice after a second subscription with another QoS', async () => {
    const client = await open();
    for (const qos of [0, 1] as const) await client.subscribe('twice/a', qos);
    await client.publish('twice/a', 'x', { qos: 1 });
    for (const [filter, qos] of [
      ['over/#', 0],
      ['over/a', 1],
    ] as const)
      await client.subscribe(filter, qos);
    await client.publish('over/a', 'x', { qos: 1 });
    await settled(client);
    expect(textsOf(client, 'twice/a').sort()).toEqual(['x 0', 'x 1']);
    expect(textsOf(client, 'over/a').sort()).toEqual(['x 0', 'x 1']);
    await client.end();
  });

  it('grants QoS 1 where a client asks for 2, and answers a message with QoS 2 with PUBACK', async () => {
    const client = await open();
    expect((await client.client.subscribeAsync('two', { qos: 2 })).map(({ qos }) => qos)).toEqual([1]);
    const answers: string[] = [];
    client.client.on('packetreceive', ({ cmd }) => answers.push(cmd));
    client.client.publish('two', 'x', { qos: 2 });
    await client.waitUntil((received) => received.length > 0 && answers.includes('puback'));
    expect(textsOf(client, 'two')).toEqual(['x 1']);
    expect(answers).not.toContain('pubrec');
    await client.end();
  });

  it('ignores everything that a client publishes after a message that is too large, with QoS 1', async () => {
    const [reader, writer] = [await open(), await open()];
    await reader.subscribe('size/#');
    await writer.subscribe('size/own');
    const sent: string[] = [];
    const send = (topic: string, size: number) =>
      writer.publish(topic, 'x'.repeat(size), { qos: 1 }).then(
        () => sent.push(topic),
        () => undefined,
      );
    await send('size/before', maxMessageSize);
    const later = [send('size/large', maxMessageSize + 1), send('size/after', 1)];
    await reader.publish('size/own', 'x', { qos: 1 });
    // It is connected, and receives.
    await writer.first('size/own');
    await settled(reader);
    await sleep(2000);
    expect(writer.isConnected).toBe(true);
    expect(sent).toEqual(['size/before']);
    expect(reader.received.map(({ topic }) => topic).filter((topic) => topic.startsWith('size/'))).toEqual([
      'size/before',
      'size/own',
    ]);
    await Promise.all([writer.end(), ...later]);
    const zero = await open();
    await zero.publish('size/large', 'x'.repeat(maxMessageSize + 1));
    await zero.waitUntilClosed();
    await reader.end();
  });
});
