import { createServer, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Logger } from '../core/logger.ts';
import type { CertificateFiles } from './certificate.ts';
import { Certificate } from './certificate.ts';

/** Connections that the system queues until they are accepted. */
const backlog = 4096;
/** Milliseconds of silence before the system sends TCP keep-alive probes. */
const keepAliveDelay = 60_000;

/** A port for MQTT over TLS, with its certificate. */
export interface TlsPort extends CertificateFiles {
  readonly port: number;
  /** The address to listen on; null: the one of the port without TLS. */
  readonly host: string | null;
}

export interface TcpListenersOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsPort | null;
  /** Milliseconds between checks of the certificate's files. */
  readonly certificateInterval: number;
  readonly log: Logger;
  /** Called with a socket and the client's IP address. */
  readonly onConnection: (socket: Socket, address: string) => void;
}

/** The TCP ports of the server, with and without TLS. */
export class TcpListeners {
  readonly #options: TcpListenersOptions;
  readonly #servers: Server[] = [];
  #certificate: Certificate | null = null;

  constructor(options: TcpListenersOptions) {
    this.#options = options;
  }

  /** Opens the ports. Rejects with `EADDRINUSE` and the port's number in the message when one is in use. */
  async open(): Promise<void> {
    const { host, port, tls, onConnection, log } = this.#options;
    if (tls) {
      this.#certificate = await Certificate.read(tls, log);
      this.#certificate.watch(this.#options.certificateInterval);
    }
    await this.#listen(host, port, onConnection);
    if (tls)
      await this.#listen(tls.host ?? host, tls.port, (socket, address) => onConnection(this.#secure(socket), address));
  }

  /** The open ports, the one without TLS first. */
  get ports(): readonly number[] {
    return this.#servers.map((server) => {
      const address = server.address();
      return address && typeof address === 'object' ? address.port : 0;
    });
  }

  /** Stops accepting connections. The caller closes open ones. */
  close(): void {
    this.#certificate?.stop();
    for (const server of this.#servers.splice(0)) server.close();
  }

  async #listen(host: string, port: number, onConnection: (socket: Socket, address: string) => void): Promise<void> {
    const server = createServer(
      { noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveDelay },
      (socket: Socket) => {
        // Undefined when the client has disconnected already.
        const address = socket.remoteAddress;
        if (address === undefined) socket.destroy();
        else onConnection(socket, address);
      },
    );
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => reject(explained(error, port)));
      server.listen({ host, port, backlog }, resolve);
    });
    server.on('error', (error) =>
      this.#options.log.warn({ reason: String(error) }, 'the message broker could not accept a connection'),
    );
    this.#servers.push(server);
  }

  #secure(socket: Socket): TLSSocket {
    socket.on('error', () => undefined);
    return new TLSSocket(socket, {
      isServer: true,
      ...(this.#certificate && { secureContext: this.#certificate.context }),
    });
  }
}

/** Replaces the system's message where the user can do something about the error. */
function explained(error: NodeJS.ErrnoException, port: number): NodeJS.ErrnoException {
  if (error.code === 'EADDRINUSE')
    error.message = `Port ${port}, the port of the message broker, is used by another program. (${error.message})`;
  return error;
}
