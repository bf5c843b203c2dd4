import { setMaxListeners } from 'node:events';
import type { AsyncMessage } from 'rabbitmq-client';
import type { Clock } from '../../core/clock.ts';
import type { Counters } from '../../core/counters.ts';
import type { Logger } from '../../core/logger.ts';
import type { ServerScope } from '../../db/scope.ts';
import type { Broker, BrokerStatus, Message } from '../broker.ts';
import { deviceUsername } from '../broker.ts';
import type { IngestedChannel } from '../ingestion/ingestion.ts';
import { deviceNamed, routingKeyOf } from '../topic-permissions.ts';
import { forgetSessions, sessionsOf } from './broker-sessions.ts';
import type { RabbitMqAddress } from './rabbitmq-address.ts';
import { rabbitMqAddress, rabbitMqTrouble } from './rabbitmq-address.ts';
import type { Source } from './rabbitmq-link.ts';
import { ownMessages, RabbitMqLink } from './rabbitmq-link.ts';
import { RabbitMqManagement } from './rabbitmq-management.ts';

export interface RabbitMqOptions {
  /** `amqp://` or `amqps://`; without a user it signs in as `admin` with the admin password. */
  readonly url: string;
  readonly adminPassword: string | null;
  /** Null: connections cannot be ended. */
  readonly managementUrl: string | null;
  /** Resolves when the message was stored, or dropped for good. Rejects while the database is away. */
  readonly ingest: (channel: IngestedChannel, deviceId: number, payload: Buffer) => Promise<void>;
  readonly server: () => ServerScope;
  /** Of these tokens (`jti`) of a device, those that are still valid. */
  readonly aliveOf: (deviceId: number, jtis: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly log: Logger;
}

/** The queues that all processes share; what nobody reads waits in them. [reference 12.5] */
const queues: Readonly<Record<IngestedChannel, string>> = {
  logs: 'api_log_workers',
  telemetry: 'api_telemetry_workers',
};
/** Messages of one queue that are read and not yet stored. */
const prefetch = 200;
/** Messages that wait for RabbitMQ, in this process. Announcements are rows meanwhile and come again. */
const mostWaiting = 10_000;
/** Pause before a message that could not be stored goes back into its queue, in ms. */
const againPause = 1000;
/** Pauses between attempts to connect, in ms: the first, doubled up to the last. */
const firstPause = 500;
const lastPause = 5000;
/** What was published to a client has left RabbitMQ this much later, in ms: only then is it cut off. [decision 37] */
const deliveryTime = 1000;

/** RabbitMQ as the message broker: announcements go out to its topic exchange, logs and telemetry come in through two queues. [reference 12.5] */
export class RabbitMqBroker implements Broker {
  readonly #options: RabbitMqOptions;
  readonly #address: RabbitMqAddress;
  readonly #management: RabbitMqManagement | null;
  readonly #sources: readonly Source[];
  readonly #stopping = new AbortController();
  #link: RabbitMqLink | null = null;
  /** Resolves when there is a connection again. */
  #connected = deferred();
  #running: Promise<void> | null = null;
  #waiting = 0;
  #trouble = '';
  /** A message could not be stored, and none was since. */
  #isStuck = false;

