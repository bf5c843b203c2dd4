import type { DeviceScope } from '../db/scope.ts';
import { untagged } from '../engine/entity-tag.ts';
import { Type } from '../engine/json-schema.ts';
import type { AnyResource } from '../engine/resource.ts';
import type { Call, DeviceRoute } from '../engine/route.ts';
import { jsonReply } from '../engine/route.ts';
import { syncPair } from '../engine/serializer.ts';
import type { SyncSource } from '../engine/sync-source.ts';
import { syncReader, syncSource } from '../engine/sync-source.ts';
import type { DeviceActivity } from './device-activity.ts';
import { devices } from './devices.ts';

/** The device itself, with the same `updated_at` as its record. */
const deviceSource = (activity: DeviceActivity): SyncSource => ({
  key: 'devices',
  listing: { table: devices, json: syncPair },
  pairs(_scope, read) {
    const rows = JSON.parse(read) as [number, string][];
    return JSON.stringify(rows.map(([id, time]) => [id, activity.effectiveUpdatedAt(id, time)]));
  },
});

/** Returns the keys of `device/sync` in order: the device, listed resources, constants, and keys that are always empty. */
export const syncSources = (
  activity: DeviceActivity,
  resources: readonly AnyResource[],
  constants: readonly SyncSource[],
): readonly SyncSource[] => [
  deviceSource(activity),
  ...resources.filter(({ options }) => options.sync === 'listed').map(syncSource),
  ...constants,
  ...resources.filter(({ options }) => options.sync === 'empty').map(syncSource),
];

const pairs = Type.Array(
  Type.Array(Type.Union([Type.Integer(), Type.String()]), {
    minItems: 2,
    maxItems: 2,
    description: 'The id of a record and its `updated_at`.',
    examples: [[1, '2026-04-01T08:00:00.000Z']],
  }),
);

/** Called when a robot asks for the list, before it is read. */
export type RobotSyncListener = (scope: DeviceScope, call: Call) => Promise<void>;

/** `GET /api/device/sync`, a consistent snapshot of ids and times of all records of a robot. [rule D7, D8] */
export function syncRoute(
  sources: readonly SyncSource[],
  activity: DeviceActivity,
  robotSyncs: RobotSyncListener,
): DeviceRoute {
  const read = syncReader(sources);
  const openings = sources.map(({ key }, index) => `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`);
  return {
    access: 'token',
    tag: 'Device',
    method: 'GET',
    path: '/api/device/sync',
    // It contains programs, too.
    scope: 'read',
    rateLimit: 'sync',
    untagged: untagged.overlaid,
    summary: 'List ids and `updated_at` of all records that a robot stores',
    description:
      'Returns for each resource the ids and times of all records, as one consistent snapshot, so that a robot finds what it has to fetch and to delete.',
    replies: {
      200: Type.Object(Object.fromEntries(sources.map(({ key }) => [key, pairs])), { $id: 'DeviceSync' }),
    },
    async handle(scope, call) {
      if (scope.isOfRobot) await robotSyncs(scope, call);
      activity.recordSync(scope.deviceId);
      const lists = await read(scope);
      let json = '';
      for (let i = 0; i < lists.length; i++) json += `${openings[i]}${lists[i]}`;
      return jsonReply(`${json}}`);
    },
  };
}
