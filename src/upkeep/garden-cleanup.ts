import { confirmedNow } from '../core/confirmed-time.ts';
import type { DeviceScope, Selection } from '../db/scope.ts';
import type { StandardColumns, Table } from '../db/table.ts';
import { logRetention } from '../device/log-store.ts';
import { logs } from '../device/logs.ts';
import { maxKept } from '../engine/resource.ts';
import type { Retention } from '../engine/trimming.ts';
import { purgeExpiredPoints as purgePoints } from '../garden/point-lifecycle.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { purgeExpiredEvents as purgeFarmEvents } from '../programs/farm-event-purge.ts';
import { deleteUnusedVersions } from '../programs/published-versions.ts';
import { resources } from '../resources.ts';
import { forEachDevice } from './device-iteration.ts';

/** How often all devices are cleaned up, in ms. Devices in use are also cleaned up as they write. */
const interval = 86_400_000;

/** Maximum rows deleted in one transaction: other writers wait for it. */
const batchSize = 500;

/** The resources of which only the newest records are kept, with their number. */
const trimmedResources = resources.flatMap((resource) => {
  const maxRows = maxKept(resource);
  return maxRows === null ? [] : [{ resource, maxRows }];
});

/** The daily job that deletes expired records of all devices. [rule T13] */
export const gardenCleanup: JobDefinition = {
  kind: 'tidy_gardens',
  interval,
  async handle(server) {
    await forEachDevice(server, async (scope, device) => {
      await purgePoints(scope);
      await deleteOldest(scope, logs, logRetention(device, confirmedNow(scope.clock)));
      for (const { resource, maxRows } of trimmedResources) await deleteOldest(scope, resource, { maxRows });
      await purgeFarmEvents(scope);
    });
    await deleteUnusedVersions(server);
  },
};

const onlyId: Selection<number> = { key: 'id', expressions: ['"id"'], read: ([id]) => Number(id) };

/** Deletes all but the newest rows in batches, without announcing it. Starts no transaction if there is nothing to delete. */
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
  let excess = (await scope.count(table)) - maxRows;
  while (excess > 0) {
    const removed = await removeOldest(Math.min(excess, batchSize), {});
    excess = removed === 0 ? 0 : excess - removed;
  }
  if (olderThan === undefined) return;
  while ((await removeOldest(batchSize, { created_at: { lt: olderThan } })) === batchSize);
}
