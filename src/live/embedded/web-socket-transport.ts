import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import type { Transport, TransportEvents } from './transport.ts';
import { joined } from './transport.ts';

/** What the library says about frames that it does not take. */
const frameRefusals = [
  ['WS_ERR_UNSUPPORTED_MESSAGE_LENGTH', 'too_large'],
  ['WS_ERR_', 'web_socket'],
] as const;

export interface WebSocketOptions {
  readonly address: string;
  /** Bytes that may come before the client was let in. */
  readonly first: number;
  /** Pings whose answers may wait for the client. */
  readonly unansweredPings: number;
}

/** A client on a WebSocket: binary frames, which need not begin or end where packets do. */
export class WebSocketTransport implements Transport {
  readonly address: string;
  readonly #webSocket: WebSocket;
  /** Bytes that may come before the client was let in; null: it was. */
  #first: number | null;
  #unfinished = 0;
  readonly #mostPings: number;
  #unansweredPings = 0;
  #events: TransportEvents | null = null;

  /** `socket` is the one below. */
  constructor(webSocket: WebSocket, socket: Duplex, { address, first, unansweredPings }: WebSocketOptions) {
    this.#webSocket = webSocket;
    this.#first = first;
    this.#mostPings = unansweredPings;
    this.address = address;
    // A connection that just breaks is told of by `close`.
    webSocket.on('error', (error) => {
      const refusal = frameRefusals.find(([code]) => 'code' in error && String(error.code).startsWith(code));
      if (refusal) this.#events?.broken(refusal[1]);
    });
    // The WebSocket keeps a message until its end has come, so what comes is counted below it.
    socket.on('data', (chunk: Buffer) => this.#count(chunk.length));
  }

  get queued(): number {
    return this.#webSocket.bufferedAmount;
  }

  get unfinished(): number {
    return this.#unfinished;
  }

  open(events: TransportEvents): void {
    this.#events = events;
    this.#webSocket
      .on('message', (data, isBinary) => {
        this.#unfinished = 0;
        if (isBinary && Buffer.isBuffer(data)) events.received(data);
        else events.broken('not_mqtt');
      })
      .on('ping', (data: Buffer) => this.#answer(data))
      .on('close', () => events.lost());
  }

  send(pieces: readonly Buffer[], bytes: number): void {
    if (this.#webSocket.readyState !== WebSocket.OPEN) return;
    for (const buffer of joined(pieces, bytes)) this.#webSocket.send(buffer, { binary: true });
  }

  pause(): void {
    this.#webSocket.pause();
  }

  resume(): void {
    this.#webSocket.resume();
  }

  accept(): void {
    this.#first = null;
  }

  finish(within: number): void {
    const timer = setTimeout(() => this.#webSocket.terminate(), within);
    this.#webSocket.on('close', () => clearTimeout(timer));
    this.#webSocket.resume();
    this.#webSocket.close(1000);
  }

  destroy(): void {
    this.#webSocket.terminate();
  }

  #answer(data: Buffer): void {
    if (this.#webSocket.readyState !== WebSocket.OPEN) return;
    if (this.#unansweredPings >= this.#mostPings) {
      this.#events?.broken('ping_flood');
      return;
    }
    this.#unansweredPings++;
    this.#webSocket.pong(data, false, () => {
      this.#unansweredPings--;
    });
  }

  #count(bytes: number): void {
    this.#unfinished += bytes;
    if (this.#first === null) {
      this.#events?.kept();
      return;
    }
    this.#first -= bytes;
    if (this.#first < 0) this.#events?.broken('too_large');
  }
}
