import type { IncomingMessage, Server } from 'node:http';
import type { AedesPublishPacket, Client } from 'aedes';
import { Aedes } from 'aedes';
import type { Clock } from '../../core/clock.ts';
import type { Counters } from '../../core/counters.ts';
import type { Logger } from '../../core/logger.ts';
import type { Broker, BrokerStatus, Message } from '../broker.ts';
import { deviceUsername } from '../broker.ts';
import { BoundedPersistence } from './bounded-persistence.ts';
import type { GateAccess, Ingest } from './broker-gate.ts';
import { BrokerGate } from './broker-gate.ts';
import type { BrokerLimits, StoreLimits } from './broker-limits.ts';
import { brokerLimits, storeLimits } from './broker-limits.ts';
import type { TlsPort } from './broker-ports.ts';
import { BrokerPorts } from './broker-ports.ts';
import { ByteBudget } from './byte-budget.ts';
import { ClientReceiver } from './client-receiver.ts';
import { ConnectionBook } from './connection-book.ts';
import { FairTurns } from './fair-turns.ts';
import { noteRefusal } from './gate-refusal.ts';
import type { ConnectionHouse, CutReason } from './guarded-connection.ts';
import { GuardedConnection, guardedConnection } from './guarded-connection.ts';
import { LimitedLog } from './limited-log.ts';
import { MessageAllowance } from './message-allowance.ts';
import { OpenConnections } from './open-connections.ts';
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
/** Bytes that a WebSocket's upgrade, headers and masks add to the first packet. */
const frameBytes = 1024;

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
  readonly #router = new TopicRouter<AedesPublishPacket>();
  readonly #open = new OpenConnections();
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
    const records = { counters, log: this.#log };
    this.#gate = new BrokerGate({
      ...{ access, ingest, persistence, limits, ...records },
      book: this.#book,
      router: this.#router,
    });
    this.#house = this.#asHouse();
    this.#aedes = new Aedes({
      ...this.#gate.hooks(),
      mq: this.#router,
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
    this.#entrance = this.#entranceOf(http);
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
    const name = deviceUsername(deviceId);
    const asked = new Set(this.#persistence.awayTokens(name));
    for (const { user } of this.#book.of(name)) if (user?.token) asked.add(user.token.jti);
    const alive = asked.size === 0 ? asked : await this.#options.access.aliveOf(deviceId, [...asked]);
    // Nobody is left who published it; it may be a device that was deleted, of which nothing would be heard any more.
    if (alive.size === 0) this.#persistence.retained.forget(`bot/${name}`);
    const dead = new Set([...asked].filter((jti) => !alive.has(jti)));
    if (dead.size === 0) return;
    // Acknowledged messages are written a turn after they were published.
    await new Promise((resolve) => setImmediate(resolve));
    const ended = this.#book.of(name).filter(({ user }) => user?.token && dead.has(user.token.jti));
    const farewells = ended.map((connection) => this.#open.farewell(connection));
    for (const connection of ended) connection.dismiss('token_gone');
    this.#persistence.forgetTokens(name, dead);
    await Promise.all(farewells);
  }

  status(): BrokerStatus {
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
    const farewells = Promise.all([...this.#open].map((connection) => this.#open.farewell(connection)));
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
    const gate = this.#gate;
    const forwards = gate.forwards.bind(gate);
    const receiver = new ClientReceiver({ client, connection, forwards, encoded: this.#encoded });
    connection.receiver = receiver;
    Object.assign(client, {
      deliver0: (packet: AedesPublishPacket, done: () => void) => {
        receiver.deliver(packet);
        done();
      },
    });
    connection.open();
  }

  #entranceOf(http: Server): WebSocketEntrance {
    const { packetBytes: mostBytes, connectBytes, unansweredPings, farewell } = this.#limits;
    const addressOf = (request: IncomingMessage): string =>
      this.#options.addressOf?.(request) ?? request.socket.remoteAddress ?? '';
    const first = connectBytes + frameBytes;
    return new WebSocketEntrance({
      ...{ http, mostBytes, farewell },
      take: (webSocket, socket, request) =>
        this.#take(new WebSocketTransport(webSocket, socket, { address: addressOf(request), first, unansweredPings })),
      refused: (socket, request) => {
        const stranger = { address: addressOf(request), user: null, cut: () => socket.destroy() };
        this.#pending.add(stranger);
        socket.on('close', () => this.#pending.remove(stranger));
        noteRefusal({ counters: this.#options.counters, log: this.#log }, 'web_socket_path', stranger);
      },
    });
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
        const connection = guardedConnection(client);
        for (const filter of filters) {
          connection?.filters.delete(filter);
          if (connection?.receiver) this.#router.unsubscribe(filter, connection.receiver);
        }
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
    const turns = new FairTurns(this.#limits);
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
      workSoon: (connection) => turns.add(connection),
      cut: (connection, reason) => this.#noteCut(connection, reason),
      left: (connection) => {
        for (const filter of connection.filters.keys())
          if (connection.receiver) this.#router.unsubscribe(filter, connection.receiver);
        this.#pending.remove(connection);
        this.#book.remove(connection);
      },
      gone: (connection) => this.#open.remove(connection),
    };
  }

  #flush(): void {
    const connections = this.#unflushed;
    this.#unflushed = [];
    for (const connection of connections) connection.flush();
  }

  #noteCut(connection: GuardedConnection, reason: CutReason): void {
    this.#options.counters.add('broker_cut', reason);
    this.#log.info(
      { reason, address: connection.address, ...(connection.user && { username: connection.user.name }) },
      'the message broker ended a connection',
    );
  }
}
