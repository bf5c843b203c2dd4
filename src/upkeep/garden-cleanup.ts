import type { DeviceScope, Selection } from '../db/scope.ts';
import type { StandardColumns, Table } from '../db/table.ts';
import { logRetention } from '../device/log-store.ts';
import { logs } from '../device/logs.ts';
import type { AnyResource } from '../engine/resource.ts';
import type { Retention } from '../engine/trimming.ts';
import { purgeExpiredPoints as purgePoints } from '../garden/point-lifecycle.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { purgeExpiredEvents as purgeFarmEvents } from '../programs/farm-event-purge.ts';
import { resources } from '../resources.ts';
import { forEachDevice } from './device-iteration.ts';

/** How often everything is looked through, in ms: most of it is tidied when it is used, and this is for the rest. */
const tidyInterval = 86_400_000;

/** Rows that one transaction deletes at most: others wait for it. */
const rowsAtOnce = 500;

/** Resources of which only the newest so many records are kept. */
type KeptResource = AnyResource & { readonly options: { readonly maxKept: number } };
const isKept = (resource: AnyResource): resource is KeptResource => resource.options.maxKept !== undefined;
const keptResources = resources.filter(isKept);

/** The job that deletes what has outlived its time, on all devices. [reference 14.3] */
export const gardenCleanup: JobDefinition = {
  kind: 'tidy_gardens',
  interval: tidyInterval,
  handle: (server) =>
    forEachDevice(server, async (scope, device) => {
      await purgePoints(scope);
      await deleteOldest(scope, logs, logRetention(device, scope.clock.now()));
      for (const resource of keptResources) await deleteOldest(scope, resource, { maxRows: resource.options.maxKept });
      await purgeFarmEvents(scope);
    }),
};

const onlyId: Selection<number> = { key: 'id', expressions: ['"id"'], read: ([id]) => Number(id) };

/** Deletes all but the newest rows, unannounced, a part at a time. Where nothing is to be deleted nothing is written. */
export async function deleteOldest(
  scope: DeviceScope,
  table: Table<StandardColumns, 'device'>,
  { maxRows, olderThan }: Retention,
): Promise<void> {
  const order = [
    ['created_at', 'asc'],
    ['id', 'asc'],
  ] as const;
  const removeOldest = async (limit: number, where: { readonly created_at?: { readonly lt: string } }) => {
    const ids = await scope.select(table, onlyId, { where, order, limit });
    if (ids.length > 0) await scope.delete(table, { where: { id: ids } });
    return ids.length;
  };
  let surplus = (await scope.count(table)) - maxRows;
  while (surplus > 0) {
    const removed = await removeOldest(Math.min(surplus, rowsAtOnce), {});
    surplus = removed === 0 ? 0 : surplus - removed;
  }
  if (olderThan === undefined) return;
  while ((await removeOldest(rowsAtOnce, { created_at: { lt: olderThan } })) === rowsAtOnce);
}
