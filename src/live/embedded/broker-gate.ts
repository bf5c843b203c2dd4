import type { AedesOptions, AedesPublishPacket, Client, PublishPacket, Subscription } from 'aedes';
import type { BrokerAccess, BrokerUser, Permission } from '../access.ts';
import { clientText } from '../client-text.ts';
import type { IngestedChannel } from '../ingestion/ingestion.ts';
import { routingKeyOf, topicRuling } from '../topic-permissions.ts';
import type { BoundedPersistence } from './bounded-persistence.ts';
import type { ConnectAnswer, SignInOptions } from './broker-sign-in.ts';
import { BrokerSignIn } from './broker-sign-in.ts';
import type { GateReason } from './gate-refusal.ts';
import { noteRefusal } from './gate-refusal.ts';
import type { GuardedConnection } from './guarded-connection.ts';
import { guardedConnection } from './guarded-connection.ts';
import type { TopicRouter } from './topic-router.ts';
import { levelsOf, meets } from './topic-tree.ts';

/** The part of the permissions that the built-in broker asks. */
export type GateAccess = Pick<BrokerAccess, 'login' | 'topic' | 'aliveOf'>;

/** Takes a message of a device that the server reads. Resolves when it is stored, or was none that is to be stored. */
export type Ingest = (channel: IngestedChannel, deviceId: number, payload: Buffer) => Promise<void>;

export interface GateOptions extends SignInOptions {
  readonly access: GateAccess;
  readonly ingest: Ingest;
  readonly persistence: BoundedPersistence;
  readonly router: TopicRouter<AedesPublishPacket>;
}

const ingested = /^bot\/device_([1-9]\d{0,15})\/(logs|telemetry)$/;

