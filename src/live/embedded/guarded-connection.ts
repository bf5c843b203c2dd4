import { Duplex } from 'node:stream';
import type { AedesPublishPacket, Client, ConnectPacket } from 'aedes';
import type { BrokerUser } from '../access.ts';
import type { BrokerLimits } from './broker-limits.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { Worker } from './fair-turns.ts';
import type { MessageAllowance } from './message-allowance.ts';
import type { PacketRefusal } from './packet-reader.ts';
import { PacketReader } from './packet-reader.ts';
import type { Receiver } from './topic-router.ts';
import type { FrameRefusal, Transport, TransportEvents } from './transport.ts';

/** Why the broker ends a connection by itself. */
export type CutReason =
  | PacketRefusal
  | FrameRefusal
  | 'connect_timeout'
  | 'too_many_pending'
  | 'too_many_filters'
  | 'queue_full'
  | 'queues_full'
  | 'unfinished_full'
  | 'refused_publish'
  | 'not_stored'
  | 'protocol'
  | 'keep_alive'
  | 'token_gone'
  | 'token_expired';

/** What all connections of a broker share. */
export interface ConnectionHouse {
  readonly limits: BrokerLimits;
  /** Bytes that wait for clients. */
  readonly outgoing: ByteBudget<GuardedConnection>;
  /** Bytes of packets whose end is still to come. */
  readonly incoming: ByteBudget<GuardedConnection>;
  /** Has {@link GuardedConnection.flush} called soon. */
  flushSoon(connection: GuardedConnection): void;
  /** Has {@link GuardedConnection.work} called when it is its turn. */
  workSoon(connection: GuardedConnection): void;
  /** A connection is cut. */
  cut(connection: GuardedConnection, reason: CutReason): void;
  /** A connection is over for the broker, though its last bytes may still be leaving. */
  left(connection: GuardedConnection): void;
  /** Nothing of it is left. */
  gone(connection: GuardedConnection): void;
}

/** Unfinished bytes that are not worth counting. */
const negligible = 4 * 1024;

/**
 * Stands between a client and aedes. To aedes it is a stream that gives whole packets and takes everything at once, so aedes
 * never waits for a client; towards the client it has limits, and a client beyond them is cut without anybody waiting for it.
 */
