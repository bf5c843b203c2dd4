import type { ServerScope } from '../db/scope.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import type { Broker, Message } from './broker.ts';
import { deviceTopic } from './broker.ts';

const kind = 'end_broker_sessions';

/** The request that makes a robot forget its account. [reference 12.6] */
const factoryReset = (deviceId: number): Message => ({
  topic: deviceTopic(deviceId, 'from_clients'),
  payload: JSON.stringify({
    kind: 'rpc_request',
    args: { label: 'FROM_API' },
    body: [{ kind: 'factory_reset', args: { package: 'farmbot_os' } }],
  }),
});

/** Has the connections of a device ended whose tokens are gone; the robot may be told first to forget its account. A job of the caller's transaction. [decision 37] */
export const endSessionsSoon =
  (queue: JobQueue) =>
  async (server: ServerScope, deviceId: number, how: { readonly resetsRobot?: boolean } = {}): Promise<void> => {
    // One that waits is enough: it looks at the tokens as they are when it runs.
    await queue.enqueueOnce(server, kind, { device: deviceId, resets_robot: how.resetsRobot ?? false }, { deviceId });
  };

/** Does what {@link endSessionsSoon} asked for. */
export const sessionEnds = (broker: Broker): JobDefinition => ({
  kind,
  survivesDeviceDeletion: true,
  // A broker that is away keeps it waiting; mail must not wait with it.
  concurrency: 1,
  async handle(_server, { device, resets_robot }) {
    if (typeof device !== 'number') return;
    if (resets_robot === true) await broker.publish(factoryReset(device));
    await broker.endSessions(device);
  },
});
