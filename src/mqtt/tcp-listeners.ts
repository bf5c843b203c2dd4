import { connect, createServer, type Server, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import type { Logger } from '../core/logger.ts';
import { errorCode } from '../core/system.ts';
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

export interface PortCheck {
  /** Name of the port's setting. */
  readonly setting: 'MQTT_PORT' | 'MQTTS_PORT';
  readonly port: number;
  /** The address that the server listens on. */
  readonly host: string;
  /** Whether this server seems to be running. */
  readonly isServing: boolean;
}

/** Milliseconds to wait for a response. */
const answerTimeout = 2000;

/** Checks whether the port is free, or served by this server. Throws an Error with the problem. Listens on the port for a moment only. */
export async function checkPort({ setting, port, host, isServing }: PortCheck): Promise<string> {
  const code = await listenError(host, port);
  switch (code) {
    case null:
      return `Port ${port} is free.`;
    case 'EADDRINUSE': {
      const response = await probe(host, port, setting === 'MQTTS_PORT');
      if (isServing && response === 'refused') return `Port ${port} is served by this server's message broker.`;
      const program = response === null ? 'another program' : 'another message broker';
      throw new Error(`Port ${port} is used by ${program}: stop it, or set ${setting}.`);
    }
    case 'EACCES':
      throw new Error(`This program is not allowed to listen on port ${port}: set ${setting}.`);
    case 'EADDRNOTAVAIL':
      throw new Error(`HOST: ${host} is not an address of this machine.`);
    default:
      throw new Error(`Port ${port} cannot be used (${code}).`);
  }
}

/** Returns the error code of an attempt to listen; null when it succeeds. */
const listenError = (host: string, port: number): Promise<string | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(String(errorCode(error) ?? error.name)));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });

/** A CONNECT as `guest`, which this server always refuses. [MQTT 3.1.1, 3.1] [rule M2] */
const connectAsGuest = Buffer.from([
  ...[0x10, 26, 0, 4, ...Buffer.from('MQTT'), 4, 0xc2, 0, 5],
  ...[0, 0, 0, 5, ...Buffer.from('guest'), 0, 5, ...Buffer.from('guest')],
]);

/** Signs in as `guest` at the port. Null: the program there is no MQTT server. */
function probe(host: string, port: number, isEncrypted: boolean): Promise<'accepted' | 'refused' | null> {
  return new Promise((resolve) => {
    const address = { host: host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host, port };
    const socket: Socket = isEncrypted
      ? // The identity of the server does not matter here.
        connectTls({ ...address, rejectUnauthorized: false }, () => socket.write(connectAsGuest))
      : connect(address, () => socket.write(connectAsGuest));
    const finish = (response: 'accepted' | 'refused' | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(response);
    };
    const timer = setTimeout(finish, answerTimeout, null);
    socket.on('error', () => finish(null));
    socket.on('close', () => finish(null));
    // CONNACK: type, length, flags, and return code 0 for an accepted client.
    socket.once('data', (bytes) => finish(bytes[0] === 0x20 ? (bytes[3] === 0 ? 'accepted' : 'refused') : null));
  });
}
