import { Readable } from 'node:stream';
import type { AedesPublishPacket, Client, Subscription } from 'aedes';
import type { Clock } from '../../core/clock.ts';
import type { StoreLimits } from './broker-limits.ts';
import { guardedConnection } from './guarded-connection.ts';
import type { PacketNumbers, Waiting } from './kept-session.ts';
import { KeptSession } from './kept-session.ts';
import { RetainedMessages } from './retained-messages.ts';
import { Failed, Settled } from './settled.ts';
import { TopicTree } from './topic-tree.ts';

const nothing = new Settled(undefined);
const unknown = new Failed('no such packet');

type Numbered = PacketNumbers & { readonly cmd: string };

/**
 * What aedes keeps for clients, in memory and within limits: sessions that outlive a connection with what waits for them, and
 * retained messages. Sessions belong to users: their ids begin with the user's name, and only filters that were granted are kept.
 */
export class BoundedPersistence {
  readonly retained: RetainedMessages;
  readonly #limits: StoreLimits;
  readonly #clock: Clock;
  readonly #sessions = new Map<string, KeptSession>();
  readonly #ofUser = new Map<string, Set<KeptSession>>();
  readonly #subscribers = new TopicTree<KeptSession>();
  #bytes = 0;

  constructor(limits: StoreLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.retained = new RetainedMessages(limits);
  }

  /** Sessions that are kept. */
  get sessions(): number {
    return this.#sessions.size;
  }

  /** Bytes that wait for all sessions. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a QoS 2 message came before and waits for its release. */
  isUnreleased(client: Client, messageId: number): boolean {
    return this.#unreleased(client)?.has(messageId) ?? false;
  }

  /** The client of a session is there. */
  connected(client: Client): void {
    const session = this.#sessions.get(client.id);
    if (!session) return;
    session.isConnected = true;
    session.jti = jtiOf(client);
  }

  /** The client of a session has gone. */
  disconnected(client: Client): void {
    const session = this.#sessions.get(client.id);
    if (!session) return;
    session.isConnected = false;
    session.leftAt = this.#clock.now();
    // The order is that of leaving.
    this.#sessions.delete(session.id);
    this.#sessions.set(session.id, session);
  }

