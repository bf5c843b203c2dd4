import type { AedesPublishPacket, PubrelPacket } from 'aedes';
import type { StoreLimits } from './broker-limits.ts';
import type { Findable } from './topic-tree.ts';

/** A message that waits for its acknowledgement, or the release that took its place (QoS 2). */
export type Waiting = AedesPublishPacket | (PubrelPacket & { readonly brokerCounter: number });

interface Entry {
  packet: Waiting;
  readonly bytes: number;
}

/** What a queue needs to know of a packet. */
export interface PacketNumbers {
  readonly brokerCounter?: number;
  messageId?: number | undefined;
}

/** A session that outlives its connection: its filters, and the messages that wait for it, in their order. */
export class KeptSession implements Findable {
  readonly id: string;
  readonly userName: string;
  /** The token of the connection that had it last. */
  jti: string | null;
  isConnected = true;
  /** When its connection ended, in ms. */
  leftAt = 0;
  readonly filters = new Map<string, 0 | 1 | 2>();
  /** QoS 2 messages of the client that wait for their release. */
  readonly unreleased = new Set<number>();
  bytes = 0;
  foundBy = 0;
  foundQos: 0 | 1 | 2 = 0;
  readonly #limits: StoreLimits;
  readonly #queue = new Map<number, Entry>();
  readonly #byMessageId = new Map<number, number>();

  constructor(id: string, userName: string, jti: string | null, limits: StoreLimits) {
    this.id = id;
    this.userName = userName;
    this.jti = jti;
    this.#limits = limits;
  }

  get size(): number {
    return this.#queue.size;
  }

  /** Bytes by which a message would make the queue grow; null: it is full. */
  costOf(packet: AedesPublishPacket): number | null {
    const bytes = packet.topic.length + packet.payload.length + this.#limits.overhead;
    const isFull = this.#queue.size >= this.#limits.queuedMessages || this.bytes + bytes > this.#limits.queuedBytes;
    return isFull ? null : bytes;
  }

  push(packet: AedesPublishPacket, bytes: number): void {
    this.#queue.set(packet.brokerCounter, { packet, bytes });
    this.bytes += bytes;
  }

  /** Notes under which id a message was sent, or that its release was. */
  update(packet: PacketNumbers & { readonly cmd: string }): void {
    const { messageId } = packet;
    if (messageId === undefined) return;
    if (packet.cmd === 'pubrel') {
      const counter = this.#byMessageId.get(messageId);
      const entry = counter === undefined ? undefined : this.#queue.get(counter);
      if (counter !== undefined && entry) entry.packet = { cmd: 'pubrel', messageId, brokerCounter: counter };
      return;
    }
    const entry = this.#queue.get(packet.brokerCounter ?? 0);
    if (!entry) return;
    entry.packet.messageId = messageId;
    this.#byMessageId.set(messageId, entry.packet.brokerCounter);
  }

  /** A message was acknowledged. */
  acknowledge(messageId: number | undefined): Waiting | undefined {
    const counter = messageId === undefined ? undefined : this.#byMessageId.get(messageId);
    const entry = counter === undefined ? undefined : this.#queue.get(counter);
    if (messageId === undefined || counter === undefined || !entry) return undefined;
    this.#byMessageId.delete(messageId);
    this.#queue.delete(counter);
    this.bytes -= entry.bytes;
    return entry.packet;
  }

  waiting(): Waiting[] {
    return [...this.#queue.values()].map(({ packet }) => packet);
  }
}
