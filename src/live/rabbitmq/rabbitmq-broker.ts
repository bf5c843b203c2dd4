import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AsyncMessage } from 'rabbitmq-client';
import type { Clock } from '../../core/clock.ts';
import type { Counters } from '../../core/counters.ts';
import { Failure } from '../../core/errors.ts';
import type { Logger } from '../../core/logger.ts';
import type { Message as Sentence } from '../../core/message.ts';
import { sentences } from '../../core/message.ts';
import type { Message } from '../../core/message-outlet.ts';
import type { DeviceScope, ServerScope } from '../../db/scope.ts';
import type { BrokerAccess } from '../access.ts';
import type { Broker, BrokerStatus, GetRepetition, Ingest, Observe, RobotClient } from '../broker.ts';
import { sayOfBroker } from '../broker-messages.ts';
import { say } from '../messages.ts';
import type { IngestedChannel } from '../topics.ts';
import {
  deviceUsername,
  ingestedChannels,
  observedKeys,
  parseIngestedTopic,
  parseObservedTopic,
  routingKeyOf,
  topicOfRoutingKey,
} from '../topics.ts';
import { deleteSessions, sessionsOf } from './broker-sessions.ts';
import type { RabbitMqAddress } from './rabbitmq-address.ts';
import { connectionProblem, rabbitMqAddress } from './rabbitmq-address.ts';
import type { ConsumedQueue } from './rabbitmq-connection.ts';
import { appId, RabbitMqConnection } from './rabbitmq-connection.ts';
import { RabbitMqManagement } from './rabbitmq-management.ts';
import { presenceTime, RobotPresence } from './robot-presence.ts';

export interface RabbitMqOptions {
  /** `amqp://` or `amqps://`; without a user it means `admin` with the admin password. */
  readonly url: string;
  readonly adminPassword: string | null;
  /** Null: connections cannot be closed. */
  readonly managementUrl: string | null;
  /** Maximum time until RabbitMQ confirms a message, in ms; 10,000 by default. */
  readonly confirmTimeout?: number;
  readonly ingest: Ingest;
  readonly observe: Observe;
  readonly server: () => ServerScope;
  readonly findValidTokens: BrokerAccess['findValidTokens'];
  /** Whether the server runs a robot of a device, which cannot be distinguished from other robots. */
  readonly runsRobot: (scope: DeviceScope) => Promise<boolean>;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly log: Logger;
}

/** The durable queues that all processes share. [rule M17] */
const queues: Readonly<Record<IngestedChannel, string>> = {
  logs: 'api_log_workers',
  telemetry: 'api_telemetry_workers',
};
/** Messages per queue that are received and not stored yet. */
const prefetch = 200;
/** Messages in memory that wait for RabbitMQ. Announcements are also rows, and are delivered again. */
const maxWaiting = 10_000;
/** Milliseconds before a message that could not be stored is put back. */
const requeueDelay = 1000;
/** Milliseconds between attempts to connect: the first, doubled up to the last. [rule M17] */
const minReconnectDelay = 500;
const maxReconnectDelay = 5000;
/** Milliseconds in which RabbitMQ delivers the messages to a client, before its connection is closed. [decision 37] */
const deliveryTime = 1000;

/** RabbitMQ as the message broker: announcements go to its topic exchange, logs and telemetry come from two queues. */
export class RabbitMqBroker implements Broker {
  readonly #options: RabbitMqOptions;
  readonly #address: RabbitMqAddress;
  readonly #management: RabbitMqManagement | null;
  readonly #consumedQueues: readonly ConsumedQueue[];
  readonly #stopping = new AbortController();
  #connection: RabbitMqConnection | null = null;
  /** Resolves at the next connection, and at the stop. */
  #connected = deferred();
  #running: Promise<void> | null = null;
  readonly #presence: RobotPresence;
  /** In ms since the epoch. */
  readonly #openedAt: number;
  /** RabbitMQ asks before it subscribes. */
  readonly subscribeTime = 1000;
  #waiting = 0;
  #problem: Sentence;
  /** A message could not be stored, and none was since. */
  #isStorageFailing = false;

