import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { errorCode } from '../core/system.ts';
import type { Transport, TransportHandler } from './transport.ts';
import { joinSmall } from './transport.ts';

const subprotocols = ['mqtt', 'mqttv3.1'] as const;

const notFound = 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

export interface WebSocketListenerOptions {
  readonly http: Server;
  /** Paths at which WebSockets are accepted. */
  readonly paths: ReadonlySet<string>;
  /** Bytes of a message. */
  readonly maxMessageSize: number;
  /** Milliseconds that a rejected client has to read its response. */
  readonly closeTimeout: number;
  /** Called with an open WebSocket and its socket. */
  readonly onConnection: (webSocket: WebSocket, socket: Duplex, request: IncomingMessage) => void;
  /** Called with the socket of an upgrade request for another path; the listener closes it. */
  readonly onRejected: (socket: Duplex, request: IncomingMessage) => void;
}

/** Accepts MQTT over WebSockets on an HTTP server. */
export class WebSocketListener {
  readonly #options: WebSocketListenerOptions;
  readonly #server: WebSocketServer;
  readonly #onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Rejected sockets that are still open. */
  readonly #rejected = new Set<Duplex>();

  constructor(options: WebSocketListenerOptions) {
    const { http, paths, maxMessageSize, onConnection } = options;
    this.#options = options;
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: maxMessageSize,
      // The transport responds to pings, and limits them.
      autoPong: false,
      handleProtocols: (offered) => subprotocols.find((protocol) => offered.has(protocol)) ?? false,
    });
    this.#onUpgrade = (request, socket, head) => {
      // Without a listener a connection that breaks now would end the process.
      socket.on('error', () => undefined);
      const [path = ''] = (request.url ?? '').split('?', 1);
      if (paths.has(path))
        this.#server.handleUpgrade(request, socket, head, (webSocket) => onConnection(webSocket, socket, request));
      else this.#reject(socket, request);
    };
    http.on('upgrade', this.#onUpgrade);
  }

  close(): void {
    this.#options.http.off('upgrade', this.#onUpgrade);
    this.#server.close();
    for (const socket of this.#rejected) socket.destroy();
  }

  #reject(socket: Duplex, request: IncomingMessage): void {
    const timer = setTimeout(() => socket.destroy(), this.#options.closeTimeout);
    this.#rejected.add(socket);
    socket.on('close', () => {
      clearTimeout(timer);
      this.#rejected.delete(socket);
    });
    this.#options.onRejected(socket, request);
    // Unread data would make the system reset the connection, and the client would lose the response.
    socket.resume();
    // An upgraded socket is half open: it would stay until the client closes its side.
    socket.end(notFound, () => socket.destroy());
  }
}

/** Errors of the library about invalid frames. */
const frameErrors = [
  ['WS_ERR_UNSUPPORTED_MESSAGE_LENGTH', 'too_large'],
  ['WS_ERR_', 'web_socket'],
] as const;

export interface WebSocketTransportOptions {
  readonly address: string;
  /** Bytes that a client may send before it has signed in. */
  readonly maxUnacceptedBytes: number;
  readonly maxUnansweredPings: number;
}

/** A WebSocket with binary messages, whose boundaries need not match packets. */
export class WebSocketTransport implements Transport {
  readonly address: string;
  readonly #webSocket: WebSocket;
  /** Bytes that may still arrive before the client has signed in; null: it has. */
  #unacceptedBytes: number | null;
  #partialBytes = 0;
  readonly #maxUnansweredPings: number;
  #unansweredPings = 0;
  #handler: TransportHandler | null = null;

  /** `socket` carries the WebSocket. */
  constructor(
    webSocket: WebSocket,
    socket: Duplex,
    { address, maxUnacceptedBytes, maxUnansweredPings }: WebSocketTransportOptions,
  ) {
    this.#webSocket = webSocket;
    this.#unacceptedBytes = maxUnacceptedBytes;
    this.#maxUnansweredPings = maxUnansweredPings;
    this.address = address;
    // A broken connection is reported by `close`.
    webSocket.on('error', (error) => {
      const known = frameErrors.find(([code]) => String(errorCode(error)).startsWith(code));
      if (known) this.#handler?.onError(known[1]);
    });
    // The library buffers a message until it is complete, so bytes are counted below it.
    socket.on('data', (chunk: Buffer) => this.#count(chunk.length));
  }

  get queuedBytes(): number {
    return this.#webSocket.bufferedAmount;
  }

  get partialBytes(): number {
    return this.#partialBytes;
  }

  open(handler: TransportHandler): void {
    this.#handler = handler;
    this.#webSocket
      .on('message', (data, isBinary) => {
        this.#partialBytes = 0;
        if (isBinary && Buffer.isBuffer(data)) handler.onData(data);
        else handler.onError('not_mqtt');
      })
      .on('ping', (data: Buffer) => this.#pong(data))
      .on('close', () => handler.onClose());
  }

  send(buffers: readonly Buffer[], bytes: number): void {
    if (this.#webSocket.readyState !== WebSocket.OPEN) return;
    for (const buffer of joinSmall(buffers, bytes)) this.#webSocket.send(buffer, { binary: true });
  }

  pause(): void {
    this.#webSocket.pause();
  }

  resume(): void {
    this.#webSocket.resume();
  }

  accept(): void {
    this.#unacceptedBytes = null;
  }

  end(timeout: number): void {
    const timer = setTimeout(() => this.#webSocket.terminate(), timeout);
    this.#webSocket.on('close', () => clearTimeout(timer));
    this.#webSocket.resume();
    this.#webSocket.close(1000);
  }

  destroy(): void {
    this.#webSocket.terminate();
  }

  #pong(data: Buffer): void {
    if (this.#webSocket.readyState !== WebSocket.OPEN) return;
    if (this.#unansweredPings >= this.#maxUnansweredPings) {
      this.#handler?.onError('ping_flood');
      return;
    }
    this.#unansweredPings++;
    this.#webSocket.pong(data, false, () => {
      this.#unansweredPings--;
    });
  }

  #count(bytes: number): void {
    this.#partialBytes += bytes;
    if (this.#unacceptedBytes === null) {
      this.#handler?.onPartial();
      return;
    }
    this.#unacceptedBytes -= bytes;
    if (this.#unacceptedBytes < 0) this.#handler?.onError('too_large');
  }
}
