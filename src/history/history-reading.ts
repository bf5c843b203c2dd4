import type { Change } from '../core/changes.ts';
import { notFound, refused } from '../core/errors.ts';
import { sizeOf } from '../db/change-log.ts';
import type { ChangeRow } from '../db/change-rows.ts';
import { changeRows, effective, shownChanges, toChange } from '../db/change-rows.ts';
import type { DeviceScope, JsonText, Where } from '../db/scope.ts';
import { bigint, integer, text, time } from '../engine/fields.ts';
import { Problem } from '../engine/kinds.ts';
import { queryOf } from '../engine/query.ts';
import { parseId } from '../engine/resource-routes.ts';
import type { Call } from '../engine/route.ts';
import { entryJson } from './history-entries.ts';
import { say } from './messages.ts';

/** Changes per page. */
const maxPageLength = 200;
const defaultPageLength = 50;

/** Changes that one request reverts: others wait for its transaction. */
export const maxReverted = 1000;
/** Bytes of them in memory at the same time. */
const maxRevertedBytes = 32 * 1024 * 1024;

const actorKinds = ['user', 'robot', 'job', 'server'] as const;

/** The changes to list. */
export interface HistoryQuery {
  readonly where: Where<ChangeRow>;
  readonly limit: number;
}

/** Whether text is the id of a user. */
const isId = (text: string): boolean => /^\d{1,15}$/.test(text);

const actorProblem = (sent: string): Problem | null =>
  isId(sent) || actorKinds.some((each) => each === sent) ? null : new Problem(say.actor(actorKinds.join(', ')));

const id = bigint().range(1, Number.MAX_SAFE_INTEGER).nullByDefault();

/** The query of a list. */
export const search = queryOf('HistorySearch', {
  resource: text().nullByDefault().describe('The name of a resource in announcements: `Point`.'),
  record_id: id.describe('The id of a record.'),
  actor: text()
    .check(actorProblem)
    .nullByDefault()
    .describe('The id of a user, or `user`, `robot`, `job` or `server`.'),
  from: time().nullByDefault(),
  to: time().nullByDefault(),
  before_id: id.describe('The id of a change: only earlier ones.'),
  limit: integer().range(1, maxPageLength).default(defaultPageLength),
});

/** Parses the query of a list. `readable`: the resources that the caller may read. Throws 422 with all problems. */
export function parseSearch(
  call: Pick<Call, 'query'>,
  known: readonly string[],
  readable: readonly string[],
): HistoryQuery {
  const { resource: name } = call.query;
  const { resource, record_id, actor, from, to, before_id, limit } = search.parse(
    call,
    name === undefined || known.includes(name) ? {} : { resource: say.oneOf(known.join(', ')) },
  );
  return {
    limit,
    where: {
      // One value, not a list of one, for the index of records.
      resource: resource === null ? readable : readable.includes(resource) ? resource : [],
      ...(record_id !== null && { record_id }),
      ...(actor !== null && (isId(actor) ? { actor_user_id: Number(actor) } : { actor_kind: actor })),
      ...(before_id !== null && { id: { lt: before_id } }),
      ...((from !== null || to !== null) && {
        created_at: { ...(from !== null && { gte: from }), ...(to !== null && { lte: to }) },
      }),
    },
  };
}

/** Bytes of a page of {@link changePages}. */
const maxPageBytes = 1024 * 1024;

/** Returns the JSON array of changes, newest first. */
export const listChanges = (scope: DeviceScope, { where, limit }: HistoryQuery): Promise<JsonText> =>
  scope.jsonList(changeRows, entryJson, { where: { ...where, ...shownChanges }, order: [['id', 'desc']], limit });

/** Returns a change of the resources that the caller may read. Throws 404. */
export async function findChange(
  scope: DeviceScope,
  id: string | undefined,
  readable: readonly string[],
): Promise<Change> {
  const what = 'Change';
  const row = await scope.first(changeRows, { where: { id: parseId(id, what), resource: readable, ...shownChanges } });
  if (!row) throw notFound(what);
  return toChange(row);
}

/** Throws 422 if changes of these resources are too large to be reverted by one request. */
export async function assertFitting(
  scope: DeviceScope,
  where: Where<ChangeRow>,
  resources: readonly string[],
): Promise<void> {
  const reverted = { ...where, ...effective, resource: resources };
  if ((await scope.sum(changeRows, 'byte_size', { where: reverted })) > maxRevertedBytes)
    throw refused(say.manyBytes(maxRevertedBytes / 1024 / 1024));
}

/** Returns changes of these resources, oldest first, at most one more than may be reverted. */
export async function readChanges(
  scope: DeviceScope,
  where: Where<ChangeRow>,
  resources: readonly string[],
): Promise<Change[]> {
  const reverted = { ...where, ...effective, resource: resources };
  const rows = await scope.rows(changeRows, { where: reverted, limit: maxReverted + 1 });
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
