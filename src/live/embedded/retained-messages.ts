import type { AedesPublishPacket } from 'aedes';
import type { StoreLimits } from './broker-limits.ts';
import { meets } from './topic-tree.ts';

/** What of a message matters for keeping it. */
export type Retainable = Pick<AedesPublishPacket, 'topic' | 'payload'>;

interface Kept {
  readonly messages: Map<string, AedesPublishPacket>;
  bytes: number;
}

/** `bot/device_5` of a topic below it; null for other topics. */
function ownerOf(topic: string): string | null {
  const [first, device = '', channel] = topic.split('/', 3);
  return first === 'bot' && device !== '' && channel !== undefined ? `${first}/${device}` : null;
}

/** Messages that late subscribers get, within limits per device and for all. Those that retained nothing for long make room. */
export class RetainedMessages {
  readonly #limits: StoreLimits;
  readonly #owners = new Map<string, Kept>();
  #bytes = 0;

  constructor(limits: StoreLimits) {
    this.#limits = limits;
  }

  /** Bytes that all retained messages count for. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a message would be kept: it belongs to a device, and is not too much for it. An empty one removes what is there. */
  admits(message: Retainable): boolean {
    const owner = ownerOf(message.topic);
    if (owner === null) return false;
    if (message.payload.length === 0) return true;
    const kept = this.#owners.get(owner);
    const before = kept?.messages.get(message.topic);
    const bytes = this.#size(message) + (kept?.bytes ?? 0) - (before ? this.#size(before) : 0);
    const count = (kept?.messages.size ?? 0) + (before ? 0 : 1);
    return bytes <= this.#limits.retainedBytes && count <= this.#limits.retainedTopics;
  }

  /** Keeps a message, if it is admitted. */
  store(message: AedesPublishPacket): void {
    const owner = ownerOf(message.topic);
    if (owner === null || !this.admits(message)) return;
    const kept = this.#owners.get(owner) ?? { messages: new Map(), bytes: 0 };
    const before = kept.messages.get(message.topic);
    if (before) this.#grow(kept, -this.#size(before));
    kept.messages.delete(message.topic);
    if (message.payload.length > 0) {
      // A copy: the payload is a part of all that came with it.
      kept.messages.set(message.topic, { ...message, payload: Buffer.from(message.payload) });
      this.#grow(kept, this.#size(message));
    }
    this.#owners.delete(owner);
    if (kept.messages.size > 0) this.#owners.set(owner, kept);
    for (const [oldest, { bytes }] of this.#owners) {
      if (this.#bytes <= this.#limits.retainedBytesOfAll) break;
      this.#owners.delete(oldest);
      this.#bytes -= bytes;
    }
  }

  /** Those that meet one of the filters, each once. */
  matching(filters: readonly string[]): AedesPublishPacket[] {
    const found = new Map<string, AedesPublishPacket>();
    for (const filter of filters) {
      const hasWildcard = /[+#]/.test(filter);
      for (const { messages } of this.#reachedBy(filter)) {
        const exact = hasWildcard ? undefined : messages.get(filter);
        if (exact) found.set(filter, exact);
        if (hasWildcard) for (const [topic, message] of messages) if (meets(filter, topic)) found.set(topic, message);
      }
    }
    return [...found.values()];
  }

  /** Forgets what a device retained: `bot/device_5`. */
  forget(owner: string): void {
    this.#bytes -= this.#owners.get(owner)?.bytes ?? 0;
    this.#owners.delete(owner);
  }

  /** Those whose messages a filter may meet: of one device, unless it has a wildcard in the device's place. */
  #reachedBy(filter: string): Iterable<Kept> {
    const [first, device] = filter.split('/', 2);
    if (first === '#') return this.#owners.values();
    if ((first !== 'bot' && first !== '+') || device === undefined) return [];
    if (device === '+' || device === '#') return this.#owners.values();
    const kept = this.#owners.get(`bot/${device}`);
    return kept ? [kept] : [];
  }

  #size({ topic, payload }: Retainable): number {
    return topic.length + payload.length + this.#limits.overhead;
  }

  #grow(kept: Kept, bytes: number): void {
    kept.bytes += bytes;
    this.#bytes += bytes;
  }
}
