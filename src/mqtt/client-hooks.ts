import type { AedesOptions, AedesPublishPacket, Client, PublishPacket, Subscription } from 'aedes';
import type { Clock } from '../core/clock.ts';
import type { Counters } from '../core/counters.ts';
import { logText } from '../core/log-text.ts';
import type { BoundedPersistence } from './bounded-persistence.ts';
import type { RequestRejection } from './client-event-log.ts';
import type { ConnectResult } from './connack-codes.ts';
import type { GuardedConnection } from './guarded-connection.ts';
import { guardedConnection } from './guarded-connection.ts';
import type { ClientIdentity } from './identity.ts';
import type { Message5 } from './mqtt5-client.ts';
import type { SignInOptions } from './sign-in.ts';
import { SignIn } from './sign-in.ts';
import { isUnwanted, matching } from './subscriptions.ts';
import type { TopicRouter } from './topic-router.ts';
import { countLevels } from './topic-tree.ts';

/** Handles a client's message before it is acknowledged. Null: there is nothing to wait for. A rejection closes the connection of a client that waits for an acknowledgment. */
export type MessageHandler = (topic: string, payload: Buffer) => Promise<void> | null;

export interface ClientHooksOptions extends SignInOptions {
  readonly onMessage: MessageHandler;
  /** Called when a client has subscribed. */
  readonly onSubscribed?: (identity: ClientIdentity, filter: string) => void;
  readonly persistence: BoundedPersistence;
  readonly router: TopicRouter<AedesPublishPacket>;
  readonly counters: Counters;
  readonly clock: Clock;
}

/** The part of aedes' clients that its types leave out. */
type InternalClient = Client & { readonly broker: { readonly clients: Readonly<Record<string, Client>> } };

const rejected = (): Error => new Error('rejected');

/** A topic that is delivered to no client. */
const ignoredTopic = '$ignored';

/** The topics on which bridges of mosquitto publish their state. A bridge that may not publish it connects again, without end. [rule M26] */
const bridgeState = /^\$SYS\/broker\/connection\/.+\/state$/;

/** The hooks that aedes calls before it handles a request of a client. */
export class ClientHooks {
  readonly #options: ClientHooksOptions;
  readonly #signIn: SignIn;
  /** Bytes of QoS 0 messages that are being handled. */
  #unhandledBytes = 0;
  /** Last wills that are being checked, by client ids. */
  readonly #wills = new Map<string, Promise<void>>();
  /** Last wills that are not due yet, by client ids: due when their session ends, at the latest. */
  readonly #delayedWills = new Map<string, (isDue: boolean) => void>();
  /** Clients whose id another connection has taken. */
  readonly #takenOver = new WeakSet<Client>();
  #isClosed = false;

  constructor(options: ClientHooksOptions) {
    this.#options = options;
    options.persistence.onDeleted = (clientId) => this.#delayedWills.get(clientId)?.(true);
    this.#signIn = new SignIn(options);
  }

