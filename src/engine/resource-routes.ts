import { notFound } from '../core/errors.ts';
import type { Body } from './body.ts';
import { failureSchema, fieldFailuresSchema } from './failure-schemas.ts';
import { Type } from './json-schema.ts';
import { createFromBody, destroy, find, list, parsePage, show, updateFromBody } from './records.ts';
import type { AnyResource, Resource } from './resource.ts';
import type { Call, DeviceRoute } from './route.ts';
import { emptyReply, jsonReply } from './route.ts';
import { bodySchema, pageQuery, recordSchema } from './schemas.ts';

/** Parses an id in a path. Throws 404 if it cannot be the id of a record. [rule V21] */
export function parseId(text: string | undefined, what: string): number {
  if (text === undefined || !/^\d{1,15}$/.test(text) || Number(text) < 1) throw notFound(what);
  return Number(text);
}

/** Returns the body of a route whose {@link BodyRule} guarantees an object or none. */
export const objectBody = (call: Call): Body => (call.body ?? {}) as Body;

/** Returns the routes that a resource declares in `routes`. */
export function resourceRoutes(declared: AnyResource): DeviceRoute[] {
  // AnyResource differs from Resource only by the types of hooks.
  const resource = declared as Resource;
  const { options, name, singular } = resource;
  const actions = new Set(options.routes);
  const record = recordSchema(resource);
  const path = `/api/${name}`;
  const common = { tag: name, access: 'token' as const, ...(options.addition ? { addition: true as const } : {}) };
  const plural = name.replaceAll('_', ' ');
  const routes: DeviceRoute[] = [];
  if (actions.has('list'))
    routes.push({
      ...common,
      method: 'GET',
      path,
      summary: `List the ${plural}`,
      ...(options.paginated ? { query: pageQuery } : {}),
      replies: { 200: Type.Array(record) },
      handle: async (scope, call) =>
        jsonReply(await list(scope, resource, options.paginated ? parsePage(call.query) : null)),
    });
  if (actions.has('show'))
    routes.push({
      ...common,
      method: 'GET',
      path: `${path}/:id`,
      summary: `Show a ${singular.toLowerCase()}`,
      replies: { 200: record },
      handle: async (scope, call) => jsonReply(await show(scope, resource, parseId(call.params.id, singular))),
    });
  // An unknown reference in the body is reported like an unknown id in the path.
  const isParentInBody = Object.values(resource.fields).some(({ traits }) => traits.ownership === 'not found');
  if (actions.has('create'))
    routes.push({
      ...common,
      method: 'POST',
      path,
      summary: `Create a ${singular.toLowerCase()}`,
      body: { rule: 'object', schema: bodySchema(resource, 'create') },
      replies: { 200: record, ...(isParentInBody ? { 404: failureSchema } : {}) },
      handle: async (scope, call) => jsonReply(await createFromBody(scope, resource, objectBody(call))),
    });
  if (actions.has('update'))
    routes.push({
      ...common,
      method: 'PATCH',
      path: `${path}/:id`,
      summary: `Update a ${singular.toLowerCase()}`,
      body: { rule: 'object', schema: bodySchema(resource, 'update') },
      replies: { 200: record },
      handle: async (scope, call) => {
        const before = await find(scope, resource, parseId(call.params.id, singular));
        return jsonReply(await updateFromBody(scope, resource, before, objectBody(call)));
      },
    });
  if (actions.has('destroy'))
    routes.push({
      ...common,
      method: 'DELETE',
      path: `${path}/:id`,
      summary: `Delete a ${singular.toLowerCase()}`,
      replies: {
        200: options.destroyReply === 'object' ? record : 'empty',
        ...(options.hooks?.beforeDestroy ? { 422: fieldFailuresSchema } : {}),
      },
      handle: async (scope, call) => {
        const json = await destroy(scope, resource, parseId(call.params.id, singular));
        return options.destroyReply === 'object' ? jsonReply(json) : emptyReply;
      },
    });
  return routes;
}
