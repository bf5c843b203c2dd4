import type { Buffer as Bytes } from 'node:buffer';
import type { AedesPublishPacket, Client } from 'aedes';
import type { GuardedConnection } from './guarded-connection.ts';
import type { Receiver } from './topic-router.ts';

/** The part of aedes' clients that its types leave out. */
type DeliveringClient = Client & { deliverQoS(packet: AedesPublishPacket, done: () => void): void };

export interface ReceiverOptions {
  readonly client: Client;
  readonly connection: GuardedConnection;
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
    const fresh = packet.retain ? { ...packet, retain: false } : packet;
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
