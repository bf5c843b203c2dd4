import type { IPublishPacket } from 'mqtt-packet';
import { encode } from './mqtt5-packets.ts';

/** The parts of a PUBLISH. */
export interface Publish5 extends Pick<IPublishPacket, 'topic' | 'payload' | 'qos' | 'retain' | 'dup'> {
  readonly properties: IPublishPacket['properties'] | undefined;
  readonly messageId: number;
  /** Seconds until it expires. */
  readonly expiresIn: number | undefined;
}

/** Encodes messages of MQTT 5, and caches the last one: a message for many clients differs in its id only. */
export class Publish5Encoder {
  #last: Publish5 | null = null;
  #bytes: Buffer = Buffer.alloc(0);
  #idAt = 0;

  /** Returns null for a message that has expired, or has properties that cannot be encoded. */
  encode(message: Publish5): Buffer | null {
    if (message.expiresIn !== undefined && message.expiresIn <= 0) return null;
    if (this.#last === null || !isSame(this.#last, message))
      try {
        this.#encode(message);
      } catch {
        return null;
      }
    if (message.qos === 0) return this.#bytes;
    const bytes = Buffer.from(this.#bytes);
    bytes.writeUInt16BE(message.messageId, this.#idAt);
    if (message.dup) bytes[0] = (bytes[0] ?? 0) | 8;
    return bytes;
  }

  #encode(message: Publish5): void {
    const { topic, payload, qos, retain, properties, expiresIn } = message;
    this.#bytes = encode({
      cmd: 'publish',
      topic,
      payload,
      qos,
      retain,
      dup: false,
      // Written for each client.
      ...(qos > 0 && { messageId: 1 }),
      properties: { ...properties, ...(expiresIn !== undefined && { messageExpiryInterval: expiresIn }) },
    });
    const topicAt = this.#bytes.findIndex((byte, index) => index > 0 && byte < 0x80) + 1;
    this.#idAt = topicAt + 2 + Buffer.byteLength(topic);
    this.#last = message;
  }
}

const isSame = (one: Publish5, other: Publish5): boolean =>
  one.payload === other.payload &&
  one.properties === other.properties &&
  one.topic === other.topic &&
  one.qos === other.qos &&
  one.retain === other.retain &&
  one.expiresIn === other.expiresIn;
