import type { Socket } from 'node:net';

/** Buffers up to this total are joined before sending: copying them is cheaper than more system calls or frames. */
const maxCopiedBytes = 16 * 1024;

/** The reason why a WebSocket is closed: invalid frames, or pings without reading the pongs. */
export type FrameError = 'web_socket' | 'ping_flood';

/** Handles the events of a transport. */
export interface TransportHandler {
  onData(chunk: Buffer): void;
  /** Everything queued was written. */
  onDrain(): void;
  /** The client sends nothing more. */
  onEnd(): void;
  onClose(): void;
  /** Bytes of a partial message were buffered. */
  onPartial(): void;
  /** The connection must be closed. */
  onError(reason: 'not_mqtt' | 'too_large' | FrameError): void;
}

/** A byte stream to a client: a TCP socket, a TLS socket or a WebSocket. */
export interface Transport {
  /** IP address of the client. */
  readonly address: string;
  /** Bytes that are not yet written to the operating system. */
  readonly queuedBytes: number;
  /** Bytes of a partial message. */
  readonly partialBytes: number;
  /** Starts to emit events. */
  open(handler: TransportHandler): void;
  send(buffers: readonly Buffer[], bytes: number): void;
  pause(): void;
  resume(): void;
  /** Lifts the limit on messages of clients that have not signed in. */
  accept(): void;
  /** Closes the connection when everything queued was written, or after `timeout` ms. */
  end(timeout: number): void;
  /** Closes the connection immediately. */
  destroy(): void;
}

/** Joins small neighbors into one buffer. Large ones stay as they are, since other clients share them. */
export function joinSmall(buffers: readonly Buffer[], bytes: number): readonly Buffer[] {
  if (buffers.length === 1) return buffers;
  if (bytes <= maxCopiedBytes) return [Buffer.concat(buffers, bytes)];
  const joined: Buffer[] = [];
  let small: Buffer[] = [];
  let size = 0;
  const flush = () => {
    if (size > 0) joined.push(small.length === 1 && small[0] ? small[0] : Buffer.concat(small, size));
    small = [];
    size = 0;
  };
  for (const buffer of buffers) {
    if (size + buffer.length > maxCopiedBytes) flush();
    small.push(buffer);
    size += buffer.length;
  }
  flush();
  return joined;
}

/** A TCP or TLS socket. */
export class SocketTransport implements Transport {
  readonly address: string;
  readonly partialBytes = 0;
  readonly #socket: Socket;

  constructor(socket: Socket, address: string) {
    this.#socket = socket;
    this.address = address;
    // Without a listener a reset connection would end the process.
    socket.on('error', () => undefined);
  }

  get queuedBytes(): number {
    return this.#socket.writableLength;
  }

  open(handler: TransportHandler): void {
    this.#socket
      .on('data', (chunk: Buffer) => handler.onData(chunk))
      .on('drain', () => handler.onDrain())
      .on('end', () => handler.onEnd())
      .on('close', () => handler.onClose());
  }

  send(buffers: readonly Buffer[], bytes: number): void {
    if (this.#socket.destroyed) return;
    const joined = joinSmall(buffers, bytes);
    if (joined.length > 1) this.#socket.cork();
    for (const buffer of joined) this.#socket.write(buffer);
    if (joined.length > 1) this.#socket.uncork();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  accept(): void {
    // The packet reader checks each packet; the socket has no limit of its own.
  }

  end(timeout: number): void {
    const timer = setTimeout(() => this.#socket.destroy(), timeout);
    this.#socket.on('close', () => clearTimeout(timer));
    // Unread data would make the system reset the connection, and the client would lose the last bytes.
    this.#socket.resume();
    this.#socket.destroySoon();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
