import type { AedesPublishPacket } from 'aedes';
import type { StoreLimits } from './limits.ts';
import { matchesFilter } from './topic-tree.ts';

/** The part of a message that decides whether it is retained. */
export type Retainable = Pick<AedesPublishPacket, 'topic' | 'payload'>;

interface UserMessages {
  readonly messages: Map<string, AedesPublishPacket>;
  bytes: number;
}

/** Which topics are retained, and to which user they count. */
export interface RetentionLayout {
  /** Returns the user of a topic; null for topics that are not retained. */
  userOf(topic: string): string | null;
  /** Returns the users of whose messages a filter may match any. */
  usersOf(filter: string): readonly string[] | 'all';
}

/** The topics below `<root>/<user>/`. */
export const layoutBelow = (root: string): RetentionLayout => ({
  userOf(topic) {
    const [first, user = '', channel] = topic.split('/', 3);
    return first === root && user !== '' && channel !== undefined ? user : null;
  },
  usersOf(filter) {
    const [first, user] = filter.split('/', 2);
    if (first === '#') return 'all';
    if ((first !== root && first !== '+') || user === undefined) return [];
    return user === '+' || user === '#' ? 'all' : [user];
  },
});

/** Retained messages of users, within limits per user and in total. Beyond the total, those of the least recently publishing user are deleted. */
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
    const bytes = this.#size(message) + (stored?.bytes ?? 0) - (before ? this.#size(before) : 0);
    const count = (stored?.messages.size ?? 0) + (before ? 0 : 1);
    return bytes <= this.#limits.maxRetainedBytesPerUser && count <= this.#limits.maxRetainedPerUser;
  }

  /** Retains a message, if it is admitted. */
  store(message: AedesPublishPacket): void {
    const user = this.#layout.userOf(message.topic);
    if (user === null || !this.admits(message)) return;
    const stored = this.#users.get(user) ?? { messages: new Map(), bytes: 0 };
    const before = stored.messages.get(message.topic);
    if (before) this.#grow(stored, -this.#size(before));
    stored.messages.delete(message.topic);
    if (message.payload.length > 0) {
      // Copied: the payload is a slice of everything that arrived with it.
      stored.messages.set(message.topic, { ...message, payload: Buffer.from(message.payload) });
      this.#grow(stored, this.#size(message));
    }
    this.#users.delete(user);
    if (stored.messages.size > 0) this.#users.set(user, stored);
    for (const [oldest, { bytes }] of this.#users) {
      if (this.#bytes <= this.#limits.maxTotalRetainedBytes) break;
      this.#users.delete(oldest);
      this.#bytes -= bytes;
    }
  }

  /** Returns the messages that match one of the filters, each once. */
  matching(filters: readonly string[]): AedesPublishPacket[] {
    const found = new Map<string, AedesPublishPacket>();
    for (const filter of filters) {
      const hasWildcard = /[+#]/.test(filter);
      for (const { messages } of this.#reachedBy(filter)) {
        const exact = hasWildcard ? undefined : messages.get(filter);
        if (exact) found.set(filter, exact);
        if (hasWildcard)
          for (const [topic, message] of messages) if (matchesFilter(filter, topic)) found.set(topic, message);
      }
    }
    return [...found.values()];
  }

  /** Deletes the messages of a user. */
  deleteUser(user: string): void {
    this.#bytes -= this.#users.get(user)?.bytes ?? 0;
    this.#users.delete(user);
  }

  /** Returns the messages that a filter may match. */
  #reachedBy(filter: string): Iterable<UserMessages> {
    const users = this.#layout.usersOf(filter);
    return users === 'all' ? this.#users.values() : users.flatMap((user) => this.#users.get(user) ?? []);
  }

  #size({ topic, payload }: Retainable): number {
    return topic.length + payload.length + this.#limits.messageOverhead;
  }

  #grow(stored: UserMessages, bytes: number): void {
    stored.bytes += bytes;
    this.#bytes += bytes;
  }
}
