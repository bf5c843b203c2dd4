import type { AedesPublishPacket } from 'aedes';
import { writeMqttNumbersOnDemand } from '../core/mqtt-numbers.ts';
import type { ClientEventLog } from './client-event-log.ts';
import type { ConnectionRegistry, PendingConnections } from './connection-registry.ts';
import { ByteBudget, FairScheduler } from './fair-sharing.ts';
import type { ConnectionContext, GuardedConnection } from './guarded-connection.ts';
import type { MqttLimits } from './limits.ts';
import type { TopicRouter } from './topic-router.ts';

/** The parts of a server that its connections report to. */
interface ContextParts {
  readonly limits: MqttLimits;
  readonly events: ClientEventLog;
  readonly pending: PendingConnections;
  readonly registry: ConnectionRegistry;
  readonly router: TopicRouter<AedesPublishPacket>;
  /** Called when a signed-in connection has ended, with its filters. */
  readonly onEnded: (connection: GuardedConnection) => void;
}

/** Creates the shared parts of the connections of a server: budgets of bytes, and the schedulers of reads and writes. */
export function createConnectionContext({
  limits,
  events,
  pending,
  registry,
  router,
  onEnded,
}: ContextParts): ConnectionContext {
  writeMqttNumbersOnDemand();
  const scheduler = new FairScheduler(limits);
  let unflushed: GuardedConnection[] = [];
  const flush = (): void => {
    const connections = unflushed;
    unflushed = [];
    for (const connection of connections) connection.flush();
  };
  return {
    limits,
    outgoing: new ByteBudget<GuardedConnection>(
      limits.maxTotalQueuedBytes,
      ({ queuedBytes }) => queuedBytes,
      (connection) => connection.terminate('queues_full'),
    ),
    incoming: new ByteBudget<GuardedConnection>(
      limits.maxTotalPartialBytes,
      ({ partialBytes }) => partialBytes,
      (connection) => connection.terminate('unfinished_full'),
    ),
    scheduleFlush: (connection) => {
      if (unflushed.length === 0) setImmediate(flush);
      unflushed.push(connection);
    },
    scheduleRead: (connection) => scheduler.schedule(connection),
    onClosing: (connection, reason) => events.closed(reason, connection),
    onEnded: (connection) => {
      for (const filter of connection.filters.keys())
        if (connection.receiver) router.unsubscribe(filter, connection.receiver);
      pending.remove(connection);
      registry.signOut(connection);
      if (connection.identity) onEnded(connection);
    },
    onClosed: (connection) => registry.remove(connection),
  };
}
