import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

/** Where browsers find the broker. [client web app] */
const paths: ReadonlySet<string> = new Set(['/ws', '/ws/', '/mqtt']);

const protocols = ['mqtt', 'mqttv3.1'] as const;

const notFound = 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

export interface EntranceOptions {
  readonly http: Server;
  /** Of a message. */
  readonly mostBytes: number;
  /** Milliseconds that a refused client has to take its answer. */
  readonly farewell: number;
  /** Takes a WebSocket that was opened, and the socket below it. */
  readonly take: (webSocket: WebSocket, socket: Duplex, request: IncomingMessage) => void;
  /** Is told of who looked for a WebSocket where none is. The socket closes by itself. */
  readonly refused: (socket: Duplex, request: IncomingMessage) => void;
}

/** The way in through the HTTP port: WebSockets that speak MQTT. */
export class WebSocketEntrance {
  readonly #options: EntranceOptions;
  readonly #webSockets: WebSocketServer;
  readonly #listener: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Sockets that were refused and are open still. */
  readonly #refused = new Set<Duplex>();

  constructor(options: EntranceOptions) {
    const { http, mostBytes, take } = options;
    this.#options = options;
    this.#webSockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: mostBytes,
      // Answered by the transport, which says so when there are too many.
      autoPong: false,
      handleProtocols: (offered) => protocols.find((protocol) => offered.has(protocol)) ?? false,
    });
    this.#listener = (request, socket, head) => {
      // Without a listener a connection that breaks now would end the process.
      socket.on('error', () => undefined);
      const [path = ''] = (request.url ?? '').split('?', 1);
      if (paths.has(path))
        this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => take(webSocket, socket, request));
      else this.#refuse(socket, request);
    };
    http.on('upgrade', this.#listener);
  }

  close(): void {
    this.#options.http.off('upgrade', this.#listener);
    this.#webSockets.close();
    for (const socket of this.#refused) socket.destroy();
  }

  #refuse(socket: Duplex, request: IncomingMessage): void {
    const timer = setTimeout(() => socket.destroy(), this.#options.farewell);
    this.#refused.add(socket);
    socket.on('close', () => {
      clearTimeout(timer);
      this.#refused.delete(socket);
    });
    this.#options.refused(socket, request);
    // What is left unread would have the system reset the connection, and the client lose the answer.
    socket.resume();
    // An upgraded socket is half open: it would stay until the client closes its side, too.
    socket.end(notFound, () => socket.destroy());
  }
}
