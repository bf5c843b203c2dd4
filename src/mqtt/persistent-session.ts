import type { AedesPublishPacket, PubrelPacket, Subscription } from 'aedes';
import type { Credential } from './identity.ts';
import type { StoreLimits } from './limits.ts';
import { messageBytes } from './message-bytes.ts';
import type { TreeValue } from './topic-tree.ts';

/** A message that waits for its acknowledgment, or the PUBREL that replaced it (QoS 2). */
export type QueuedPacket =
  | (AedesPublishPacket & {
      /** Whether it has the flag for clients of MQTT 5 that want it. */
      readonly wasRetained?: boolean;
    })
  | (PubrelPacket & { readonly brokerCounter: number });

interface Entry {
  packet: QueuedPacket;
  readonly bytes: number;
}

/** The identifiers of a packet. */
export interface PacketNumbers {
  readonly brokerCounter?: number;
  messageId?: number | undefined;
}

/** A session that outlives its connection: its filters, and a queue of messages in order. */
export class PersistentSession implements TreeValue {
  readonly id: string;
  readonly userName: string;
  /** The last connection's. */
  credential: Credential | null;
  isConnected = true;
  /** Milliseconds that it outlives its connection. */
  expiry: number;
  /** When its connection ended, in ms since the epoch. */
  disconnectedAt = 0;
  readonly filters = new Map<string, Subscription>();
  /** QoS 2 messages of the client that are not released yet. */
  readonly unreleased = new Set<number>();
  bytes = 0;
  foundBy = 0;
  foundQos: 0 | 1 | 2 = 0;
  readonly #limits: StoreLimits;
  readonly #queue = new Map<number, Entry>();
  /** Keys of the queue. */
  readonly #byMessageId = new Map<number, number>();

  constructor(id: string, userName: string, credential: Credential | null, limits: StoreLimits) {
    this.id = id;
    this.userName = userName;
    this.credential = credential;
    this.expiry = limits.sessionExpiry;
    this.#limits = limits;
  }

  /** Returns the bytes that a message would add to the queue; null when the queue is full. */
  sizeOf(packet: AedesPublishPacket): number | null {
    const bytes = messageBytes(packet) + this.#limits.messageOverhead;
    const isFull =
      this.#queue.size >= this.#limits.maxQueuedMessages || this.bytes + bytes > this.#limits.maxQueuedBytes;
    return isFull ? null : bytes;
  }

  push(packet: AedesPublishPacket, bytes: number): void {
    this.#queue.set(packet.brokerCounter, { packet, bytes });
    this.bytes += bytes;
  }

  /** Records the id under which a message was sent, or that its PUBREL was sent. */
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
    // For the case that it is sent again. [MQTT 3.1.1, 3.3.1.1]
    if (entry.packet.cmd === 'publish') entry.packet.dup = true;
    this.#byMessageId.set(messageId, entry.packet.brokerCounter);
  }

  /** Removes and returns an acknowledged message. */
  acknowledge(messageId: number | undefined): QueuedPacket | undefined {
    const counter = messageId === undefined ? undefined : this.#byMessageId.get(messageId);
    const entry = counter === undefined ? undefined : this.#queue.get(counter);
    if (messageId === undefined || counter === undefined || !entry) return undefined;
    this.#byMessageId.delete(messageId);
    this.#queue.delete(counter);
    this.bytes -= entry.bytes;
    return entry.packet;
  }

  /** Whether a message was sent with this id, and is not acknowledged. */
  usesId(messageId: number): boolean {
    return this.#byMessageId.has(messageId);
  }

  queued(): QueuedPacket[] {
    return [...this.#queue.values()].map(({ packet }) => packet);
  }
}
