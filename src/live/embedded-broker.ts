import type { Server } from 'node:http';
import type { Message } from '../core/message-outlet.ts';
import type { Identity, MqttLogin } from '../mqtt/identity.ts';
import type { MqttServerOptions } from '../mqtt/mqtt-server.ts';
import { MqttServer } from '../mqtt/mqtt-server.ts';
import { matchesFilter } from '../mqtt/topic-tree.ts';
import type { BrokerAccess, BrokerUser } from './access.ts';
import type { Broker, BrokerStatus, Ingest } from './broker.ts';
import { FirstSubscribers } from './first-subscribers.ts';
import { receivableTopics, topicPermission } from './topic-permissions.ts';
import { deviceIdOf, deviceTopic, deviceUsername, parseIngestedTopic, routingKeyOf, topicRoot } from './topics.ts';

/** The part of the permissions that the built-in broker uses. */
export type EmbeddedBrokerAccess = Pick<BrokerAccess, 'authenticate' | 'checkTopic' | 'findValidTokens'>;

type ServerOptions = Omit<
  MqttServerOptions,
  'webSocketPaths' | 'authenticator' | 'onMessage' | 'onSubscribed' | 'topicRoot'
>;

export interface EmbeddedBrokerOptions extends ServerOptions {
  readonly access: EmbeddedBrokerAccess;
  readonly ingest: Ingest;
}

/** Paths at which browsers connect. [rule M14] */
const webSocketPaths: ReadonlySet<string> = new Set(['/ws', '/ws/', '/mqtt']);

/** The built-in message broker: an MQTT server with the permissions of {@link BrokerAccess}. */
export class EmbeddedBroker implements Broker {
  readonly server: MqttServer;
  readonly #subscribers = new FirstSubscribers();

  constructor({ access, ingest, ...options }: EmbeddedBrokerOptions) {
    this.server = new MqttServer({
      ...options,
      webSocketPaths,
      topicRoot,
      authenticator: {
        authenticate: (login) => authenticate(access, login),
        async findValidCredentials(username, jtis) {
          const deviceId = deviceIdOf(username);
          return deviceId === null ? new Set() : access.findValidTokens(deviceId, jtis);
        },
      },
      onSubscribed: (username, filter) => {
        const deviceId = deviceIdOf(username);
        // Any resource and id: the clients subscribe to all.
        if (deviceId !== null && matchesFilter(filter, deviceTopic(deviceId, 'sync', 'Device', deviceId)))
          this.#subscribers.add(deviceId);
      },
      onMessage(topic, payload) {
        const target = parseIngestedTopic(topic);
        return target && ingest(target.channel, target.deviceId, payload);
      },
    });
  }

  start(http: Server): Promise<void> {
    this.#subscribers.start();
    return this.server.start(http);
  }

  publish({ topic, payload }: Message): Promise<void> {
    return this.server.publish(topic, payload);
  }

  untilClientsReturn(deviceId: number): Promise<void> {
    return this.#subscribers.whenAny(deviceId);
  }

  endSessions(deviceId: number): Promise<void> {
    return this.server.endSessions(deviceUsername(deviceId));
  }

  status(): BrokerStatus {
    const { isRunning, ports, connections } = this.server;
    if (!isRunning) return { ok: false, message: 'The built-in message broker is not running.', connections };
    const where = ports.length > 1 ? `ports ${ports.join(' and ')}` : `port ${ports[0]}`;
    const clients = connections === 1 ? '1 client is' : `${connections} clients are`;
    return { ok: true, message: `The built-in message broker listens on ${where}; ${clients} connected.`, connections };
  }

  stop(): Promise<void> {
    this.#subscribers.stop();
    return this.server.stop();
  }
}

async function authenticate(
  access: EmbeddedBrokerAccess,
  login: MqttLogin,
): Promise<Identity | 'bad_credentials' | 'not_authorized'> {
  const result = await access.authenticate(login);
  if (result.verdict === 'allow') return identityOf(access, result.user);
  return result.verdict === 'bad_token' ? 'bad_credentials' : 'not_authorized';
}

function identityOf(access: EmbeddedBrokerAccess, { name, role, token }: BrokerUser): Identity {
  const identity = { name, isShared: role === 'demo', credential: token && { id: token.jti, expires: token.expires } };
  if (role === 'admin') {
    const isOpen = (topic: string): boolean => !topic.startsWith('$');
    const allows = (topic: string): true | Promise<boolean> => isOpen(topic) || Promise.resolve(false);
    return { ...identity, canPublish: allows, canSubscribe: allows, canReceive: isOpen };
  }
  const allows =
    (operation: 'read' | 'write') =>
    (topic: string): true | Promise<boolean> => {
      const key = routingKeyOf(topic);
      if (role === 'device') {
        // The usual case needs no look at the database.
        const { verdict, staffDeviceId } = topicPermission(name, operation, key);
        if (verdict === 'allow' && staffDeviceId === undefined) return true;
      }
      return access.checkTopic(name, operation, key).then((verdict) => verdict === 'allow');
    };
  return { ...identity, canPublish: allows('write'), canSubscribe: allows('read'), canReceive: receivableTopics(name) };
}