export class GuardedConnection extends Duplex implements TransportEvents, Worker {
  /** Who it is; null: not signed in. */
  user: BrokerUser | null = null;
  /** The CONNECT, until it was judged. */
  connectPacket: ConnectPacket | null = null;
  /** The client was told already why it has to go, or went by itself. */
  isJudged = false;
  /** Takes the messages of the client's filters. */
  receiver: Receiver<AedesPublishPacket> | null = null;
  /** The filters that the client was granted, with their QoS. */
  readonly filters = new Map<string, 0 | 1 | 2>();
  refusedFilters = 0;
  /** The number of the message that was forwarded last: one that meets two filters of a client comes once. */
  lastForwarded = 0;
  /** QoS 2 messages of a clean session that wait for their release. */
  unreleased: Set<number> | null = null;
  readonly #house: ConnectionHouse;
  readonly #transport: Transport;
  readonly #reader: PacketReader;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isCut = false;
  #isAccepted = false;
  #isPaused = false;
  #isFull = false;
  #hasEnded = false;
  #isInQueue = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(transport: Transport, house: ConnectionHouse, allowance: MessageAllowance | null) {
    super({ readableHighWaterMark: house.limits.unreadBytes, autoDestroy: false });
    this.#house = house;
    this.#transport = transport;
    this.#reader = new PacketReader(house.limits, allowance);
    // aedes destroys connections with an error, and takes its own listener away before.
    this.on('error', () => undefined);
  }

  get address(): string {
    return this.#transport.address;
  }

  /** Bytes that wait for the client. */
  get queued(): number {
    return this.#bytes + this.#transport.queued;
  }

  /** Bytes kept of packets whose end is still to come. */
  get unfinished(): number {
    return this.#reader.unfinished + this.#transport.unfinished;
  }

  /** Begins to read. */
  open(): void {
    this.#transport.open(this);
  }

  /** The client was let in. */
  accept(): void {
    this.#isAccepted = true;
    this.connectPacket = null;
    this.#reader.accept();
    this.#transport.accept();
    this.#pump();
  }

  /** Ends the connection at once; what is queued is thrown away. */
  cut(reason: CutReason): void {
    if (this.destroyed) return;
    this.#isCut = true;
    this.dismiss(reason);
  }

  /** Ends the connection after what is queued has left. */
  dismiss(reason: CutReason): void {
    if (this.destroyed) return;
    this.blame(reason);
    this.destroy();
  }

  /** Says why the connection ends. Only the first reason counts. */
  blame(reason: CutReason): void {
    if (this.isJudged) return;
    this.isJudged = true;
    this.#house.cut(this, reason);
  }

  /** Throws away what is still leaving. */
  abandon(): void {
    this.#transport.destroy();
  }

  /** Always true: whoever writes need not wait. */
  override write(chunk: unknown): boolean {
    if (this.destroyed || this.#isClosed) return true;
    const piece = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    if (!Buffer.isBuffer(piece) || piece.length === 0) return true;
    if (this.#pieces.length === 0) this.#house.flushSoon(this);
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.queued > this.#house.limits.queuedBytes) this.cut('queue_full');
    return true;
  }

  override cork(): void {
    // Everything written in one turn leaves together anyway.
  }

  override uncork(): void {
    // As above.
  }

  /** Hands what was written to the system. */
  flush(): void {
    if (this.#bytes === 0) return;
    const pieces = this.#pieces;
    const bytes = this.#bytes;
    this.#pieces = [];
    this.#bytes = 0;
    this.#transport.send(pieces, bytes);
    if (!this.destroyed) this.#house.outgoing.report(this, this.#transport.queued);
  }

  received(chunk: Buffer): void {
    if (this.destroyed) return;
    this.#reader.take(chunk);
    // What came before has to be first.
    if (!this.#isInQueue) this.#pump();
  }

  drained(): void {
    if (!this.destroyed) this.#house.outgoing.report(this, this.queued);
  }

  ended(): void {
    this.#hasEnded = true;
    this.isJudged = true;
    if (this.#isAccepted) {
      this.#reader.hurry();
      this.#pump();
    }
    if (!this.#isAccepted) this.destroy();
  }

  lost(): void {
    this.#isClosed = true;
    this.#pieces = [];
    this.#bytes = 0;
    this.#house.outgoing.report(this, 0);
    // What the client sent before it left is still worked off.
    if (!this.destroyed && !this.#hasEnded) this.ended();
    if (this.destroyed) this.#house.gone(this);
  }

  /** Passes on some of what the client sent. */
  work(): void {
    this.#isInQueue = false;
    if (!this.destroyed) this.#pump();
  }

  kept(): void {
    if (!this.destroyed) this.#reportUnfinished();
  }

  broken(reason: PacketRefusal | FrameRefusal): void {
    this.cut(reason);
  }

  override _read(): void {
    // Nothing is pushed from here: aedes reads in the midst of parsing.
    if (this.#isFull) this.#queue();
    this.#isFull = false;
    this.#regulate();
  }

  override _write(_chunk: unknown, _encoding: BufferEncoding, done: () => void): void {
    done();
  }

  override _destroy(_error: Error | null, done: (error?: Error | null) => void): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#isCut) this.#transport.destroy();
    else {
      this.flush();
      this.#transport.finish(this.#house.limits.farewell);
    }
    this.#pieces = [];
    this.#bytes = 0;
    this.#house.outgoing.report(this, 0);
    this.#house.incoming.report(this, 0);
    this.#house.left(this);
    if (this.#isClosed) this.#house.gone(this);
    // Without the error: nobody has to know, and aedes knows it already.
    done();
  }

  #pump(): void {
    const run = this.#isFull ? null : this.#reader.next(this.#house.limits.pieceTokens);
    if (run) this.#isFull = !this.push(run);
    if (this.#reader.hasMore && !this.#isFull) this.#queue();
    if (this.#reader.refusal) {
      this.cut(this.#reader.refusal);
      return;
    }
    const wait = this.#reader.wait();
    if (wait !== null && !this.#timer)
      this.#timer = setTimeout(() => {
        this.#timer = null;
        this.#pump();
      }, wait);
    this.#reportUnfinished();
    this.#regulate();
    if (this.#hasEnded && this.#isAccepted && !this.#isInQueue && !this.#isFull) this.push(null);
  }

  #queue(): void {
    if (this.#isInQueue || this.destroyed) return;
    this.#isInQueue = true;
    this.#house.workSoon(this);
  }

  #regulate(): void {
    const mustPause = this.#isFull || this.#reader.isHolding;
    if (mustPause === this.#isPaused || this.destroyed) return;
    this.#isPaused = mustPause;
    if (mustPause) this.#transport.pause();
    else this.#transport.resume();
  }

  #reportUnfinished(): void {
    const bytes = this.unfinished;
    this.#house.incoming.report(this, bytes < negligible ? 0 : bytes);
  }
}

/** The connection of a client of aedes. */
export const guardedConnection = ({ conn }: Pick<Client, 'conn'>): GuardedConnection | null =>
  conn instanceof GuardedConnection ? conn : null;
