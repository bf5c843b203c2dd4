import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

/** Where browsers find the broker. [client web app] */
const paths: ReadonlySet<string> = new Set(['/ws', '/ws/', '/mqtt']);

const protocols = ['mqtt', 'mqttv3.1'] as const;

/** A WebSocket that was opened, and the socket below it. */
export type WebSocketTaker = (webSocket: WebSocket, socket: Duplex, request: IncomingMessage) => void;

/** The way in through the HTTP port: WebSockets that speak MQTT. */
export class WebSocketEntrance {
  readonly #http: Server;
  readonly #webSockets: WebSocketServer;
  readonly #listener: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

  /** `mostBytes`: of a message. */
  constructor(http: Server, mostBytes: number, take: WebSocketTaker) {
    this.#http = http;
    this.#webSockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: mostBytes,
      handleProtocols: (offered) => protocols.find((protocol) => offered.has(protocol)) ?? false,
    });
    this.#listener = (request, socket, head) => {
      // Without a listener a connection that breaks now would end the process.
      socket.on('error', () => undefined);
      const [path = ''] = (request.url ?? '').split('?', 1);
      if (!paths.has(path)) {
        socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
        return;
      }
      this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => take(webSocket, socket, request));
    };
    http.on('upgrade', this.#listener);
  }

  close(): void {
    this.#http.off('upgrade', this.#listener);
    this.#webSockets.close();
  }
}
