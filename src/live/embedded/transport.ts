import type { Socket } from 'node:net';

/** Pieces up to so many bytes together are sent as one: copying them is cheaper than more system calls or frames. */
const copiedBytes = 16 * 1024;

/** Why a WebSocket is cut: its frames are not what they should be, or it pings without reading the answers. */
export type FrameRefusal = 'web_socket' | 'ping_flood';

/** What a transport tells of its client. */
export interface TransportEvents {
  received(chunk: Buffer): void;
  /** What was queued has left. */
  drained(): void;
  /** The client sends nothing more. */
  ended(): void;
  lost(): void;
  /** Bytes of an unfinished message were kept. */
  kept(): void;
  /** The client must be cut. */
  broken(reason: 'not_mqtt' | 'too_large' | FrameRefusal): void;
}

/** How bytes come and go: a socket, a socket under TLS, or a WebSocket. */
export interface Transport {
  /** Where the client connects from. */
  readonly address: string;
  /** Bytes that the system has not taken yet. */
  readonly queued: number;
  /** Bytes of a message whose end is still to come. */
  readonly unfinished: number;
  /** Begins to tell. */
  open(events: TransportEvents): void;
  send(pieces: readonly Buffer[], bytes: number): void;
  pause(): void;
  resume(): void;
  /** Larger messages may come from now on. */
  accept(): void;
  /** Ends the connection when what is queued has left, after so many milliseconds in any case. */
  finish(within: number): void;
  /** Ends the connection at once. */
  destroy(): void;
}

/** Pieces as few buffers: small neighbours become one, large ones stay as they are, since other clients share them. */
export function joined(pieces: readonly Buffer[], bytes: number): readonly Buffer[] {
  if (pieces.length === 1) return pieces;
  if (bytes <= copiedBytes) return [Buffer.concat(pieces, bytes)];
  const found: Buffer[] = [];
  let small: Buffer[] = [];
  let size = 0;
  const join = () => {
    if (size > 0) found.push(small.length === 1 && small[0] ? small[0] : Buffer.concat(small, size));
    small = [];
    size = 0;
  };
  for (const piece of pieces) {
    if (size + piece.length > copiedBytes) join();
    small.push(piece);
    size += piece.length;
  }
  join();
  return found;
}

/** A client on a TCP port. */
export class SocketTransport implements Transport {
  readonly address: string;
  readonly unfinished = 0;
  readonly #socket: Socket;

  constructor(socket: Socket, address: string) {
    this.#socket = socket;
    this.address = address;
    // Without a listener a reset connection would end the process.
    socket.on('error', () => undefined);
  }

  get queued(): number {
    return this.#socket.writableLength;
  }

  open(events: TransportEvents): void {
    this.#socket
      .on('data', (chunk: Buffer) => events.received(chunk))
      .on('drain', () => events.drained())
      .on('end', () => events.ended())
      .on('close', () => events.lost());
  }

  send(pieces: readonly Buffer[], bytes: number): void {
    if (this.#socket.destroyed) return;
    const buffers = joined(pieces, bytes);
    if (buffers.length > 1) this.#socket.cork();
    for (const buffer of buffers) this.#socket.write(buffer);
    if (buffers.length > 1) this.#socket.uncork();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  accept(): void {
    // Packets are judged one by one; there is no limit of the socket's own.
  }

  finish(within: number): void {
    const timer = setTimeout(() => this.#socket.destroy(), within);
    this.#socket.on('close', () => clearTimeout(timer));
    // What is left unread would have the system reset the connection, and the client lose what was sent last.
    this.#socket.resume();
    this.#socket.destroySoon();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
