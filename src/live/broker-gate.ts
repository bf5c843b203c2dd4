import { randomUUID } from 'node:crypto';
import type { AedesOptions, AedesPublishPacket, Client, ConnectPacket, PublishPacket, Subscription } from 'aedes';
import type { Counters } from '../core/counters.ts';
import type { BrokerAccess, BrokerUser, LoginVerdict, Permission } from './access.ts';
import type { BoundedPersistence } from './bounded-persistence.ts';
import type { BrokerLimits } from './broker-limits.ts';
import { clientText } from './client-text.ts';
import type { ConnectionBook } from './connection-book.ts';
import { GuardedConnection } from './guarded-connection.ts';
import type { IngestedChannel } from './ingestion.ts';
import type { LimitedLog } from './limited-log.ts';
import { routingKeyOf, topicRuling } from './topic-permissions.ts';
import { meets } from './topic-tree.ts';

/** The part of the permissions that the built-in broker asks. */
export type GateAccess = Pick<BrokerAccess, 'login' | 'topic' | 'aliveOf'>;

/** Takes a message of a device that the server reads. Resolves when it is stored, or was none that is to be stored. */
export type Ingest = (channel: IngestedChannel, deviceId: number, payload: Buffer) => Promise<void>;

export interface GateOptions {
  readonly access: GateAccess;
  readonly ingest: Ingest;
  readonly persistence: BoundedPersistence;
  readonly book: ConnectionBook;
  readonly limits: BrokerLimits;
  readonly counters: Counters;
  readonly log: LimitedLog;
}

/** Why the gate itself refuses; what the permissions refuse they count themselves. */
type GateReason =
  | 'anonymous'
  | 'client_id'
  | 'too_many_connections'
  | 'not_checked'
  | 'topic_length'
  | 'filter_length'
  | 'system_topic'
  | 'too_many_filters';

/** Answers to a CONNECT. */
const answers = { clientId: 2, unavailable: 3, badToken: 4, notAuthorized: 5 } as const;

const ingested = /^bot\/device_([1-9]\d{0,15})\/(logs|telemetry)$/;

/** Lets clients in and their messages through: what aedes asks before it does anything for a client. */
export class BrokerGate {
  readonly #options: GateOptions;
  /** Bytes of unacknowledged messages that are being stored. */
  #ingesting = 0;
  /** How often tokens were revoked since the start. */
  #revocations = 0;
  #isClosed = false;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Who signs in at this moment is looked at once more, since tokens may have gone meanwhile. */
  noteRevocation(): void {
    this.#revocations++;
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
        const connection = guarded(client);
        if (connection) connection.connectPacket = { ...packet };
        // Until it is known who it is, a client has no name that others could have too.
        packet.clientId = '';
        // aedes keeps this packet as long as the connection.
        delete packet.password;
        done(null, connection !== null);
      },
      authenticate: (client, username, _password, done) => {
        const refuse = (returnCode: number) => {
          const connection = guarded(client);
          if (connection) connection.isJudged = true;
          done(Object.assign(new Error('refused'), { returnCode }), false);
        };
        this.#signIn(client, username).then(
          (answer) => (answer === null ? done(null, true) : refuse(answer)),
          (error: unknown) => {
            this.#refuse('not_checked', guarded(client), { failure: String(error) });
            refuse(answers.unavailable);
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
    const connection = guarded(client);
    if (!connection?.user || !mayRead(connection.user, packet.topic)) return false;
    // What waited for a session has its id already, and may be older than what came since it is back.
    if (packet.brokerId && packet.messageId === undefined) {
      if (packet.brokerCounter <= connection.lastForwarded) return false;
      connection.lastForwarded = packet.brokerCounter;
    }
    if (packet.retain && packet.qos > 0) packet.qos = grantedQos(connection, packet);
    return true;
  }

  /** Null: the client is let in; else the answer's code. */
  async #signIn(client: Client, username: string | undefined): Promise<(typeof answers)[keyof typeof answers] | null> {
    const { access, book, limits } = this.#options;
    const connection = guarded(client);
    const packet = connection?.connectPacket;
    if (!connection || !packet || this.#isClosed) return answers.unavailable;
    if (!username) {
      this.#refuse('anonymous', connection);
      return answers.notAuthorized;
    }
    const clientId = packet.clientId;
    if (clientId.length > limits.clientId || (clientId === '' && !packet.clean)) {
      this.#refuse('client_id', connection, { username: clientText(username) });
      return answers.clientId;
    }
    const revocations = this.#revocations;
    const { address } = connection;
    const login = { username, password: packet.password?.toString('utf8') ?? '', clientId: clientId || null, address };
    const verdict = await this.#stillAllowed(await access.login(login), revocations);
    if (verdict.verdict !== 'allow') return verdict.verdict === 'bad_token' ? answers.badToken : answers.notAuthorized;
    if (client.closed || connection.destroyed) return answers.unavailable;
    const { user } = verdict;
    if (book.count(user.name) >= (user.role === 'demo' ? limits.demoConnections : limits.connectionsOfUser)) {
      this.#refuse('too_many_connections', connection, { username: user.name });
      return answers.unavailable;
    }
    this.#name(client, connection, packet, user);
    return null;
  }

  /** A token that was revoked while it was looked at. */
  async #stillAllowed(verdict: LoginVerdict, revocations: number): Promise<LoginVerdict> {
    let seen = revocations;
    while (verdict.verdict === 'allow' && seen !== this.#revocations) {
      const { deviceId, token } = verdict.user;
      if (deviceId === null || token === null) return verdict;
      seen = this.#revocations;
      const alive = await this.#options.access.aliveOf(deviceId, [token.jti]);
      if (!alive.has(token.jti)) return { verdict: 'bad_token' };
    }
    return verdict;
  }

