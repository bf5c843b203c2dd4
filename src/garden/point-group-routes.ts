import type { FieldFailures } from '../core/errors.ts';
import type { DeviceScope, Insertable } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { announceChanged, find, insertRecord, show, updateRecord, updateUnlessOld } from '../engine/records.ts';
import { objectBody, parseId } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { jsonReply } from '../engine/route.ts';
import { bodySchema, recordSchema } from '../engine/schemas.ts';
import { say } from './messages.ts';
import { groupInput, pointGroupItems, pointGroups } from './point-groups.ts';
import { notArchived, points } from './points.ts';

type PointGroup = RowOf<typeof pointGroups>;

/** A parsed body: the values of the group, and its members if they were sent. */
interface ParsedGroup {
  readonly values: Record<string, unknown>;
  readonly members: readonly number[] | undefined;
}

/** Parses a body. Throws 422, under `points` if a member is not a point of the device on the map or is repeated. [decision 14] */
async function parseGroup(scope: DeviceScope, body: Body, mode: 'create' | 'update'): Promise<ParsedGroup> {
  const parsed = parseBody(groupInput, body, mode);
  const { point_ids, ...values } = parsed.values;
  const members = point_ids as number[] | undefined;
  const failures: FieldFailures = {};
  if (members && Object.keys(parsed.failures).length === 0 && !(await areOwnPoints(scope, members)))
    failures.points = say.groupPoints;
  assertValid(parsed, failures);
  return { values, members };
}

async function areOwnPoints(scope: DeviceScope, ids: readonly number[]): Promise<boolean> {
  if (ids.length === 0) return true;
  return (
    new Set(ids).size === ids.length &&
    (await scope.count(points, { where: { id: ids, ...notArchived } })) === ids.length
  );
}

const addMembers = (scope: DeviceScope, groupId: number, ids: readonly number[]) =>
  scope.insertAll(
    pointGroupItems,
    ids.map((point_id) => ({ point_group_id: groupId, point_id })),
  );

async function createGroup(scope: DeviceScope, body: Body): Promise<string> {
  const { values, members = [] } = await parseGroup(scope, body, 'create');
  const { id } = await insertRecord(scope, pointGroups, values as Insertable<PointGroup>);
  await addMembers(
    scope,
    id,
    [...members].sort((a, b) => a - b),
  );
  const json = await show(scope, pointGroups, id);
  announceChanged(scope, pointGroups, id, json);
  return json;
}

/** Replaces the members. Remaining ones keep their order, new ones follow. */
async function replaceMembers(scope: DeviceScope, groupId: number, members: readonly number[]): Promise<void> {
  const items = await scope.rows(pointGroupItems, { where: { point_group_id: groupId } });
  const present = new Set(items.map(({ point_id }) => point_id));
  const requested = new Set(members);
  const removed = items.filter(({ point_id }) => !requested.has(point_id)).map(({ id }) => id);
  if (removed.length > 0) await scope.delete(pointGroupItems, { where: { id: removed } });
  await addMembers(
    scope,
    groupId,
    members.filter((id) => !present.has(id)),
  );
}

async function updateGroup(scope: DeviceScope, before: PointGroup, body: Body): Promise<string> {
  const { values, members } = await parseGroup(scope, body, 'update');
  const { id } = await updateRecord(scope, pointGroups, before, values as Partial<PointGroup>);
  if (members) await replaceMembers(scope, id, members);
  const json = await show(scope, pointGroups, id);
  announceChanged(scope, pointGroups, id, json);
  return json;
}

/** Returns the routes of point groups that they do not declare. */
export function pointGroupRoutes(): DeviceRoute[] {
  const record = recordSchema(pointGroups);
  const accepted = { ...pointGroups, fields: groupInput };
  const common = { access: 'token', batch: true, tag: pointGroups.options.tag } as const;
  return [
    {
      ...common,
      method: 'POST',
      path: '/api/point_groups',
      summary: 'Create a point group',
      description: 'Stores a group of points of the map. Programs can run a sequence at each of them.',
      body: { rule: 'object', schema: bodySchema(accepted, 'create') },
      replies: { 200: record },
      handle: async (scope, call) => jsonReply(await createGroup(scope, objectBody(call))),
    },
    {
      ...common,
      method: 'PATCH',
      path: '/api/point_groups/:id',
      summary: 'Update a point group',
      description: 'Changes the fields that are sent and returns the whole group. `point_ids` replaces the members.',
      body: { rule: 'object', schema: bodySchema(accepted, 'update') },
      replies: { 200: record },
      async handle(scope, call) {
        const before = await find(scope, pointGroups, parseId(call.params.id, pointGroups.singular));
        const body = objectBody(call);
        const update = () => updateGroup(scope, before, body);
        return jsonReply(await updateUnlessOld(scope, pointGroups, before.id, body, update));
      },
    },
  ];
}
