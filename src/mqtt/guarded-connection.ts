import { Duplex } from 'node:stream';
import type { AedesPublishPacket, Client, ConnectPacket, Subscription } from 'aedes';
import type { CloseReason } from './close-reasons.ts';
import type { ByteBudget, Task } from './fair-sharing.ts';
import type { ClientIdentity } from './identity.ts';
import type { MqttLimits } from './limits.ts';
import type { Mqtt5Client } from './mqtt5-client.ts';
import type { Mqtt5End } from './mqtt5-packets.ts';
import { encodeDisconnect } from './mqtt5-packets.ts';
import type { PacketError, TokenBucket } from './packet-reader.ts';
import { PacketReader } from './packet-reader.ts';
import type { Receiver } from './topic-router.ts';
import type { FrameError, Transport, TransportHandler } from './transport.ts';

/** The shared parts of all connections of a server. */
export interface ConnectionContext {
  readonly limits: MqttLimits;
  /** Bytes queued for clients. */
  readonly outgoing: ByteBudget<GuardedConnection>;
  /** Bytes of partial packets. */
  readonly incoming: ByteBudget<GuardedConnection>;
  /** Schedules a call of {@link GuardedConnection.flush}. */
  scheduleFlush(connection: GuardedConnection): void;
  /** Schedules a call of {@link GuardedConnection.runSlice}. */
  scheduleRead(connection: GuardedConnection): void;
  /** Called when the server closes a connection. */
  onClosing(connection: GuardedConnection, reason: CloseReason): void;
  /** Called when a connection has ended for the server; its transport may still be sending. */
  onEnded(connection: GuardedConnection): void;
  /** Called when the transport is closed as well. */
  onClosed(connection: GuardedConnection): void;
}

/** Partial bytes that are not counted. */
const negligibleBytes = 4 * 1024;

/**
 * A connection between a client and aedes. To aedes it is a stream of whole packets that accepts all writes immediately, so aedes
 * never waits for a client. Towards the client it enforces limits: a client that exceeds them is disconnected.
 */
export class GuardedConnection extends Duplex implements TransportHandler, Task {
  /** Null before the client signs in. */
  identity: ClientIdentity | null = null;
  /** The CONNECT, until the client has signed in. */
  connectPacket: ConnectPacket | null = null;
  /** Whether the reason of the connection's end has been reported, or needs no report. */
  hasCloseReason = false;
  /** Receives the messages of the client's filters. */
  receiver: Receiver<AedesPublishPacket> | null = null;
  /** The granted subscriptions, by filters. */
  readonly filters = new Map<string, Subscription>();
  rejectedFilters = 0;
  /** When the client sent something last, or ended the connection, of `performance.now()`. */
  lastReceived = performance.now();
  /** Number of the last forwarded message: one that matches two filters of a client is delivered once. */
  lastForwarded = 0;
  /** Null: the client speaks MQTT 3.1.1. */
  mqtt5: Mqtt5Client | null = null;
  /** The DISCONNECT of MQTT 5 that ends the connection, unless it is terminated. */
  disconnectPacket: Buffer | null = null;
  /** QoS 2 messages of a clean session that are not released yet. */
  unreleased: Set<number> | null = null;
  readonly #context: ConnectionContext;
  readonly #transport: Transport;
  readonly #reader: PacketReader;
  #unflushed: Buffer[] = [];
  #unflushedBytes = 0;
  #isTerminated = false;
  #isAccepted = false;
  #isPaused = false;
  #isFull = false;
  #hasEnded = false;
  #isScheduled = false;
  #isTransportClosed = false;
  #timer: NodeJS.Timeout | null = null;

  /** `bucket` null: the client's rate is not limited. */
  constructor(transport: Transport, context: ConnectionContext, bucket: TokenBucket | null) {
    super({ readableHighWaterMark: context.limits.readBufferSize, autoDestroy: false });
    this.#context = context;
    this.#transport = transport;
    this.#reader = new PacketReader(context.limits, bucket);
    // aedes destroys connections with an error after it has removed its own listener.
    this.on('error', () => undefined);
  }

