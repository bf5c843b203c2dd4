import type { IncomingMessage, Server } from 'node:http';
import type { AedesPublishPacket, Client } from 'aedes';
import { Aedes } from 'aedes';
import type { Clock } from '../../core/clock.ts';
import type { Counters } from '../../core/counters.ts';
import type { Logger } from '../../core/logger.ts';
import type { Broker, BrokerState, Message } from '../broker.ts';
import { botOf } from '../broker.ts';
import { BoundedPersistence } from './bounded-persistence.ts';
import type { GateAccess, Ingest } from './broker-gate.ts';
import { BrokerGate } from './broker-gate.ts';
import type { BrokerLimits, StoreLimits } from './broker-limits.ts';
import { brokerLimits, storeLimits } from './broker-limits.ts';
import type { TlsPort } from './broker-ports.ts';
import { BrokerPorts } from './broker-ports.ts';
import { ByteBudget } from './byte-budget.ts';
import { ConnectionBook } from './connection-book.ts';
import type { ConnectionHouse, CutReason } from './guarded-connection.ts';
import { GuardedConnection, guardedConnection } from './guarded-connection.ts';
import { LimitedLog } from './limited-log.ts';
import { MessageAllowance } from './message-allowance.ts';
import { PendingConnections } from './pending-connections.ts';
import { PublishCache } from './publish-bytes.ts';
import { TopicRouter } from './topic-router.ts';
import type { Transport } from './transport.ts';
import { SocketTransport } from './transport.ts';
import { WebSocketEntrance } from './web-socket-entrance.ts';
import { WebSocketTransport } from './web-socket-transport.ts';

export interface EmbeddedBrokerOptions {
  readonly host: string;
  /** Of MQTT without TLS; 0: any. */
  readonly port: number;
  /** MQTT under TLS, with the paths of a certificate and its key; null: none. */
  readonly tls: TlsPort | null;
  readonly access: GateAccess;
  /** Takes what robots publish on the channels that the server reads. */
  readonly ingest: Ingest;
  /** Off: clients may send as fast as they can. */
  readonly limitsRates: boolean;
  readonly counters: Counters;
  readonly clock: Clock;
  readonly log: Logger;
  /** Where a WebSocket comes from; without it, its socket's other end. */
  readonly addressOf?: (request: IncomingMessage) => string;
  /** Milliseconds between two looks at the certificate's files; 10 s unless given. */
  readonly certificateEvery?: number;
  /** Other limits than usual, for tests. */
  readonly limits?: Partial<BrokerLimits>;
  readonly storeLimits?: Partial<StoreLimits>;
}

/** Milliseconds between two looks for tokens and sessions whose time is over. */
const sweepEvery = 60_000;
const tenSeconds = 10_000;
/** Bytes of a WebSocket's headers and masks around the first packet. */
const frameBytes = 1024;

/** What a WebSocket's upgrade, headers and frames add to the first packet. */
const firstBytes = (limits: BrokerLimits): number => limits.connectBytes + frameBytes;

/** The message broker that is built in: MQTT 3.1.1 on its own ports and over WebSockets on the HTTP port. */
export class EmbeddedBroker implements Broker {
  readonly #options: EmbeddedBrokerOptions;
  readonly #limits: BrokerLimits;
  readonly #aedes: Aedes;
  readonly #gate: BrokerGate;
  readonly #persistence: BoundedPersistence;
  readonly #book = new ConnectionBook();
  readonly #pending: PendingConnections;
  readonly #ports: BrokerPorts;
  readonly #log: LimitedLog;
  readonly #house: ConnectionHouse;
  readonly #encoded = new PublishCache();
  /** All connections whose last byte has not left. */
  readonly #open = new Set<GuardedConnection>();
  /** Called when the last byte of a connection has left. */
  readonly #farewells = new Map<GuardedConnection, () => void>();
  #unflushed: GuardedConnection[] = [];
  #entrance: WebSocketEntrance | null = null;
  #sweeper: NodeJS.Timeout | null = null;
  #isRunning = false;

