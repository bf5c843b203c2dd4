import type { Credential } from './identity.ts';
import type { StoreLimits } from './limits.ts';
import { messageBytes } from './message-bytes.ts';
import type { Message5 } from './mqtt5-client.ts';
import { matchesFilter } from './topic-tree.ts';

/** The part of a message that decides whether it is retained. */
export type Retainable = Pick<Message5, 'topic' | 'payload' | 'properties'>;

/** The stored parts of a message. */
export type RetainedMessage = Retainable & Pick<Message5, 'qos' | 'messageExpiry'>;

const neverExpires = Number.POSITIVE_INFINITY;

interface UserMessages {
  readonly messages: Map<string, { readonly message: RetainedMessage; readonly author: Credential | null }>;
  bytes: number;
}

/** The retained topics, and the users to whom they count. */
export interface RetentionLayout {
  /** Returns the user of a topic; null for topics that are not retained. */
  userOf(topic: string): string | null;
  /** Returns the users with messages that a filter may match. */
  usersOf(filter: string): readonly string[] | 'all';
}

/** The topics `<root>/<user>/<channel>` of some channels. */
export const layoutOf = (root: string, channels: ReadonlySet<string>): RetentionLayout => ({
  userOf(topic) {
    const [first, user = '', channel = '', ...deeper] = topic.split('/', 4);
    return first === root && user !== '' && channels.has(channel) && deeper.length === 0 ? user : null;
  },
  usersOf(filter) {
    const [first, user] = filter.split('/', 2);
    if (first === '#') return 'all';
    if ((first !== root && first !== '+') || user === undefined) return [];
    return user === '+' || user === '#' ? 'all' : [user];
  },
});

/** Retained messages of users, within limits per user and in total. Beyond the total, the least recently publishing user's are deleted. */
export class RetainedMessages {
  readonly #limits: StoreLimits;
  readonly #layout: RetentionLayout;
  readonly #users = new Map<string, UserMessages>();
  #bytes = 0;

  constructor(limits: StoreLimits, layout: RetentionLayout) {
    this.#limits = limits;
    this.#layout = layout;
  }

  /** Bytes of all retained messages. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a message would be retained: its topic belongs to a user, and is within the user's limits. An empty message deletes the retained one. */
  admits(message: Retainable): boolean {
    const user = this.#layout.userOf(message.topic);
    if (user === null) return false;
    if (message.payload.length === 0) return true;
    const stored = this.#users.get(user);
    const before = stored?.messages.get(message.topic);
    const bytes = this.#size(message) + (stored?.bytes ?? 0) - (before ? this.#size(before.message) : 0);
    const count = (stored?.messages.size ?? 0) + (before ? 0 : 1);
    return bytes <= this.#limits.maxRetainedBytesPerUser && count <= this.#limits.maxRetainedPerUser;
  }

  /** The users whose messages are retained. */
  get users(): Iterable<string> {
    return this.#users.keys();
  }

  /** Retains a message, if it is admitted, until the credential of its author ends. */
  store(message: RetainedMessage, author: Credential | null = null): void {
    const user = this.#layout.userOf(message.topic);
    if (user === null || !this.admits(message)) return;
    const stored = this.#users.get(user) ?? { messages: new Map(), bytes: 0 };
    const before = stored.messages.get(message.topic);
    if (before) this.#grow(stored, -this.#size(before.message));
    stored.messages.delete(message.topic);
    if (message.payload.length > 0) {
      // Copied: the payload is a slice of everything that arrived with it.
      const { topic, payload, qos, properties, messageExpiry } = message;
      const expiring = messageExpiry !== undefined && { messageExpiry };
      const kept = { topic, payload: Buffer.from(payload), qos, ...(properties && { properties }), ...expiring };
      stored.messages.set(topic, { message: kept, author });
      this.#grow(stored, this.#size(message));
    }
    this.#users.delete(user);
    if (stored.messages.size > 0) this.#users.set(user, stored);
    for (const oldest of this.#users.keys()) {
      if (this.#bytes <= this.#limits.maxTotalRetainedBytes) break;
      this.deleteUser(oldest);
    }
  }

  /** Returns the messages that match one of the filters, each once. */
  matching(filters: readonly string[]): RetainedMessage[] {
    const found = new Map<string, RetainedMessage>();
    for (const filter of filters) {
      const hasWildcard = /[+#]/.test(filter);
      for (const { messages } of this.#reachedBy(filter)) {
        const exact = hasWildcard ? undefined : messages.get(filter);
        if (exact) found.set(filter, exact.message);
        if (hasWildcard)
          for (const [topic, { message }] of messages) if (matchesFilter(filter, topic)) found.set(topic, message);
      }
    }
    return [...found.values()];
  }

  /** Whether messages on a topic are retained. */
  keeps(topic: string): boolean {
    return this.#layout.userOf(topic) !== null;
  }

  /** Returns the message that is retained on a topic. */
  find(topic: string): RetainedMessage | undefined {
    return this.#users.get(this.#layout.userOf(topic) ?? '')?.messages.get(topic)?.message;
  }

  /** Returns the ids of the credentials with which a user's messages were published. */
  credentialsOf(user: string): string[] {
    return [...(this.#users.get(user)?.messages.values() ?? [])].flatMap(({ author }) => author?.id ?? []);
  }

  /** Deletes the messages of a user that were published with one of these credentials. */
  endCredentials(user: string, ids: ReadonlySet<string>): void {
    this.#delete(user, (author) => author !== null && ids.has(author.id));
  }

  /** Deletes all messages of a user. */
  deleteUser(user: string): void {
    this.#bytes -= this.#users.get(user)?.bytes ?? 0;
    this.#users.delete(user);
  }

  /** Deletes the messages that have expired, or were published with a credential that has. */
  deleteExpired(now: number): void {
    for (const user of [...this.#users.keys()])
      this.#delete(
        user,
        (author, { messageExpiry = neverExpires }) => messageExpiry <= now || (author?.expires ?? neverExpires) <= now,
      );
  }

  #delete(user: string, isEnded: (author: Credential | null, message: RetainedMessage) => boolean): void {
    const stored = this.#users.get(user);
    if (!stored) return;
    for (const [topic, { message, author }] of stored.messages) {
      if (!isEnded(author, message)) continue;
      stored.messages.delete(topic);
      this.#grow(stored, -this.#size(message));
    }
    if (stored.messages.size === 0) this.#users.delete(user);
  }

  /** Returns the messages that a filter may match. */
  #reachedBy(filter: string): Iterable<UserMessages> {
    const users = this.#layout.usersOf(filter);
    return users === 'all' ? this.#users.values() : users.flatMap((user) => this.#users.get(user) ?? []);
  }

  #size(message: Retainable): number {
    return messageBytes(message) + this.#limits.messageOverhead;
  }

  #grow(stored: UserMessages, bytes: number): void {
    stored.bytes += bytes;
    this.#bytes += bytes;
  }
}
