import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

export interface PortExamination {
  /** The name of the port's setting. */
  readonly setting: 'MQTT_PORT' | 'MQTTS_PORT';
  readonly port: number;
  /** Where the server listens, `0.0.0.0` for one. */
  readonly host: string;
  /** Whether this server runs at the moment, as far as one can tell. */
  readonly isServing: boolean;
}

/** How long somebody at the port may take to answer, in ms. */
const patience = 2000;

/**
 * Looks whether the built-in broker can have its port, or has it. Throws an Error whose message says what is wrong.
 * Nothing is changed: the port is taken for a moment only.
 */
export async function checkPort({ setting, port, host, isServing }: PortExamination): Promise<string> {
  const code = await troubleListening(host, port);
  switch (code) {
    case null:
      return `Port ${port} is free.`;
    case 'EADDRINUSE': {
      const answer = await answerAt(host, port, setting === 'MQTTS_PORT');
      if (isServing && answer === 'refusal') return `Port ${port} is served by this server's message broker.`;
      const who = answer === null ? 'Another program' : 'Another message broker';
      throw new Error(`${who} uses port ${port} already: stop it, or set ${setting}.`);
    }
    case 'EACCES':
      throw new Error(`The system does not let this program use port ${port}: set ${setting}.`);
    case 'EADDRNOTAVAIL':
      throw new Error(`${host}, on which HOST has the server listen, is no address of this machine.`);
    default:
      throw new Error(`Port ${port} cannot be used (${code}).`);
  }
}

/** The code of the failure to listen; null when there is none. */
const troubleListening = (host: string, port: number): Promise<string | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve('code' in error ? String(error.code) : error.name));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });

/** A sign-in as `guest`, whom our broker never lets in. [MQTT 3.1.1, 3.1; reference 12.2] */
const signIn = Buffer.from([
  ...[0x10, 26, 0, 4, ...Buffer.from('MQTT'), 4, 0xc2, 0, 5],
  ...[0, 0, 0, 5, ...Buffer.from('guest'), 0, 5, ...Buffer.from('guest')],
]);

/** Who listens there: a broker that lets `guest` in, one that does not, or (null) no broker at all. */
function answerAt(host: string, port: number, isEncrypted: boolean): Promise<'welcome' | 'refusal' | null> {
  return new Promise((resolve) => {
    const address = { host: host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host, port };
    const socket: Socket = isEncrypted
      ? // Whose certificate it is does not matter here.
        connectSecurely({ ...address, rejectUnauthorized: false }, () => socket.write(signIn))
      : connect(address, () => socket.write(signIn));
    const end = (answer: 'welcome' | 'refusal' | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(end, patience, null);
    socket.on('error', () => end(null));
    socket.on('close', () => end(null));
    // CONNACK: its type, its length, a flag, and 0 for who may come in.
    socket.once('data', (bytes) => end(bytes[0] === 0x20 ? (bytes[3] === 0 ? 'welcome' : 'refusal') : null));
  });
}
