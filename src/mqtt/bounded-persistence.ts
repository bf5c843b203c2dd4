import type { Writable } from 'node:stream';
import { Readable } from 'node:stream';
import type { AedesPublishPacket, Client, Subscription } from 'aedes';
import type { Clock } from '../core/clock.ts';
import { guardedConnection } from './guarded-connection.ts';
import type { Credential } from './identity.ts';
import type { StoreLimits } from './limits.ts';
import type { Message5 } from './mqtt5-client.ts';
import type { PacketNumbers, QueuedPacket } from './persistent-session.ts';
import { PersistentSession } from './persistent-session.ts';
import type { RetentionLayout } from './retained-messages.ts';
import { RetainedMessages } from './retained-messages.ts';
import { isUnwanted } from './subscriptions.ts';
import { TopicTree } from './topic-tree.ts';

/**
 * A synchronous result with a promise's `then`. A promise would settle a tick later, and a message that waits a tick for its
 * queue is overtaken by the next one: aedes would drop it as a duplicate.
 */
class Settled<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  // biome-ignore lint/suspicious/noThenProperty: aedes calls it as it would a promise's
  then(use: (value: T) => unknown): void {
    use(this.#value);
  }
}

/** A synchronous failure with a promise's `then`. */
class Failed {
  readonly #error: Error;

  constructor(message: string) {
    this.#error = new Error(message);
  }

  // biome-ignore lint/suspicious/noThenProperty: as above
  then(_use: unknown, fail: (error: Error) => unknown): void {
    fail(this.#error);
  }
}

const done = new Settled(undefined);
const unknownPacket = new Failed('no such packet');

type NumberedPacket = PacketNumbers & { readonly cmd: string };

/**
 * The storage of aedes, in memory and within limits: persistent sessions with their queues, and retained messages. Session ids begin
 * with the user's name, and only granted filters are stored.
 */
export class BoundedPersistence {
  /** Messages of clients. */
  readonly retained: RetainedMessages;
  /** Called when a session has been deleted. */
  onDeleted: (clientId: string) => void = () => undefined;
  /** Messages of the server only. */
  readonly #serverRetained: RetainedMessages | null;
  readonly #limits: StoreLimits;
  readonly #clock: Clock;
  readonly #sessions = new Map<string, PersistentSession>();
  readonly #byUser = new Map<string, Set<PersistentSession>>();
  readonly #subscribers = new TopicTree<PersistentSession>();
  #bytes = 0;

  /** `layout`: topics on which clients' messages are retained; `serverLayout`: the server's messages. */
  constructor(limits: StoreLimits, layout: RetentionLayout, clock: Clock, serverLayout: RetentionLayout | null = null) {
    this.#limits = limits;
    this.#clock = clock;
    this.retained = new RetainedMessages(limits, layout);
    this.#serverRetained = serverLayout && new RetainedMessages(limits, serverLayout);
  }

  /** Number of persistent sessions. */
  get sessions(): number {
    return this.#sessions.size;
  }

  /** Bytes queued for all sessions. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a QoS 2 message arrived before and is not released yet. */
  isUnreleased(client: Client, messageId: number): boolean {
    return this.#unreleased(client)?.has(messageId) ?? false;
  }

  onConnect(client: Client): void {
    const session = this.#sessions.get(client.id);
    if (!session) return;
    session.isConnected = true;
    session.credential = credentialOf(client);
    session.expiry = this.#expiryOf(client);
  }

  onDisconnect(client: Client): void {
    const session = this.#sessions.get(client.id);
    if (!session) return;
    session.isConnected = false;
    session.disconnectedAt = this.#clock.now();
    session.expiry = this.#expiryOf(client);
    if (session.expiry === 0) {
      this.#delete(session);
      return;
    }
    // Sessions are ordered by the end of their connection.
    this.#sessions.delete(session.id);
    this.#sessions.set(session.id, session);
  }

