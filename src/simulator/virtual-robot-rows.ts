import { column } from '../db/columns.ts';
import { leaseColumns } from '../db/lease.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';

/** The virtual robot of each device that had one run by the server. */
export const virtualRobots = table(
  'virtual_robots',
  {
    device_id: column.bigint().references('devices'),
    /** The user whose session the robot has. */
    user_id: column.bigint().references('users'),
    /** It is wanted to run. */
    is_running: column.boolean(),
    is_demo: column.boolean(),
    started_at: column.time(),
    ended_at: column.time().nullable(),
    /** The reason why it ended by itself: a sentence. */
    ended_because: column.text().nullable(),
    /** Of its session's token; null while it has none. */
    jti: column.text().nullable(),
    /** In mm. */
    x: column.float(),
    y: column.float(),
    z: column.float(),
    ...leaseColumns,
  },
  { reach: 'both', unique: [['device_id']], indexes: [['is_running'], ['user_id']] },
);

export type VirtualRobotRow = RowOf<typeof virtualRobots>;

/** Whether the server runs a robot of a device. */
export const runsRobot = async (scope: DeviceScope): Promise<boolean> =>
  (await scope.count(virtualRobots, { where: { is_running: true } })) > 0;
