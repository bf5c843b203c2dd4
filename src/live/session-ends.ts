import { Failure } from '../core/errors.ts';
import { verbatim } from '../core/message.ts';
import type { Message } from '../core/message-outlet.ts';
import type { ServerScope } from '../db/scope.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import type { Broker } from './broker.ts';
import { deviceTopic } from './topics.ts';

const kind = 'end_broker_sessions';

export interface SessionEndOptions {
  /** Whether to request a factory reset of the robot first, which deletes its credentials. */
  readonly resetsRobot?: boolean;
}

/** Returns the message that requests a factory reset, which deletes the robot's credentials. [rule M18] */
const factoryReset = (deviceId: number): Message => ({
  topic: deviceTopic(deviceId, 'from_clients'),
  payload: JSON.stringify({
    kind: 'rpc_request',
    args: { label: 'FROM_API' },
    body: [{ kind: 'factory_reset', args: { package: 'farmbot_os' } }],
  }),
});

/** Returns a function that enqueues the end of a device's sessions with revoked tokens, as a job of the caller's transaction. [decision 37] */
export const enqueueSessionEnd =
  (queue: JobQueue) =>
  async (server: ServerScope, deviceId: number, { resetsRobot = false }: SessionEndOptions = {}): Promise<void> => {
    // One pending job is enough: it checks the tokens when it runs.
    await queue.enqueueOnce(server, kind, { device: deviceId, resets_robot: resetsRobot }, { deviceId });
  };

/** Returns the devices whose job that requests a factory reset was not run yet. */
export const pendingResets =
  (queue: JobQueue) =>
  async (server: ServerScope, deviceIds: readonly number[]): Promise<ReadonlySet<number>> => {
    const jobs = await queue.pending(server, kind, deviceIds);
    return new Set(jobs.flatMap(({ payload, device_id }) => (payload.resets_robot === true ? (device_id ?? []) : [])));
  };

/** The job that {@link enqueueSessionEnd} enqueues. */
export const sessionEndJob = (broker: Pick<Broker, 'publish' | 'endSessions'>): JobDefinition => ({
  kind,
  survivesDeviceDeletion: true,
  waitsFor: 'broker',
  concurrency: 1,
  async handle(_server, { device, resets_robot }) {
    if (typeof device !== 'number') return;
    const resetsRobot = resets_robot === true;
    if (resetsRobot) await broker.publish(factoryReset(device));
    await broker.endSessions(device, resetsRobot).catch((error: unknown) => {
      throw new Failure('unavailable', verbatim(error instanceof Error ? error.message : String(error)));
    });
  },
});