  /** Whether all further requests are rejected. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Rejects all further requests. */
  close(): void {
    this.#isClosed = true;
    for (const end of this.#delayedWills.values()) end(false);
  }

  /** The hooks as options of aedes. */
  options(): Required<
    Pick<AedesOptions, 'preConnect' | 'authenticate' | 'authorizePublish' | 'authorizeSubscribe' | 'authorizeForward'>
  > {
    return {
      preConnect: (client, packet, done) => {
        const connection = guardedConnection(client);
        if (connection) connection.connectPacket = { ...packet };
        // Until the client has signed in, its id must not be one that another client may have.
        packet.clientId = '';
        // aedes keeps this packet as long as the connection.
        delete packet.password;
        done(null, connection !== null && !this.#isClosed);
      },
      authenticate: (client, username, _password, done) => {
        void this.authenticate(client, username).then((response) => {
          if (response === null) done(null, true);
          // aedes would send a CONNACK, unless the connection has ended.
          else if (response === 'none') guardedConnection(client)?.destroy();
          else done(Object.assign(rejected(), { returnCode: response }), false);
        });
      },
      authorizePublish: (client, packet, done) => this.#authorizePublish(client, packet, done),
      authorizeSubscribe: (client, subscription, done) => this.#authorizeSubscribe(client, subscription, done),
      authorizeForward: (client, packet) => (this.authorizeForward(client, packet) ? packet : null),
    };
  }

  /** Authenticates the client of a CONNECT. Returns null when it is accepted. Never rejects. */
  async authenticate(client: Client, username: string | undefined): Promise<ConnectResult | null> {
    let response: ConnectResult | null = 'none';
    try {
      response = await this.#signIn.authenticate(client, username);
    } catch (error) {
      this.#options.events.rejected('not_checked', guardedConnection(client), { failure: String(error) });
    }
    const connection = guardedConnection(client);
    if (connection && response !== null) connection.hasCloseReason = true;
    if (connection && response === null) this.#takeOver(client, connection);
    return response;
  }

  /** Ends what an earlier connection with the same client id has left. */
  #takeOver(client: Client, { mqtt5 }: GuardedConnection): void {
    const earlier = (client as InternalClient).broker.clients[client.id];
    if (earlier) {
      guardedConnection(earlier)?.setDisconnectReason('taken_over');
      this.#takenOver.add(earlier);
    }
    // Its will is due if its session ends. [MQTT 5, 3.1.2.5]
    if (mqtt5?.isCleanStart ?? client.clean) this.#options.persistence.cleanSubscriptions(client);
    this.#delayedWills.get(client.id)?.(false);
  }

  /** Whether a message is delivered to a client that subscribed to it. */
  authorizeForward(client: Client, packet: AedesPublishPacket): boolean {
    const connection = guardedConnection(client);
    if (!connection?.identity?.canReceive(packet.topic)) return false;
    if (isUnwanted(packet, client.id, connection.filters)) return false;
    if (packet.retain && !packet.brokerId && connection.mqtt5?.wantsRetained(packet.topic) === false) return false;
    if ('messageExpiry' in packet && Number(packet.messageExpiry) <= this.#options.clock.now()) return false;
    // Messages from a session's queue have an id already, and may be older than messages received since the client reconnected.
    if (packet.brokerId && packet.messageId === undefined) {
      if (packet.brokerCounter <= connection.lastForwarded) return false;
      connection.lastForwarded = packet.brokerCounter;
    }
    if (packet.retain && packet.qos > 0) packet.qos = grantedQos(connection, packet);
    return true;
  }

  #authorizePublish(client: Client | null, packet: PublishPacket, done: (error?: Error | null) => void): void {
    const connection = client && guardedConnection(client);
    if (!client || !connection?.identity || this.#isClosed) {
      done(rejected());
      return;
    }
    const { identity } = connection;
    const admit = () => (this.#isClosed ? done(rejected()) : this.#admit(client, connection, identity, packet, done));
    const earlier = this.#wills.get(client.id);
    if (!isWill(client, packet)) {
      // The client has connected again: the will of its earlier connection must not follow its new messages.
      if (earlier) void earlier.then(admit);
      else admit();
      return;
    }
    const decided = this.#isWillDue(client, connection)
      .then((isDue) => isDue && this.#allowsWill(connection, identity, earlier))
      .then((isAllowed) => (isAllowed ? admit() : done(rejected())))
      .finally(() => {
        if (this.#wills.get(client.id) === decided) this.#wills.delete(client.id);
      });
    this.#wills.set(client.id, decided);
  }

  /** Resolves with false if the client continues its session before its will is due. */
  #isWillDue(client: Client, { mqtt5 }: GuardedConnection): Promise<boolean> {
    // Where the server has no session, it ends with the connection.
    const delay =
      mqtt5 && this.#options.persistence.hasSession(client) ? Math.min(mqtt5.willDelay, mqtt5.sessionExpiry) : 0;
    if (delay === 0) return Promise.resolve(true);
    if (this.#takenOver.has(client)) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (isDue: boolean) => {
        clearTimeout(timer);
        this.#delayedWills.delete(client.id);
        resolve(isDue && !(client as InternalClient).broker.clients[client.id]);
      };
      const timer = setTimeout(() => end(true), delay);
      this.#delayedWills.set(client.id, end);
    });
  }

  /** Whether a client's rights have not ended, in any process, before its connection did. Never rejects. */
  async #allowsWill(
    connection: GuardedConnection,
    identity: ClientIdentity,
    earlier?: Promise<void>,
  ): Promise<boolean> {
    const { checks, events } = this.#options;
    try {
      await earlier;
      if (await checks.isValid(identity)) return true;
      events.rejected('ended_will', connection);
    } catch (error) {
      events.rejected('not_checked', connection, { failure: String(error) });
    }
    return false;
  }

