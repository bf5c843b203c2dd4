import type { Socket } from 'node:net';
import { createServer, type Server } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Logger } from '../../core/logger.ts';
import type { CertificateFiles } from './certificate.ts';
import { Certificate } from './certificate.ts';

/** Connections that the system keeps for us until they are taken. */
const backlog = 4096;
/** Milliseconds after which the system asks whether a silent client is still there. */
const keepAliveAfter = 60_000;

/** Where MQTT is spoken under TLS, and with which certificate. */
export interface TlsPort extends CertificateFiles {
  readonly port: number;
}

export interface PortOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsPort | null;
  /** Milliseconds between two looks at the certificate's files. */
  readonly certificateEvery: number;
  readonly log: Logger;
  /** Takes a connection and the address that it comes from. */
  readonly take: (socket: Socket, address: string) => void;
}

/** The TCP ports of the broker: MQTT as it is, and under TLS. */
export class BrokerPorts {
  readonly #options: PortOptions;
  readonly #servers: Server[] = [];
  #certificate: Certificate | null = null;

  constructor(options: PortOptions) {
    this.#options = options;
  }

  /** Opens the ports. Rejects with `EADDRINUSE` and the port's number in the message when one is taken. */
  async open(): Promise<void> {
    const { host, port, tls, take, log } = this.#options;
    if (tls) {
      this.#certificate = await Certificate.read(tls, log);
      this.#certificate.watch(this.#options.certificateEvery);
    }
    await this.#listen(host, port, take);
    if (tls) await this.#listen(host, tls.port, (socket, address) => take(this.#secured(socket), address));
  }

  /** The ports that are open, the one without TLS first. */
  get numbers(): readonly number[] {
    return this.#servers.map((server) => {
      const address = server.address();
      return address && typeof address === 'object' ? address.port : 0;
    });
  }

  /** Takes no further connections. Those that are open are the caller's. */
  close(): void {
    this.#certificate?.stop();
    for (const server of this.#servers.splice(0)) server.close();
  }

  async #listen(host: string, port: number, take: (socket: Socket, address: string) => void): Promise<void> {
    const server = createServer(
      { noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveAfter },
      (socket: Socket) => {
        // Unknown when the client is gone already.
        const address = socket.remoteAddress;
        if (address === undefined) socket.destroy();
        else take(socket, address);
      },
    );
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => reject(readable(error, port)));
      server.listen({ host, port, backlog }, resolve);
    });
    server.on('error', (error) =>
      this.#options.log.warn({ reason: String(error) }, 'the message broker could not take a connection'),
    );
    this.#servers.push(server);
  }

  #secured(socket: Socket): TLSSocket {
    socket.on('error', () => undefined);
    return new TLSSocket(socket, {
      isServer: true,
      ...(this.#certificate && { secureContext: this.#certificate.context }),
    });
  }
}

/** The system's error, with what to do about it. */
function readable(error: NodeJS.ErrnoException, port: number): NodeJS.ErrnoException {
  if (error.code === 'EADDRINUSE')
    error.message = `Another program listens on port ${port} already, where clients look for the message broker. (${error.message})`;
  return error;
}
