import { isDeepStrictEqual } from 'node:util';
import type { Timestamp } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import { isObject } from '../core/json.ts';
import { parseTime } from '../core/time-formats.ts';
import { changeRows, effective } from '../db/change-rows.ts';
import { idOf } from '../db/row-ids.ts';
import type { DeviceScope, Selection } from '../db/scope.ts';
import type { Body } from './body.ts';
import type { AnyResource } from './resource.ts';

/** How long ago a value was replaced that a robot sends as an old copy, in ms, where it sends no time. */
const untimedCopyTime = 30 * 60_000;
/** The last changes of a record that are looked at. */
const maxChanges = 100;

/** Keys of every record that say which one it is, and of which time. */
const standardKeys: ReadonlySet<string> = new Set(['id', 'device_id', 'created_at', 'updated_at']);

/** Selects when a record was changed last. */
const changeTime: Selection<Timestamp> = {
  key: 'updated_at',
  expressions: ['"updated_at"'],
  read: ([time]) => String(time),
};

/** Selects the ids of changes: with a plan for any record, PostgreSQL would sort all changes of one that has thousands. */
const changeIds: Selection<number> = { ...idOf, isLarge: true };

/** Selects the ids of changes, their authors, and the time of the record's change before. */
const versionTimes: Selection<{ readonly id: number; readonly actor_kind: unknown; readonly time: unknown }> = {
  key: 'id and version',
  expressions: {
    sqlite: ['"id"', '"actor_kind"', `json_extract("before", '$.updated_at')`],
    postgres: ['"id"', '"actor_kind"', `(cast("before" as json) ->> 'updated_at')`],
  },
  read: ([id, actor_kind, time]) => ({ id: Number(id), actor_kind, time }),
};

/**
 * Returns the former version of a record that a robot's update repeats, as JSON; null if it is no such copy. Robots send all rows of
 * a table once one of them changed, one a second, from a copy that they took at the beginning. [rule V23, decision 70, ADR 103]
 */
export async function oldCopyIn(
  scope: DeviceScope,
  resource: AnyResource,
  id: number,
  body: Body,
): Promise<string | null> {
  const { changeLogName, isSentWithoutTime } = resource.options;
  if (!scope.isOfRobot || !scope.keepsHistory || changeLogName === null) return null;
  const { updated_at: sent } = body;
  const time = typeof sent === 'string' && sent.length <= 100 ? parseTime(sent) : null;
  if (time === null ? !isSentWithoutTime : await isNewer(scope, resource, id, time)) return null;
  // The ids first: PostgreSQL reads the texts of all rows that it sorts.
  const ids = await scope.select(changeRows, changeIds, {
    where: { resource: changeLogName, record_id: id, ...effective },
    order: [['id', 'desc']],
    limit: maxChanges,
  });
  const versions = time === null ? await versionsReplacedByOthers(scope, ids) : await versionsOf(scope, ids, time);
  return versions.find((version) => repeats(resource.fields, body, JSON.parse(version))) ?? null;
}

/** Whether a time is after the last change of a record: a robot sends such a time for a record that it changed itself. */
async function isNewer(scope: DeviceScope, resource: AnyResource, id: number, time: Timestamp): Promise<boolean> {
  const [changed] = await scope.select(resource, changeTime, { where: { id } });
  return changed !== undefined && time > changed;
}

const isOwn = ({ actor_kind }: { readonly actor_kind: unknown }): boolean => actor_kind === 'robot';

/** Returns the versions that were stored at a time and that another client than the robot changed since. */
async function versionsOf(scope: DeviceScope, ids: readonly number[], time: Timestamp): Promise<readonly string[]> {
  const changes = await scope.select(changeRows, versionTimes, {
    where: { id: ids, created_at: { gte: time } },
    order: [['id', 'desc']],
  });
  const newestOfOthers = changes.findIndex((change) => !isOwn(change));
  const found = newestOfOthers < 0 ? [] : changes.slice(newestOfOthers).filter((change) => change.time === time);
  if (found.length === 0) return [];
  const rows = await scope.rows(changeRows, { where: { id: found.map(({ id }) => id) } });
  return rows.flatMap(({ before }) => before ?? []);
}

/** Returns the versions that others than the robot replaced lately by one of the changes, since the robot's own last one. */
async function versionsReplacedByOthers(scope: DeviceScope, ids: readonly number[]): Promise<readonly string[]> {
  const since = timestamp(scope.clock.now() - untimedCopyTime);
  const rows = await scope.rows(changeRows, {
    where: { id: ids, created_at: { gte: since } },
    order: [['id', 'desc']],
  });
  const own = rows.findIndex(isOwn);
  return rows.slice(0, own < 0 ? rows.length : own).flatMap(({ before }) => before ?? []);
}

/** Whether a body has fields, and each equals the version's. */
function repeats(fields: AnyResource['fields'], body: Body, version: unknown): boolean {
  if (!isObject(version)) return false;
  let isAny = false;
  for (const [key, sent] of Object.entries(body)) {
    if (standardKeys.has(key)) continue;
    const isShown = Object.hasOwn(version, key);
    if (!isShown && !Object.hasOwn(fields, key)) continue;
    // A robot has null where the version has nothing: for fields of other kinds of points.
    if (!isSame(sent, isShown ? version[key] : null)) return false;
    isAny = true;
  }
  return isAny;
}

/** Robots send times with six decimals. [rule V1] */
function isSame(sent: unknown, stored: unknown): boolean {
  if (isDeepStrictEqual(sent, stored)) return true;
  if (typeof sent !== 'string' || typeof stored !== 'string' || sent.length > 100) return false;
  const time = parseTime(sent);
  return time !== null && time === stored;
}