  get address(): string {
    return this.#transport.address;
  }

  /** Bytes queued for the client. */
  get queuedBytes(): number {
    return this.#unflushedBytes + this.#transport.queuedBytes + (this.mqtt5?.heldBytes ?? 0);
  }

  /** Bytes of partial packets. */
  get partialBytes(): number {
    return this.#reader.partialBytes + this.#transport.partialBytes;
  }

  /** Starts to read. */
  open(): void {
    this.#transport.open(this);
  }

  /** Starts passing packets to aedes, after the client has signed in. */
  accept(): void {
    this.#isAccepted = true;
    this.connectPacket = null;
    this.#reader.accept(this.mqtt5 !== null);
    this.#transport.accept();
    this.#pump();
  }

  /** Closes the connection immediately; discards queued bytes. */
  terminate(reason: CloseReason): void {
    if (this.destroyed) return;
    this.#isTerminated = true;
    this.close(reason);
  }

  /** Closes the connection after writing the queued bytes. */
  close(reason: CloseReason): void {
    if (this.destroyed) return;
    this.reportReason(reason);
    this.destroy();
  }

  /** Reports the reason of the connection's end. Only the first one counts. */
  reportReason(reason: CloseReason): void {
    if (this.hasCloseReason) return;
    this.hasCloseReason = true;
    this.setDisconnectReason(reason);
    this.#context.onClosing(this, reason);
  }

  /** Sets the reason of the DISCONNECT, with MQTT 5. Only the first counts. */
  setDisconnectReason(reason: Mqtt5End): void {
    if (this.mqtt5) this.disconnectPacket ??= encodeDisconnect(reason);
  }

  /** Discards bytes that are still being written. */
  destroyTransport(): void {
    this.#transport.destroy();
  }

