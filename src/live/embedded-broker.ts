import type { Server } from 'node:http';
import type { Message } from '../core/message-outlet.ts';
import type { GardenUsers } from '../home-assistant/offer.ts';
import type { ClientIdentity } from '../mqtt/identity.ts';
import type { MqttServerOptions } from '../mqtt/mqtt-server.ts';
import { MqttServer } from '../mqtt/mqtt-server.ts';
import { layoutOf } from '../mqtt/retained-messages.ts';
import { matchesFilter } from '../mqtt/topic-tree.ts';
import type { BrokerAccess, BrokerUser } from './access.ts';
import type { Broker, BrokerStatus, Ingest, Observe, RobotClient } from './broker.ts';
import { sayOfBroker } from './broker-messages.ts';
import type { CredentialWatchOptions } from './credential-watch.ts';
import { CredentialWatch } from './credential-watch.ts';
import { FirstSubscribers } from './first-subscribers.ts';
import type { GardenConnections, GardenListener } from './garden-connections.ts';
import { isUnknownChannel, receivableTopics, topicPermission } from './topic-permissions.ts';
import { isUnlimited } from './topic-rights.ts';
import {
  deviceIdOf,
  deviceTopic,
  deviceUsername,
  parseIngestedTopic,
  parseObservedTopic,
  retainedChannels,
  routingKeyOf,
  topicRoot,
} from './topics.ts';

/** The part of the permissions that the built-in broker uses. */
export type EmbeddedBrokerAccess = Pick<
  BrokerAccess,
  | 'authenticate'
  | 'checkTopic'
  | 'findValidTokens'
  | 'findValidGardenCredentials'
  | 'permits'
  | 'reject'
  | 'reportUnknownChannel'
>;

type ServerOptions = Omit<
  MqttServerOptions,
  'webSocketPaths' | 'authenticator' | 'onMessage' | 'onSubscribed' | 'onEnded' | 'retention' | 'serverRetention'
>;

export interface EmbeddedBrokerOptions extends ServerOptions {
  readonly access: EmbeddedBrokerAccess;
  readonly ingest: Ingest;
  readonly observe: Observe;
  /** Home Assistant's; null: none. */
  readonly gardenUsers?: GardenUsers | null;
  /** See {@link CredentialWatchOptions.version}. */
  readonly tokensVersion: CredentialWatchOptions['version'];
  /** Called when a robot has subscribed to announcements. */
  readonly onRobotSubscribed?: (deviceId: number) => void;
  /** Called when the connection of a robot has ended, with the milliseconds since it sent something. */
  readonly onRobotEnded?: (deviceId: number, silence: number) => void;
  /** Returns the devices whose robots get a factory reset before their connections end. */
  readonly pendingResets: (deviceIds: readonly number[]) => Promise<ReadonlySet<number>>;
}

/** Returns a topic of announcements: clients subscribe to announcements of any resource and id. */
const anyAnnouncement = (deviceId: number): string => deviceTopic(deviceId, 'sync', 'Device', deviceId);

/** Connections of a garden's Home Assistant: it has one, and another one while a lost connection is not noticed. */
const maxGardenConnections = 5;

/** Paths at which browsers connect. [rule M14] */
const webSocketPaths: ReadonlySet<string> = new Set(['/ws', '/ws/', '/mqtt']);

/** The built-in message broker: an MQTT server with the permissions of {@link BrokerAccess}. */
export class EmbeddedBroker implements Broker {
  readonly server: MqttServer;
  readonly #subscribers = new FirstSubscribers();
  readonly #robots = new WeakMap<ClientIdentity, RobotClient>();
  /** Robots that the server runs. */
  readonly #hosted = new WeakSet<ClientIdentity>();
  /** So that the packet of its subscriptions is answered. */
  readonly subscribeTime = 250;
  readonly #observe: Observe;
  readonly #gardenUsers: GardenUsers | null;
  readonly #watch: CredentialWatch;
  readonly #pendingResets: EmbeddedBrokerOptions['pendingResets'];
  #gardenListener: GardenListener | null = null;

