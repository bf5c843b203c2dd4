import type { AedesPublishPacket, Client } from 'aedes';
import type { GuardedConnection } from './guarded-connection.ts';
import type { PublishCache } from './publish-bytes.ts';
import type { Receiver } from './topic-router.ts';

/** The part of aedes' clients that its types leave out. */
type DeliveringClient = Client & { deliverQoS(packet: AedesPublishPacket, done: () => void): void };

export interface ReceiverOptions {
  readonly client: Client;
  readonly connection: GuardedConnection;
  /** Whether a message goes to a client that subscribed to it. */
  readonly forwards: (client: Client, packet: AedesPublishPacket) => boolean;
  readonly encoded: PublishCache;
}

/** Takes messages for a client: one for all its filters. */
export class ClientReceiver implements Receiver<AedesPublishPacket> {
  foundBy = 0;
  foundQos: 0 | 1 | 2 = 0;
  readonly #options: ReceiverOptions;

  constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  take(packet: AedesPublishPacket, most: 0 | 1 | 2, done: () => void): void {
    // It is retained for those who come later; who is here gets it as a new one. [MQTT 3.1.1, 3.3.1.3]
    const fresh = packet.retain ? { ...packet, retain: false } : packet;
    const qos = packet.qos < most ? packet.qos : most;
    if (qos > 0) (this.#options.client as DeliveringClient).deliverQoS({ ...fresh, qos }, done);
    else {
      this.deliver(fresh);
      done();
    }
  }

  /** Delivers with QoS 0. In the place of aedes' own way, which makes each message anew for each client and takes two turns. */
  deliver(packet: AedesPublishPacket): void {
    const { client, connection, forwards, encoded } = this.#options;
    if ((!client.connected && !client.connecting) || !forwards(client, packet)) return;
    const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload);
    connection.write(encoded.bytes(packet.topic, payload, packet.retain));
  }
}
