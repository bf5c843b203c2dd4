import { connect, type Socket } from 'node:net';

/** Encodes an MQTT string: its length and its bytes. */
const text = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
};

/** Encodes a remaining length. */
export function encodeRemainingLength(length: number): Buffer {
  const bytes: number[] = [];
  let rest = length;
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return Buffer.from(bytes);
}

const packet = (header: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([header]), encodeRemainingLength(body.length), body]);
};

/** The packets of MQTT 3.1.1 that a client sends. */
export const packets = {
  connect: (username: string, password: string, { clientId = '', isClean = true, keepAlive = 0 } = {}): Buffer =>
    packet(
      0x10,
      text('MQTT'),
      Buffer.from([4, 0xc0 | (isClean ? 2 : 0), keepAlive >> 8, keepAlive & 0xff]),
      text(clientId),
      text(username),
      text(password),
    ),
  anonymous: packet(0x10, text('MQTT'), Buffer.from([4, 2, 0, 0]), text('')),
  publish: (topic: string, payload: string | Buffer, qos: 0 | 1 | 2 = 0, id = 1, isRetained = false): Buffer =>
    packet(
      0x30 | (qos << 1) | (isRetained ? 1 : 0),
      text(topic),
      qos > 0 ? Buffer.from([id >> 8, id & 0xff]) : Buffer.alloc(0),
      Buffer.from(payload),
    ),
  subscribe: (filters: readonly string[], qos: 0 | 1 | 2 = 0): Buffer =>
    packet(0x82, Buffer.from([0, 1]), ...filters.flatMap((filter) => [text(filter), Buffer.from([qos])])),
  ping: Buffer.from('c000', 'hex'),
  disconnect: Buffer.from('e000', 'hex'),
};

/** A client that sends arbitrary bytes. */
export class RawMqttClient {
  readonly socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  isClosed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isClosed = true;
    });
  }

  /** Connects; `from` is the local address. */
  static open(port: number, from = '127.0.0.1'): Promise<RawMqttClient> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: from });
      socket.once('error', reject);
      socket.once('connect', () => resolve(new RawMqttClient(socket)));
    });
  }

  /** Connects and signs in as a device of the fake permissions. */
  static async signIn(
    port: number,
    name: string,
    options: Parameters<typeof packets.connect>[2] = {},
  ): Promise<RawMqttClient> {
    const client = await RawMqttClient.open(port);
    client.send(packets.connect(name, `${name}:a`, options));
    await client.waitUntil(() => client.receivedHex.length >= 8, 'the answer to the CONNECT');
    if (client.receivedHex !== '20020000') throw new Error(`the broker answered ${client.receivedHex}`);
    client.clear();
    return client;
  }

  send(...bytes: readonly Buffer[]): void {
    this.socket.write(Buffer.concat(bytes));
  }

  get receivedHex(): string {
    return this.#received.toString('hex');
  }

  get receivedLength(): number {
    return this.#received.length;
  }

  clear(): void {
    this.#received = Buffer.alloc(0);
  }

  /** Waits until a condition holds. Rejects after 45 s. */
  async waitUntil(holds: () => boolean, what: string): Promise<void> {
    const end = Date.now() + 45_000;
    while (!holds()) {
      if (Date.now() > end) throw new Error(`timeout: ${what}; received ${this.receivedHex.slice(0, 100)}`);
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
  }

  waitUntilClosed(): Promise<void> {
    return this.waitUntil(() => this.isClosed, 'the end of the connection');
  }

  end(): void {
    this.socket.destroy();
  }
}
