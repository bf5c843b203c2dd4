import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AedesPublishPacket, Client } from 'aedes';
import { Aedes } from 'aedes';
import type { Clock } from '../core/clock.ts';
import type { Counters } from '../core/counters.ts';
import { Failure } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { messagesIn } from '../core/message.ts';
import { BoundedPersistence } from './bounded-persistence.ts';
import { ClientEventLog } from './client-event-log.ts';
import type { MessageHandler } from './client-hooks.ts';
import { ClientHooks } from './client-hooks.ts';
import { createConnectionContext } from './connection-context.ts';
import { ConnectionRegistry, PendingConnections } from './connection-registry.ts';
import { CredentialChecks } from './credential-checks.ts';
import type { ConnectionContext } from './guarded-connection.ts';
import { GuardedConnection, guardedConnection, reasonOf } from './guarded-connection.ts';
import type { Authenticator, ClientIdentity } from './identity.ts';
import type { MqttLimits, StoreLimits } from './limits.ts';
import { mqttLimits, storeLimits } from './limits.ts';
import { TokenBucket } from './packet-reader.ts';
import type { RetentionLayout } from './retained-messages.ts';
import { Handshake } from './sign-in.ts';
import type { TlsPort } from './tcp-listeners.ts';
import { TcpListeners } from './tcp-listeners.ts';
import { ClientReceiver, PublishEncoder, TopicRouter } from './topic-router.ts';
import { matchesFilter } from './topic-tree.ts';
import type { Transport } from './transport.ts';
import { SocketTransport } from './transport.ts';
import { WebSocketListener, WebSocketTransport } from './web-socket-transport.ts';

const { notRunning } = messagesIn({
  en: { notRunning: 'The message broker is not running.' },
  fr: { notRunning: 'Le courtier de messages ne fonctionne pas.' },
});

export interface MqttServerOptions {
  readonly host: string;
  /** Port without TLS; 0: any free port. */
  readonly port: number;
  /** Port with TLS; null: none. */
  readonly tls: TlsPort | null;
  /** Paths of the HTTP server at which WebSockets are accepted. */
  readonly webSocketPaths: ReadonlySet<string>;
  readonly authenticator: Authenticator;
  readonly onMessage: MessageHandler;
  /** Called when a client has subscribed, or its session was brought back with the subscription. */
  readonly onSubscribed?: (identity: ClientIdentity, filter: string) => void;
  /** Called when a signed-in connection has ended, with the milliseconds since the client sent something. */
  readonly onEnded?: (identity: ClientIdentity, silence: number) => void;
  /** Topics on which messages of clients are retained, within limits per user. Elsewhere their flag is cleared. */
  readonly retention: RetentionLayout;
  /** Topics on which messages of the server are retained. */
  readonly serverRetention?: RetentionLayout | null;
  /** False: clients may send at any rate. */
  readonly limitsRates: boolean;
  readonly counters: Counters;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the IP address of a WebSocket's client; by default its socket's. */
  readonly addressOf?: (request: IncomingMessage) => string;
  /** Milliseconds between checks of the certificate's files; 10 s by default. */
  readonly certificateInterval?: number;
  readonly limits?: Partial<MqttLimits>;
  readonly storeLimits?: Partial<StoreLimits>;
}

/** Milliseconds between checks for expired credentials and sessions. */
const sweepInterval = 1000;
const tenSeconds = 10_000;
/** Bytes that a WebSocket's upgrade, headers and masks add to the first packet. */
const webSocketOverhead = 1024;

/** A server of MQTT 3.1.1 and 5 on TCP ports and, over WebSockets, on an HTTP server. */
export class MqttServer {
  readonly checks: CredentialChecks;
  readonly #options: MqttServerOptions;
  readonly #limits: MqttLimits;
  readonly #aedes: Aedes;
  readonly #hooks: ClientHooks;
  readonly #handshake: Handshake;
  readonly #persistence: BoundedPersistence;
  readonly #registry = new ConnectionRegistry();
  readonly #pending: PendingConnections;
  readonly #listeners: TcpListeners;
  readonly #events: ClientEventLog;
  readonly #context: ConnectionContext;
  readonly #encoder = new PublishEncoder();
  readonly #router = new TopicRouter<AedesPublishPacket>();
  #webSockets: WebSocketListener | null = null;
  #sweeper: NodeJS.Timeout | null = null;
  #isRunning = false;

