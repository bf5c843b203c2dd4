import type { Timestamp } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import { inParts } from '../core/request-pause.ts';
import { idOf } from '../db/row-ids.ts';
import type { DeviceScope, Query, Selection } from '../db/scope.ts';
import type { Sql } from '../db/sql.ts';
import { rawSql, sql } from '../db/sql.ts';
import type { RowOf } from '../db/table.ts';
import { only } from '../db/table.ts';
import type { DeviceRow } from './devices.ts';
import type { LogType } from './logs.ts';
import { logs } from './logs.ts';

/** The types of logs that have a share of their own: others do not push them out. [rule D22, M19] */
const importantTypes: readonly LogType[] = ['error', 'warn', 'assertion'];

export const isImportant = (type: unknown): boolean => importantTypes.some((name) => name === type);

const importantText = `type in (${importantTypes.map((name) => `'${name}'`).join(', ')})`;
const importantSql = rawSql(importantText);

/** Returns the number of important ones among the kept logs, if there are as many. */
const shareOf = (maxLogs: number): number => Math.floor(maxLogs / 4);

/** Days that logs are kept where the device has no setting. */
const defaultMaxAge = 60;

/** Rows that are deleted in one transaction: other writers wait for it. */
const batchSize = 500;

/** Returns the receipt of the oldest log that a device may keep. */
const oldestKept = ({ max_log_age_in_days: days }: DeviceRow, now: number): Timestamp =>
  timestamp(now - (days > 0 ? days : defaultMaxAge) * 86_400_000);

/**
 * Returns the condition on the logs that a device keeps and lists, by their receipt: ids ascend in its order, and `updated_at` is its
 * time until a mail contains the log, minutes later. The time that the robot sent decides nothing, because its clock may be wrong.
 * [rule D22, decision 69, ADR 109]
 */
export function keptLogs({ deviceId }: DeviceScope, device: DeviceRow, now: number): Sql {
  const { max_log_count } = device;
  const rank = sql`row_number() over (partition by ${importantSql} order by id desc)`;
  const received = sql`select id, ${importantSql} and ${rank} <= ${shareOf(max_log_count)} as has_share from logs where device_id = ${deviceId} and updated_at >= ${oldestKept(device, now)}`;
  return sql`id in (select id from (${received}) as received order by has_share desc, id desc limit ${max_log_count})`;
}

const latestFirst = [['id', 'desc']] as const;

/** Deleted logs are returned without their columns, which would be decoded. */
const logIds = only(logs);

/** The logs of a device. */
interface Totals {
  readonly count: number;
  readonly important: number;
  readonly oldest: Timestamp;
}

const totals: Selection<Totals> = {
  key: 'totals',
  expressions: ['count(*)', `sum(case when ${importantText} then 1 else 0 end)`, 'min("updated_at")'],
  groupBy: '"device_id"',
  read: ([count, important, oldest]) => ({
    count: Number(count),
    important: Number(important),
    oldest: oldest as Timestamp,
  }),
};

/** Deletes the logs that are not among {@link keptLogs}, in batches; unlike that, without sorting all logs of the device. */
export async function deleteSurplusLogs(scope: DeviceScope, device: DeviceRow, now: number): Promise<void> {
  const deleteAll = async (query: Query<RowOf<typeof logs>>): Promise<void> =>
    inParts(await scope.select(logs, idOf, query), batchSize, async (ids) => {
      await scope.delete(logIds, { where: { id: ids } });
    });
  let [found] = await scope.select(logs, totals);
  const expired = oldestKept(device, now);
  if (found && found.oldest < expired) {
    await deleteAll({ where: { updated_at: { lt: expired } } });
    [found] = await scope.select(logs, totals);
  }
  const room = device.max_log_count;
  if (!found || found.count <= room) return;
  const shared = Math.min(shareOf(room), found.important);
  const important = { where: { type: importantTypes }, order: latestFirst } as const;
  const [firstShared = 0] =
    shared === 0
      ? [Number.MAX_SAFE_INTEGER]
      : await scope.select(logs, idOf, { ...important, limit: 1, offset: shared - 1 });
  // Another trim in between deletes none of the shared ones, and new logs only add to them: as many as there is room for stay.
  const others = sql`(id < ${firstShared} or not ${importantSql})`;
  await deleteAll({ and: others, order: latestFirst, offset: room - shared });
}

/** Returns the logs that a device keeps of these, as {@link keptLogs} does. `newestFirst`: by their receipt. */
export function newestLogs<T>(newestFirst: readonly T[], maxLogs: number, typeOf: (log: T) => unknown): ReadonlySet<T> {
  const kept = new Set(newestFirst.filter((log) => isImportant(typeOf(log))).slice(0, shareOf(maxLogs)));
  for (const log of newestFirst) if (kept.size < maxLogs) kept.add(log);
  return kept;
}
