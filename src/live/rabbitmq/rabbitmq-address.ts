import type { Message } from '../../core/message.ts';
import { verbatim } from '../../core/message.ts';
import { errorCode } from '../../core/system.ts';
import { brokerVhost } from '../broker.ts';
import { sayOfBroker } from '../broker-messages.ts';

/** The address of RabbitMQ, and the server's credentials there. */
export interface RabbitMqAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username: string;
  readonly password: string;
  readonly vhost: string;
  /** `host:port`, for messages. */
  readonly name: string;
}

/** The username where the URL has none. */
const defaultUsername = 'admin';

/** Parses `amqp://` and `amqps://` URLs; without a user they mean `admin` with the admin password. Throws for other schemes. */
export function rabbitMqAddress(url: string, adminPassword: string | null): RabbitMqAddress {
  const { protocol, hostname, port: portText, username, password } = new URL(url);
  if (protocol !== 'amqp:' && protocol !== 'amqps:')
    throw new Error('BROKER_URL must begin with amqp:// or amqps://: robots use MQTT with RabbitMQ, the server AMQP.');
  const tls = protocol === 'amqps:';
  const port = portText === '' ? (tls ? 5671 : 5672) : Number(portText);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port,
    tls,
    username: username === '' ? defaultUsername : decodeURIComponent(username),
    password: username === '' ? (adminPassword ?? '') : decodeURIComponent(password),
    vhost: brokerVhost(url),
    name: `${hostname}:${port}`,
  };
}

/** Matches the host names and addresses of this machine. */
export const thisMachine = /^(?:localhost|127(?:\.\d+){3}|::1)$/i;

/** Returns the reason why RabbitMQ cannot call the hooks, or null: without BROKER_HOOKS_FROM they respond to this machine only. [decision 63] */
export function hookProblem(url: string, hookAddresses: string | null): string | null {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (hookAddresses !== null || thisMachine.test(host)) return null;
  return `RabbitMQ at ${host} cannot call the hooks at /api/rmq, which respond only to this machine: set BROKER_HOOKS_FROM to the address from which it calls them.`;
}

/** Returns a sentence about a failed connection, without secrets. */
export function connectionProblem({ name, username, vhost }: RabbitMqAddress, error: unknown): Message {
  const code = errorCode(error);
  const text = error instanceof Error ? error.message : String(error);
  switch (code) {
    case 'ECONNREFUSED':
      return sayOfBroker.refusing(name);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return sayOfBroker.unresolved(name);
    case 'CONNECTION_TIMEOUT':
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return sayOfBroker.silent(name);
    case 'ACCESS_REFUSED':
      return sayOfBroker.wrongPassword(name, username);
    case 'NOT_ALLOWED':
      return sayOfBroker.otherHost(name, username, vhost);
    case 'CONNECTION_FORCED':
      return sayOfBroker.closed(name);
    case 'SOCKET_TIMEOUT':
    case 'NO_CONFIRM':
      return sayOfBroker.timedOut(name);
    default:
      return verbatim(`RabbitMQ at ${name}: ${text || String(code ?? 'unknown error')}`);
  }
}
