import { setTimeout as sleep } from 'node:timers/promises';
import { changeSizes } from '../db/change-rows.ts';
import type { DeviceScope } from '../db/scope.ts';
import { removeSomePublications } from '../programs/published-versions.ts';
import { deleteAllSeries } from '../series/series-compaction.ts';
import { webhookDeliveries } from '../webhooks/deliveries.ts';
import { deleteOldestChanges } from './change-trimming.ts';

/** Deliveries that are deleted in one transaction. */
const stepSize = 200;
/** Pause after a transaction, in ms: requests come first. */
export const pause = 2;

/**
 * Deletes the rows of a device's largest tables in small steps and outside of a transaction: series, changes, published versions
 * that no other garden installed, and deliveries of webhooks. Called before the device or its garden is deleted, because that transaction blocks other writers.
 */
export async function emptyDevice(scope: DeviceScope): Promise<void> {
  await deleteAllSeries(scope);
  await emptyHistory(scope);
  while (await removeSomePublications(scope)) await sleep(pause);
  // Few rows are added in between.
  const [newest] = await scope.rows(webhookDeliveries, { order: [['id', 'desc']], limit: 1 });
  for (let last = 0; newest && last < newest.id; ) {
    const rows = await scope.rows(webhookDeliveries, { where: { id: { lte: newest.id } }, limit: stepSize });
    last = rows.at(-1)?.id ?? newest.id;
    await scope.delete(webhookDeliveries, { where: { id: { lte: last } } });
    await sleep(pause);
  }
}

/** Deletes the changes that the log of a device has, in small steps and outside of a transaction. */
export async function emptyHistory(scope: DeviceScope): Promise<void> {
  const [newest] = await scope.rows(changeSizes, { order: [['id', 'desc']], limit: 1 });
  if (newest) await deleteOldestChanges(scope, ({ id }) => id <= newest.id);
}
