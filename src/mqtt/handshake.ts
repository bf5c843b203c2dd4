import type { EventEmitter } from 'node:events';
import type { Aedes, Client, ConnectPacket } from 'aedes';
import type { BoundedPersistence } from './bounded-persistence.ts';
import type { ClientHooks } from './client-hooks.ts';
import type { GuardedConnection } from './guarded-connection.ts';
import { guardedConnection } from './guarded-connection.ts';

/** The parts of aedes' clients and server that its types leave out. */
interface InternalClient extends Client {
  readonly _parser: EventEmitter;
  readonly _nextBatch: () => void;
  _parsingBatch: number;
  _connectTimer: NodeJS.Timeout | null;
  _keepaliveInterval: number;
  _keepaliveTimer: NodeJS.Timeout | null;
  _authorized: boolean;
  will: unknown;
  connackSent: boolean;
}
type InternalAedes = Aedes & { registerClient(client: Client): void };

export interface HandshakeOptions {
  readonly aedes: Aedes;
  readonly hooks: Pick<ClientHooks, 'authenticate' | 'isClosed'>;
  readonly persistence: Pick<BoundedPersistence, 'cleanSubscriptions'>;
}

type AnyPacket = { readonly cmd: string } | ConnectPacket;

/** The version of MQTT 3.1.1. */
const protocolVersion = 4;
/** A connection ends after one and a half times the keep-alive time without a packet. [MQTT 3.1.1, 3.1.2.10] */
const silencePerKeepAlive = 1.5;

const connack = (code: number): Buffer => Buffer.from([0x20, 2, 0, code]);
const accepted = connack(0);

/**
 * Handles the CONNECT of clients with a clean session, as robots and browsers are. aedes does the same with a pipeline of
 * streams for a queue that such a session does not have. Other clients are left to it. [ADR 81]
 */
export class Handshake {
  readonly #options: HandshakeOptions;

  constructor(options: HandshakeOptions) {
    this.#options = options;
  }

  /** Takes the first packet of a client. */
  take(client: Client): void {
    const { _parser: parser } = client as InternalClient;
    const [handle] = parser.listeners('packet');
    if (!handle) return;
    parser.removeAllListeners('packet').on('packet', (packet: AnyPacket) => {
      parser.removeAllListeners('packet').on('packet', handle as (packet: AnyPacket) => void);
      const connection = guardedConnection(client);
      if (connection && isSimple(packet)) void this.#connect(client as InternalClient, connection, packet);
      else handle.call(parser, packet);
    });
  }

  async #connect(client: InternalClient, connection: GuardedConnection, packet: ConnectPacket): Promise<void> {
    const { aedes, hooks, persistence } = this.#options;
    client._parsingBatch++;
    if (client._connectTimer) clearTimeout(client._connectTimer);
    client._connectTimer = null;
    if (hooks.isClosed) return;
    client.connecting = true;
    client.clean = true;
    client.version = protocolVersion;
    connection.connectPacket = packet;
    const response = await hooks.authenticate(client, packet.username);
    // It may also have been closed, or the server stopped, in the meantime.
    if (client.closed || hooks.isClosed) return;
    if (response !== null) {
      if (response !== 'none') connection.write(connack(response));
      client.close();
      return;
    }
    client._authorized = true;
    client.will = packet.will ?? null;
    if (packet.keepalive) {
      client._keepaliveInterval = packet.keepalive * 1000 * silencePerKeepAlive;
      client._keepaliveTimer = setTimeout(
        () => client.emit('error', new Error('keep alive timeout')),
        client._keepaliveInterval,
      );
    }
    persistence.cleanSubscriptions(client);
    (aedes as InternalAedes).registerClient(client);
    connection.write(accepted);
    client.connackSent = true;
    client.connecting = false;
    client.connected = true;
    aedes.emit('clientReady', client);
    client.emit('connected');
    client._nextBatch();
  }
}

const isSimple = (packet: AnyPacket): packet is ConnectPacket =>
  packet.cmd === 'connect' && 'clean' in packet && packet.clean === true && packet.protocolVersion === protocolVersion;
