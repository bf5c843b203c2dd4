import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import type { Transport, TransportEvents } from './transport.ts';
import { joined } from './transport.ts';

/** A client on a WebSocket: binary frames, which need not begin or end where packets do. */
export class WebSocketTransport implements Transport {
  readonly address: string;
  readonly #webSocket: WebSocket;
  /** Bytes that may come before the client was let in; null: it was. */
  #first: number | null;
  #unfinished = 0;
  #events: TransportEvents | null = null;

  /** `socket` is the one below; `first`: bytes that may come before the client was let in. */
  constructor(webSocket: WebSocket, socket: Duplex, address: string, first: number) {
    this.#webSocket = webSocket;
    this.#first = first;
    this.address = address;
    webSocket.on('error', () => undefined);
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
