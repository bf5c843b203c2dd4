import type { FieldFailures } from '../core/errors.ts';
import { Failure, invalid, refused } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { yieldToRequests } from '../core/request-pause.ts';
import type { DeviceScope, Insertable, JsonText } from '../db/scope.ts';
import type { Notify } from '../device/notice.ts';
import type { Body } from '../engine/body.ts';
import { fieldFailuresSchema } from '../engine/failure-schemas.ts';
import type { JsonSchema } from '../engine/json-schema.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema } from '../engine/kinds.ts';
import { listFilters } from '../engine/list-filters.ts';
import { listReply } from '../engine/list-reply.ts';
import { announceChanged, find, insertRecord, list, parseCreate, show, updateFromBody } from '../engine/records.ts';
import { tablesShownBy } from '../engine/resource.ts';
import { objectBody, parseId } from '../engine/resource-routes.ts';
import type { DeviceRoute, HandlerResult } from '../engine/route.ts';
import { emptyReply, jsonReply } from '../engine/route.ts';
import { bodySchema, pageParameters, recordSchema } from '../engine/schemas.ts';
import type { Compatibility } from './compatibility.ts';
import { say } from './messages.ts';
import {
  ensurePointCapacity,
  maxPoints,
  PointLimit,
  purgeArchivedPoints,
  purgeExpiredPoints,
  removePoints,
} from './point-lifecycle.ts';
import { archiveQuery, parseSearchQuery, searchPoints, searchQuery, searchSchema } from './point-search.ts';
import type { Point } from './points.ts';
import { archivedPoints, archiveFilters, notArchived, parseArchiveFilter, points } from './points.ts';

/** Parses a comma-separated list of ids, each a leading integer. Others are omitted. [rule G35] */
export function parseIds(text: string): number[] {
  const ids = text.split(',').map((part) => Number.parseInt(part, 10));
  return [...new Set(ids)].filter((id) => id > 0 && Number.isSafeInteger(id));
}

async function createPoint(scope: DeviceScope, body: Body, notify: Notify): Promise<string> {
  const values = await parseCreate(scope, points, body);
  await ensurePointCapacity(scope, notify);
  const { id } = await insertRecord(scope, points, values);
  const json = await show(scope, points, id);
  announceChanged(scope, points, id, json);
  return json;
}

/** The failures of points by their numbers. */
class PointFailures {
  readonly #fields: FieldFailures = {};
  readonly #places: FieldFailures = {};

  /** Adds the problems of a point. Throws other errors. */
  add(number: number, error: unknown): void {
    if (!(error instanceof Failure) || error.status !== 422) throw error;
    const fields = error.fields ?? { error: error.sentence };
    this.#fields[number] = fields;
    this.#places[number] = error.places ?? fields;
  }

