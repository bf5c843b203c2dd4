import { confirmedNow } from '../core/confirmed-time.ts';
import { idOf } from '../db/row-ids.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { StandardColumns, Table } from '../db/table.ts';
import { deleteSurplusLogs } from '../device/log-retention.ts';
import { maxKept } from '../engine/resource.ts';
import { purgeExpiredPoints as purgePoints } from '../garden/point-lifecycle.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { purgeExpiredEvents as purgeFarmEvents } from '../programs/farm-event-purge.ts';
import { deleteUnusedVersions } from '../programs/published-versions.ts';
import { loggedResources } from '../resources.ts';
import { forEachDevice } from './device-iteration.ts';

/** How often all devices are cleaned up, in ms. Devices in use are also cleaned up as they write. */
const interval = 86_400_000;

/** Maximum rows deleted in one transaction: other writers wait for it. */
const batchSize = 500;

/** The resources of which only the newest records are kept, with their number. */
const trimmedResources = loggedResources.flatMap((resource) => {
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
      await deleteSurplusLogs(scope, device, confirmedNow(scope.clock));
      for (const { resource, maxRows } of trimmedResources) await deleteOldest(scope, resource, maxRows);
      await purgeFarmEvents(scope);
    });
    await deleteUnusedVersions(server);
  },
};

/** Deletes all but the newest rows in batches, without announcing it. Starts no transaction if there is nothing to delete. */
export async function deleteOldest(
  scope: DeviceScope,
  table: Table<StandardColumns, 'device'>,
  maxRows: number,
): Promise<void> {
  const order = [
    ['created_at', 'asc'],
    ['id', 'asc'],
  ] as const;
  for (let excess = (await scope.count(table)) - maxRows; excess > 0; excess -= batchSize) {
    const ids = await scope.select(table, idOf, { order, limit: Math.min(excess, batchSize) });
    if (ids.length > 0) await scope.delete(table, { where: { id: ids } });
  }
}
