import type { Clock } from '../core/clock.ts';
import type { MqttLimits } from './limits.ts';

/** The reason why bytes from a client are rejected. */
export type PacketError = 'not_mqtt' | 'too_large';

const types = { connect: 1, publish: 3, subscribe: 8, unsubscribe: 10 } as const;

/** Tokens of packets that reach no other client, such as acknowledgements and pings. */
const smallCost = 1 / 20;

const isList = (type: number): boolean => type === types.subscribe || type === types.unsubscribe;

/** Returns the cost of a packet for its client, in tokens: one for a message, more for a large one. */
function packetCost(type: number, bytes: number, limits: MqttLimits): number {
  if (type === types.publish) return 1 + Math.floor(bytes / limits.bytesPerToken);
  return isList(type) ? limits.subscribeTokens + Math.floor(bytes / limits.filterBytesPerToken) : smallCost;
}

/** A token bucket that limits how fast a client may send. */
export class TokenBucket {
  readonly #limits: MqttLimits;
  readonly #clock: Clock;
  #tokens: number;
  #filledAt: number;

  constructor(limits: MqttLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#tokens = limits.bucketSize;
    this.#filledAt = clock.now();
  }

  /** Takes the cost of a packet. False: the client has to wait. The last packet may cost more than is left. */
  take(cost: number): boolean {
    if (this.#tokens <= 0) {
      this.#fill();
      if (this.#tokens <= 0) return false;
    }
    this.#tokens -= cost;
    return true;
  }

  /** Milliseconds until the next packet may pass. */
  waitTime(): number {
    this.#fill();
    return this.#tokens > 0 ? 0 : Math.ceil(((1 - this.#tokens) / this.#limits.tokensPerSecond) * 1000);
  }

  #fill(): void {
    const now = this.#clock.now();
    const gained = (Math.max(0, now - this.#filledAt) / 1000) * this.#limits.tokensPerSecond;
    this.#filledAt = now;
    this.#tokens = Math.min(this.#limits.bucketSize, this.#tokens + gained);
  }
}

/** Maximum size of the remaining length in a fixed header. [MQTT 3.1.1, 2.2.3] */
const maxLengthBytes = 4;

/** Returns a variable byte integer, and where it ends. [MQTT 5, 1.5.5] */
function variableInteger(bytes: Buffer, start: number): readonly [value: number, end: number] {
  let value = 0;
  let end = start;
  for (let isLast = false; !isLast && end < start + maxLengthBytes; end++) {
    const byte = bytes[end] ?? 0;
    value += (byte & 0x7f) * 0x80 ** (end - start);
    isLast = byte < 0x80;
  }
  return [value, end];
}

/** Returns where a text ends. */
const textEnd = (bytes: Buffer, start: number): number =>
  start + 2 + 0x100 * (bytes[start] ?? 0) + (bytes[start + 1] ?? 0);

/** Returns the length of the properties of a PUBLISH of MQTT 5. [MQTT 5, 3.3.2] */
function propertiesLength(bytes: Buffer, start: number): number {
  const [, topicAt] = variableInteger(bytes, start + 1);
  const hasId = ((bytes[start] ?? 0) & 6) !== 0;
  return variableInteger(bytes, textEnd(bytes, topicAt) + (hasId ? 2 : 0))[0];
}

/** Returns the length of the properties of a CONNECT and its will; 0 before MQTT 5. [MQTT 5, 3.1.2 and 3.1.3] */
function connectPropertiesLength(bytes: Buffer, start: number): number {
  const [, nameAt] = variableInteger(bytes, start + 1);
  const versionAt = textEnd(bytes, nameAt);
  // Without the bit of bridges.
  if (((bytes[versionAt] ?? 0) & 0x7f) !== 5) return 0;
  const hasWill = ((bytes[versionAt + 1] ?? 0) & 4) !== 0;
  const [length, end] = variableInteger(bytes, versionAt + 4);
  return length + (hasWill ? variableInteger(bytes, textEnd(bytes, end + length))[0] : 0);
}

/** A packet that has arrived in part. Its buffer grows with the received bytes, not with the announced length. */
interface PartialPacket {
  bytes: Buffer;
  filled: number;
  readonly length: number;
}

/**
 * Splits a client's bytes into whole MQTT packets, and checks each by its fixed header before any of it is kept. The first
 * packet must be a CONNECT; nothing passes after it until the client has signed in.
 */
export class PacketReader {
  readonly #limits: MqttLimits;
  /** Null: the client's rate is not limited. */
  #bucket: TokenBucket | null;
  #stage: 'new' | 'connecting' | 'accepted' = 'new';
  #isMqtt5 = false;
  #held: Buffer | null = null;
  #partial: PartialPacket | null = null;
  #isThrottled = false;
  #hasMore = false;
  /** The reason why the connection must be closed; null: it need not be. */
  error: PacketError | null = null;

  constructor(limits: MqttLimits, bucket: TokenBucket | null) {
    this.#limits = limits;
    this.#bucket = bucket;
  }

  /** Lets further packets pass, after the client has signed in. */
  accept(isMqtt5: boolean): void {
    this.#stage = 'accepted';
    this.#isMqtt5 = isMqtt5;
  }

  /** Lifts the rate limit, for a client that can send nothing more. */
  unthrottle(): void {
    this.#bucket = null;
  }

  write(chunk: Buffer): void {
    this.#held = this.#held ? Buffer.concat([this.#held, chunk]) : chunk;
  }

  /** Returns the next whole packets as one buffer that costs about `maxTokens`; null: there are none, or the client has to wait. */
  read(maxTokens = Number.POSITIVE_INFINITY): Buffer | null {
    this.#isThrottled = false;
    this.#hasMore = false;
    const held = this.#held;
    if (!held || this.error) return null;
    return this.#partial ? this.#continuePartial(this.#partial, held) : this.#readWhole(held, maxTokens);
  }

  /** Milliseconds until {@link read} may return more; null where that does not depend on time. */
  waitTime(): number | null {
    return this.#isThrottled && this.#bucket ? Math.max(1, this.#bucket.waitTime()) : null;
  }

  /** Whether {@link read} may return more immediately. */
  get hasMore(): boolean {
    return this.#hasMore;
  }

  /** Whether bytes are held back that could be parsed. */
  get isHolding(): boolean {
    return this.#held !== null && (this.#isThrottled || this.#hasMore || this.#stage === 'connecting');
  }

  /** Bytes of a partial packet. */
  get partialBytes(): number {
    return this.#partial?.bytes.length ?? 0;
  }

  #readWhole(held: Buffer, maxTokens: number): Buffer | null {
    let end = 0;
    let spent = 0;
    while (end < held.length && this.#stage !== 'connecting') {
      this.#hasMore = spent >= maxTokens;
      if (this.#hasMore) break;
      const length = this.#checkHeader(held, end);
      if (this.error) return null;
      if (length === null) {
        // Copied: these few bytes would keep the whole chunk in memory.
        this.#held = Buffer.from(held.subarray(end));
        return end === 0 ? null : held.subarray(0, end);
      }
      if (end + length > held.length) {
        this.#beginPartial(held.subarray(end), length);
        return end === 0 ? null : held.subarray(0, end);
      }
      const cost = this.#costOf(held, end, length);
      if (this.error) return null;
      if (!this.#pay(cost)) break;
      spent += cost;
      end += length;
      if (this.#stage === 'new') this.#stage = 'connecting';
    }
    this.#held = end === held.length ? null : held.subarray(end);
    return end === 0 ? null : held.subarray(0, end);
  }

  /** Returns the length of the packet at `start`, header included; null: not known yet. Sets {@link error}. */
  #checkHeader(bytes: Buffer, start: number): number | null {
    const type = (bytes[start] ?? 0) >> 4;
    if (this.#stage === 'new' && bytes[start] !== types.connect << 4) this.error = 'not_mqtt';
    let length = 0;
    for (let index = 1; index <= maxLengthBytes && !this.error; index++) {
      const byte = bytes[start + index];
      if (byte === undefined) return null;
      length += (byte & 0x7f) * 0x80 ** (index - 1);
      if (byte < 0x80) {
        const total = 1 + index + length;
        if (total <= this.#maxSize(type)) return total;
        this.error = 'too_large';
      }
    }
    this.error ??= 'not_mqtt';
    return null;
  }

  #maxSize(type: number): number {
    if (this.#stage === 'new') return this.#limits.maxConnectSize;
    const isSmall = isList(type) || (this.#isMqtt5 && type !== types.publish);
    return isSmall ? this.#limits.maxSubscribeSize : this.#limits.maxPacketSize;
  }

  /** Returns the cost of a whole packet. Sets {@link error} if a message or a CONNECT has too many properties to be parsed. */
  #costOf(bytes: Buffer, start: number, length: number): number {
    const type = (bytes[start] ?? 0) >> 4;
    if (this.#stage === 'new' && connectPropertiesLength(bytes, start) > this.#limits.maxConnectPropertiesSize)
      this.error = 'too_large';
    const cost = packetCost(type, length, this.#limits);
    if (!this.#isMqtt5 || isList(type)) return cost;
    const properties = type === types.publish ? propertiesLength(bytes, start) : length;
    if (type === types.publish && properties > this.#limits.maxPropertiesSize) this.error = 'too_large';
    return cost + Math.floor(properties / this.#limits.filterBytesPerToken);
  }

  #pay(cost: number): boolean {
    if (!this.#bucket || this.#stage === 'new') return true;
    this.#isThrottled = !this.#bucket.take(cost);
    return !this.#isThrottled;
  }

  #beginPartial(start: Buffer, length: number): void {
    // Copied: the slice would keep the whole chunk in memory.
    this.#partial = { bytes: Buffer.from(start), filled: start.length, length };
    this.#held = null;
  }

  #continuePartial(partial: PartialPacket, held: Buffer): Buffer | null {
    const part = held.subarray(0, partial.length - partial.filled);
    const filled = partial.filled + part.length;
    const isWhole = filled === partial.length;
    if (isWhole) {
      const start = partial.bytes.subarray(0, partial.filled);
      const mustParse = this.#isMqtt5 || this.#stage === 'new';
      const cost = this.#costOf(mustParse ? Buffer.concat([start, part]) : start, 0, filled);
      if (this.error || !this.#pay(cost)) return null;
    }
    if (filled > partial.bytes.length) {
      // Doubled, so that a packet which arrives byte by byte is not copied each time.
      const grown = Buffer.allocUnsafe(Math.min(partial.length, Math.max(filled, 2 * partial.bytes.length)));
      partial.bytes.copy(grown, 0, 0, partial.filled);
      partial.bytes = grown;
    }
    part.copy(partial.bytes, partial.filled);
    partial.filled = filled;
    this.#held = part.length === held.length ? null : held.subarray(part.length);
    if (!isWhole) return null;
    this.#partial = null;
    this.#hasMore = this.#held !== null;
    if (this.#stage === 'new') this.#stage = 'connecting';
    return partial.bytes;
  }
}