  /** The tokens of a user's sessions whose clients are away. */
  awayTokens(userName: string): string[] {
    return [...(this.#ofUser.get(userName) ?? [])].flatMap(({ jti, isConnected }) =>
      jti === null || isConnected ? [] : [jti],
    );
  }

  /** Forgets the sessions of a user that began with one of these tokens. */
  forgetTokens(userName: string, jtis: ReadonlySet<string>): void {
    for (const session of [...(this.#ofUser.get(userName) ?? [])])
      if (session.jti !== null && jtis.has(session.jti)) this.#forget(session);
  }

  /** Forgets sessions that nobody came back to for too long. */
  sweep(): void {
    const latest = this.#clock.now() - this.#limits.unusedSession;
    for (const session of [...this.#sessions.values()])
      if (!session.isConnected && session.leftAt <= latest) this.#forget(session);
  }

  // What follows is called by aedes, which insists on an async `setup`.

  async setup(): Promise<void> {
    // Nothing has to be opened.
  }

  storeRetained(packet: AedesPublishPacket): Settled<undefined> {
    this.retained.store(packet);
    return nothing;
  }

  createRetainedStreamCombi(filters: readonly string[]): Readable {
    return streamOf(this.retained.matching(filters));
  }

  addSubscriptions(client: Client, subscriptions: readonly Subscription[]): Settled<undefined> | Failed {
    const session = this.#sessionOf(client);
    if (!session) return new Failed('too many sessions');
    const granted = guardedConnection(client)?.filters;
    for (const { topic, qos } of subscriptions) {
      // aedes hands over all filters of a packet, also those that were refused.
      if (!granted?.has(topic)) continue;
      session.filters.set(topic, qos);
      if (qos > 0) this.#subscribers.add(topic, session, qos);
      else this.#subscribers.remove(topic, session);
    }
    return nothing;
  }

  removeSubscriptions(client: Client, filters: readonly string[]): Settled<undefined> {
    const session = this.#sessions.get(client.id);
    for (const filter of session ? filters : []) {
      session?.filters.delete(filter);
      if (session) this.#subscribers.remove(filter, session);
    }
    return nothing;
  }

  subscriptionsByClient({ id }: Pick<Client, 'id'>): Settled<{ topic: string; qos: 0 | 1 | 2 }[]> {
    const filters = this.#sessions.get(id)?.filters ?? [];
    return new Settled([...filters].map(([topic, qos]) => ({ topic, qos })));
  }

  cleanSubscriptions({ id }: Pick<Client, 'id'>): Settled<undefined> {
    const session = this.#sessions.get(id);
    if (session) this.#forget(session);
    return nothing;
  }

  subscriptionsByTopic(topic: string): Settled<KeptSession[]> {
    return new Settled(this.#subscribers.match(topic));
  }

  outgoingEnqueueCombi(sessions: readonly KeptSession[], packet: AedesPublishPacket): Settled<undefined> {
    if (sessions.length === 0) return nothing;
    // A copy: the payload is a part of all that came with it.
    const kept: AedesPublishPacket = { ...packet, payload: Buffer.from(packet.payload), retain: false };
    for (const session of sessions) this.#enqueue(session, { ...kept });
    return nothing;
  }

  outgoingEnqueue({ clientId }: { readonly clientId: string }, packet: AedesPublishPacket): Settled<undefined> {
    const session = this.#sessions.get(clientId);
    return this.outgoingEnqueueCombi(session ? [session] : [], packet);
  }

  /** Never fails: a message that found no place in the queue is delivered all the same, only not twice. */
  outgoingUpdate(client: Client, packet: Numbered): Settled<undefined> {
    this.#sessions.get(client.id)?.update(packet);
    return nothing;
  }

  outgoingClearMessageId(client: Client, packet: PacketNumbers): Settled<Waiting | undefined> {
    const session = this.#sessions.get(client.id);
    const before = session?.bytes ?? 0;
    const packetBefore = session?.acknowledge(packet.messageId);
    this.#bytes += (session?.bytes ?? 0) - before;
    return new Settled(packetBefore);
  }

  outgoingStream({ id }: Pick<Client, 'id'>): Readable {
    return streamOf(this.#sessions.get(id)?.waiting() ?? []);
  }

  incomingStorePacket(client: Client, packet: { readonly messageId: number }): Settled<undefined> | Failed {
    const connection = guardedConnection(client);
    if (client.clean && connection) connection.unreleased ??= new Set();
    const unreleased = client.clean ? connection?.unreleased : this.#sessionOf(client)?.unreleased;
    if (!unreleased) return new Failed('too many sessions');
    unreleased.add(packet.messageId);
    return nothing;
  }

  incomingGetPacket(client: Client, packet: { readonly messageId: number }): Settled<object> | Failed {
    return this.isUnreleased(client, packet.messageId) ? new Settled(packet) : unknown;
  }

  incomingDelPacket(client: Client, packet: { readonly messageId: number }): Settled<undefined> | Failed {
    return this.#unreleased(client)?.delete(packet.messageId) ? nothing : unknown;
  }

  /** Nothing to do: those of a clean session end with its connection. */
  cleanIncoming(): Settled<undefined> {
    return nothing;
  }

  // A last will lives and ends with its connection, in this process: nothing of it has to be kept.

  async putWill(): Promise<void> {}

  async delWill(): Promise<void> {}

  streamWill(): Readable {
    return streamOf([]);
  }

  #unreleased(client: Client): Set<number> | null | undefined {
    return client.clean ? guardedConnection(client)?.unreleased : this.#sessions.get(client.id)?.unreleased;
  }

  /** The session of a client; null: its user has too many. */
  #sessionOf(client: Client): KeptSession | null {
    const known = this.#sessions.get(client.id);
    if (known) return known;
    const userName = guardedConnection(client)?.user?.name;
    if (userName === undefined) return null;
    const others = this.#ofUser.get(userName) ?? new Set<KeptSession>();
    if (others.size >= this.#limits.sessionsOfUser) {
      const longestAway = [...others]
        .filter(({ isConnected }) => !isConnected)
        .sort((one, other) => one.leftAt - other.leftAt)[0];
      if (!longestAway) return null;
      this.#forget(longestAway);
    }
    const session = new KeptSession(client.id, userName, jtiOf(client), this.#limits);
    this.#sessions.set(session.id, session);
    this.#ofUser.set(userName, others.add(session));
    return session;
  }

  #enqueue(session: KeptSession, packet: AedesPublishPacket): void {
    let ofUser = 0;
    for (const { bytes } of this.#ofUser.get(session.userName) ?? []) ofUser += bytes;
    const bytes = session.costOf(packet);
    // Who is full misses what is new: what waits may have been sent already.
    if (bytes === null || ofUser + bytes > this.#limits.queuedBytesOfUser) return;
    for (const other of this.#bytes + bytes > this.#limits.queuedBytesOfAll ? [...this.#sessions.values()] : []) {
      if (this.#bytes + bytes <= this.#limits.queuedBytesOfAll) break;
      if (!other.isConnected && other !== session && other.bytes > 0) this.#forget(other);
    }
    if (this.#bytes + bytes > this.#limits.queuedBytesOfAll) return;
    session.push(packet, bytes);
    this.#bytes += bytes;
  }

  #forget(session: KeptSession): void {
    for (const filter of session.filters.keys()) this.#subscribers.remove(filter, session);
    this.#sessions.delete(session.id);
    this.#bytes -= session.bytes;
    const others = this.#ofUser.get(session.userName);
    others?.delete(session);
    if (others?.size === 0) this.#ofUser.delete(session.userName);
  }
}

/** A stream of what is there. Cheaper than `Readable.from`, and each client needs several when it connects. */
const streamOf = (items: readonly object[]): Readable =>
  new Readable({
    objectMode: true,
    read() {
      for (const item of items) this.push(item);
      this.push(null);
    },
  });

const jtiOf = (client: Client): string | null => guardedConnection(client)?.user?.token?.jti ?? null;