  /** Always returns true: the caller need not wait. */
  override write(chunk: unknown): boolean {
    if (this.destroyed || this.#isTransportClosed) return true;
    const buffer = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    if (!Buffer.isBuffer(buffer) || buffer.length === 0) return true;
    if (this.mqtt5) for (const packet of this.mqtt5.translate(buffer)) this.send(packet);
    else this.send(buffer);
    return true;
  }

  /** Queues bytes in the client's version of MQTT. */
  send(buffer: Buffer): void {
    if (this.destroyed || this.#isTransportClosed) return;
    if (this.#unflushed.length === 0) this.#context.scheduleFlush(this);
    this.#unflushed.push(buffer);
    this.#unflushedBytes += buffer.length;
    if (this.queuedBytes > this.#context.limits.maxQueuedBytes) this.terminate('queue_full');
  }

  /** Has bytes counted that are not sent yet. */
  reportQueue(): void {
    if (this.destroyed) return;
    if (this.queuedBytes > this.#context.limits.maxQueuedBytes) this.terminate('queue_full');
    else this.#context.outgoing.report(this, this.queuedBytes);
  }

  override cork(): void {
    // Everything written in one tick is flushed together anyway.
  }

  override uncork(): void {
    // See cork().
  }

  /** Passes written bytes to the transport. */
  flush(): void {
    if (this.#unflushedBytes === 0) return;
    const buffers = this.#unflushed;
    const bytes = this.#unflushedBytes;
    this.#unflushed = [];
    this.#unflushedBytes = 0;
    this.#transport.send(buffers, bytes);
    if (!this.destroyed) this.#context.outgoing.report(this, this.queuedBytes);
  }

  onData(chunk: Buffer): void {
    if (this.destroyed) return;
    this.lastReceived = performance.now();
    this.#reader.write(chunk);
    // A scheduled slice reads this chunk too.
    if (!this.#isScheduled) this.#pump();
  }

  onDrain(): void {
    if (!this.destroyed) this.#context.outgoing.report(this, this.queuedBytes);
  }

  onEnd(): void {
    this.#hasEnded = true;
    this.lastReceived = performance.now();
    this.hasCloseReason = true;
    if (this.#isAccepted) {
      this.#reader.unthrottle();
      this.#pump();
    }
    if (!this.#isAccepted) this.destroy();
  }

  onClose(): void {
    this.#isTransportClosed = true;
    this.#unflushed = [];
    this.#unflushedBytes = 0;
    this.#context.outgoing.report(this, 0);
    // Packets that arrived before are still handled.
    if (!this.destroyed && !this.#hasEnded) this.onEnd();
    if (this.destroyed) this.#context.onClosed(this);
  }

  /** Passes some packets to aedes. */
  runSlice(): void {
    this.#isScheduled = false;
    if (!this.destroyed) this.#pump();
  }

  onPartial(): void {
    if (!this.destroyed) this.#reportPartial();
  }

  onError(reason: PacketError | FrameError): void {
    this.terminate(reason);
  }

  override _read(): void {
    // Nothing is pushed here: aedes reads while it parses.
    if (this.#isFull) this.#schedule();
    this.#isFull = false;
    this.#pauseOrResume();
  }

  override _write(_chunk: unknown, _encoding: BufferEncoding, done: () => void): void {
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#isTerminated) this.#transport.destroy();
    else {
      if (error && !this.hasCloseReason) this.setDisconnectReason(reasonOf(error));
      if (this.disconnectPacket) {
        this.#unflushed.push(this.disconnectPacket);
        this.#unflushedBytes += this.disconnectPacket.length;
      }
      this.flush();
      this.#transport.end(this.#context.limits.closeTimeout);
    }
    this.#unflushed = [];
    this.#unflushedBytes = 0;
    this.#context.outgoing.report(this, 0);
    this.#context.incoming.report(this, 0);
    this.#context.onEnded(this);
    if (this.#isTransportClosed) this.#context.onClosed(this);
    // Without the error, which aedes knows already.
    done();
  }

  #pump(): void {
    const packets = this.#isFull ? null : this.#reader.read(this.#context.limits.sliceTokens);
    if (packets) this.#isFull = !this.push(packets);
    if (this.#reader.hasMore && !this.#isFull) this.#schedule();
    if (this.#reader.error) {
      this.terminate(this.#reader.error);
      return;
    }
    const wait = this.#reader.waitTime();
    if (wait !== null && !this.#timer)
      this.#timer = setTimeout(() => {
        this.#timer = null;
        this.#pump();
      }, wait);
    this.#reportPartial();
    this.#pauseOrResume();
    if (this.#hasEnded && this.#isAccepted && !this.#isScheduled && !this.#isFull) this.push(null);
  }

  #schedule(): void {
    if (this.#isScheduled || this.destroyed) return;
    this.#isScheduled = true;
    this.#context.scheduleRead(this);
  }

  #pauseOrResume(): void {
    const mustPause = this.#isFull || this.#reader.isHolding;
    if (mustPause === this.#isPaused || this.destroyed) return;
    this.#isPaused = mustPause;
    if (mustPause) this.#transport.pause();
    else this.#transport.resume();
  }

  #reportPartial(): void {
    const bytes = this.partialBytes;
    this.#context.incoming.report(this, bytes < negligibleBytes ? 0 : bytes);
  }
}

/** Returns why aedes ends a connection with an error. */
export const reasonOf = (error: Error): 'keep_alive' | 'protocol' =>
  error.message === 'keep alive timeout' ? 'keep_alive' : 'protocol';

/** Returns the connection of a client of aedes. */
export const guardedConnection = ({ conn }: Pick<Client, 'conn'>): GuardedConnection | null =>
  conn instanceof GuardedConnection ? conn : null;