  /** Throws for invalid URLs. */
  constructor(options: RabbitMqOptions) {
    this.#options = options;
    this.#presence = new RobotPresence(options.clock);
    this.#openedAt = options.clock.now();
    const { url, adminPassword, managementUrl } = options;
    this.#address = rabbitMqAddress(url, adminPassword);
    this.#management = managementUrl === null ? null : new RabbitMqManagement({ url: managementUrl, adminPassword });
    // Each message that waits to be put back listens to the signal.
    setMaxListeners(0, this.#stopping.signal);
    this.#problem = sayOfBroker.notConnected(this.#address.name);
    const ingested = ingestedChannels.map(
      (channel): ConsumedQueue => ({
        queue: queues[channel],
        routingKeys: [`bot.*.${channel}`],
        prefetch,
        handle: (message, repetition) => this.#handle(channel, message, repetition),
      }),
    );
    const observed: ConsumedQueue = {
      queue: null,
      routingKeys: observedKeys,
      prefetch,
      handle: (message) => this.#observed(message),
    };
    this.#consumedQueues = [...ingested, observed];
  }

  /** Starts to connect; RabbitMQ may become available later. */
  async start(): Promise<void> {
    this.#running ??= this.#run();
  }

  /** RabbitMQ and its clients stay connected while this process restarts. */
  async untilClientsReturn(): Promise<void> {}

  robots(deviceId: number): readonly RobotClient[] {
    const seen = this.#presence.find(deviceId);
    return seen ? [{ since: seen.since, lastSeen: seen.last, jti: null }] : [];
  }

  async hasRobot(deviceId: number): Promise<boolean> {
    const { server, runsRobot } = this.#options;
    return this.#presence.find(deviceId) !== null && !(await runsRobot(server().device(deviceId)));
  }

  async toRobots(_deviceId: number, message: Message): Promise<boolean> {
    await this.publish(message);
    return true;
  }

  /** For a while, a disconnected robot counts as connected, also if an earlier run saw it. */
  missedSince(deviceId: number): number {
    return this.#presence.lastSeen(deviceId) ?? this.#openedAt - presenceTime;
  }

  async publish({ topic, payload }: Message, signal?: AbortSignal): Promise<void> {
    if (this.#waiting >= maxWaiting)
      throw new Failure('unavailable', sentences([sayOfBroker.full(maxWaiting), this.#problem]));
    const routingKey = routingKeyOf(topic);
    const bytes = Buffer.from(payload);
    this.#waiting++;
    try {
      for (;;) {
        if (this.#stopping.signal.aborted) throw new Failure('unavailable', say.stopping);
        signal?.throwIfAborted();
        const connection = this.#connection;
        if (!connection) {
          await this.#connected.promise;
          continue;
        }
        try {
          await connection.publish(routingKey, bytes);
          return;
        } catch (error) {
          // RabbitMQ may have received it: it is published again on the next connection.
          connection.drop(error instanceof Error ? error : new Error(String(error)));
          if (this.#connection === connection) this.#connection = null;
        }
      }
    } finally {
      this.#waiting--;
    }
  }

  /** Closes all connections of the device except connections of clients that signed in last with a valid token. Rejects when RabbitMQ does not report enough details; then the call must be repeated. */
  async endSessions(deviceId: number, isNotified: boolean): Promise<void> {
    const management = this.#management;
    if (!management) return;
    if (isNotified) await this.#delay(deliveryTime);
    await this.#closeEnded(management, deviceId);
    if (isNotified) return;
    // A sign-in that was allowed just before may be connected only now.
    await this.#delay(deliveryTime);
    await this.#closeEnded(management, deviceId);
  }

  async #closeEnded(management: RabbitMqManagement, deviceId: number): Promise<void> {
    const scope = this.#options.server().device(deviceId);
    const username = deviceUsername(deviceId);
    const reason = 'The token is no longer valid.';
    const before = await this.#checkTokens(deviceId, await sessionsOf(scope));
    if (before.valid.size === 0) await management.closeAll(username, reason);
    else {
      const { known, unknown } = await management.connectionsOf(username);
      // Read after the connections: a sign-in is stored before its connection is accepted.
      const sessions = await sessionsOf(scope);
      const { valid } = await this.#checkTokens(deviceId, sessions);
      for (const { name, clientId } of known) {
        const jti = clientId === null ? undefined : sessions.get(clientId);
        if (jti === undefined || !valid.has(jti)) await management.close(name, reason);
      }
      if (unknown > 0) throw new Error(`RabbitMQ reports no details of ${unknown} connections of ${username}.`);
    }
    await deleteSessions(scope, before.revoked);
  }

  async #checkTokens(deviceId: number, sessions: ReadonlyMap<string, string>) {
    const jtis = [...new Set(sessions.values())];
    const found = await this.#options.findValidTokens(new Map([[deviceId, new Set(jtis)]]));
    const valid = found.get(deviceId) ?? new Set<string>();
    return { valid, revoked: jtis.filter((jti) => !valid.has(jti)) };
  }

  status(): BrokerStatus {
    const connection = this.#connection;
    const { name } = this.#address;
    const isBlocked = connection !== null && connection.blocked !== null;
    if (!connection || isBlocked) {
      const problem = connection ? sayOfBroker.accepting(name, connection.blocked ?? '') : this.#problem;
      const waiting = this.#waiting === 0 ? [] : [sayOfBroker.waiting(this.#waiting)];
      return { ok: false, message: sentences([problem, ...waiting]), connections: null };
    }
    const hint = this.#management ? [] : [sayOfBroker.noManagement];
    return { ok: true, message: sentences([sayOfBroker.connected(name), ...hint]), connections: null };
  }

  /** Stores the received messages, then disconnects. Messages that are waiting to be published are rejected. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#connected.resolve();
    const connection = this.#connection;
    this.#connection = null;
    await connection?.close();
    await this.#running;
  }

  /** Connects, and reconnects after each loss, until it is stopped. */
  async #run(): Promise<void> {
    const { log } = this.#options;
    const { signal } = this.#stopping;
    let delay = minReconnectDelay;
    let isLogged = false;
    while (!signal.aborted) {
      try {
        const { confirmTimeout } = this.#options;
        const connection = await RabbitMqConnection.open(this.#address, this.#consumedQueues, signal, confirmTimeout);
        log.info({ waited: this.#waiting }, `connected to RabbitMQ at ${this.#address.name}; publishing what waited`);
        delay = minReconnectDelay;
        this.#connection = connection;
        this.#connected.resolve();
        const reason = await connection.lost;
        this.#connection = null;
        if (signal.aborted) return;
        this.#connected = deferred();
        this.#logProblem(reason, false);
      } catch (error) {
        if (signal.aborted) return;
        this.#logProblem(error, isLogged);
      }
      isLogged = true;
      await this.#delay(delay);
      delay = Math.min(delay * 2, maxReconnectDelay);
    }
  }

  /** Logs the reason for a missing connection, unless the same was logged before. */
  #logProblem(error: unknown, isLogged: boolean): void {
    const problem = connectionProblem(this.#address, error);
    if (!isLogged || String(problem) !== String(this.#problem))
      this.#options.log.warn(
        { reason: String(problem) },
        'not connected to RabbitMQ; announcements wait until it is available',
      );
    this.#problem = problem;
  }

  async #handle(
    channel: IngestedChannel,
    message: AsyncMessage,
    repetition: GetRepetition,
  ): Promise<'ack' | 'requeue'> {
    // The server's own notices are stored already.
    if (message.appId === appId) return 'ack';
    const target = parseIngestedTopic(topicOfRoutingKey(message.routingKey));
    if (target?.channel !== channel) {
      this.#options.counters.add(channel === 'logs' ? 'logs_dropped' : 'telemetries_dropped', 'topic');
      return 'ack';
    }
    try {
      await this.#options.ingest(channel, target.deviceId, bytesOf(message.body), repetition);
      this.#isStorageFailing = false;
      return 'ack';
    } catch (error) {
      if (!this.#isStorageFailing)
        this.#options.log.warn({ channel, reason: String(error) }, 'messages cannot be stored and are put back');
      this.#isStorageFailing = true;
      await this.#delay(requeueDelay);
      return 'requeue';
    }
  }

  /** Passes a message of a robot, or a request to one, to the listeners of this process. */
  async #observed(message: AsyncMessage): Promise<'ack'> {
    const target = parseObservedTopic(topicOfRoutingKey(message.routingKey));
    const isRequest = target?.channel === 'from_clients';
    // The server publishes notices as logs of the device.
    if (!target || (message.appId === appId && !isRequest)) return 'ack';
    if (!isRequest) this.#presence.record(target.deviceId);
    this.#options.observe({ ...target, payload: bytesOf(message.body) });
    return 'ack';
  }

  /** Waits `ms` milliseconds, or until the stop. */
  async #delay(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }
}

/** Returns a promise with its resolve function. */
function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Returns a message's bytes, whatever its content type. */
function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
