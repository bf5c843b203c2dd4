import type { BrokerLimits } from './broker-limits.ts';
import type { MessageAllowance } from './message-allowance.ts';

/** Why bytes from a client are not taken. */
export type PacketRefusal = 'not_mqtt' | 'too_large';

const types = { connect: 1, publish: 3, subscribe: 8, unsubscribe: 10 } as const;

/** What packets cost that the broker hands to nobody, such as answers and pings. */
const costOfSmall = 1 / 20;

/** What a packet costs its client: a message is 1, a large one more. */
function costOf(type: number, bytes: number, limits: BrokerLimits): number {
  if (type === types.publish) return 1 + Math.floor(bytes / limits.bytesPerToken);
  const isList = type === types.subscribe || type === types.unsubscribe;
  return isList ? limits.listTokens + Math.floor(bytes / limits.filterBytesPerToken) : costOfSmall;
}

/** Bytes that a packet's length takes at most, behind the byte of its type. */
const mostLengthBytes = 4;

/** A packet whose end is still to come. Its buffer grows with what arrives, not with what was announced. */
interface Unfinished {
  bytes: Buffer;
  filled: number;
  readonly length: number;
}

/**
 * Cuts what a client sends into whole MQTT packets and judges each by its fixed header, before anything of it is kept. The first
 * packet must be a CONNECT; nothing passes after it until the client was let in.
 */
export class PacketReader {
  readonly #limits: BrokerLimits;
  /** Null: the client may send as fast as it can. */
  #allowance: MessageAllowance | null;
  #stage: 'new' | 'connecting' | 'accepted' = 'new';
  #held: Buffer | null = null;
  #unfinished: Unfinished | null = null;
  #isThrottled = false;
  #isSliced = false;
  /** Why the client must be cut; null: it need not. */
  refusal: PacketRefusal | null = null;

  constructor(limits: BrokerLimits, allowance: MessageAllowance | null) {
    this.#limits = limits;
    this.#allowance = allowance;
  }

  /** The client was let in. */
  accept(): void {
    this.#stage = 'accepted';
  }

  /** The client can send nothing more: what it sent passes at once. */
  hurry(): void {
    this.#allowance = null;
  }

  take(chunk: Buffer): void {
    this.#held = this.#held ? Buffer.concat([this.#held, chunk]) : chunk;
  }

  /** The next whole packets, in one piece that costs about `most`; null: there are none, or the client has to wait. */
  next(most = Number.POSITIVE_INFINITY): Buffer | null {
    this.#isThrottled = false;
    this.#isSliced = false;
    const held = this.#held;
    if (!held || this.refusal) return null;
    return this.#unfinished ? this.#finish(this.#unfinished, held) : this.#run(held, most);
  }

  /** Milliseconds until {@link next} is worth another try; null when it does not depend on time. */
  wait(): number | null {
    return this.#isThrottled && this.#allowance ? Math.max(1, this.#allowance.wait()) : null;
  }

  /** Whether {@link next} may give more at once. */
  get hasMore(): boolean {
    return this.#isSliced;
  }

  /** Whether bytes wait here that no further bytes are needed for. */
  get isHolding(): boolean {
    return this.#held !== null && (this.#isThrottled || this.#isSliced || this.#stage === 'connecting');
  }

  /** Bytes kept of a packet whose end is still to come. */
  get unfinished(): number {
    return this.#unfinished?.bytes.length ?? 0;
  }

  /** Packets from the start of `held` that are complete and may pass. */
  #run(held: Buffer, most: number): Buffer | null {
    let end = 0;
    let spent = 0;
    while (end < held.length && this.#stage !== 'connecting') {
      this.#isSliced = spent >= most;
      if (this.#isSliced) break;
      const length = this.#judge(held, end);
      if (this.refusal) return null;
      if (length === null) {
        // A copy: these few bytes would keep the whole chunk in memory.
        this.#held = Buffer.from(held.subarray(end));
        return end === 0 ? null : held.subarray(0, end);
      }
      if (end + length > held.length) {
        this.#begin(held.subarray(end), length);
        return end === 0 ? null : held.subarray(0, end);
      }
      const cost = costOf((held[end] ?? 0) >> 4, length, this.#limits);
      if (!this.#pays(cost)) break;
      spent += cost;
      end += length;
      if (this.#stage === 'new') this.#stage = 'connecting';
    }
    this.#held = end === held.length ? null : held.subarray(end);
    return end === 0 ? null : held.subarray(0, end);
  }

  /** The length of the packet that begins at `start`, its header included; null: not yet known. */
  #judge(bytes: Buffer, start: number): number | null {
    const type = (bytes[start] ?? 0) >> 4;
    if (this.#stage === 'new' && bytes[start] !== types.connect << 4) this.refusal = 'not_mqtt';
    let length = 0;
    for (let index = 1; index <= mostLengthBytes && !this.refusal; index++) {
      const byte = bytes[start + index];
      if (byte === undefined) return null;
      length += (byte & 0x7f) * 0x80 ** (index - 1);
      if (byte < 0x80) {
        const total = 1 + index + length;
        if (total <= this.#most(type)) return total;
        this.refusal = 'too_large';
      }
    }
    this.refusal ??= 'not_mqtt';
    return null;
  }

  #most(type: number): number {
    if (this.#stage === 'new') return this.#limits.connectBytes;
    const isList = type === types.subscribe || type === types.unsubscribe;
    return isList ? this.#limits.subscribeBytes : this.#limits.packetBytes;
  }

  #pays(cost: number): boolean {
    if (!this.#allowance || this.#stage === 'new') return true;
    this.#isThrottled = !this.#allowance.takes(cost);
    return !this.#isThrottled;
  }

  #begin(start: Buffer, length: number): void {
    // A copy: the piece would keep the whole chunk in memory.
    this.#unfinished = { bytes: Buffer.from(start), filled: start.length, length };
    this.#held = null;
  }

  #finish(unfinished: Unfinished, held: Buffer): Buffer | null {
    const part = held.subarray(0, unfinished.length - unfinished.filled);
    const filled = unfinished.filled + part.length;
    const isWhole = filled === unfinished.length;
    if (isWhole && !this.#pays(costOf((unfinished.bytes[0] ?? 0) >> 4, filled, this.#limits))) return null;
    if (filled > unfinished.bytes.length) {
      // Doubled, so that a packet which comes byte by byte is not copied each time.
      const grown = Buffer.allocUnsafe(Math.min(unfinished.length, Math.max(filled, 2 * unfinished.bytes.length)));
      unfinished.bytes.copy(grown, 0, 0, unfinished.filled);
      unfinished.bytes = grown;
    }
    part.copy(unfinished.bytes, unfinished.filled);
    unfinished.filled = filled;
    this.#held = part.length === held.length ? null : held.subarray(part.length);
    if (!isWhole) return null;
    this.#unfinished = null;
    this.#isSliced = this.#held !== null;
    if (this.#stage === 'new') this.#stage = 'connecting';
    return unfinished.bytes;
  }
}
