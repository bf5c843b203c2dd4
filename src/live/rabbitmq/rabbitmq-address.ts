import { brokerVhost } from '../broker.ts';

/** Where RabbitMQ is and as whom the server signs in there. */
export interface RabbitMqAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username: string;
  readonly password: string;
  readonly vhost: string;
  /** `host:port`, for people. */
  readonly name: string;
}

/** The user as whom the server signs in where an address names none. */
const usual = 'admin';

/** Reads `amqp://` and `amqps://`; without a user it is `admin` with the admin password. Throws for other schemes. */
export function rabbitMqAddress(url: string, adminPassword: string | null): RabbitMqAddress {
  const { protocol, hostname, port, username, password } = new URL(url);
  if (protocol !== 'amqp:' && protocol !== 'amqps:')
    throw new Error('BROKER_URL must begin with amqp:// or amqps://; robots speak MQTT to RabbitMQ, the server AMQP.');
  const tls = protocol === 'amqps:';
  const number = port === '' ? (tls ? 5671 : 5672) : Number(port);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: number,
    tls,
    username: username === '' ? usual : decodeURIComponent(username),
    password: username === '' ? (adminPassword ?? '') : decodeURIComponent(password),
    vhost: brokerVhost(url),
    name: `${hostname}:${number}`,
  };
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Why RabbitMQ cannot be used, as a sentence with no secret in it. */
export function rabbitMqTrouble({ name, username, vhost }: RabbitMqAddress, error: unknown): string {
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : String(error);
  switch (code) {
    case 'ECONNREFUSED':
      return `Nothing listens at ${name}.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The host of ${name} cannot be found.`;
    case 'CONNECTION_TIMEOUT':
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `${name} does not answer.`;
    case 'ACCESS_REFUSED':
      return `RabbitMQ at ${name} refused the user ${username}: BROKER_ADMIN_PASSWORD or the password in BROKER_URL is wrong, or RabbitMQ cannot ask this server's hooks (/api/rmq/user).`;
    case 'NOT_ALLOWED':
      return `RabbitMQ at ${name} does not let the user ${username} into the virtual host ${vhost}.`;
    case 'CONNECTION_FORCED':
      return `RabbitMQ at ${name} was stopped or ended the connection.`;
    case 'SOCKET_TIMEOUT':
    case 'NO_CONFIRM':
      return `The connection to RabbitMQ at ${name} is dead.`;
    default:
      return `RabbitMQ at ${name}: ${text || code || 'unknown trouble'}`;
  }
}
