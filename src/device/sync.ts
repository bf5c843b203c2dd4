import Type from 'typebox';
import type { AnyResource } from '../engine/resource.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { jsonReply } from '../engine/route.ts';
import { syncPair } from '../engine/serializer.ts';
import type { SyncSource } from '../engine/sync-source.ts';
import { syncReader, syncSource } from '../engine/sync-source.ts';
import type { DeviceActivity } from './device-activity.ts';
import { devices } from './devices.ts';

/** The device itself, with the time at which it was last seen: its record shows the same. */
const deviceSource = (traffic: DeviceActivity): SyncSource => ({
  key: 'devices',
  listing: { table: devices, json: syncPair },
  pairs(_scope, read) {
    const rows = JSON.parse(read) as [number, string][];
    return JSON.stringify(rows.map(([id, time]) => [id, traffic.effectiveUpdatedAt(id, time)]));
  },
});

/** All keys of `device/sync` in their order: the device, the resources that are listed, what is the same for everybody, and the keys that are always empty. */
export const syncSources = (
  traffic: DeviceActivity,
  resources: readonly AnyResource[],
  constants: readonly SyncSource[],
): readonly SyncSource[] => [
  deviceSource(traffic),
  ...resources.filter(({ options }) => options.sync === 'listed').map(syncSource),
  ...constants,
  ...resources.filter(({ options }) => options.sync === 'empty').map(syncSource),
];

const pairs = Type.Array(
  Type.Array(Type.Union([Type.Integer(), Type.String()]), {
    minItems: 2,
    maxItems: 2,
    description: 'The id of a record and the time of its last change.',
  }),
);

/** What there is, and when it was changed last: all of one moment, in the order of the list. Robots delete what is not named here. [client FBOS] */
export function syncRoute(sources: readonly SyncSource[], traffic: DeviceActivity): DeviceRoute {
  const read = syncReader(sources);
  const openings = sources.map(({ key }, index) => `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`);
  return {
    access: 'token',
    tag: 'device',
    method: 'GET',
    path: '/api/device/sync',
    rateLimit: 'sync',
    summary: 'List the ids and times of everything that a robot keeps',
    replies: {
      200: Type.Object(Object.fromEntries(sources.map(({ key }) => [key, pairs])), {
        additionalProperties: false,
        title: 'Sync',
      }),
    },
    async handle(scope) {
      traffic.recordSync(scope.deviceId);
      const lists = await read(scope);
      let json = '';
      for (let i = 0; i < lists.length; i++) json += `${openings[i]}${lists[i]}`;
      return jsonReply(`${json}}`);
    },
  };
}
