import type { Buffer as Bytes } from 'node:buffer';
import type { AedesPublishPacket, Client } from 'aedes';
import type { Mqtt5Client } from './mqtt5-client.ts';
import type { TreeValue } from './topic-tree.ts';
import { TopicTree } from './topic-tree.ts';

/** Receives the messages of one connection, for all of its filters. */
export interface Receiver<Packet> extends TreeValue {
  /** `qos` is the highest that was granted for a matching filter. Calls back when the message is queued. */
  receive(packet: Packet, qos: 0 | 1 | 2, done: () => void): void;
}

/**
 * Delivers messages to subscribers, instead of aedes' own emitter. It delivers synchronously, so messages keep their order (aedes
 * drops one that was overtaken, as a duplicate), and has no limit on concurrent messages that a slow receiver could use up. A
 * receiver with several matching filters gets a message once.
 */
export class TopicRouter<Packet extends { readonly topic: string }> {
  readonly #receivers = new TopicTree<Receiver<Packet>>();

  /** Adds a subscription, or changes the QoS of one that exists. */
  subscribe(filter: string, receiver: Receiver<Packet>, qos: 0 | 1 | 2): void {
    this.#receivers.add(filter, receiver, qos);
  }

  unsubscribe(filter: string, receiver: Receiver<Packet>): void {
    this.#receivers.remove(filter, receiver);
  }

  /** Calls back when all receivers have queued the message. */
  emit(packet: Packet, done: () => void = () => undefined): this {
    // aedes publishes its state below `$SYS` for other nodes; no client may read it.
    const receivers = packet.topic.startsWith('$') ? [] : this.#receivers.match(packet.topic);
    let missing = receivers.length;
    if (missing === 0) {
      done();
      return this;
    }
    const received = () => {
      missing--;
      if (missing === 0) done();
    };
    // `foundQos` is read before a receiver can cause another search.
    const grants = receivers.map(({ foundQos }) => foundQos);
    for (const [index, receiver] of receivers.entries()) receiver.receive(packet, grants[index] ?? 0, received);
    return this;
  }

  // The methods below are called by aedes for each filter of a client, which is subscribed already.

  on(_filter: string, _listener: unknown, done?: () => void): this {
    done?.();
    return this;
  }

  removeListener(_filter: string, _listener: unknown, done?: () => void): this {
    done?.();
    return this;
  }

  close(done: () => void): this {
    setImmediate(done);
    return this;
  }
}

/** The part of aedes' clients that its types leave out. */
type DeliveringClient = Client & { deliverQoS(packet: AedesPublishPacket, done: () => void): void };

export interface ReceiverOptions {
  readonly client: Client;
  readonly connection: { write(bytes: Buffer): unknown; readonly mqtt5: Mqtt5Client | null };
  /** Whether a message may be delivered to a client that subscribed to it. */
  readonly authorizeForward: (client: Client, packet: AedesPublishPacket) => boolean;
  readonly encoder: PublishEncoder;
}

/** Delivers messages to a client of aedes. */
export class ClientReceiver implements Receiver<AedesPublishPacket> {
  foundBy = 0;
  foundQos: 0 | 1 | 2 = 0;
  readonly #options: ReceiverOptions;

  constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  receive(packet: AedesPublishPacket, maxQos: 0 | 1 | 2, done: () => void): void {
    // Existing subscribers get a retained message as a new one. [MQTT 3.1.1, 3.3.1.3]
    const { mqtt5 } = this.#options.connection;
    const fresh = packet.retain ? { ...packet, retain: mqtt5?.keepsRetain(packet.topic) ?? false } : packet;
    const qos = packet.qos < maxQos ? packet.qos : maxQos;
    if (qos > 0) (this.#options.client as DeliveringClient).deliverQoS({ ...fresh, qos }, done);
    else {
      this.deliver(fresh);
      done();
    }
  }

  /** Delivers with QoS 0. aedes' own method would encode the message for each client and take two ticks. */
  deliver(packet: AedesPublishPacket): void {
    const { client, connection, authorizeForward, encoder } = this.#options;
    if ((!client.connected && !client.connecting) || !authorizeForward(client, packet)) return;
    if (connection.mqtt5) {
      connection.mqtt5.publish({ ...packet, qos: 0 });
      return;
    }
    const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload);
    connection.write(encoder.encode(packet.topic, payload, packet.retain));
  }
}

/** Encodes QoS 0 messages and caches the last one: a message for many clients is encoded and stored once. */
export class PublishEncoder {
  #topic = '';
  #payload: Bytes | null = null;
  #isRetained = false;
  #bytes: Buffer = Buffer.alloc(0);

  encode(topic: string, payload: Bytes, isRetained: boolean): Buffer {
    if (payload !== this.#payload || isRetained !== this.#isRetained || topic !== this.#topic) {
      this.#bytes = encodePublish(topic, payload, isRetained);
      this.#topic = topic;
      this.#payload = payload;
      this.#isRetained = isRetained;
    }
    return this.#bytes;
  }
}

/** Returns a QoS 0 PUBLISH packet. [MQTT 3.1.1, 3.3] */
export function encodePublish(topic: string, payload: Bytes, isRetained: boolean): Buffer {
  const topicBytes = Buffer.byteLength(topic);
  const remaining = 2 + topicBytes + payload.length;
  const lengthBytes = remaining < 0x80 ? 1 : remaining < 0x4000 ? 2 : remaining < 0x20_0000 ? 3 : 4;
  const bytes = Buffer.allocUnsafe(1 + lengthBytes + remaining);
  bytes[0] = isRetained ? 0x31 : 0x30;
  let rest = remaining;
  for (let index = 1; index <= lengthBytes; index++) {
    bytes[index] = (rest & 0x7f) | (index < lengthBytes ? 0x80 : 0);
    rest >>>= 7;
  }
  const start = bytes.writeUInt16BE(topicBytes, 1 + lengthBytes);
  bytes.write(topic, start);
  payload.copy(bytes, start + topicBytes);
  return bytes;
}