  constructor(options: EmbeddedBrokerOptions) {
    const { access, ingest, counters, clock, log, host, port, tls } = options;
    this.#options = options;
    this.#limits = { ...brokerLimits, ...options.limits };
    const limits = this.#limits;
    this.#log = new LimitedLog(log, clock);
    this.#pending = new PendingConnections(limits);
    this.#persistence = new BoundedPersistence({ ...storeLimits, ...options.storeLimits }, clock);
    const persistence = this.#persistence;
    this.#gate = new BrokerGate({ access, ingest, persistence, book: this.#book, limits, counters, log: this.#log });
    this.#house = this.#asHouse();
    this.#aedes = new Aedes({
      ...this.#gate.hooks(),
      mq: new TopicRouter<AedesPublishPacket>(),
      persistence,
      // The guard is quicker; this is for clients that slipped its mind.
      connectTimeout: 2 * limits.connectWithin,
      maxInflightInbound: limits.unreleased,
    });
    this.#listenToAedes();
    const take = (socket: ConstructorParameters<typeof SocketTransport>[0], address: string) =>
      this.#take(new SocketTransport(socket, address));
    const { certificateEvery = tenSeconds } = options;
    this.#ports = new BrokerPorts({ host, port, tls, certificateEvery, log, take });
  }

  /** The TCP ports that are open, the one without TLS first. */
  get ports(): readonly number[] {
    return this.#ports.numbers;
  }

  async start(http: Server): Promise<void> {
    await this.#aedes.listen();
    this.#isRunning = true;
    try {
      await this.#ports.open();
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.#entrance = new WebSocketEntrance(http, this.#limits.packetBytes, (webSocket, socket, request) => {
      const address = this.#options.addressOf?.(request) ?? request.socket.remoteAddress ?? '';
      this.#take(new WebSocketTransport(webSocket, socket, address, firstBytes(this.#limits)));
    });
    this.#sweeper = setInterval(() => this.sweep(), sweepEvery);
  }

  /** Resolves when the message is in the queues of all who subscribed. */
  publish({ topic, payload }: Message): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.#isRunning) {
        reject(new Error('The message broker is not running.'));
        return;
      }
      const packet = {
        cmd: 'publish',
        topic,
        payload: Buffer.from(payload),
        qos: 0,
        retain: false,
        dup: false,
      } as const;
      this.#aedes.publish(packet, (error) => (error ? reject(error) : resolve()));
    });
  }

  async endSessions(deviceId: number): Promise<void> {
    this.#gate.noteRevocation();
    const name = botOf(deviceId);
    const asked = new Set(this.#persistence.awayTokens(name));
    for (const { user } of this.#book.of(name)) if (user?.token) asked.add(user.token.jti);
    if (asked.size === 0) return;
    const alive = await this.#options.access.aliveOf(deviceId, [...asked]);
    const dead = new Set([...asked].filter((jti) => !alive.has(jti)));
    if (dead.size === 0) return;
    // Acknowledged messages are written a turn after they were published.
    await new Promise((resolve) => setImmediate(resolve));
    const ended = this.#book.of(name).filter(({ user }) => user?.token && dead.has(user.token.jti));
    const farewells = ended.map((connection) => this.#farewell(connection));
    for (const connection of ended) connection.dismiss('token_gone');
    this.#persistence.forgetTokens(name, dead);
    await Promise.all(farewells);
  }

  state(): BrokerState {
    const connections = this.#book.size;
    if (!this.#isRunning) return { ok: false, message: 'The built-in message broker is not running.', connections };
    const [first, ...others] = this.ports;
    const where = others.length > 0 ? `ports ${[first, ...others].join(' and ')}` : `port ${first}`;
    const who = connections === 1 ? '1 client is' : `${connections} clients are`;
    return { ok: true, message: `The built-in message broker listens on ${where}; ${who} connected.`, connections };
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#gate.close();
    if (this.#sweeper) clearInterval(this.#sweeper);
    this.#ports.close();
    this.#entrance?.close();
    this.#pending.stop();
    const farewells = Promise.all([...this.#open].map((connection) => this.#farewell(connection)));
    await new Promise<void>((resolve) => this.#aedes.close(resolve));
    for (const connection of this.#open) connection.destroy();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, this.#limits.farewellAtStop);
    });
    await Promise.race([farewells, late]);
    clearTimeout(timer);
    for (const connection of this.#open) connection.abandon();
    this.#log.stop();
  }

  /** Ends the connections whose tokens have expired, and forgets sessions that nobody came back to. Happens each minute. */
  sweep(): void {
    const now = this.#options.clock.now();
    const expired = [...this.#book.all()].filter(({ user }) => user?.token && user.token.expires <= now);
    for (const connection of expired) connection.dismiss('token_expired');
    this.#persistence.sweep();
  }

  #take(transport: Transport): void {
    if (!this.#isRunning) {
      transport.destroy();
      return;
    }
    const { limitsRates, clock } = this.#options;
    const allowance = limitsRates ? new MessageAllowance(this.#limits, clock) : null;
    const connection = new GuardedConnection(transport, this.#house, allowance);
    this.#open.add(connection);
    this.#pending.add(connection);
    const client = this.#aedes.handle(connection);
    // In the place of aedes' own way for QoS 0, which makes each message anew for each client and takes two turns.
    Object.assign(client, {
      deliver0: (packet: AedesPublishPacket, done: () => void) => {
        this.#deliver(client, connection, packet);
        done();
      },
    });
    connection.open();
  }

  #deliver(client: Client, connection: GuardedConnection, packet: AedesPublishPacket): void {
    if ((!client.connected && !client.connecting) || !this.#gate.forwards(client, packet)) return;
    const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload);
    connection.write(this.#encoded.bytes(packet.topic, payload, packet.retain));
  }

  #listenToAedes(): void {
    const failed = (client: Client, error: Error) =>
      guardedConnection(client)?.blame(error.message === 'keep alive timeout' ? 'keep_alive' : 'protocol');
    this.#aedes
      .on('clientReady', (client) => {
        const connection = guardedConnection(client);
        if (!connection) return;
        this.#pending.remove(connection);
        this.#persistence.connected(client);
        connection.accept();
      })
      .on('clientDisconnect', (client) => this.#persistence.disconnected(client))
      .on('unsubscribe', (filters, client) => {
        for (const filter of filters) guardedConnection(client)?.filters.delete(filter);
      })
      .on('clientError', failed)
      .on('connectionError', failed);
    // Without a listener an error would end the process.
    const { log } = this.#options;
    this.#aedes.addListener('error', (error: unknown) =>
      log.error({ reason: String(error) }, 'the message broker failed'),
    );
  }

  #asHouse(): ConnectionHouse {
    const { queuedBytesOfAll, unfinishedBytesOfAll } = this.#limits;
    return {
      limits: this.#limits,
      outgoing: new ByteBudget<GuardedConnection>(
        queuedBytesOfAll,
        ({ queued }) => queued,
        (connection) => connection.cut('queues_full'),
      ),
      incoming: new ByteBudget<GuardedConnection>(
        unfinishedBytesOfAll,
        ({ unfinished }) => unfinished,
        (connection) => connection.cut('unfinished_full'),
      ),
      flushSoon: (connection) => {
        if (this.#unflushed.length === 0) setImmediate(() => this.#flush());
        this.#unflushed.push(connection);
      },
      cut: (connection, reason) => this.#noteCut(connection, reason),
      left: (connection) => {
        this.#pending.remove(connection);
        this.#book.remove(connection);
      },
      gone: (connection) => {
        this.#open.delete(connection);
        this.#farewells.get(connection)?.();
        this.#farewells.delete(connection);
      },
    };
  }

  #flush(): void {
    const connections = this.#unflushed;
    this.#unflushed = [];
    for (const connection of connections) connection.flush();
  }

  /** Resolves when the last byte of a connection has left, or it broke. */
  #farewell(connection: GuardedConnection): Promise<void> {
    return new Promise((resolve) => {
      const others = this.#farewells.get(connection);
      this.#farewells.set(connection, () => {
        others?.();
        resolve();
      });
    });
  }

  #noteCut(connection: GuardedConnection, reason: CutReason): void {
    this.#options.counters.add('broker_cut', reason);
    this.#log.info(
      { reason, address: connection.address, ...(connection.user && { username: connection.user.name }) },
      'the message broker ended a connection',
    );
  }
}