  /** Client ids are a matter of each user's own: nobody takes over somebody else's session. */
  #name(client: Client, connection: GuardedConnection, packet: ConnectPacket, user: BrokerUser): void {
    // Visitors share a name, so each is somebody else and leaves nothing behind.
    const isVisitor = user.role === 'demo';
    if (isVisitor) client.clean = true;
    client.id = `${user.name}/${isVisitor || packet.clientId === '' ? randomUUID() : packet.clientId}`;
    connection.user = user;
    this.#options.book.add(user.name, connection);
  }

  #judgePublish(client: Client | null, packet: PublishPacket, done: (error?: Error | null) => void): void {
    const connection = client && guarded(client);
    if (!client || !connection?.user || this.#isClosed) {
      done(new Error('refused'));
      return;
    }
    const refuse = () => {
      connection.isJudged = true;
      this.#options.counters.add('broker_cut', 'refused_publish');
      done(new Error('refused'));
    };
    if (Buffer.byteLength(packet.topic) > this.#options.limits.topicBytes) {
      this.#refuse('topic_length', connection);
      refuse();
      return;
    }
    const verdict = this.#verdict(connection.user, 'write', packet.topic);
    if (verdict === true) this.#pass(client, connection, packet, done);
    else
      verdict.then(
        (isAllowed) => (isAllowed ? this.#pass(client, connection, packet, done) : refuse()),
        (error: unknown) => {
          this.#refuse('not_checked', connection, { failure: String(error) });
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
    const connection = guarded(client);
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
      this.#refuse(reason, connection, { filter: clientText(filter) });
      done(null, null);
      return;
    }
    const grant = () => {
      connection.filters.set(filter, subscription.qos);
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
        this.#refuse('not_checked', connection, { failure: String(error) });
        done(null, null);
      },
    );
  }

  #impossible(connection: GuardedConnection, filter: string): GateReason | null {
    const { limits } = this.#options;
    if (filter.startsWith('$')) return 'system_topic';
    if (Buffer.byteLength(filter) > limits.topicBytes) return 'filter_length';
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

  #refuse(reason: GateReason, connection: GuardedConnection | null, details: object = {}): void {
    const { counters, log } = this.#options;
    counters.add('broker_refusals', reason);
    const who = { address: connection?.address, ...(connection?.user && { username: connection.user.name }) };
    log.info({ reason, ...who, ...details }, 'the message broker refused a client');
  }
}

const guarded = ({ conn }: Client): GuardedConnection | null => (conn instanceof GuardedConnection ? conn : null);

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
