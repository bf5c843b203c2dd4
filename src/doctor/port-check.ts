import { connect, createServer, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { isUnspecified } from '../core/ip-addresses.ts';
import { errorCode } from '../core/system.ts';
import { doctorClientId, guestName } from '../live/access.ts';

/** The settings with a port that the server listens on. */
type PortSetting = 'PORT' | 'MQTT_PORT' | 'MQTTS_PORT';

export interface PortCheck {
  /** Name of the port's setting. */
  readonly setting: PortSetting;
  readonly port: number;
  /** The address that the server listens on. */
  readonly host: string;
  /** Returns what listens there. */
  readonly find: () => Promise<Listener>;
}

/** What listens on a port, as a sentence names it; null: this server. */
type Listener = 'another program' | 'another message broker' | 'another server' | null;

/** Milliseconds to wait for a response. */
const answerTimeout = 2000;

/** Checks whether the port is free, or served by this server. Throws an Error with the problem. Listens on the port for a moment only. */
export async function checkPort({ setting, port, host, find }: PortCheck): Promise<string> {
  const code = await listenError(host, port);
  switch (code) {
    case null:
      return `Port ${port} is free.`;
    case 'EADDRINUSE': {
      const other = await find();
      if (other !== null) throw new Error(`Port ${port} is used by ${other}: stop it, or set ${setting}.`);
      return setting === 'PORT'
        ? `Port ${port} is served by this server.`
        : `Port ${port} is served by this server's message broker.`;
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

const lengthAndText = (text: string): number[] => [0, text.length, ...Buffer.from(text)];

/** The variable header of a CONNECT with user name and password, and the payload. [MQTT 3.1.1, 3.1] */
const connectContent = [
  ...lengthAndText('MQTT'),
  ...[4, 0xc2, 0, 5],
  ...[doctorClientId, guestName, guestName].flatMap(lengthAndText),
];
/** A CONNECT that this server refuses without a line in its log. [rule M2] */
const connectAsGuest = Buffer.from([0x10, connectContent.length, ...connectContent]);

/** Returns what listens on a port of the message broker: a sign-in as `guest` is accepted, refused or not understood. `isServing`: this server seems to be running. */
export function brokerListener(
  { host, port }: Pick<PortCheck, 'host' | 'port'>,
  { isEncrypted, isServing }: { readonly isEncrypted: boolean; readonly isServing: boolean },
): Promise<Listener> {
  return new Promise((resolve) => {
    const address = { host: isUnspecified(host) ? (host === '::' ? '::1' : '127.0.0.1') : host, port };
    const socket: Socket = isEncrypted
      ? // The identity of the server does not matter here.
        connectTls({ ...address, rejectUnauthorized: false }, () => socket.write(connectAsGuest))
      : connect(address, () => socket.write(connectAsGuest));
    const finish = (listener: Listener): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(listener);
    };
    const timer = setTimeout(finish, answerTimeout, 'another program');
    socket.on('error', () => finish('another program'));
    socket.on('close', () => finish('another program'));
    // CONNACK: type, length, flags, and return code 0 for an accepted client.
    socket.once('data', (bytes) => {
      if (bytes[0] !== 0x20) return finish('another program');
      finish(bytes[3] === 0 || !isServing ? 'another message broker' : null);
    });
  });
}
