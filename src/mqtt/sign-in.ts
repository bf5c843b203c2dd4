import { randomUUID } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { Aedes, AedesPublishPacket, Client, ConnectPacket } from 'aedes';
import type { Packet } from 'mqtt-packet';
import type { Clock } from '../core/clock.ts';
import { FairSemaphore } from '../core/fair-semaphore.ts';
import { networkOf } from '../core/ip-addresses.ts';
import { logText } from '../core/log-text.ts';
import type { BoundedPersistence } from './bounded-persistence.ts';
import type { ClientEventLog } from './client-event-log.ts';
import type { ConnectResult } from './connack-codes.ts';
import { connackCodes } from './connack-codes.ts';
import type { ConnectionRegistry, PendingConnections } from './connection-registry.ts';
import type { CredentialChecks } from './credential-checks.ts';
import { type GuardedConnection, guardedConnection } from './guarded-connection.ts';
import type { Authenticator, ClientIdentity } from './identity.ts';
import type { MqttLimits } from './limits.ts';
import { Mqtt5Client } from './mqtt5-client.ts';
import { Publish5Encoder } from './publish5-encoder.ts';

export interface SignInOptions {
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  readonly checks: Pick<CredentialChecks, 'revocations' | 'isValid'>;
  readonly registry: ConnectionRegistry;
  readonly limits: MqttLimits;
  readonly events: ClientEventLog;
  readonly pending: Pick<PendingConnections, 'add' | 'remove'>;
}

/** Authenticates CONNECT packets, and sets the id under which a client's session is stored. */
export class SignIn {
  readonly #options: SignInOptions;
  readonly #semaphore: FairSemaphore;

  constructor(options: SignInOptions) {
    this.#options = options;
    const { maxSigningIn, maxWaiting, maxWaitingPerAddress } = options.limits;
    this.#semaphore = new FairSemaphore(maxSigningIn, maxWaiting, maxWaitingPerAddress);
  }

  /** Returns null when the client is accepted. Rejects when it cannot be checked, or too many wait. */
  async authenticate(client: Client, username: string | undefined): Promise<ConnectResult | null> {
    const { pending } = this.#options;
    const connection = guardedConnection(client);
    const packet = connection?.connectPacket;
    if (!connection || !packet) return 'none';
    // The client has done its part: its time limit does not include the wait for a permit.
    pending.remove(connection);
    return this.#semaphore.run(networkOf(connection.address), async () => {
      await nextIteration();
      if (connection.destroyed) return 'none';
      pending.add(connection);
      return this.#check(client, connection, packet, username);
    });
  }

  async #check(
    client: Client,
    connection: GuardedConnection,
    packet: ConnectPacket,
    username: string | undefined,
  ): Promise<ConnectResult | null> {
    const { authenticator, checks, registry, limits, events } = this.#options;
    if (!username) {
      events.rejected('anonymous', connection);
      return connackCodes.notAuthorized;
    }
    const { clientId } = packet;
    const needsId = !packet.clean && !connection.mqtt5;
    if (clientId.length > limits.maxClientIdLength || (clientId === '' && needsId)) {
      events.rejected('client_id', connection, { username: logText(username) });
      return connackCodes.clientId;
    }
    const { revocations } = checks;
    let identity = await authenticator.authenticate({
      username,
      password: packet.password?.toString('utf8') ?? '',
      clientId: clientId || null,
      address: connection.address,
    });
    if (typeof identity !== 'string' && revocations !== checks.revocations && !(await checks.isValid(identity)))
      identity = 'bad_credentials';
    // Nothing is awaited from here to the entry in the registry, so no revocation is missed.
    if (typeof identity === 'string')
      return identity === 'bad_credentials' ? connackCodes.badCredentials : connackCodes.notAuthorized;
    if (client.closed || connection.destroyed) return 'none';
    const maxConnections =
      identity.maxConnections ?? (identity.isShared ? limits.maxSharedConnections : limits.maxConnectionsPerUser);
    if (registry.count(identity.name) >= maxConnections) {
      events.rejected('too_many_connections', connection, { username: identity.name });
      return 'none';
    }
    this.#setIdentity(client, connection, packet, identity);
    return null;
  }

  /** Client ids are per user, so no client takes over another user's session. */
  #setIdentity(client: Client, connection: GuardedConnection, packet: ConnectPacket, identity: ClientIdentity): void {
    const { name, isShared } = identity;
    if (isShared) client.clean = true;
    client.id = `${name}/${isShared || packet.clientId === '' ? randomUUID() : packet.clientId}`;
    connection.identity = identity;
    this.#options.registry.signIn(name, connection);
  }
}

/** The parts of aedes' clients and server that its types leave out. */
interface InternalClient extends Client {
  readonly _parser: EventEmitter & { settings: object };
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
  readonly hooks: {
    readonly isClosed: boolean;
    authorizeForward(client: Client, packet: AedesPublishPacket): boolean;
    authenticate(client: Client, username: string | undefined): Promise<ConnectResult | null>;
  };
  readonly persistence: BoundedPersistence;
  readonly limits: MqttLimits;
  /** Milliseconds that a session is kept at most. */
  readonly maxSessionExpiry: number;
  readonly clock: Clock;
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
  readonly #encoder = new Publish5Encoder();

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
      else if (connection && isMqtt5(packet)) this.#connect5(client as InternalClient, connection, packet, handle);
      else handle.call(parser, packet);
    });
  }

  /** Has aedes handle the packets of a client that speaks MQTT 5. [ADR 111] */
  #connect5(
    client: InternalClient,
    connection: GuardedConnection,
    packet: ConnectPacket,
    // biome-ignore lint/complexity/noBannedTypes: of an emitter
    handle: Function,
  ): void {
    const { hooks, ...options } = this.#options;
    const authorizeForward = hooks.authorizeForward.bind(hooks);
    const mqtt5 = new Mqtt5Client(packet, { ...options, client, connection, authorizeForward, encoder: this.#encoder });
    connection.mqtt5 = mqtt5;
    const { _parser: parser } = client;
    // The parser would keep the password.
    parser.settings = { protocolVersion: 5 };
    parser.removeAllListeners('packet').on('packet', (each: Packet) => {
      const request = mqtt5.receive(each);
      if (request) handle.call(parser, request);
    });
    Object.assign(client, { deliverQoS: mqtt5.deliver.bind(mqtt5) });
    const connect = mqtt5.accept(packet);
    if (connect) handle.call(parser, connect);
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

const isMqtt5 = (packet: AnyPacket): packet is ConnectPacket =>
  packet.cmd === 'connect' && 'protocolVersion' in packet && packet.protocolVersion === 5;

const isSimple = (packet: AnyPacket): packet is ConnectPacket =>
  packet.cmd === 'connect' && 'clean' in packet && packet.clean === true && packet.protocolVersion === protocolVersion;
