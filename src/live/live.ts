import type { Server } from 'node:http';
import type { AccountsOffer } from '../accounts/offer.ts';
import type { Event, EventListener } from '../core/events.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { DeviceOffer } from '../device/offer.ts';
import type { Foundation, Room } from '../foundation.ts';
import type { GardenUsers } from '../home-assistant/offer.ts';
import type { ProgramsOffer } from '../programs/offer.ts';
import type { Quotas } from '../quotas/quotas.ts';
import type { AccessOptions, RobotConnectListener } from './access.ts';
import { BrokerAccess } from './access.ts';
import { announcer } from './announcer.ts';
import type { Broker } from './broker.ts';
import type { EmbeddedBrokerOptions } from './embedded-broker.ts';
import { EmbeddedBroker } from './embedded-broker.ts';
import type { GardenConnections } from './garden-connections.ts';
import { hookRoutes } from './hook-routes.ts';
import { Ingestion } from './ingestion/ingestion.ts';
import type { LiveOffer } from './offer.ts';
import { rememberSession } from './rabbitmq/broker-sessions.ts';
import type { RabbitMqOptions } from './rabbitmq/rabbitmq-broker.ts';
import { MissedChanges } from './robots/missed-changes.ts';
import { RobotCommands } from './robots/robot-commands.ts';
import type { RobotCursors } from './robots/robot-cursors.ts';
import { RobotDirectory } from './robots/robot-directory.ts';
import { RobotMessages } from './robots/robot-messages.ts';
import { robotRoutes } from './robots/robot-routes.ts';
import { pendingResets, sessionEndJob } from './session-ends.ts';

/** The settings and rooms that the live side depends on. */
export interface LiveDependencies {
  readonly accounts: AccountsOffer;
  readonly device: DeviceOffer;
  readonly programs: ProgramsOffer;
  readonly quotas: Quotas;
  /** Home Assistant's; null: none. */
  readonly gardenUsers: GardenUsers | null;
  /** See {@link AccessOptions.adminPassword}. */
  readonly adminPassword: string | null;
  /** Whether sign-ins and messages of devices are limited. */
  readonly limitsRates: boolean;
  readonly vhost: string;
  /** The built-in broker; null: none. */
  readonly embedded: Pick<EmbeddedBrokerOptions, 'host' | 'port' | 'tls' | 'addressOf'> | null;
  /** RabbitMQ, used instead of the built-in broker. */
  readonly rabbitMq: Pick<RabbitMqOptions, 'url' | 'managementUrl'> | null;
  /** Address ranges from which a broker may call the hooks; null: this machine. */
  readonly hookAddresses: string | null;
  readonly cursors: RobotCursors;
  /** Whether the server runs a robot of a device. */
  readonly runsRobot: (scope: DeviceScope) => Promise<boolean>;
  /** Whether others than owners may read the messages of a device. */
  readonly hasLimitedReaders: (scope: DeviceScope) => Promise<boolean>;
}

/** The connection between the server and its message broker, in both directions. */
export interface Live extends Room, LiveOffer {
  /** Publishes announced changes; null without a broker. */
  readonly eventListener: EventListener | null;
  /** See {@link Broker.untilClientsReturn}. */
  untilClientsReturn(deviceId: number): Promise<void>;
  /** Closes all connections, and stores the messages received before. */
  stop(): Promise<void>;
}

/** Opens the live side, and connects the foundation's messages to its broker. */
export async function openLive(foundation: Foundation, dependencies: LiveDependencies): Promise<Live> {
  const { resourceRights, server, clock, counters, logger: log, messages, queue, changes, ownsDatabase } = foundation;
  const { accounts, device, programs, quotas, embedded, rabbitMq, adminPassword, limitsRates, gardenUsers } =
    dependencies;
  const { cursors, runsRobot } = dependencies;
  const connectListeners: RobotConnectListener[] = [];
  const onConnect = (deviceId: number) => device.activity.recordConnection(deviceId);
  const access = new BrokerAccess({
    ...foundation,
    ...dependencies,
    tokens: accounts.brokerTokens,
    allowsDemos: accounts.allowsDemos,
    onConnect,
    log,
    onRobotConnect: (deviceId, jti) => {
      for (const listener of connectListeners) listener(deviceId, jti);
    },
    remember: rabbitMq && ((session) => rememberSession(server(), session)),
    notify: (scope, message, channels = []) => device.notify(scope, { message, channels }),
  });
  const ingestion = new Ingestion({
    ...foundation,
    ...device,
    limitsRates,
    onConnect,
    log,
    // Devices share a commit on SQLite; on PostgreSQL each holds a connection.
    maxConcurrentDevices: ownsDatabase ? 128 : 4,
  });
  const ingest = ingestion.take.bind(ingestion);
  const findValidTokens = access.findValidTokens.bind(access);
  const robotMessages = new RobotMessages();
  const common = { ingest, observe: robotMessages.add.bind(robotMessages), clock, counters, log };
  let broker: Broker | null = null;
  let missed: MissedChanges | null = null;
  let gardens: GardenConnections | null = null;
  if (rabbitMq) {
    const { RabbitMqBroker } = await import('./rabbitmq/rabbitmq-broker.ts');
    broker = new RabbitMqBroker({ ...rabbitMq, ...common, adminPassword, server, findValidTokens, runsRobot });
  } else if (embedded) {
    const embeddedBroker = new EmbeddedBroker({
      ...embedded,
      ...common,
      access,
      limitsRates,
      gardenUsers,
      tokensVersion: () => accounts.sessionsVersion(server()),
      pendingResets: (deviceIds) => pendingResets(queue)(server(), deviceIds),
      onRobotSubscribed: (deviceId) => missed?.subscribed(deviceId),
      onRobotEnded: (deviceId, silence) => missed?.connectionEnded(deviceId, silence),
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

  if (broker) missed = new MissedChanges({ cursors, changes, server, broker, isHidden, log });

  const directory = new RobotDirectory(clock, () => broker);
  const commands = new RobotCommands({ programs, quotas, directory, broker: () => broker });
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
    routes: [
      ...hookRoutes(access, dependencies.hookAddresses, (deviceId) => missed?.subscribed(deviceId)),
      ...robotRoutes(commands, directory, programs.commandSchema),
    ],
    jobs: broker ? [sessionEndJob(broker)] : [],
    eventListener: broker && missed && announcer(broker, counters, isHidden, missed),
    untilClientsReturn: async (deviceId) => broker?.untilClientsReturn(deviceId),
    status: () => broker?.status() ?? null,
    start: (http: Server) => broker?.start(http),
    async stop() {
      commands.stop();
      const announced = missed?.stop();
      // Ends messages that wait for RabbitMQ.
      await broker?.stop();
      await announced;
      await ingestion.stop();
      await access.settled();
    },
  };
}
