import type { Server } from 'node:http';
import type { LocalText } from '../core/catalog.ts';
import type { Event, EventListener } from '../core/events.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { JsonSchema } from '../engine/json-schema.ts';
import type { Foundation, Room } from '../foundation.ts';
import type { AccessOptions, RobotConnectListener } from './access.ts';
import { BrokerAccess } from './access.ts';
import { announcer } from './announcer.ts';
import type { Broker, BrokerStatus } from './broker.ts';
import type { EmbeddedBrokerOptions } from './embedded-broker.ts';
import { EmbeddedBroker } from './embedded-broker.ts';
import type { GardenConnections } from './garden-users.ts';
import { hookRoutes } from './hook-routes.ts';
import type { IngestionOptions } from './ingestion/ingestion.ts';
import { Ingestion } from './ingestion/ingestion.ts';
import { rememberSession } from './rabbitmq/broker-sessions.ts';
import type { RabbitMqOptions } from './rabbitmq/rabbitmq-broker.ts';
import type { RobotCommandOptions } from './robots/robot-commands.ts';
import { RobotCommands } from './robots/robot-commands.ts';
import { RobotDirectory } from './robots/robot-directory.ts';
import { RobotMessages } from './robots/robot-messages.ts';
import { robotRoutes } from './robots/robot-routes.ts';
import { pendingResets, sessionEndJob } from './session-ends.ts';

type FromFoundation = 'resourceRights' | 'onRobotConnect' | 'server' | 'clock' | 'counters' | 'log' | 'notify';

/** What the live side needs from settings and other rooms. */
export interface LiveDependencies
  extends Omit<AccessOptions, FromFoundation | 'remember'>,
    Omit<IngestionOptions, FromFoundation | 'maxConcurrentDevices'> {
  /** The built-in broker; null: none. */
  readonly embedded: Pick<EmbeddedBrokerOptions, 'host' | 'port' | 'tls' | 'addressOf'> | null;
  /** RabbitMQ, used instead of the built-in broker. */
  readonly rabbitMq: Pick<RabbitMqOptions, 'url' | 'managementUrl'> | null;
  /** Address ranges from which a broker may call the hooks; null: this machine. */
  readonly hookAddresses: string | null;
  /** Requests to robots. */
  readonly commands: Pick<RobotCommandOptions, 'request' | 'limited'> & {
    /** The schema of what a robot can be asked to run. */
    readonly schema: JsonSchema;
  };
  /** Returns a value that changes when users, tokens or members do, in any process; null: not known. [ADR 76] */
  readonly sessionsVersion: (server: ServerScope) => string | null;
  /** Whether others than owners may read what is published for a device. */
  readonly hasLimitedReaders: (scope: DeviceScope) => Promise<boolean>;
  /** Notifies a device's owner. */
  readonly notify: (
    scope: DeviceScope,
    notice: { readonly message: LocalText; readonly type?: 'info' | 'warn'; readonly channels?: readonly string[] },
  ) => Promise<void>;
}

/** The connection between the server and its message broker, in both directions. */
export interface Live extends Room {
  /** Publishes announced changes; null without a broker. */
  readonly eventListener: EventListener | null;
  /** See {@link Broker.untilClientsReturn}. */
  untilClientsReturn(deviceId: number): Promise<void>;
  /** The messages of robots, and requests to them. */
  readonly robotMessages: Pick<RobotMessages, 'observe'>;
  readonly directory: Pick<RobotDirectory, 'state' | 'robots'>;
  /** Calls the listener for each sign-in of a robot that this process checked. */
  onRobotConnect(listener: RobotConnectListener): void;
  readonly commands: Pick<RobotCommands, 'send' | 'sendEmergency'>;
  /** The connections of Home Assistant to the built-in broker; null where it has no users. */
  readonly gardens: GardenConnections | null;
  /** Returns the broker's status; null without a broker. */
  status(): BrokerStatus | null;
  /** Closes all connections, and stores the messages received before. */
  stop(): Promise<void>;
}

/** Opens the live side, and connects the foundation's messages to its broker. */
export async function openLive(foundation: Foundation, dependencies: LiveDependencies): Promise<Live> {
  const { resourceRights, server, clock, counters, logger: log, messages, queue, ownsDatabase } = foundation;
  const { embedded, rabbitMq, adminPassword, limitsRates, notify } = dependencies;
  const connectListeners: RobotConnectListener[] = [];
  const access = new BrokerAccess({
    ...dependencies,
    resourceRights,
    server,
    clock,
    counters,
    log,
    onRobotConnect: (deviceId, jti) => {
      for (const listener of connectListeners) listener(deviceId, jti);
    },
    remember: rabbitMq && ((session) => rememberSession(server(), session)),
    notify: (scope, message, channels = []) => notify(scope, { message, channels }),
  });
  const ingestion = new Ingestion({
    ...dependencies,
    server,
    clock,
    counters,
    log,
    // Devices share a commit on SQLite; on PostgreSQL each holds a connection.
    maxConcurrentDevices: ownsDatabase ? 128 : 4,
  });
  const ingest = ingestion.take.bind(ingestion);
  const findValidTokens = access.findValidTokens.bind(access);
  const robotMessages = new RobotMessages();
  const common = { ingest, observe: robotMessages.add.bind(robotMessages), clock, counters, log };
  let broker: Broker | null = null;
  let gardens: GardenConnections | null = null;
  if (rabbitMq) {
    const { RabbitMqBroker } = await import('./rabbitmq/rabbitmq-broker.ts');
    broker = new RabbitMqBroker({ ...rabbitMq, ...common, adminPassword, server, findValidTokens });
  } else if (embedded) {
    const { gardenUsers = null } = dependencies;
    const embeddedBroker = new EmbeddedBroker({
      ...embedded,
      ...common,
      access,
      limitsRates,
      gardenUsers,
      tokensVersion: () => dependencies.sessionsVersion(server()),
      pendingResets: (deviceIds) => pendingResets(queue)(server(), deviceIds),
    });
    broker = embeddedBroker;
    gardens = embeddedBroker.gardens;
  }
  if (broker) messages.connect(broker.publish.bind(broker));

  const isHidden = async ({ deviceId, resource }: Pick<Event, 'deviceId' | 'resource'>): Promise<boolean> =>
    !resourceRights.isPublished(resource) ||
    // RabbitMQ asks about subscriptions, not about each delivery.
    (rabbitMq !== null &&
      resourceRights.isForOwners(resource) &&
      dependencies.hasLimitedReaders(server().device(deviceId)));

  const directory = new RobotDirectory(clock, () => broker);
  const commands = new RobotCommands({ ...dependencies.commands, directory, broker: () => broker });
  robotMessages.observe((message) => {
    directory.record(message);
    commands.receive(message);
  });

  return {
    robotMessages,
    directory,
    commands,
    gardens,
    onRobotConnect: (listener) => void connectListeners.push(listener),
    routes: [...hookRoutes(access, dependencies), ...robotRoutes(commands, directory, dependencies.commands.schema)],
    jobs: broker ? [sessionEndJob(broker)] : [],
    eventListener: broker && announcer(broker, counters, isHidden),
    untilClientsReturn: async (deviceId) => broker?.untilClientsReturn(deviceId),
    status: () => broker?.status() ?? null,
    start: (http: Server) => broker?.start(http),
    async stop() {
      commands.stop();
      await broker?.stop();
      await ingestion.stop();
      await access.settled();
    },
  };
}
