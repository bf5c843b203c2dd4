import Type from 'typebox';
import type { DeviceScope } from '../db/scope.ts';
import type { Body } from '../engine/body.ts';
import { fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { announceChange, find, list, make, pageOf, readCreate, show, update } from '../engine/records.ts';
import { bodyOf, idOf, resourceRoutes } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { empty, jsonText } from '../engine/route.ts';
import { bodySchema, pageQuery, recordSchema } from '../engine/schemas.ts';
import type { Compatibility } from './compatibility.ts';
import { archiveOf, kept } from './point-archive.ts';
import type { Tell } from './point-limit.ts';
import { makeRoom, PointLimit } from './point-limit.ts';
import { purgeArchived, purgeExpired, removePoints } from './point-removal.ts';
import { search, searchOf, searchQuery, searchSchema } from './point-search.ts';
import { archivedPoints, points } from './points.ts';

/** The ids of a comma-separated list, each read as its leading whole number; what is none, or no id, is left out. */
export function idsOf(text: string): number[] {
  const ids = text.split(',').map((part) => Number.parseInt(part, 10));
  return [...new Set(ids)].filter((id) => id > 0 && Number.isSafeInteger(id));
}

async function createPoint(scope: DeviceScope, body: Body, tell: Tell): Promise<string> {
  const values = await readCreate(scope, points, body);
  await makeRoom(scope, tell);
  const { id } = await make(scope, points, values);
  const json = await show(scope, points, id);
  announceChange(scope, points, id, json);
  return json;
}

/** The routes of points. */
export function pointRoutes(compatibility: Compatibility, tell: Tell): DeviceRoute[] {
  const record = recordSchema(points);
  const common = { access: 'token', tag: 'points' } as const;
  return [
    {
      ...common,
      method: 'GET',
      path: '/api/points',
      summary: 'List the points',
      query: Type.Object({
        ...pageQuery.properties,
        filter: Type.Optional(
          Type.String({ description: '`kept` (the default): on the map; `old`: archived; anything else: both.' }),
        ),
      }),
      replies: { 200: Type.Array(record) },
      async handle(scope, call) {
        await purgeExpired(scope);
        const where = archiveOf(call.query.filter ?? 'kept');
        return jsonText(await list(scope, points, pageOf(call.query), { where }));
      },
    },
    {
      ...common,
      method: 'POST',
      path: '/api/points',
      summary: 'Create a point',
      body: { rule: 'object', schema: bodySchema(points, 'create') },
      replies: { 200: record },
      // At the limit the point is refused, but what is archived goes for good: two transactions.
      transaction: false,
      async handle(scope, call) {
        try {
          return jsonText(await scope.transaction((inner) => createPoint(inner, bodyOf(call), tell)));
        } catch (error) {
          if (error instanceof PointLimit) await purgeArchived(scope);
          throw error;
        }
      },
    },
    {
      ...common,
      method: 'GET',
      path: '/api/points/search',
      summary: 'Search points by what they are equal in',
      query: searchQuery,
      body: { rule: 'optional', schema: searchSchema },
      replies: { 200: Type.Array(record) },
      async handle(scope, call) {
        // The Python client sends what it searches as the body of its GET. [client PY]
        const asked = { ...searchOf(call.query), ...bodyOf(call) };
        return jsonText(await search(scope, asked, archiveOf(call.query.filter ?? 'all')));
      },
    },
    {
      ...common,
      method: 'POST',
      path: '/api/points/search',
      summary: 'Search points by what they are equal in',
      body: { rule: 'object', schema: searchSchema },
      replies: { 200: Type.Array(record) },
      transaction: false,
      handle: async (scope, call) => jsonText(await search(scope, bodyOf(call), archiveOf(call.query.filter ?? 'all'))),
    },
    ...resourceRoutes(points),
    {
      ...common,
      method: 'PATCH',
      path: '/api/points/:id',
      summary: 'Change a point',
      body: { rule: 'object', schema: bodySchema(points, 'update') },
      replies: { 200: record },
      async handle(scope, call) {
        const before = await find(scope, points, idOf(call.params.id, points.singular));
        return jsonText(
          await update(scope, before.discarded_at === null ? points : archivedPoints, before, bodyOf(call)),
        );
      },
    },
    {
      ...common,
      method: 'DELETE',
      path: '/api/points/:ids',
      summary: 'Delete points: all of them or none',
      params: Type.Object({ ids: Type.String({ description: 'Ids, separated by commas. Unknown ones are skipped.' }) }),
      replies: { 200: 'empty', 422: fieldFailuresSchema },
      async handle(scope, call) {
        const ids = idsOf(call.params.ids ?? '');
        const archive = compatibility.archivesPoints ? kept : {};
        await removePoints(scope, await scope.rows(points, { where: { id: ids, ...archive } }), compatibility);
        return empty;
      },
    },
  ];
}