  constructor(options: MqttServerOptions) {
    const { authenticator, onMessage, onSubscribed, retention, counters, clock, log } = options;
    this.#options = options;
    const limits = { ...mqttLimits, ...options.limits };
    this.#limits = limits;
    this.#events = new ClientEventLog(counters, log, clock);
    this.#pending = new PendingConnections(limits);
    const bounds = { ...storeLimits, ...options.storeLimits };
    this.#persistence = new BoundedPersistence(bounds, retention, clock, options.serverRetention);
    this.checks = new CredentialChecks({ authenticator, registry: this.#registry, persistence: this.#persistence });
    this.#hooks = new ClientHooks({
      authenticator,
      checks: this.checks,
      onMessage,
      ...(onSubscribed && { onSubscribed }),
      limits,
      counters,
      clock,
      events: this.#events,
      persistence: this.#persistence,
      pending: this.#pending,
      registry: this.#registry,
      router: this.#router,
    });
    this.#context = createConnectionContext({
      limits,
      events: this.#events,
      pending: this.#pending,
      registry: this.#registry,
      router: this.#router,
      onEnded: ({ identity, lastReceived }) => {
        if (identity) options.onEnded?.(identity, performance.now() - lastReceived);
      },
    });
    this.#aedes = new Aedes({
      ...this.#hooks.options(),
      mq: this.#router,
      persistence: this.#persistence,
      // A fallback: PendingConnections closes connections earlier.
      connectTimeout: 2 * limits.connectTimeout,
      maxInflightInbound: limits.maxUnreleased,
    });
    const maxSessionExpiry = bounds.sessionExpiry;
    const { aedes, persistence } = { aedes: this.#aedes, persistence: this.#persistence };
    this.#handshake = new Handshake({ aedes, hooks: this.#hooks, persistence, limits, maxSessionExpiry, clock });
    this.#listenToAedes();
    this.#listeners = new TcpListeners({
      ...options,
      certificateInterval: options.certificateInterval ?? tenSeconds,
      onConnection: (socket, address) => this.#accept(new SocketTransport(socket, address)),
    });
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** The open TCP ports, the one without TLS first. */
  get ports(): readonly number[] {
    return this.#listeners.ports;
  }

  /** Number of signed-in clients. */
  get connections(): number {
    return this.#registry.signedIn;
  }

  /** The users with signed-in connections. */
  get users(): readonly string[] {
    return this.#registry.users;
  }

  /** The identities of a user's signed-in connections that have subscribed to a topic. */
  subscribersOf(userName: string, topic: string): readonly ClientIdentity[] {
    return this.#registry
      .ofUser(userName)
      .flatMap(({ identity, filters }) =>
        identity && [...filters.keys()].some((filter) => matchesFilter(filter, topic)) ? identity : [],
      );
  }

  /** Sends a QoS 0 message to the chosen clients of a user that subscribed to its topic. Returns false if there is none. */
  send(userName: string, topic: string, payload: string, isChosen: (identity: ClientIdentity) => boolean): boolean {
    let isSent = false;
    const packet = { cmd: 'publish', topic, payload: Buffer.from(payload), qos: 0, retain: false, dup: false } as const;
    for (const { identity, filters, receiver } of this.#registry.ofUser(userName)) {
      if (!identity || !isChosen(identity) || !receiver) continue;
      if (![...filters.keys()].some((filter) => matchesFilter(filter, topic))) continue;
      receiver.receive(packet as unknown as AedesPublishPacket, 0, () => undefined);
      isSent = true;
    }
    return isSent;
  }

  /** Opens the ports. Rejects when one is in use. */
  async start(http: Server): Promise<void> {
    await this.#aedes.listen();
    this.#isRunning = true;
    try {
      await this.#listeners.open();
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.#webSockets = this.#listenForWebSockets(http);
    this.#sweeper = setInterval(() => this.sweep(), sweepInterval);
  }

  /** Publishes a QoS 0 message. Resolves when it is queued for all subscribers. Rejects when the server is not running. */
  publish(topic: string, payload: string, retain = false): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.#isRunning) {
        reject(new Failure('unavailable', notRunning));
        return;
      }
      const packet = {
        cmd: 'publish',
        topic,
        payload: Buffer.from(payload),
        qos: 0,
        retain,
        dup: false,
      } as const;
      this.#aedes.publish(packet, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Ends everything that depends on invalid credentials of a user, after its queue was written. */
  async endSessions(userName: string): Promise<void> {
    const ending = await this.checks.end(await this.checks.findEnded([userName]));
    await Promise.all(ending.map((connection) => this.#registry.closed(connection)));
    // The user may have been deleted, and nothing else would delete messages that others retained for it.
    if (!this.checks.isUsedBy(userName)) this.#persistence.retained.deleteUser(userName);
  }

  /** Closes all connections and ports. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#hooks.close();
    if (this.#sweeper) clearInterval(this.#sweeper);
    this.#listeners.close();
    this.#webSockets?.close();
    this.#pending.stop();
    for (const connection of this.#registry.open()) connection.setDisconnectReason('stopping');
    const closed = Promise.all(this.#registry.open().map((connection) => this.#registry.closed(connection)));
    await new Promise<void>((resolve) => this.#aedes.close(resolve));
    for (const connection of this.#registry.open()) connection.destroy();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise((resolve) => {
      timer = setTimeout(resolve, this.#limits.stopTimeout);
    });
    await Promise.race([closed, timeout]);
    clearTimeout(timer);
    for (const connection of this.#registry.open()) connection.destroyTransport();
    this.#events.stop();
  }

  /** Ends everything that depends on expired credentials, and deletes old sessions. Called each second. */
  sweep(): void {
    const now = this.#options.clock.now();
    for (const connection of this.#registry.allSignedIn()) {
      const credential = connection.identity?.credential;
      if (credential && credential.expires <= now) connection.close('token_expired');
    }
    this.#persistence.sweep();
  }

  #accept(transport: Transport): void {
    if (!this.#isRunning) {
      transport.destroy();
      return;
    }
    const { limitsRates, clock } = this.#options;
    const bucket = limitsRates ? new TokenBucket(this.#limits, clock) : null;
    const connection = new GuardedConnection(transport, this.#context, bucket);
    this.#registry.add(connection);
    this.#pending.add(connection);
    const client = this.#aedes.handle(connection);
    this.#handshake.take(client);
    const authorizeForward = this.#hooks.authorizeForward.bind(this.#hooks);
    const receiver = new ClientReceiver({ client, connection, authorizeForward, encoder: this.#encoder });
    connection.receiver = receiver;
    Object.assign(client, {
      deliver0: (packet: AedesPublishPacket, done: () => void) => {
        receiver.deliver(packet);
        done();
      },
    });
    connection.open();
  }

  #listenForWebSockets(http: Server): WebSocketListener {
    const { maxPacketSize, maxConnectSize, maxUnansweredPings, closeTimeout } = this.#limits;
    const addressOf = (request: IncomingMessage): string =>
      this.#options.addressOf?.(request) ?? request.socket.remoteAddress ?? '';
    return new WebSocketListener({
      http,
      closeTimeout,
      paths: this.#options.webSocketPaths,
      maxMessageSize: maxPacketSize,
      onConnection: (webSocket, socket, request) => {
        const maxUnacceptedBytes = maxConnectSize + webSocketOverhead;
        const options = { address: addressOf(request), maxUnacceptedBytes, maxUnansweredPings };
        this.#accept(new WebSocketTransport(webSocket, socket, options));
      },
      onRejected: (socket, request) => this.#rejectWebSocket(socket, addressOf(request)),
    });
  }

  /** Counts a rejected upgrade among the pending connections until its socket is closed. */
  #rejectWebSocket(socket: Duplex, address: string): void {
    const pending = { address, terminate: () => socket.destroy() };
    this.#pending.add(pending);
    socket.on('close', () => this.#pending.remove(pending));
    this.#events.rejected('web_socket_path', { address });
  }

  #listenToAedes(): void {
    const onError = (client: Client, error: Error) => guardedConnection(client)?.reportReason(reasonOf(error));
    this.#aedes
      .on('clientReady', (client) => {
        const connection = guardedConnection(client);
        if (!connection) return;
        this.#pending.remove(connection);
        this.#persistence.onConnect(client);
        connection.accept();
        connection.mqtt5?.open();
      })
      .on('clientDisconnect', (client) => this.#persistence.onDisconnect(client))
      .on('unsubscribe', (filters, client) => {
        const connection = guardedConnection(client);
        for (const filter of filters) {
          connection?.filters.delete(filter);
          if (connection?.receiver) this.#router.unsubscribe(filter, connection.receiver);
        }
      })
      .on('clientError', onError)
      .on('connectionError', onError);
    // Without a listener an error would end the process.
    this.#aedes.addListener('error', (error: unknown) =>
      this.#options.log.error({ reason: String(error) }, 'the message broker failed'),
    );
  }
}
