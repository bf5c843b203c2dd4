import { randomUUID } from 'node:crypto';
import { monthsBefore } from '../core/calendar.ts';
import { currentTimestamp, timestamp } from '../core/clock.ts';
import { confirmedNow } from '../core/confirmed-time.ts';
import { Failure, invalid } from '../core/errors.ts';
import type { Message } from '../core/message.ts';
import { inParts } from '../core/request-pause.ts';
import type { DeviceScope } from '../db/scope.ts';
import { ownDevice } from '../device/devices.ts';
import type { Notify } from '../device/notice.ts';
import { announceChanged, announceDeleted } from '../engine/records.ts';
import { describeOwners, findUses } from '../programs/program-references.ts';
import type { Compatibility } from './compatibility.ts';
import { sayOfLimit } from './limit-messages.ts';
import { say, sayOfPoint } from './messages.ts';
import { pointGroupItems, pointGroups } from './point-groups.ts';
import type { Point } from './points.ts';
import { points } from './points.ts';

/** Maximum number of points of a device, archived ones included, unless it has its own limit. [rule G20] */
export const maxPoints = 1000;
/** The part of the limit at which the users are notified, in percent. */
const warningPercent = 80;

/** Returns the maximum number of points of the scope's device, archived ones included. */
export const pointLimit = async (scope: DeviceScope): Promise<number> =>
  (await ownDevice(scope)).max_point_count ?? maxPoints;

/** How long archived points are kept, in months. [rule G24] */
const retentionMonths = 2;

/** Rows that are deleted before other requests are served: a part takes less than 5 ms. Points are in up to 1,000 groups, which have up to 1,000 members. */
const maxPointsAtOnce = 50;
const maxGroupsAtOnce = 5;

/** Maximum number of points in the message about points in use. */
const maxNamed = 20;

/** 422 `point_limit`. After the rollback the caller must purge archived points, so that a retry may succeed. [rule G20] */
export class PointLimit extends Failure {
  constructor(limit: number) {
    const point_limit = sayOfLimit.pointLimit(limit);
    super('invalid', undefined, { fields: { point_limit } });
  }
}

/** Checks the limit before points are added. Purges archived points and notifies the users at 80 % of it. Throws {@link PointLimit}. */
export async function ensurePointCapacity(scope: DeviceScope, notify: Notify, added = 1): Promise<void> {
  const count = await scope.count(points);
  const limit = await pointLimit(scope);
  if (count + added > limit) throw new PointLimit(limit);
  // Rounded up: a limit of 1 would be warned of at 0.
  const warningCount = Math.ceil((limit * warningPercent) / 100);
  if (count > warningCount || count + added <= warningCount) return;
  await purgeArchivedPoints(scope);
  await notify(scope, {
    message: (language) => sayOfLimit.manyPoints(warningCount, limit).in(language),
    type: 'info',
    channels: ['fatal_email'],
  });
}

/**
 * Archives or deletes all of these points, or none, and announces their deletion. They leave their groups, and slots
 * release their tools. Throws 422 `whoops`. [decision 8, 11]
 */
export async function removePoints(
  scope: DeviceScope,
  rows: readonly Point[],
  { archivesPoints }: Compatibility,
): Promise<void> {
  if (rows.length === 0) return;
  await assertUnused(scope, rows);
  const ids = rows.map(({ id }) => id);
  await leaveGroups(scope, ids);
  const discarded = { discarded_at: currentTimestamp(scope.clock), tool_id: null };
  await inParts(ids, maxPointsAtOnce, (part) =>
    archivesPoints
      ? scope.update(points, discarded, { where: { id: part } })
      : scope.delete(points, { where: { id: part } }),
  );
  for (const id of ids) announceDeleted(scope, points, id);
}

const describePoint = ({ pointer_type, x, y, z }: Point): Message => sayOfPoint[pointer_type](`(${x}, ${y}, ${z})`);

/** Throws 422 `whoops` if a program uses one of these points, by its id or by the tool in the slot. Archived points are not in use. [rule G26, decision 8, 32] */
async function assertUnused(scope: DeviceScope, rows: readonly Point[]): Promise<void> {
  const live = rows.filter(({ discarded_at }) => discarded_at === null);
  const toolIds = live.flatMap(({ tool_id }) => tool_id ?? []);
  const ids = live.map(({ id }) => id);
  const byId = await findUses(scope, ['point', 'resource'], ids);
  const byTool = await findUses(scope, ['tool'], toolIds, ['Sequence']);
  if (byId.length === 0 && byTool.length === 0) return;
  const usedIds = new Set(byId.map(({ targetId }) => targetId));
  const usedTools = new Set(byTool.map(({ targetId }) => targetId));
  const used = live.filter(({ id, tool_id }) => usedIds.has(id) || (tool_id !== null && usedTools.has(tool_id)));
  const described = used.slice(0, maxNamed).map(describePoint);
  if (used.length > maxNamed) described.push(say.more(used.length - maxNamed));
  throw invalid({ whoops: say.pointsInUse(describeOwners([...byId, ...byTool]), described) });
}

/** Removes points from their groups. The groups are announced under a label of their own. [rule G25] */
async function leaveGroups(scope: DeviceScope, pointIds: readonly number[]): Promise<void> {
  const groupIds = new Set<number>();
  // One by one: a point may be in 1,000 groups.
  await inParts(pointIds, 1, async (part) => {
    const items = { where: { point_id: part } };
    const left = new Set((await scope.rows(pointGroupItems, items)).map(({ point_group_id }) => point_group_id));
    const found = [...left].filter((id) => !groupIds.has(id));
    await inParts(found, maxGroupsAtOnce, (ids) => scope.keepStates(pointGroups, { where: { id: ids } }));
    for (const id of found) groupIds.add(id);
    await scope.delete(pointGroupItems, items);
  });
  const ids = [...groupIds].sort((a, b) => a - b);
  if (ids.length === 0) return;
  await inParts(ids, maxPointsAtOnce, (part) => scope.update(pointGroups, {}, { where: { id: part } }));
  for (const id of ids) announceChanged(scope, pointGroups, id, undefined, randomUUID());
}

/** Deletes points that were archived more than two months ago, unannounced. [rule G24] */
export async function purgeExpiredPoints(scope: DeviceScope): Promise<void> {
  const expired = {
    where: { discarded_at: { lt: timestamp(monthsBefore(confirmedNow(scope.clock), retentionMonths)) } },
  };
  // Every list of points calls this: the count, by an index, avoids a write transaction.
  if ((await scope.count(points, expired)) > 0) await scope.delete(points, expired);
}

/** Deletes all archived points, unannounced. */
export async function purgeArchivedPoints(scope: DeviceScope): Promise<void> {
  await scope.delete(points, { where: { discarded_at: { not: null } } });
}
