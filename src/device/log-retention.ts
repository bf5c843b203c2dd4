import { timestamp } from '../core/clock.ts';
import { idOf } from '../db/row-ids.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Sql } from '../db/sql.ts';
import { rawSql, sql } from '../db/sql.ts';
import { only } from '../db/table.ts';
import type { DeviceRow } from './devices.ts';
import type { LogType } from './logs.ts';
import { logs } from './logs.ts';

/** The types of logs that have a share of their own: others do not push them out. [rule D22, M19] */
const importantTypes: readonly LogType[] = ['error', 'warn', 'assertion'];

export const isImportant = (type: unknown): boolean => importantTypes.some((name) => name === type);

const importantSql = rawSql(`type in (${importantTypes.map((name) => `'${name}'`).join(', ')})`);

/** Returns the number of important ones among the kept logs, if there are as many. */
const shareOf = (maxLogs: number): number => Math.floor(maxLogs / 4);

/** Days that logs are kept where the device has no setting. */
const defaultMaxAge = 60;

/** Rows that are deleted in one transaction: other writers wait for it. */
const batchSize = 500;

/**
 * Returns the condition on the logs that a device keeps and lists, by their receipt: ids ascend in its order, and `updated_at` is its
 * time until a mail contains the log, minutes later. The time that the robot sent decides nothing, because its clock may be wrong.
 * [rule D22, decision 69, ADR 109]
 */
export function keptLogs({ deviceId }: DeviceScope, device: DeviceRow, now: number): Sql {
  const { max_log_count, max_log_age_in_days } = device;
  const oldest = timestamp(now - (max_log_age_in_days > 0 ? max_log_age_in_days : defaultMaxAge) * 86_400_000);
  const rank = sql`row_number() over (partition by ${importantSql} order by id desc)`;
  const received = sql`select id, ${importantSql} and ${rank} <= ${shareOf(max_log_count)} as has_share from logs where device_id = ${deviceId} and updated_at >= ${oldest}`;
  return sql`id in (select id from (${received}) as received order by has_share desc, id desc limit ${max_log_count})`;
}

/** Deleted logs are returned without their columns, which would be decoded. */
const logIds = only(logs);

/** Deletes the logs that a device no longer keeps, in batches. */
export async function deleteSurplusLogs(scope: DeviceScope, device: DeviceRow, now: number): Promise<void> {
  const surplus = { and: sql`not ${keptLogs(scope, device, now)}`, limit: batchSize };
  for (let deleted = batchSize; deleted === batchSize; ) {
    const ids = await scope.select(logs, idOf, surplus);
    deleted = ids.length;
    if (deleted > 0) await scope.delete(logIds, { where: { id: ids } });
  }
}

/** Returns the logs that a device keeps of these, as {@link keptLogs} does. `newestFirst`: by their receipt. */
export function newestLogs<T>(newestFirst: readonly T[], maxLogs: number, typeOf: (log: T) => unknown): ReadonlySet<T> {
  const kept = new Set(newestFirst.filter((log) => isImportant(typeOf(log))).slice(0, shareOf(maxLogs)));
  for (const log of newestFirst) if (kept.size < maxLogs) kept.add(log);
  return kept;
}
