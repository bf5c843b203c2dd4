import { connect, type Socket } from 'node:net';
import { generate, type IConnectPacket, type Packet, parser } from 'mqtt-packet';

/** A client that sends and receives single packets of MQTT 5. */
export class Mqtt5PacketClient {
  readonly socket: Socket;
  readonly received: Packet[] = [];
  isClosed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    const packets = parser({ protocolVersion: 5 });
    packets.on('packet', (packet) => this.received.push(packet));
    socket.on('data', (chunk: Buffer) => packets.parse(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isClosed = true;
    });
  }

  /** Connects, and waits for the CONNACK. */
  static async connect(
    port: number,
    name: string,
    { jti = 'a', ...options }: Partial<IConnectPacket> & { readonly jti?: string } = {},
  ): Promise<Mqtt5PacketClient> {
    const socket = connect({ port, host: '127.0.0.1' });
    const client = new Mqtt5PacketClient(socket);
    client.send({
      cmd: 'connect',
      protocolVersion: 5,
      protocolId: 'MQTT',
      clientId: '',
      clean: true,
      keepalive: 0,
      username: name,
      password: Buffer.from(`${name}:${jti}`),
      ...options,
    });
    await client.next('connack');
    return client;
  }

  send(...packets: readonly Packet[]): void {
    this.socket.write(Buffer.concat(packets.map((packet) => generate(packet, { protocolVersion: 5 }))));
  }

  /** Waits until a condition holds. Rejects after 45 s. */
  async waitUntil(holds: () => boolean, what: string): Promise<void> {
    const end = Date.now() + 45_000;
    while (!holds()) {
      if (Date.now() > end) throw new Error(`timeout: ${what}; received ${JSON.stringify(this.received)}`);
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
  }

  /** Waits for a packet of a kind after `from` others. */
  async next<K extends Packet['cmd']>(cmd: K, from = 0): Promise<Extract<Packet, { cmd: K }>> {
    const found = () => this.received.filter((packet) => packet.cmd === cmd)[from];
    await this.waitUntil(() => found() !== undefined, `${cmd} ${from}`);
    return found() as Extract<Packet, { cmd: K }>;
  }

  /** Subscribes, and returns the reason codes. */
  async subscribe(...subscriptions: readonly ({ readonly topic: string } & Partial<Options>)[]): Promise<number[]> {
    const messageId = ++this.#lastId;
    this.send({ cmd: 'subscribe', messageId, subscriptions: subscriptions.map((each) => ({ qos: 0, ...each })) });
    const answer = () => this.received.find((packet) => packet.cmd === 'suback' && packet.messageId === messageId);
    await this.waitUntil(() => answer() !== undefined, 'the SUBACK');
    return (answer() as { granted: number[] }).granted;
  }

  /** The messages received so far. */
  get messages(): Extract<Packet, { cmd: 'publish' }>[] {
    return this.received.flatMap((packet) => (packet.cmd === 'publish' ? packet : []));
  }

  async end(): Promise<void> {
    this.socket.destroy();
    await this.waitUntil(() => this.isClosed, 'the end');
  }

  #lastId = 100;
}

interface Options {
  readonly qos: 0 | 1 | 2;
  readonly nl: boolean;
  readonly rap: boolean;
  readonly rh: 0 | 1 | 2;
}
