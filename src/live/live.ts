import type { Server } from 'node:http';
import type { Clock } from '../core/clock.ts';
import type { Counters } from '../core/counters.ts';
import type { EventListener } from '../core/events.ts';
import type { Logger } from '../core/logger.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { Route } from '../engine/route.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import type { BrokerTokens } from './access.ts';
import { BrokerAccess } from './access.ts';
import { announcer } from './announcer.ts';
import type { Broker, BrokerStatus, Message } from './broker.ts';
import { deviceTopic } from './broker.ts';
import type { EmbeddedBrokerOptions } from './embedded/embedded-broker.ts';
import { EmbeddedBroker } from './embedded/embedded-broker.ts';
import { hookRoutes } from './hook-routes.ts';
import type { IngestionOptions } from './ingestion/ingestion.ts';
import { Ingestion } from './ingestion/ingestion.ts';
import { rememberSession } from './rabbitmq/broker-sessions.ts';
import type { RabbitMqOptions } from './rabbitmq/rabbitmq-broker.ts';
import { RabbitMqBroker } from './rabbitmq/rabbitmq-broker.ts';
import { endSessionsSoon, sessionEnds } from './session-ends.ts';

export interface LiveOptions {
  /** The broker that is built in; null: there is none. */
  readonly embedded: Pick<EmbeddedBrokerOptions, 'host' | 'port' | 'tls' | 'addressOf'> | null;
  /** RabbitMQ, instead of the built-in one. */
  readonly rabbitMq: Pick<RabbitMqOptions, 'url' | 'managementUrl'> | null;
  readonly adminPassword: string | null;
  /** The addresses from which a broker may ask the hooks; null: all. */
  readonly hookAddresses: string | null;
  readonly allowsDemoLogins: boolean;
  readonly limitsRates: boolean;
  readonly vhost: string;
  readonly tokens: BrokerTokens;
  readonly logs: IngestionOptions['logs'];
  readonly telemetries: IngestionOptions['telemetries'];
  readonly localTime: IngestionOptions['localTime'];
  readonly maxConcurrentDevices: IngestionOptions['maxConcurrentDevices'];
  readonly notify: (
    scope: DeviceScope,
    notice: { readonly message: string; readonly type?: 'info' | 'warn'; readonly channels?: readonly string[] },
  ) => Promise<void>;
  /** Told of each device's client that the broker let in. */
  readonly onConnect?: (deviceId: number) => void;
  readonly queue: JobQueue;
  readonly server: () => ServerScope;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly log: Logger;
}

/** Everything that happens between the server and its message broker, in both directions. */
export class Live {
  readonly routes: readonly Route[];
  readonly jobs: readonly JobDefinition[];
  /** Told of every announced change; null without a broker. */
  readonly eventListener: EventListener | null;
  readonly #broker: Broker | null;
  readonly #access: BrokerAccess;
  readonly #ingestion: Ingestion;
  readonly #endSessions: ReturnType<typeof endSessionsSoon>;
  readonly #log: Logger;

  constructor(options: LiveOptions) {
    const { embedded, rabbitMq, adminPassword, hookAddresses, allowsDemoLogins, limitsRates, vhost, tokens } = options;
    const { server, clock, counters, log, notify } = options;
    this.#log = log;
    const access = new BrokerAccess({
      server,
      tokens,
      adminPassword,
      allowsDemoLogins,
      limitsRates,
      vhost,
      remember: rabbitMq && ((session) => rememberSession(server(), session)),
      onConnect: options.onConnect,
      notify: (scope, message, channels = []) => notify(scope, { message, channels }),
      clock,
      counters,
      log,
    });
    this.#access = access;
    this.#ingestion = new Ingestion({ ...options });
    const ingest = this.#ingestion.take.bind(this.#ingestion);
    if (rabbitMq)
      this.#broker = new RabbitMqBroker({
        ...rabbitMq,
        adminPassword,
        ingest,
        server,
        aliveOf: (deviceId, jtis) => access.aliveOf(deviceId, jtis),
        clock,
        counters,
        log,
      });
    else
      this.#broker = embedded && new EmbeddedBroker({ ...embedded, access, ingest, limitsRates, counters, clock, log });
    this.routes = hookRoutes(access, { hooksFrom: hookAddresses });
    this.jobs = this.#broker ? [sessionEnds(this.#broker)] : [];
    this.eventListener = this.#broker && announcer(this.#broker, counters);
    this.#endSessions = endSessionsSoon(options.queue);
  }

  /** Opens the broker's ports, or connects to the one elsewhere. */
  async start(http: Server): Promise<void> {
    await this.#broker?.start(http);
  }

  /** Publishes a message; without a broker nobody hears it. Rejects when the broker is away for too long. */
  async publish(message: Message): Promise<void> {
    await this.#broker?.publish(message);
  }

  /** Shows a log (JSON text) to those who watch a device. Nobody waits for it: it is stored already. */
  publishLog(deviceId: number, log: string): void {
    this.publish({ topic: deviceTopic(deviceId, 'logs'), payload: log }).catch((error: unknown) =>
      this.#log.warn({ reason: String(error) }, 'a notice could not be shown'),
    );
  }

  /** Has the connections of a device ended whose tokens are gone. Part of the caller's transaction. [decision 37] */
  async endSessions(
    server: ServerScope,
    deviceId: number,
    how: { readonly resetsRobot?: boolean } = {},
  ): Promise<void> {
    if (this.#broker) await this.#endSessions(server, deviceId, how);
  }

  /** How the broker fares; null without one. */
  status(): BrokerStatus | null {
    return this.#broker?.status() ?? null;
  }

  /** Ends all connections; what robots sent before is stored. */
  async stop(): Promise<void> {
    await this.#broker?.stop();
    await this.#ingestion.stop();
    await this.#access.settled();
  }
}
