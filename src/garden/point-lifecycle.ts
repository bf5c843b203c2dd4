import { randomUUID } from 'node:crypto';
import { currentTimestamp, timestamp } from '../core/clock.ts';
import type { DeviceScope } from '../db/scope.ts';
import { announceChanged, announceDeleted } from '../engine/records.ts';
import type { Compatibility } from './compatibility.ts';
import { pointGroupItems, pointGroups } from './point-groups.ts';
import { assertUnused } from './point-uses.ts';
import type { Point } from './points.ts';
import { points } from './points.ts';

/** How long archived points are kept. [Spec Points 2] */
const retentionMonths = 2;

/**
 * Takes points off the map, all or none: they are archived (or deleted, as the setting says), their slots give their tools
 * free, they leave their groups, and everybody is told. A fixed number of queries, however many points.
 * Throws 422 `whoops` if a program uses one of them. [decisions 8, 11]
 */
export async function removePoints(
  scope: DeviceScope,
  rows: readonly Point[],
  { archivesPoints }: Pick<Compatibility, 'archivesPoints'>,
): Promise<void> {
  if (rows.length === 0) return;
  await assertUnused(scope, rows);
  const ids = rows.map(({ id }) => id);
  await leaveGroups(scope, ids);
  if (archivesPoints)
    await scope.update(points, { discarded_at: currentTimestamp(scope.clock), tool_id: null }, { where: { id: ids } });
  else await scope.delete(points, { where: { id: ids } });
  for (const id of ids) announceDeleted(scope, points, id);
}

/** Browsers could not know that these groups change too: a label of their own keeps them from taking it for their echo. [client web app] */
async function leaveGroups(scope: DeviceScope, pointIds: readonly number[]): Promise<void> {
  const left = await scope.delete(pointGroupItems, { where: { point_id: pointIds } });
  const groupIds = [...new Set(left.map(({ point_group_id }) => point_group_id))].sort((a, b) => a - b);
  if (groupIds.length === 0) return;
  await scope.update(pointGroups, {}, { where: { id: groupIds } });
  for (const id of groupIds) announceChanged(scope, pointGroups, id, undefined, randomUUID());
}

/** The same day and time some months earlier; the last day of that month where it has no such day. */
export function monthsBefore(ms: number, months: number): number {
  const time = new Date(ms);
  const day = time.getUTCDate();
  time.setUTCDate(1);
  time.setUTCMonth(time.getUTCMonth() - months);
  const days = new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1, 0)).getUTCDate();
  time.setUTCDate(Math.min(day, days));
  return time.getTime();
}

/** Deletes for good what was archived more than two months ago, unannounced: it was announced when it was archived. */
export async function purgeExpiredPoints(scope: DeviceScope): Promise<void> {
  const expired = { where: { discarded_at: { lt: timestamp(monthsBefore(scope.clock.now(), retentionMonths)) } } };
  // Lists ask this each time: a look at the index saves them a transaction.
  if ((await scope.count(points, expired)) > 0) await scope.delete(points, expired);
}

/** Deletes everything archived for good, unannounced, to make room. */
export async function purgeArchivedPoints(scope: DeviceScope): Promise<void> {
  await scope.delete(points, { where: { discarded_at: { not: null } } });
}
