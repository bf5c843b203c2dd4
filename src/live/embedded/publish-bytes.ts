import type { Buffer as Bytes } from 'node:buffer';

/** The PUBLISH of a QoS 0 message. */
export function publishBytes(topic: string, payload: Bytes, isRetained: boolean): Buffer {
  const topicBytes = Buffer.byteLength(topic);
  const rest = 2 + topicBytes + payload.length;
  const lengthBytes = rest < 0x80 ? 1 : rest < 0x4000 ? 2 : rest < 0x20_0000 ? 3 : 4;
  const bytes = Buffer.allocUnsafe(1 + lengthBytes + rest);
  bytes[0] = isRetained ? 0x31 : 0x30;
  let left = rest;
  for (let index = 1; index <= lengthBytes; index++) {
    bytes[index] = (left & 0x7f) | (index < lengthBytes ? 0x80 : 0);
    left >>>= 7;
  }
  const start = bytes.writeUInt16BE(topicBytes, 1 + lengthBytes);
  bytes.write(topic, start);
  payload.copy(bytes, start + topicBytes);
  return bytes;
}

/** Remembers the message made last: one that goes to many is made once, and its bytes are in memory once. */
export class PublishCache {
  #topic = '';
  #payload: Bytes | null = null;
  #isRetained = false;
  #bytes: Buffer = Buffer.alloc(0);

  bytes(topic: string, payload: Bytes, isRetained: boolean): Buffer {
    if (payload !== this.#payload || isRetained !== this.#isRetained || topic !== this.#topic) {
      this.#bytes = publishBytes(topic, payload, isRetained);
      this.#topic = topic;
      this.#payload = payload;
      this.#isRetained = isRetained;
    }
    return this.#bytes;
  }
}