/** Lets clients in and their messages through: what aedes asks before it does anything for a client. */
export class BrokerGate {
  readonly #options: GateOptions;
  readonly #signIn: BrokerSignIn;
  /** Bytes of unacknowledged messages that are being stored. */
  #ingesting = 0;
  #isClosed = false;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#signIn = new BrokerSignIn(options);
  }

  /** Who signs in at this moment is looked at once more, since tokens may have gone meanwhile. */
  noteRevocation(): void {
    this.#signIn.noteRevocation();
  }

  /** Nothing passes any more. */
  close(): void {
    this.#isClosed = true;
  }

  /** The questions of aedes. */
  hooks(): Required<
    Pick<AedesOptions, 'preConnect' | 'authenticate' | 'authorizePublish' | 'authorizeSubscribe' | 'authorizeForward'>
  > {
    return {
      preConnect: (client, packet, done) => {
        const connection = guardedConnection(client);
        if (connection) connection.connectPacket = { ...packet };
        // Until it is known who it is, a client has no name that others could have too.
        packet.clientId = '';
        // aedes keeps this packet as long as the connection.
        delete packet.password;
        done(null, connection !== null && !this.#isClosed);
      },
      authenticate: (client, username, _password, done) => {
        const refuse = (answer: ConnectAnswer) => {
          const connection = guardedConnection(client);
          if (connection) connection.isJudged = true;
          // aedes would answer; it sees that the connection has ended.
          if (answer === 'later') connection?.destroy();
          else done(Object.assign(new Error('refused'), { returnCode: answer }), false);
        };
        this.#signIn.judge(client, username).then(
          (answer) => (answer === null ? done(null, true) : refuse(answer)),
          (error: unknown) => {
            noteRefusal(this.#options, 'not_checked', guardedConnection(client), { failure: String(error) });
            refuse('later');
          },
        );
      },
      authorizePublish: (client, packet, done) => this.#judgePublish(client, packet, done),
      authorizeSubscribe: (client, subscription, done) => this.#judgeSubscribe(client, subscription, done),
      authorizeForward: (client, packet) => (this.forwards(client, packet) ? packet : null),
    };
  }

  /** Whether a message goes to a client that subscribed to it. */
  forwards(client: Client, packet: AedesPublishPacket): boolean {
    const connection = guardedConnection(client);
    if (!connection?.user || !mayRead(connection.user, packet.topic)) return false;
    // What waited for a session has its id already, and may be older than what came since it is back.
    if (packet.brokerId && packet.messageId === undefined) {
      if (packet.brokerCounter <= connection.lastForwarded) return false;
      connection.lastForwarded = packet.brokerCounter;
    }
    if (packet.retain && packet.qos > 0) packet.qos = grantedQos(connection, packet);
    return true;
  }

  #judgePublish(client: Client | null, packet: PublishPacket, done: (error?: Error | null) => void): void {
    const connection = client && guardedConnection(client);
    if (!client || !connection?.user || this.#isClosed) {
      done(new Error('refused'));
      return;
    }
    const refuse = () => {
      connection.isJudged = true;
      this.#options.counters.add('broker_cut', 'refused_publish');
      done(new Error('refused'));
    };
    const { topicBytes, topicLevels } = this.#options.limits;
    const isLong = Buffer.byteLength(packet.topic) > topicBytes;
    if (isLong || levelsOf(packet.topic) > topicLevels) {
      noteRefusal(this.#options, isLong ? 'topic_length' : 'topic_levels', connection);
      refuse();
      return;
    }
    const verdict = this.#verdict(connection.user, 'write', packet.topic);
    if (verdict === true) this.#pass(client, connection, packet, done);
    else
      verdict.then(
        (isAllowed) => (isAllowed ? this.#pass(client, connection, packet, done) : refuse()),
        (error: unknown) => {
          noteRefusal(this.#options, 'not_checked', connection, { failure: String(error) });
          refuse();
        },
      );
  }

  #pass(
    client: Client,
    connection: GuardedConnection,
    packet: PublishPacket,
    done: (error?: Error | null) => void,
  ): void {
    const { counters, persistence, ingest, limits } = this.#options;
    counters.add('broker_messages');
    if (packet.retain && !persistence.retained.admits(packet)) packet.retain = false;
    const [, digits, channel] = ingested.exec(packet.topic) ?? [];
    const deviceId = Number(digits);
    const isRepeated = packet.qos === 2 && persistence.isUnreleased(client, packet.messageId ?? 0);
    if ((channel !== 'logs' && channel !== 'telemetry') || !Number.isSafeInteger(deviceId) || isRepeated) {
      done(null);
      return;
    }
    const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload);
    const stored = ingest(channel, deviceId, payload);
    if (packet.qos > 0) {
      stored.then(
        () => done(null),
        () => {
          // Not acknowledged, so the client sends it again when it is back.
          connection.cut('not_stored');
          done(new Error('not stored'));
        },
      );
      return;
    }
    this.#ingesting += payload.length;
    const settled = stored
      .catch(() => counters.add('broker_refusals', 'not_stored'))
      .finally(() => {
        this.#ingesting -= payload.length;
      });
    if (this.#ingesting > limits.ingestingBytes) settled.then(() => done(null));
    else done(null);
  }

  #judgeSubscribe(
    client: Client,
    subscription: Subscription,
    done: (error: Error | null, subscription?: Subscription | null) => void,
  ): void {
    const connection = guardedConnection(client);
    const filter = subscription.topic;
    if (!connection?.user || this.#isClosed) {
      done(new Error('refused'));
      return;
    }
    const { limits } = this.#options;
    if (connection.refusedFilters >= limits.refusedSubscriptions) {
      connection.cut('too_many_filters');
      done(new Error('refused'));
      return;
    }
    const reason = this.#impossible(connection, filter);
    if (reason) {
      connection.refusedFilters++;
      noteRefusal(this.#options, reason, connection, { filter: clientText(filter) });
      done(null, null);
      return;
    }
    const grant = () => {
      // It left while it was looked at: nobody would take the filter out again.
      if (connection.destroyed) return;
      connection.filters.set(filter, subscription.qos);
      if (connection.receiver) this.#options.router.subscribe(filter, connection.receiver, subscription.qos);
      done(null, subscription);
    };
    const verdict = this.#verdict(connection.user, 'read', filter);
    if (verdict === true) {
      grant();
      return;
    }
    // Counted before the answer is there: one packet may ask for thousands.
    connection.refusedFilters++;
    verdict.then(
      (isAllowed) => {
        if (!isAllowed) {
          done(null, null);
          return;
        }
        connection.refusedFilters--;
        grant();
      },
      (error: unknown) => {
        noteRefusal(this.#options, 'not_checked', connection, { failure: String(error) });
        done(null, null);
      },
    );
  }

  #impossible(connection: GuardedConnection, filter: string): GateReason | null {
    const { limits } = this.#options;
    if (filter.startsWith('$')) return 'system_topic';
    if (Buffer.byteLength(filter) > limits.topicBytes) return 'filter_length';
    if (levelsOf(filter) > limits.topicLevels) return 'filter_levels';
    const isNew = !connection.filters.has(filter);
    return isNew && connection.filters.size >= limits.subscriptions ? 'too_many_filters' : null;
  }

  /** True at once for what is allowed without a look at the database, which is nearly everything. */
  #verdict(user: BrokerUser, permission: Permission, topic: string): true | Promise<boolean> {
    if (user.role === 'admin') return !topic.startsWith('$') || Promise.resolve(false);
    const key = routingKeyOf(topic);
    if (user.role === 'device') {
      const { verdict, staffOf } = topicRuling(user.name, permission, key);
      if (verdict === 'allow' && staffOf === undefined) return true;
    }
    return this.#options.access.topic(user.name, permission, key).then((verdict) => verdict === 'allow');
  }
}

/** Once more when a message is handed over, whatever was subscribed to. */
function mayRead(user: BrokerUser, topic: string): boolean {
  if (user.role === 'admin') return !topic.startsWith('$');
  if (user.role === 'demo') return topic.startsWith('demos/');
  return topic.startsWith(`bot/${user.name}/`) || topic === 'public_broadcast' || topic.startsWith('public_broadcast/');
}

/** The QoS of a retained message: its own, at most what was granted. */
function grantedQos(connection: GuardedConnection, packet: AedesPublishPacket): 0 | 1 | 2 {
  let most: 0 | 1 | 2 = 0;
  for (const [filter, qos] of connection.filters) if (qos > most && meets(filter, packet.topic)) most = qos;
  return packet.qos < most ? packet.qos : most;
}