  /** The users of sessions and retained messages. */
  get users(): readonly string[] {
    return [...this.#byUser.keys(), ...this.retained.users];
  }

  /** Returns the ids of the credentials of a user's offline sessions and retained messages. */
  credentialsOf(userName: string): string[] {
    const offline = [...(this.#byUser.get(userName) ?? [])].flatMap(({ credential, isConnected }) =>
      credential === null || isConnected ? [] : [credential.id],
    );
    return [...offline, ...this.retained.credentialsOf(userName)];
  }

  /** Deletes the sessions of a user that were last used with one of these credentials, and the messages published with one. */
  endCredentials(userName: string, credentialIds: ReadonlySet<string>): void {
    this.retained.endCredentials(userName, credentialIds);
    for (const session of [...(this.#byUser.get(userName) ?? [])])
      if (session.credential && credentialIds.has(session.credential.id)) this.#delete(session);
  }

  /** Deletes sessions that were offline for too long, and sessions and messages of expired credentials. */
  sweep(): void {
    const now = this.#clock.now();
    this.retained.deleteExpired(now);
    for (const session of [...this.#sessions.values()]) {
      const isExpired = session.credential !== null && session.credential.expires <= now;
      const isOld = !session.isConnected && session.disconnectedAt + session.expiry <= now;
      if (isExpired || isOld) this.#delete(session);
    }
  }

  /** Whether a client has a session that outlives its connection. */
  hasSession({ id }: Pick<Client, 'id'>): boolean {
    return this.#sessions.has(id);
  }

  /** Returns what waits in a client's session, in order. */
  queued({ id }: Pick<Client, 'id'>): QueuedPacket[] {
    return this.#sessions.get(id)?.queued() ?? [];
  }

  /** Whether a message was sent to a client with this id, and is not acknowledged. */
  usesId({ id }: Pick<Client, 'id'>, messageId: number): boolean {
    return this.#sessions.get(id)?.usesId(messageId) ?? false;
  }

  /** Returns the properties of a retained message, which aedes does not pass on. */
  retainedAs(topic: string): Pick<Message5, 'properties' | 'messageExpiry'> {
    return this.retained.find(topic) ?? {};
  }

  /** Forgets a QoS 2 message that was refused: its client does not release it. */
  release(client: Client, messageId: number): void {
    this.#unreleased(client)?.delete(messageId);
    (client as Client & { _inboundInflight: Set<number> })._inboundInflight.delete(messageId);
  }

  // The methods below are called by aedes, which requires an async `setup`.

  async setup(): Promise<void> {
    // Nothing has to be opened.
  }

  /** Stores messages of the server: clients' messages are stored with their author, before aedes gets them. */
  storeRetained(packet: AedesPublishPacket): Settled<undefined> {
    if (!('clientId' in packet)) this.#serverRetained?.store(packet);
    return done;
  }

  /** Returns the stream that aedes pipes to a client that has subscribed: in most cases nothing, for which a stream would be costly. */
  createRetainedStreamCombi(filters: readonly string[]): { pipe(destination: Pick<Writable, 'write'>): void } {
    return {
      pipe: (destination) => {
        for (const packet of this.retained.matching(filters)) destination.write(packet);
        for (const packet of this.#serverRetained?.matching(filters) ?? []) destination.write(packet);
      },
    };
  }

  addSubscriptions(client: Client, subscriptions: readonly Subscription[]): Settled<undefined> | Failed {
    const session = this.#sessionOf(client);
    if (!session) return new Failed('too many sessions');
    const granted = guardedConnection(client)?.filters;
    for (const subscription of subscriptions) {
      const { topic, qos } = subscription;
      // aedes passes all filters of a packet, including the rejected ones.
      if (!granted?.has(topic)) continue;
      session.filters.set(topic, subscription);
      if (qos > 0) this.#subscribers.add(topic, session, qos);
      else this.#subscribers.remove(topic, session);
    }
    return done;
  }

  removeSubscriptions(client: Client, filters: readonly string[]): Settled<undefined> {
    const session = this.#sessions.get(client.id);
    for (const filter of session ? filters : []) {
      session?.filters.delete(filter);
      if (session) this.#subscribers.remove(filter, session);
    }
    return done;
  }

  subscriptionsByClient({ id }: Pick<Client, 'id'>): Settled<Subscription[]> {
    return new Settled([...(this.#sessions.get(id)?.filters.values() ?? [])]);
  }

  cleanSubscriptions({ id }: Pick<Client, 'id'>): Settled<undefined> {
    const session = this.#sessions.get(id);
    if (session) this.#delete(session);
    return done;
  }

  subscriptionsByTopic(topic: string): Settled<PersistentSession[]> {
    return new Settled(this.#subscribers.match(topic));
  }

  outgoingEnqueueCombi(sessions: readonly PersistentSession[], packet: AedesPublishPacket): Settled<undefined> {
    if (sessions.length === 0) return done;
    // Copied: the payload is a slice of everything that arrived with it.
    const copy = { ...packet, payload: Buffer.from(packet.payload), retain: false, wasRetained: packet.retain };
    for (const session of sessions)
      if (!isUnwanted(packet, session.id, session.filters)) this.#enqueue(session, { ...copy });
    return done;
  }

  outgoingEnqueue({ clientId }: { readonly clientId: string }, packet: AedesPublishPacket): Settled<undefined> {
    const session = this.#sessions.get(clientId);
    return this.outgoingEnqueueCombi(session ? [session] : [], packet);
  }

  /** Never fails: a message that did not fit into the queue is delivered, but not repeated. */
  outgoingUpdate(client: Client, packet: NumberedPacket): Settled<undefined> {
    this.#sessions.get(client.id)?.update(packet);
    return done;
  }

  outgoingClearMessageId(client: Client, packet: PacketNumbers): Settled<QueuedPacket | undefined> {
    const session = this.#sessions.get(client.id);
    const bytesBefore = session?.bytes ?? 0;
    const acknowledged = session?.acknowledge(packet.messageId);
    this.#bytes += (session?.bytes ?? 0) - bytesBefore;
    return new Settled(acknowledged);
  }

  outgoingStream(client: Client): Readable {
    return streamOf(guardedConnection(client)?.mqtt5 ? [] : this.queued(client));
  }

  incomingStorePacket(client: Client, packet: { readonly messageId: number }): Settled<undefined> | Failed {
    const connection = guardedConnection(client);
    if (client.clean && connection) connection.unreleased ??= new Set();
    const unreleased = client.clean ? connection?.unreleased : this.#sessionOf(client)?.unreleased;
    if (!unreleased) return new Failed('too many sessions');
    unreleased.add(packet.messageId);
    return done;
  }

  incomingGetPacket(client: Client, packet: { readonly messageId: number }): Settled<object> | Failed {
    return this.isUnreleased(client, packet.messageId) ? new Settled(packet) : unknownPacket;
  }

  incomingDelPacket(client: Client, packet: { readonly messageId: number }): Settled<undefined> | Failed {
    return this.#unreleased(client)?.delete(packet.messageId) ? done : unknownPacket;
  }

  /** Does nothing: the packets of a clean session end with its connection. */
  cleanIncoming(): Settled<undefined> {
    return done;
  }

  // A will ends with its connection, in this process, so it need not be stored.

  async putWill(): Promise<void> {}

  async delWill(): Promise<void> {}

  streamWill(): Readable {
    return streamOf([]);
  }

  #expiryOf(client: Client): number {
    return guardedConnection(client)?.mqtt5?.sessionExpiry ?? this.#limits.sessionExpiry;
  }

  #unreleased(client: Client): Set<number> | null | undefined {
    return client.clean ? guardedConnection(client)?.unreleased : this.#sessions.get(client.id)?.unreleased;
  }

  /** Returns or creates a client's session; null when its user has too many. */
  #sessionOf(client: Client): PersistentSession | null {
    const existing = this.#sessions.get(client.id);
    if (existing) return existing;
    const userName = guardedConnection(client)?.identity?.name;
    if (userName === undefined) return null;
    const others = this.#byUser.get(userName) ?? new Set<PersistentSession>();
    if (others.size >= this.#limits.maxSessionsPerUser) {
      const oldestOffline = [...others]
        .filter(({ isConnected }) => !isConnected)
        .sort((one, other) => one.disconnectedAt - other.disconnectedAt)[0];
      if (!oldestOffline) return null;
      this.#delete(oldestOffline);
    }
    const session = new PersistentSession(client.id, userName, credentialOf(client), this.#limits);
    session.expiry = this.#expiryOf(client);
    this.#sessions.set(session.id, session);
    this.#byUser.set(userName, others.add(session));
    return session;
  }

  #enqueue(session: PersistentSession, packet: AedesPublishPacket): void {
    const { maxQueuedBytesPerUser, maxTotalQueuedBytes } = this.#limits;
    let bytesOfUser = 0;
    for (const { bytes } of this.#byUser.get(session.userName) ?? []) bytesOfUser += bytes;
    const bytes = session.sizeOf(packet);
    // A full queue drops the newest message: older ones may have been sent already.
    if (bytes === null || bytesOfUser + bytes > maxQueuedBytesPerUser) return;
    for (const other of this.#bytes + bytes > maxTotalQueuedBytes ? [...this.#sessions.values()] : []) {
      if (this.#bytes + bytes <= maxTotalQueuedBytes) break;
      if (!other.isConnected && other !== session && other.bytes > 0) this.#delete(other);
    }
    if (this.#bytes + bytes > maxTotalQueuedBytes) return;
    session.push(packet, bytes);
    this.#bytes += bytes;
  }

  #delete(session: PersistentSession): void {
    for (const filter of session.filters.keys()) this.#subscribers.remove(filter, session);
    this.#sessions.delete(session.id);
    this.#bytes -= session.bytes;
    const others = this.#byUser.get(session.userName);
    others?.delete(session);
    if (others?.size === 0) this.#byUser.delete(session.userName);
    this.onDeleted(session.id);
  }
}

/** Returns a stream of the items. Cheaper than `Readable.from`, and each client needs several when it connects. */
const streamOf = (items: readonly object[]): Readable =>
  new Readable({
    objectMode: true,
    read() {
      for (const item of items) this.push(item);
      this.push(null);
    },
  });

const credentialOf = (client: Client): Credential | null => guardedConnection(client)?.identity?.credential ?? null;