  /** Throws 422 with all problems, if there are any. */
  throwAny(): void {
    if (Object.keys(this.#fields).length > 0) throw invalid(this.#fields, this.#places);
  }
}

/** Maximum number of points that one request may create. */
const maxBulk = 500;

/** Creates points, all or none, and returns them as JSON. Throws 422 with the problems by the number of the point. */
async function createPoints(scope: DeviceScope, sent: unknown, notify: Notify): Promise<JsonText> {
  if (!Array.isArray(sent) || sent.length === 0 || sent.length > maxBulk)
    throw invalid({ points: say.pointArray(maxBulk) });
  await ensurePointCapacity(scope, notify, sent.length);
  const values: Insertable<Point>[] = [];
  const failures = new PointFailures();
  for (const [index, body] of sent.entries()) {
    try {
      if (!isObject(body)) throw refused(say.pointObject);
      values.push(await parseCreate(scope, points, body));
    } catch (error) {
      failures.add(index + 1, error);
    }
  }
  failures.throwAny();
  const created = await scope.insertAll(points, values);
  for (const { id } of created) announceChanged(scope, points, id);
  return list(scope, points, null, { where: { id: created.map(({ id }) => id) } });
}

const isRecordId = (value: unknown): value is number => Number.isSafeInteger(value);

/** Points that are changed without yielding to the event loop. */
const pointsAtOnce = 10;

/** Changes points, all or none, and returns them as JSON. Throws 422 with the problems by the number of the point. */
async function updatePoints(scope: DeviceScope, sent: unknown): Promise<JsonText> {
  if (!Array.isArray(sent) || sent.length === 0 || sent.length > maxPoints)
    throw invalid({ points: say.pointArray(maxPoints) });
  const ids = sent.flatMap((body) => (isObject(body) && isRecordId(body.id) ? [body.id] : []));
  const left = new Map((await scope.rows(points, { where: { id: [...new Set(ids)] } })).map((row) => [row.id, row]));
  await scope.keepStates(points, { where: { id: [...left.keys()] } });
  const failures = new PointFailures();
  for (const [index, body] of sent.entries()) {
    if (index % pointsAtOnce === 0) await yieldToRequests();
    try {
      if (!isObject(body)) throw refused(say.pointObject);
      const { id, ...changes } = body;
      const before = isRecordId(id) ? left.get(id) : undefined;
      if (!before) throw invalid({ id: say.pointId });
      left.delete(before.id);
      await updateFromBody(scope, updatedAs(before), before, changes);
    } catch (error) {
      failures.add(index + 1, error);
    }
  }
  failures.throwAny();
  return list(scope, points, null, { where: { id: ids } });
}

const updatedAs = ({ discarded_at }: Point) => (discarded_at === null ? points : archivedPoints);

/** The body of a change of several points. */
function changesSchema(): JsonSchema {
  const { $id: _, examples: __, ...update } = bodySchema(points, 'update');
  const change = { ...update, required: ['id'], properties: { id: idSchema, ...(update.properties as object) } };
  return Type.Object(
    { points: Type.Array(change, { minItems: 1, maxItems: maxPoints }) },
    { $id: 'PointsUpdate', examples: [{ points: [{ id: 1, x: 300, y: 400 }] }] },
  );
}

/** Returns the routes of points that they do not declare. */
export function pointRoutes(compatibility: Compatibility, notify: Notify): DeviceRoute[] {
  const record = recordSchema(points);
  const shown = tablesShownBy(points);
  const filters = listFilters(points);
  const common = { access: 'token', tag: points.options.tag } as const;
  const part = { ...common, batch: true } as const;
  // At the limit the create is rolled back, but the purge of archived points is not: two transactions.
  const purgingAtLimit = async (
    scope: DeviceScope,
    create: (inner: DeviceScope) => Promise<JsonText>,
  ): Promise<HandlerResult> => {
    try {
      return jsonReply(await scope.transaction(create));
    } catch (error) {
      if (error instanceof PointLimit) await purgeArchivedPoints(scope);
      throw error;
    }
  };
  return [
    {
      ...part,
      method: 'GET',
      path: '/api/points',
      summary: 'List the points',
      description: 'Returns the plants, weeds, tool slots and other points of the map. With `filter`, archived ones.',
      query: Type.Object({
        ...pageParameters,
        ...filters.parameters,
        filter: Type.Optional(
          Type.OneOf(archiveFilters, {
            description: '`kept` (the default): on the map; `old`: archived; `all`: both.',
          }),
        ),
      }),
      // Changes of archived points are not logged.
      reads: ({ query }) => (query.filter === undefined ? shown : null),
      replies: { 200: Type.Array(record), 422: fieldFailuresSchema },
      async handle(scope, call) {
        await purgeExpiredPoints(scope);
        const filter = archiveFilters.find((each) => each === (call.query.filter ?? 'kept')) ?? 'all';
        const { where, sent } = filters.parse(call);
        return listReply(
          scope,
          points,
          call,
          { where: { ...parseArchiveFilter(filter), ...where } },
          { filter, ...sent },
        );
      },
    },
    {
      ...part,
      method: 'POST',
      path: '/api/points',
      summary: 'Create a point',
      description:
        'Adds a plant, weed, tool slot or other point to the map and returns it. `pointer_type` decides which fields it has.',
      body: { rule: 'object', schema: bodySchema(points, 'create') },
      replies: { 200: record },
      transaction: false,
      handle: (scope, call) => purgingAtLimit(scope, (inner) => createPoint(inner, objectBody(call), notify)),
    },
    {
      ...common,
      method: 'POST',
      path: '/api/points/bulk',
      summary: 'Create points, all of them or none',
      description: `Adds up to ${maxBulk} points to the map and returns them. If one of them cannot be created, none is, and the error names its number, beginning with 1.`,
      addition: true,
      body: {
        rule: 'object',
        schema: Type.Object(
          { points: Type.Array(bodySchema(points, 'create'), { minItems: 1, maxItems: maxBulk }) },
          { $id: 'PointsInput' },
        ),
      },
      replies: { 200: Type.Array(record) },
      transaction: false,
      handle: (scope, call) => purgingAtLimit(scope, (inner) => createPoints(inner, objectBody(call).points, notify)),
    },
    {
      ...common,
      method: 'PATCH',
      path: '/api/points/bulk',
      summary: 'Change points, all of them or none',
      description: `Changes up to ${maxPoints} points, each named by its \`id\`, and returns them. If one of them cannot be changed, none is, and the error names its number, beginning with 1.`,
      addition: true,
      body: { rule: 'object', schema: changesSchema() },
      replies: { 200: Type.Array(record) },
      handle: async (scope, call) => jsonReply(await updatePoints(scope, objectBody(call).points)),
    },
    {
      ...part,
      method: 'GET',
      path: '/api/points/search',
      summary: 'Search points by equal fields',
      description:
        'Returns the points that equal all given fields. GET takes them from the query, POST from the body; both return the same.',
      query: searchQuery,
      body: { rule: 'optional', schema: searchSchema },
      replies: { 200: Type.Array(record) },
      async handle(scope, call) {
        // GET and POST return the same list; the body of a GET counts, too. [rule G28, decision 23]
        const criteria = { ...parseSearchQuery(call.query), ...objectBody(call) };
        return jsonReply(await searchPoints(scope, criteria, parseArchiveFilter(call.query.filter ?? 'all')));
      },
    },
    {
      ...part,
      method: 'POST',
      path: '/api/points/search',
      readsOnly: true,
      summary: 'Search points by equal fields',
      description:
        'Returns the points that equal all given fields. GET takes them from the query, POST from the body; both return the same.',
      query: archiveQuery,
      body: { rule: 'object', schema: searchSchema },
      replies: { 200: Type.Array(record) },
      transaction: false,
      handle: async (scope, call) =>
        jsonReply(await searchPoints(scope, objectBody(call), parseArchiveFilter(call.query.filter ?? 'all'))),
    },
    {
      ...part,
      method: 'PATCH',
      path: '/api/points/:id',
      summary: 'Update a point',
      description: 'Changes the fields that are sent and returns the whole point. `meta` is merged.',
      body: { rule: 'object', schema: bodySchema(points, 'update') },
      replies: { 200: record },
      async handle(scope, call) {
        const before = await find(scope, points, parseId(call.params.id, points.singular));
        return jsonReply(await updateFromBody(scope, updatedAs(before), before, objectBody(call)));
      },
    },
    {
      ...part,
      method: 'DELETE',
      path: '/api/points/:ids',
      summary: 'Delete points, all of them or none',
      description:
        'Archives or deletes the points with these ids, separated by commas. If one of them is used by a program, none is.',
      params: Type.Object({ ids: Type.String({ description: 'Ids, separated by commas. Unknown ones are skipped.' }) }),
      replies: { 200: 'empty', 422: fieldFailuresSchema },
      async handle(scope, call) {
        const ids = parseIds(call.params.ids ?? '');
        const archive = compatibility.archivesPoints ? notArchived : {};
        await removePoints(scope, await scope.rows(points, { where: { id: ids, ...archive } }), compatibility);
        return emptyReply;
      },
    },
  ];
}
