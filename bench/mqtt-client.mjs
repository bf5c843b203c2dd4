// A minimal MQTT 3.1.1 client: many of them must use less CPU time than the server that they measure.
import { createConnection } from 'node:net';

const text = (value) => {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
};

function packet(type, ...parts) {
  const body = Buffer.concat(parts);
  const length = [];
  let left = body.length;
  do {
    length.push((left & 127) | (left > 127 ? 128 : 0));
    left >>= 7;
  } while (left > 0);
  return Buffer.concat([Buffer.from([type, ...length]), body]);
}

const connectPacket = (clientId, username, password, keepAlive) =>
  packet(
    0x10,
    text('MQTT'),
    Buffer.from([4, 0xc2, keepAlive >> 8, keepAlive & 255]),
    ...[clientId, username, password].map(text),
  );
const subscribePacket = (topic) => packet(0x82, Buffer.from([0, 1]), text(topic), Buffer.from([0]));

/** Returns a QoS 1 PUBLISH. */
export const publishPacket = (topic, id, payload) =>
  packet(0x32, text(topic), Buffer.from([id >> 8, id & 255]), Buffer.from(payload));

const pingPacket = Buffer.from([0xc0, 0]);

/** A connection that calls `onMessage(topic, payload)` for each message, `onAck()` for each PUBACK, and `onClose()` when it was lost. */
export class MqttClient {
  #socket;
  #left = Buffer.alloc(0);
  #waiting = new Map();
  onMessage = () => undefined;
  onAck = () => undefined;
  onClose = () => undefined;

  /** `keepAlive` in s; 0: none. `localAddress`: the address to connect from. */
  static async connect(port, clientId, username, password, { keepAlive = 0, localAddress } = {}) {
    const client = new MqttClient();
    client.#socket = createConnection({ host: '127.0.0.1', port, noDelay: true, localAddress });
    client.#socket.on('data', (chunk) => client.#read(chunk));
    client.#socket.on('error', () => undefined);
    client.#socket.on('close', () => {
      for (const { reject } of client.#waiting.values()) reject(new Error('the broker closed the connection'));
      client.onClose();
    });
    client.#socket.write(connectPacket(clientId, username, password, keepAlive));
    const ack = await client.#packet(2);
    if (ack[1] !== 0) throw new Error(`refused: ${ack[1]}`);
    return client;
  }

  async subscribe(topic) {
    this.#socket.write(subscribePacket(topic));
    const ack = await this.#packet(9);
    if (ack[2] === 128) throw new Error(`refused: ${topic}`);
  }

  write(bytes) {
    this.#socket.write(bytes);
  }

  ping() {
    this.#socket.write(pingPacket);
  }

  end() {
    this.onClose = () => undefined;
    this.#socket.destroy();
  }

  #packet(type) {
    return new Promise((resolve, reject) => this.#waiting.set(type, { resolve, reject }));
  }

  #read(chunk) {
    const bytes = this.#left.length > 0 ? Buffer.concat([this.#left, chunk]) : chunk;
    let at = 0;
    for (;;) {
      let length = 0;
      let end = at + 1;
      for (let shift = 0; ; shift += 7, end++) {
        if (end >= bytes.length) {
          this.#left = bytes.subarray(at);
          return;
        }
        length |= (bytes[end] & 127) << shift;
        if (bytes[end] < 128) break;
      }
      end += 1;
      if (end + length > bytes.length) {
        this.#left = bytes.subarray(at);
        return;
      }
      const type = bytes[at] >> 4;
      const body = bytes.subarray(end, end + length);
      if (type === 3) {
        const size = body.readUInt16BE(0);
        this.onMessage(body.toString('utf8', 2, 2 + size), body.subarray(2 + size));
      } else if (type === 4) this.onAck();
      else {
        this.#waiting.get(type)?.resolve(body);
        this.#waiting.delete(type);
      }
      at = end + length;
    }
  }
}