  /** Throws for addresses that are none. */
  constructor(options: RabbitMqOptions) {
    this.#options = options;
    const { url, adminPassword, managementUrl } = options;
    this.#address = rabbitMqAddress(url, adminPassword);
    this.#management = managementUrl === null ? null : new RabbitMqManagement({ url: managementUrl, adminPassword });
    // Each message that waits to be put back listens for the end.
    setMaxListeners(0, this.#stopping.signal);
    this.#trouble = `RabbitMQ at ${this.#address.name} is not connected yet.`;
    this.#sources = (['logs', 'telemetry'] as const).map((channel) => ({
      queue: queues[channel],
      routingKey: `bot.*.${channel}`,
      prefetch,
      take: (message) => this.#take(channel, message),
    }));
  }

  /** Begins to connect; RabbitMQ may come later. */
  async start(): Promise<void> {
    this.#running ??= this.#run();
  }

  async publish({ topic, payload }: Message): Promise<void> {
    if (this.#waiting >= mostWaiting)
      throw new Error(`${mostWaiting} messages wait for RabbitMQ already. ${this.#trouble}`);
    const routingKey = routingKeyOf(topic);
    const bytes = Buffer.from(payload);
    this.#waiting++;
    try {
      for (;;) {
        if (this.#stopping.signal.aborted) throw new Error('The server is stopping.');
        const link = this.#link;
        if (!link) {
          await this.#connected.promise;
          continue;
        }
        try {
          await link.publish(routingKey, bytes);
          return;
        } catch (error) {
          // Whether it arrived is not known: it goes out again on the next connection.
          link.drop(error instanceof Error ? error : new Error(String(error)));
          if (this.#link === link) this.#link = null;
        }
      }
    } finally {
      this.#waiting--;
    }
  }

  /** Ends every connection of the device but those whose client signed in last with a token that is still valid. Rejects when RabbitMQ did not tell enough for it; then it must be asked again. */
  async endSessions(deviceId: number): Promise<void> {
    const management = this.#management;
    if (!management) return;
    await this.#pause(deliveryTime);
    const scope = this.#options.server().device(deviceId);
    const bot = deviceUsername(deviceId);
    const reason = 'The token is no longer valid.';
    const before = await this.#split(deviceId, await sessionsOf(scope));
    if (before.alive.size === 0) await management.closeAll(bot, reason);
    else {
      const { known, unknown } = await management.connectionsOf(bot);
      // Read after the connections: each of them was remembered before it was let in.
      const sessions = await sessionsOf(scope);
      const { alive } = await this.#split(deviceId, sessions);
      for (const { name, clientId } of known) {
        const jti = clientId === null ? undefined : sessions.get(clientId);
        if (jti === undefined || !alive.has(jti)) await management.close(name, reason);
      }
      if (unknown > 0) throw new Error(`RabbitMQ does not tell of ${unknown} connections of ${bot}.`);
    }
    await forgetSessions(scope, before.dead);
  }

  async #split(deviceId: number, sessions: ReadonlyMap<string, string>) {
    const jtis = [...new Set(sessions.values())];
    const alive = jtis.length === 0 ? new Set<string>() : await this.#options.aliveOf(deviceId, jtis);
    return { alive, dead: jtis.filter((jti) => !alive.has(jti)) };
  }

  status(): BrokerStatus {
    const link = this.#link;
    const waiting = this.#waiting === 0 ? '' : ` ${this.#waiting} messages wait for it.`;
    if (!link) return { ok: false, message: `${this.#trouble}${waiting}`, connections: null };
    if (link.blocked !== null)
      return {
        ok: false,
        message: `RabbitMQ at ${this.#address.name} takes no messages at present (${link.blocked}).${waiting}`,
        connections: null,
      };
    const hint = this.#management
      ? ''
      : ' Without BROKER_MANAGEMENT_URL, clients whose token was revoked stay connected until they leave by themselves; new logins with it are refused.';
    return { ok: true, message: `RabbitMQ at ${this.#address.name} is connected.${hint}`, connections: null };
  }

  /** Stores what was read, then leaves. What still waits to be published is rejected. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#connected.resolve();
    const link = this.#link;
    this.#link = null;
    await link?.close();
    await this.#running;
  }

  /** Connects, and connects again whenever the connection is gone, until it is stopped. */
  async #run(): Promise<void> {
    const { log } = this.#options;
    const { signal } = this.#stopping;
    let pause = firstPause;
    let isKnown = false;
    while (!signal.aborted) {
      try {
        const link = await RabbitMqLink.open(this.#address, this.#sources, signal);
        log.info({ waited: this.#waiting }, `RabbitMQ at ${this.#address.name} is connected; waiting messages go out`);
        pause = firstPause;
        this.#link = link;
        this.#connected.resolve();
        const reason = await link.lost;
        this.#link = null;
        if (signal.aborted) return;
        this.#connected = deferred();
        isKnown = this.#tell(reason, false);
      } catch (error) {
        if (signal.aborted) return;
        isKnown = this.#tell(error, isKnown);
      }
      await this.#pause(pause);
      pause = Math.min(pause * 2, lastPause);
    }
  }

  /** Logs why there is no connection, each reason once. */
  #tell(error: unknown, isKnown: boolean): boolean {
    const trouble = rabbitMqTrouble(this.#address, error);
    if (!isKnown || trouble !== this.#trouble)
      this.#options.log.warn(
        { reason: trouble },
        'RabbitMQ is not connected; announcements wait, and it is tried again until it is there',
      );
    this.#trouble = trouble;
    return true;
  }

  async #take(channel: IngestedChannel, { appId, routingKey, body }: AsyncMessage): Promise<'done' | 'again'> {
    // The server's own notices are stored already.
    if (appId === ownMessages) return 'done';
    const deviceId = deviceOf(routingKey, channel);
    if (deviceId === null) {
      this.#options.counters.add(channel === 'logs' ? 'logs_dropped' : 'telemetries_dropped', 'topic');
      return 'done';
    }
    try {
      await this.#options.ingest(channel, deviceId, bytesOf(body));
      this.#isStuck = false;
      return 'done';
    } catch (error) {
      if (!this.#isStuck)
        this.#options.log.warn({ channel, reason: String(error) }, 'messages cannot be stored; they come again');
      this.#isStuck = true;
      await this.#pause(againPause);
      return 'again';
    }
  }

  /** Waits so many milliseconds, or until it is stopped. */
  #pause(ms: number): Promise<void> {
    const { signal } = this.#stopping;
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      if (signal.aborted) end();
      else signal.addEventListener('abort', end);
    });
  }
}

/** A promise and the function that resolves it. */
function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** The device in `bot.device_<id>.<channel>`; null for any other key. [reference 13.1] */
function deviceOf(routingKey: string, channel: IngestedChannel): number | null {
  const [bot, name = '', last, ...deeper] = routingKey.split('.');
  return bot === 'bot' && last === channel && deeper.length === 0 ? deviceNamed(name) : null;
}

/** A message's bytes, whatever kind of content its sender named. */
function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
