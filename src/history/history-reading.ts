import type { Change } from '../core/changes.ts';
import type { Timestamp } from '../core/clock.ts';
import { invalid, notFound, refused } from '../core/errors.ts';
import { sizeOf } from '../db/change-log.ts';
import type { ChangeRow } from '../db/change-rows.ts';
import { changeRows, emptyRowSize, toChange } from '../db/change-rows.ts';
import type { DeviceScope, JsonText, Where } from '../db/scope.ts';
import { parseTime } from '../engine/kinds.ts';
import { parseId } from '../engine/resource-routes.ts';
import { entryJson } from './history-entries.ts';

/** Changes per page. */
export const maxPageLength = 200;
const defaultPageLength = 50;

/** Changes that one request reverts: others wait for its transaction. */
export const maxReverted = 1000;
/** Bytes of them, which are in memory at once. */
export const maxRevertedBytes = 32 * 1024 * 1024;

const actorKinds = ['user', 'robot', 'job', 'server'] as const;

/** Which changes to list. */
export interface HistoryQuery {
  readonly where: Where<ChangeRow>;
  readonly limit: number;
}

/** Parses the query of a list. `readable`: the resources that the caller may read. Throws 422 with all problems. */
export function parseQuery(
  query: Readonly<Record<string, string>>,
  known: readonly string[],
  readable: readonly string[],
): HistoryQuery {
  const failures: Record<string, string> = {};
  const number = (name: string, max = Number.MAX_SAFE_INTEGER): number | undefined => {
    const text = query[name];
    if (text === undefined) return undefined;
    if (/^\d{1,16}$/.test(text) && Number(text) >= 1 && Number(text) <= max) return Number(text);
    failures[name] = `This must be a whole number from 1 to ${max}.`;
    return undefined;
  };
  const time = (name: string): Timestamp | undefined => {
    const text = query[name];
    if (text === undefined) return undefined;
    const parsed = text.length > 100 ? null : parseTime(text);
    if (parsed === null) failures[name] = 'This must be a date and time, such as 2026-04-01T08:00:00.000Z.';
    return parsed ?? undefined;
  };
  const { resource, actor } = query;
  if (resource !== undefined && !known.includes(resource))
    failures.resource = `This must be one of ${known.join(', ')}.`;
  const kind = actorKinds.find((each) => each === actor);
  const userId = kind === undefined ? number('actor') : undefined;
  if (failures.actor) failures.actor = `This must be the id of a user, or one of ${actorKinds.join(', ')}.`;
  const [recordId, beforeId, limit] = [number('record_id'), number('before_id'), number('limit', maxPageLength)];
  const [from, to] = [time('from'), time('to')];
  if (Object.keys(failures).length > 0) throw invalid(failures);
  return {
    limit: limit ?? defaultPageLength,
    where: {
      // One value, not a list of one, for the index of records.
      resource: resource === undefined ? readable : readable.includes(resource) ? resource : [],
      ...(recordId !== undefined && { record_id: recordId }),
      ...(kind !== undefined && { actor_kind: kind }),
      ...(userId !== undefined && { actor_user_id: userId }),
      ...(beforeId !== undefined && { id: { lt: beforeId } }),
      ...((from !== undefined || to !== undefined) && {
        created_at: { ...(from !== undefined && { gte: from }), ...(to !== undefined && { lte: to }) },
      }),
    },
  };
}

/** Leaves out what has nothing to show: records that one request made and deleted, and what a reset deleted. */
const isShown = { byte_size: { gt: emptyRowSize } };

/** Bytes of a page of {@link changePages}. */
const maxPageBytes = 1024 * 1024;

/** Returns the JSON array of changes, newest first. */
export const listChanges = (scope: DeviceScope, { where, limit }: HistoryQuery): Promise<JsonText> =>
  scope.jsonList(changeRows, entryJson, { where: { ...where, ...isShown }, order: [['id', 'desc']], limit });

/** Returns a change of the resources that the caller may read. Throws 404. */
export async function findChange(
  scope: DeviceScope,
  id: string | undefined,
  readable: readonly string[],
): Promise<Change> {
  const what = 'Change';
  const row = await scope.first(changeRows, { where: { id: parseId(id, what), resource: readable, ...isShown } });
  if (!row) throw notFound(what);
  return toChange(row);
}

/** Throws 422 if changes of these resources are too large to be reverted by one request. */
export async function assertFitting(
  scope: DeviceScope,
  where: Where<ChangeRow>,
  resources: readonly string[],
): Promise<void> {
  if ((await scope.sum(changeRows, 'byte_size', { where: { ...where, resource: resources } })) > maxRevertedBytes)
    throw refused(`These changes have more than ${maxRevertedBytes / 1024 / 1024} MiB. Choose a shorter span.`);
}

/** Returns changes of these resources, oldest first, at most one more than may be reverted. */
export async function readChanges(
  scope: DeviceScope,
  where: Where<ChangeRow>,
  resources: readonly string[],
): Promise<Change[]> {
  const rows = await scope.rows(changeRows, { where: { ...where, resource: resources }, limit: maxReverted + 1 });
  return rows.map(toChange);
}

/** Yields changes of these resources, newest first and at most as many as may be reverted, in pages of which each has at most 1 MiB, or a single change. */
export async function* changePages(
  scope: DeviceScope,
  where: Where<ChangeRow>,
  resources: readonly string[],
): AsyncGenerator<readonly Change[]> {
  const query = { where: { ...where, resource: resources }, order: [['id', 'desc']], limit: maxReverted } as const;
  const read = async (ids: readonly number[]): Promise<readonly Change[]> =>
    (await scope.rows(changeRows, { where: { id: ids }, order: query.order })).map(toChange);
  let ids: number[] = [];
  let bytes = 0;
  for (const [id, size] of await scope.select(changeRows, sizeOf, query)) {
    if (ids.length > 0 && bytes + size > maxPageBytes) {
      yield await read(ids);
      [ids, bytes] = [[], 0];
    }
    ids.push(id);
    bytes += size;
  }
  if (ids.length > 0) yield await read(ids);
}
