import type { Server } from 'node:http';
import type { EventListener } from '../core/events.ts';
import type { Logger } from '../core/logger.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { Route } from '../engine/route.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import type { AccessOptions } from './access.ts';
import { BrokerAccess } from './access.ts';
import { announcer } from './announcer.ts';
import type { Broker, BrokerStatus, Message } from './broker.ts';
import type { EmbeddedBrokerOptions } from './embedded-broker.ts';
import { EmbeddedBroker } from './embedded-broker.ts';
import { hookRoutes } from './hook-routes.ts';
import type { IngestionOptions } from './ingestion/ingestion.ts';
import { Ingestion } from './ingestion/ingestion.ts';
import { rememberSession } from './rabbitmq/broker-sessions.ts';
import type { RabbitMqOptions } from './rabbitmq/rabbitmq-broker.ts';
import { RabbitMqBroker } from './rabbitmq/rabbitmq-broker.ts';
import type { SessionEndOptions } from './session-ends.ts';
import { enqueueSessionEnd, sessionEndJob } from './session-ends.ts';
import { deviceTopic } from './topics.ts';

type AccessPart = Omit<AccessOptions, 'notify' | 'remember'>;
type IngestionPart = Omit<IngestionOptions, 'notify'>;

export interface LiveOptions extends AccessPart, IngestionPart {
  /** The built-in broker; null: none. */
  readonly embedded: Pick<EmbeddedBrokerOptions, 'host' | 'port' | 'tls' | 'addressOf'> | null;
  /** RabbitMQ, used instead of the built-in broker. */
  readonly rabbitMq: Pick<RabbitMqOptions, 'url' | 'managementUrl'> | null;
  /** Address ranges from which a broker may call the hooks; null: all. */
  readonly hookAddresses: string | null;
  /** Notifies a device's owner. */
  readonly notify: (
    scope: DeviceScope,
    notice: { readonly message: string; readonly type?: 'info' | 'warn'; readonly channels?: readonly string[] },
  ) => Promise<void>;
  readonly queue: JobQueue;
}

/** The connection between the server and its message broker, in both directions. */
export class Live {
  readonly routes: readonly Route[];
  readonly jobs: readonly JobDefinition[];
  /** Publishes announced changes; null without a broker. */
  readonly eventListener: EventListener | null;
  readonly #broker: Broker | null;
  readonly #access: BrokerAccess;
  readonly #ingestion: Ingestion;
  readonly #enqueueSessionEnd: ReturnType<typeof enqueueSessionEnd>;
  readonly #log: Logger;

  constructor(options: LiveOptions) {
    const { embedded, rabbitMq, adminPassword, limitsRates, server, clock, counters, log, notify } = options;
    this.#log = log;
    const access = new BrokerAccess({
      ...options,
      remember: rabbitMq && ((session) => rememberSession(server(), session)),
      notify: (scope, message, channels = []) => notify(scope, { message, channels }),
    });
    this.#access = access;
    this.#ingestion = new Ingestion(options);
    const ingest = this.#ingestion.take.bind(this.#ingestion);
    if (rabbitMq)
      this.#broker = new RabbitMqBroker({
        ...rabbitMq,
        adminPassword,
        ingest,
        server,
        findValidTokens: (deviceId, jtis) => access.findValidTokens(deviceId, jtis),
        clock,
        counters,
        log,
      });
    else
      this.#broker = embedded && new EmbeddedBroker({ ...embedded, access, ingest, limitsRates, counters, clock, log });
    this.routes = hookRoutes(access, options);
    this.jobs = this.#broker ? [sessionEndJob(this.#broker)] : [];
    this.eventListener = this.#broker && announcer(this.#broker, counters);
    this.#enqueueSessionEnd = enqueueSessionEnd(options.queue);
  }

  /** Opens the broker's ports, or starts to connect to RabbitMQ. */
  async start(http: Server): Promise<void> {
    await this.#broker?.start(http);
  }

  /** Publishes a message; does nothing without a broker. Rejects when the broker is unavailable for too long. */
  async publish(message: Message): Promise<void> {
    await this.#broker?.publish(message);
  }

  /** Publishes a log (JSON text) to a device's clients. Failures are logged only: the log is stored already. */
  publishLog(deviceId: number, log: string): void {
    this.publish({ topic: deviceTopic(deviceId, 'logs'), payload: log }).catch((error: unknown) =>
      this.#log.warn({ reason: String(error) }, 'a notice could not be published'),
    );
  }

  /** Enqueues the end of a device's connections with revoked tokens, in the caller's transaction. [decision 37] */
  async endSessions(server: ServerScope, deviceId: number, options?: SessionEndOptions): Promise<void> {
    if (this.#broker) await this.#enqueueSessionEnd(server, deviceId, options);
  }

  /** Returns the broker's status; null without a broker. */
  status(): BrokerStatus | null {
    return this.#broker?.status() ?? null;
  }

  /** Closes all connections, and stores the messages received before. */
  async stop(): Promise<void> {
    await this.#broker?.stop();
    await this.#ingestion.stop();
    await this.#access.settled();
  }
}
