import { notFound } from '../core/errors.ts';
import type { Body } from './body.ts';
import { failureSchema, fieldFailuresSchema } from './failure-schemas.ts';
import { Type } from './json-schema.ts';
import { listFilters } from './list-filters.ts';
import { listReply } from './list-reply.ts';
import { createFromBody, destroy, find, list, show, updateFromBody } from './records.ts';
import type { AnyResource, Resource } from './resource.ts';
import { describeMaximum, maxKept, tagTables } from './resource.ts';
import type { Call, DeviceRoute } from './route.ts';
import { emptyReply, jsonReply } from './route.ts';
import { bodySchema, pageParameters, recordSchema } from './schemas.ts';

/** Parses an id in a path. Throws 404 if it cannot be the id of a record. [rule V21] */
export function parseId(text: string | undefined, what: string): number {
  if (text === undefined || !/^\d{1,15}$/.test(text) || Number(text) < 1) throw notFound(what);
  return Number(text);
}

/** Returns the body of a route whose {@link BodyRule} guarantees an object or none. */
export const objectBody = (call: Call): Body => (call.body ?? {}) as Body;

const sentences = (...parts: readonly (string | false | undefined)[]): string => parts.filter(Boolean).join(' ');

function listDescription(resource: AnyResource): string {
  const { description, newestFirst, paginated } = resource.options;
  return sentences(
    newestFirst ? 'Returns the records of the garden, newest first.' : 'Returns all records of the garden by id.',
    maxKept(resource) !== null && describeMaximum(resource),
    paginated && 'With `page` and `per`, one page of them.',
    `A record: ${description.charAt(0).toLowerCase()}${description.slice(1)}`,
  );
}

function createDescription(resource: AnyResource): string {
  const { fields, options } = resource;
  const unique = Object.entries(fields).flatMap(([field, { traits }]) => (traits.isUnique ? [`\`${field}\``] : []));
  return sentences(
    options.description,
    'Returns the new record.',
    unique.length > 0 && `Unique in the garden: ${unique.join(', ')}.`,
    describeMaximum(resource),
  );
}

const destroyDescription = ({ options: { destroyReply, hooks } }: Resource): string =>
  sentences(
    hooks?.beforeDestroy ? 'Deletes the record; 422 if it is in use.' : 'Deletes the record.',
    destroyReply === 'object' && 'Returns it as it was.',
  );

/** Returns the routes that a resource declares in `routes`. */
export function resourceRoutes(declared: AnyResource): DeviceRoute[] {
  // AnyResource differs from Resource only by the types of hooks.
  const resource = declared as Resource;
  const { options, name, singular } = resource;
  const actions = new Set(options.routes);
  const tables = tagTables(resource);
  const tagged = tables ? { reads: () => tables } : {};
  const kept = options.hasUnloggedChanges ? { keeps: true as const } : {};
  const record = recordSchema(resource);
  const path = `/api/${name}`;
  const common = {
    tag: options.tag,
    access: 'token' as const,
    batch: true as const,
    ...(options.addition ? { addition: true as const } : {}),
  };
  const plural = name.replaceAll('_', ' ');
  const one = singular.toLowerCase();
  const article = /^[aeiou]/.test(one) ? 'an' : 'a';
  const filters = listFilters(resource);
  const parameters = { ...(options.paginated ? pageParameters : {}), ...filters.parameters };
  const routes: DeviceRoute[] = [];
  if (actions.has('list'))
    routes.push({
      ...common,
      method: 'GET',
      path,
      summary: `List the ${plural}`,
      description: listDescription(resource),
      ...(Object.keys(parameters).length > 0 ? { query: Type.Object(parameters) } : {}),
      ...tagged,
      replies: { 200: Type.Array(record), ...(options.filters ? { 422: fieldFailuresSchema } : {}) },
      async handle(scope, call) {
        const { where, sent } = filters.parse(call);
        return options.paginated
          ? listReply(scope, resource, call, { where }, sent)
          : jsonReply(await list(scope, resource, null, { where }));
      },
    });
  if (actions.has('show'))
    routes.push({
      ...common,
      method: 'GET',
      path: `${path}/:id`,
      summary: `Show ${article} ${one}`,
      description: options.description,
      ...tagged,
      ...kept,
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
      summary: `Create ${article} ${one}`,
      description: createDescription(resource),
      body: { rule: 'object', schema: bodySchema(resource, 'create') },
      replies: { 200: record, ...(isParentInBody ? { 404: failureSchema } : {}) },
      handle: async (scope, call) => jsonReply(await createFromBody(scope, resource, objectBody(call))),
    });
  if (actions.has('update'))
    routes.push({
      ...common,
      method: 'PATCH',
      path: `${path}/:id`,
      summary: `Update ${article} ${one}`,
      description: 'Changes the fields that are sent and returns the whole record.',
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
      summary: `Delete ${article} ${one}`,
      description: destroyDescription(resource),
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