  constructor({
    access,
    ingest,
    observe,
    gardenUsers = null,
    tokensVersion,
    pendingResets,
    onRobotSubscribed,
    onRobotEnded,
    ...options
  }: EmbeddedBrokerOptions) {
    this.#pendingResets = pendingResets;
    this.#watch = new CredentialWatch({ version: tokensVersion, check: () => this.#endEnded(), log: options.log });
    this.#observe = observe;
    this.#gardenUsers = gardenUsers;
    this.server = new MqttServer({
      ...options,
      webSocketPaths,
      retention: layoutOf(topicRoot, retainedChannels),
      serverRetention: gardenUsers?.retention ?? null,
      authenticator: {
        authenticate: async (login) => {
          const result = await access.authenticate(login);
          if (result.verdict === 'bad_token') return 'bad_credentials';
          if (result.verdict === 'deny') return 'not_authorized';
          const { user } = result;
          if (user.role === 'garden') return this.#gardenIdentity(access, user);
          const identity = deviceIdentity(access, user);
          if (user.isRobot) {
            const since = options.clock.now();
            this.#robots.set(identity, { since, jti: user.token?.jti ?? null });
            if (user.isHosted) this.#hosted.add(identity);
          }
          return identity;
        },
        async findValidCredentials(credentials) {
          const valid = new Map<string, ReadonlySet<string>>();
          const tokens = new Map<number, ReadonlySet<string>>();
          for (const [username, ids] of credentials) {
            const gardenOf = gardenUsers?.deviceOf(username) ?? null;
            if (gardenOf !== null) valid.set(username, await access.findValidGardenCredentials(gardenOf, ids));
            const deviceId = deviceIdOf(username);
            if (deviceId !== null) tokens.set(deviceId, ids);
          }
          const found = tokens.size === 0 ? tokens : await access.findValidTokens(tokens);
          for (const [deviceId, jtis] of found) valid.set(deviceUsername(deviceId), jtis);
          return valid;
        },
      },
      onSubscribed: (identity, filter) => {
        const deviceId = deviceIdOf(identity.name);
        if (deviceId === null || !matchesFilter(filter, anyAnnouncement(deviceId))) return;
        this.#subscribers.add(deviceId);
        if (this.#isOwnRobot(identity)) onRobotSubscribed?.(deviceId);
      },
      onEnded: (identity, silence) => {
        const deviceId = deviceIdOf(identity.name);
        if (deviceId !== null && this.#isOwnRobot(identity)) onRobotEnded?.(deviceId, silence);
      },
      onMessage(topic, payload) {
        const observed = parseObservedTopic(topic);
        if (observed) observe({ ...observed, payload });
        const target = parseIngestedTopic(topic);
        return target && ingest(target.channel, target.deviceId, payload);
      },
    });
  }

  async start(http: Server): Promise<void> {
    this.#subscribers.start();
    await this.server.start(http);
    this.#watch.start();
  }

  /** The connections of Home Assistant; null where it has no users. */
  get gardens(): GardenConnections | null {
    const users = this.#gardenUsers;
    return (
      users && {
        listen: (listener) => {
          this.#gardenListener = listener;
        },
        connected: () => this.server.users.flatMap((name) => users.deviceOf(name) ?? []),
        endSessions: (deviceId) => this.server.endSessions(users.username(deviceId)),
      }
    );
  }

  async publish({ topic, payload, retain }: Message): Promise<void> {
    await this.server.publish(topic, payload, retain);
    const observed = parseObservedTopic(topic);
    if (observed?.channel === 'from_clients') this.#observe({ ...observed, payload: Buffer.from(payload) });
  }

  robots(deviceId: number): readonly RobotClient[] {
    // Before it has subscribed it would miss requests.
    const ready = this.server.subscribersOf(deviceUsername(deviceId), deviceTopic(deviceId, 'from_clients'));
    return ready.flatMap((identity) => this.#robots.get(identity) ?? []);
  }

  hasRobot(deviceId: number): boolean {
    return this.server
      .subscribersOf(deviceUsername(deviceId), anyAnnouncement(deviceId))
      .some((identity) => this.#isOwnRobot(identity));
  }

  async toRobots(deviceId: number, { topic, payload }: Message): Promise<boolean> {
    return this.server.send(deviceUsername(deviceId), topic, payload, (identity) => this.#isOwnRobot(identity));
  }

  /** Connections say when they end. */
  missedSince(): null {
    return null;
  }

  #isOwnRobot(identity: ClientIdentity): boolean {
    return this.#robots.has(identity) && !this.#hosted.has(identity);
  }

  untilClientsReturn(deviceId: number): Promise<void> {
    return this.#subscribers.whenAny(deviceId);
  }

  async endSessions(deviceId: number): Promise<void> {
    await Promise.all([this.server.endSessions(deviceUsername(deviceId)), this.#gardenListener?.recheck()]);
  }

  status(): BrokerStatus {
    const { isRunning, ports, connections } = this.server;
    if (!isRunning) return { ok: false, message: sayOfBroker.notRunning, connections };
    return { ok: true, message: sayOfBroker.listening(ports, connections), connections };
  }

  async stop(): Promise<void> {
    this.#subscribers.stop();
    await this.#watch.stop();
    await this.server.stop();
  }

  /** Ends everything that depends on ended tokens, in any process. False: robots are left to a job that was not run yet. [decision 37] */
  async #endEnded(): Promise<boolean> {
    const { checks } = this.server;
    const ended = new Map<number, ReadonlySet<string>>();
    // Credentials of gardens' users are checked by their listener.
    for (const [name, jtis] of await checks.findEnded(checks.users().filter((each) => deviceIdOf(each) !== null)))
      ended.set(deviceIdOf(name) ?? 0, jtis);
    if (ended.size === 0) return true;
    const later = await this.#pendingResets([...ended.keys()]);
    // The robots that will get the message; everything else that depends on the device's tokens ends now.
    const robots = new Set([...later].flatMap((deviceId) => this.robots(deviceId).map(({ jti }) => jti)));
    const due = new Map<string, ReadonlySet<string>>();
    let isComplete = true;
    for (const [deviceId, jtis] of ended) {
      const others = [...jtis].filter((jti) => !robots.has(jti));
      due.set(deviceUsername(deviceId), new Set(others));
      isComplete &&= others.length === jtis.size;
    }
    await checks.end(due);
    return isComplete;
  }

  #gardenIdentity(access: EmbeddedBrokerAccess, { name, deviceId, token }: BrokerUser): ClientIdentity {
    const users = this.#gardenUsers;
    const allows = (operation: 'canSubscribe' | 'canReceive', topic: string): boolean =>
      users !== null && deviceId !== null && users[operation](deviceId, topic);
    return {
      name,
      isShared: false,
      credential: token && { id: token.jti, expires: token.expires },
      maxConnections: maxGardenConnections,
      // Home Assistant has one connection for all of its devices: a message to a foreign topic is reported, and does not close it.
      take: (topic, payload) => {
        const text = payload.toString('utf8');
        if (deviceId === null || !this.#gardenListener?.receive(deviceId, topic, text))
          access.reject('foreign_topic', { username: name, topic });
      },
      canPublish: () => Promise.resolve(false),
      canSubscribe: (filter) => allows('canSubscribe', filter) || Promise.resolve(false),
      canReceive: (topic) => allows('canReceive', topic),
    };
  }
}

function deviceIdentity(access: EmbeddedBrokerAccess, { name, role, token, rights }: BrokerUser): ClientIdentity {
  const identity = { name, isShared: role === 'demo', credential: token && { id: token.jti, expires: token.expires } };
  if (role === 'admin') {
    const isOpen = (topic: string): boolean => !topic.startsWith('$');
    const allows = (topic: string): true | Promise<boolean> => isOpen(topic) || Promise.resolve(false);
    return { ...identity, canPublish: allows, canSubscribe: allows, canReceive: isOpen };
  }
  const permits = isUnlimited(rights)
    ? () => true
    : (operation: 'read' | 'write', topic: string): boolean =>
        access.permits(rights, operation, routingKeyOf(topic), 'some');
  const allows =
    (operation: 'read' | 'write') =>
    (topic: string): true | Promise<boolean> => {
      if (!permits(operation, topic)) return Promise.resolve(false);
      const key = routingKeyOf(topic);
      if (role === 'device') {
        // The usual case needs no look at the database.
        const { verdict, staffDeviceId } = topicPermission(name, operation, key);
        if (verdict === 'allow' && staffDeviceId === undefined) return true;
      }
      return access.checkTopic(name, operation, key).then((verdict) => verdict === 'allow');
    };
  const isReceivable = receivableTopics(name);
  const isReported = (topic: string): boolean => {
    const isUnknown = isUnknownChannel(name, topic);
    if (isUnknown) access.reportUnknownChannel(name, topic);
    return isUnknown;
  };
  return {
    ...identity,
    // Clients connect again and repeat a message that closed the connection. The vendor's web app publishes at each connect: a viewer's messages must not close it.
    ignores: (topic) => isReported(topic) || rights.role === 'viewer',
    canPublish: allows('write'),
    canSubscribe: allows('read'),
    canReceive: (topic) => isReceivable(topic) && permits('read', topic),
  };
}
