import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { connect as connectTls } from 'node:tls';

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

/** Checks whether the port is free, or served by this server. Throws an Error whose message says what is wrong. Listens on the port for a moment only. */
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
    server.once('error', (error) => resolve('code' in error ? String(error.code) : error.name));
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