  /** Checks the topic of a message, and publishes it. */
  #admit(
    client: Client,
    connection: GuardedConnection,
    identity: ClientIdentity,
    packet: PublishPacket,
    done: (error?: Error | null) => void,
  ): void {
    const { limits, events, counters } = this.#options;
    const { mqtt5 } = connection;
    const drop = () => {
      packet.topic = ignoredTopic;
      packet.retain = false;
      done(null);
    };
    const reject = () => {
      if (mqtt5 && packet.qos > 0 && !isWill(client, packet)) {
        counters.add('broker_refusals', 'refused_publish');
        mqtt5.refuse(packet.messageId ?? 0);
        drop();
        return;
      }
      connection.setDisconnectReason('refused_publish');
      connection.hasCloseReason = true;
      counters.add('broker_cut', 'refused_publish');
      done(rejected());
    };
    const { take } = identity;
    if (take) {
      counters.add('broker_messages');
      if (!this.#isRepeated(client, packet)) take(packet.topic, payloadOf(packet));
      drop();
      return;
    }
    if (bridgeState.test(packet.topic) || identity.ignores?.(packet.topic)) {
      counters.add('broker_refusals', 'ignored');
      drop();
      return;
    }
    const isLong = Buffer.byteLength(packet.topic) > limits.maxTopicSize;
    if (isLong || countLevels(packet.topic) > limits.maxTopicLevels) {
      events.rejected(isLong ? 'topic_length' : 'topic_levels', connection);
      reject();
      return;
    }
    const isAllowed = identity.canPublish(packet.topic);
    if (isAllowed === true) this.#publish(client, connection, packet, done);
    else
      isAllowed.then(
        (allowed) => (allowed ? this.#publish(client, connection, packet, done) : reject()),
        (error: unknown) => {
          events.rejected('not_checked', connection, { failure: String(error) });
          reject();
        },
      );
  }

  /** Whether a QoS 2 message was handled before. */
  #isRepeated(client: Client, { qos, messageId }: PublishPacket): boolean {
    return qos === 2 && this.#options.persistence.isUnreleased(client, messageId ?? 0);
  }

  #publish(
    client: Client,
    connection: GuardedConnection,
    packet: PublishPacket,
    done: (error?: Error | null) => void,
  ): void {
    const { counters, persistence, onMessage, limits } = this.#options;
    counters.add('broker_messages');
    const payload = payloadOf(packet);
    const isRepeated = this.#isRepeated(client, packet);
    const message: Message5 = packet as AedesPublishPacket;
    if (message.properties?.messageExpiryInterval !== undefined) {
      const { messageExpiryInterval, ...properties } = message.properties;
      Object.assign(message, { properties, messageExpiry: this.#options.clock.now() + messageExpiryInterval * 1000 });
    }
    // aedes would retain it without its author.
    if (packet.retain && !isRepeated)
      persistence.retained.store({ ...message, payload }, connection.identity?.credential ?? null);
    packet.retain &&= persistence.retained.keeps(packet.topic);
    // aedes would pass on that the client repeats it. [MQTT 3.1.1, 3.3.1.1]
    packet.dup = false;
    // Known before it is queued for sessions.
    Object.assign(packet, { clientId: client.id });
    const handled = isRepeated ? null : onMessage(packet.topic, payload);
    if (handled === null) {
      done(null);
      return;
    }
    if (packet.qos > 0) {
      handled.then(
        () => done(null),
        () => {
          // Without an acknowledgment the client repeats the message when it reconnects.
          connection.terminate('not_stored');
          done(rejected());
        },
      );
      return;
    }
    this.#unhandledBytes += payload.length;
    const settled = handled
      .catch(() => counters.add('broker_refusals', 'not_stored'))
      .finally(() => {
        this.#unhandledBytes -= payload.length;
      });
    if (this.#unhandledBytes > limits.maxUnhandledBytes) settled.then(() => done(null));
    else done(null);
  }

  #authorizeSubscribe(
    client: Client,
    subscription: Subscription,
    done: (error: Error | null, subscription?: Subscription | null) => void,
  ): void {
    const connection = guardedConnection(client);
    const filter = subscription.topic;
    if (!connection?.identity || this.#isClosed) {
      done(rejected());
      return;
    }
    const { limits, events, router } = this.#options;
    if (connection.rejectedFilters >= limits.maxRejectedSubscriptions) {
      connection.terminate('too_many_filters');
      done(rejected());
      return;
    }
    const reason = this.#filterProblem(connection, filter);
    if (reason) {
      connection.rejectedFilters++;
      events.rejected(reason, connection, { filter: logText(filter) });
      done(null, null);
      return;
    }
    const grant = () => {
      // After the end of the connection nothing would remove the filter again.
      if (connection.destroyed) return;
      connection.filters.set(filter, subscription);
      if (connection.receiver) router.subscribe(filter, connection.receiver, subscription.qos);
      done(null, subscription);
      if (connection.identity) this.#options.onSubscribed?.(connection.identity, filter);
    };
    const isAllowed = connection.identity.canSubscribe(filter);
    if (isAllowed === true) {
      grant();
      return;
    }
    // Counted before the result is known: one packet may ask for thousands.
    connection.rejectedFilters++;
    isAllowed.then(
      (allowed) => {
        if (!allowed) {
          done(null, null);
          return;
        }
        connection.rejectedFilters--;
        grant();
      },
      (error: unknown) => {
        events.rejected('not_checked', connection, { failure: String(error) });
        done(null, null);
      },
    );
  }

  #filterProblem(connection: GuardedConnection, filter: string): RequestRejection | null {
    const { limits } = this.#options;
    if (filter.startsWith('$')) return 'system_topic';
    if (Buffer.byteLength(filter) > limits.maxTopicSize) return 'filter_length';
    if (countLevels(filter) > limits.maxTopicLevels) return 'filter_levels';
    const isNew = !connection.filters.has(filter);
    return isNew && connection.filters.size >= limits.maxSubscriptions ? 'too_many_filters' : null;
  }
}

/** Whether aedes publishes the last will of a client whose connection has ended. */
const isWill = (client: Client, packet: PublishPacket): boolean => 'will' in client && client.will === packet;

const payloadOf = ({ payload }: PublishPacket): Buffer => (Buffer.isBuffer(payload) ? payload : Buffer.from(payload));

/** Returns the QoS of a retained message: its own, at most the granted one. */
function grantedQos(connection: GuardedConnection, packet: AedesPublishPacket): 0 | 1 | 2 {
  let granted: 0 | 1 | 2 = 0;
  for (const { qos } of matching(connection.filters, packet.topic)) if (qos > granted) granted = qos;
  return packet.qos < granted ? packet.qos : granted;
}
