import { capitalized } from '../core/capital-letters.ts';
import { errorTable } from '../core/errors.ts';
import type { JsonSchema } from '../engine/json-schema.ts';
import { idSchema } from '../engine/kinds.ts';
import { isForPeople, needOf } from '../engine/rights.ts';
import type { DeviceRoute, NonJsonContent, Route } from '../engine/route.ts';
import { mayBePart, repliesOf, scopeOf } from '../engine/route.ts';
import type { Json, SchemaComponents } from './openapi-components.ts';
import { requestBodyOf } from './request-body.ts';
import { failureNamed, sharedFailuresByStatus } from './shared-failures.ts';

/** `/api/tools/:id` → `/api/tools/{id}`. */
export const template = (path: string): string => path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}');

/** `GET /api/device/:id` → `getDeviceById`. */
function operationId(method: string, path: string): string {
  const words = path
    .replace(/^\/api/, '')
    .split('/')
    .filter((part) => part !== '')
    .map((part) => (part.startsWith(':') ? `by_${part.slice(1)}` : part === '*' ? 'by_path' : part))
    .flatMap((part) => part.split(/[^A-Za-z0-9]+/));
  return method.toLowerCase() + words.map(capitalized).join('');
}

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const propertiesOf = (schema: JsonSchema | undefined): readonly (readonly [string, Json])[] => {
  const properties: unknown = schema?.properties;
  return isRecord(properties)
    ? Object.entries(properties).filter((entry): entry is [string, Json] => isRecord(entry[1]))
    : [];
};

/** Whether the route returns a list, or a page of it. */
const isPaged = ({ query }: Route): boolean => propertiesOf(query).some(([name]) => name === 'per');

const requiredOf = (schema: JsonSchema | undefined): readonly unknown[] => {
  const required: unknown = schema?.required;
  return Array.isArray(required) ? required : [];
};

const namesIn = (path: string): readonly string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');

/** `path`: the template that documents the route; its parameter names replace the route's own by position. */
function parametersOf(route: Route, path: string, components: SchemaComponents): Json[] {
  const declared = new Map(propertiesOf(route.params));
  const documented = namesIn(path);
  const inPath = namesIn(template(route.path)).map((own, index) => {
    const standard = own === 'id' ? idSchema : { type: 'string' };
    const { description, ...schema } = declared.get(own) ?? standard;
    return {
      name: documented[index] ?? own,
      in: 'path',
      required: true,
      ...(description === undefined ? {} : { description }),
      schema: components.place(schema),
    };
  });
  const required = requiredOf(route.query);
  const inQuery = propertiesOf(route.query).map(([name, schema]) => ({
    name,
    in: 'query',
    ...(required.includes(name) ? { required: true } : {}),
    // `meta[key]=text`
    ...(schema.type === 'object' ? { style: 'deepObject', explode: true } : {}),
    schema: components.place(schema),
  }));
  return [...inPath, ...inQuery];
}

/** The headers of pages of lists. */
const pageHeaders: Json = {
  'X-Total-Count': {
    description: 'The number of records in the whole list, if `page` and `per` were sent.',
    schema: { type: 'integer', minimum: 0 },
  },
  Link: {
    description: 'Links to the pages `first`, `prev`, `next` and `last` (RFC 8288), if `page` and `per` were sent.',
    schema: { type: 'string' },
  },
};

function replyOf(
  status: string,
  schema: JsonSchema | NonJsonContent,
  route: Route,
  components: SchemaComponents,
): Json {
  const { streamedType: streamed, streamedSchema, textExamples } = route;
  const failure = failureNamed(status, schema);
  if (failure !== undefined) return { $ref: `#/components/responses/${failure}` };
  const known = Object.values(errorTable).find(([code]) => String(code) === status);
  const description = known ? String(known[1]) : 'OK';
  if (schema === 'empty') return { description: known ? description : 'OK, with an empty body' };
  if (schema === 'text' && streamed !== undefined && streamedSchema !== undefined)
    return { description, content: { [streamed]: components.content(streamedSchema) } };
  if (schema === 'text') {
    const text = textExamples?.[Number(status)];
    const example = text === undefined ? {} : { example: text };
    return { description, content: { [streamed ?? 'text/plain']: { schema: { type: 'string' }, ...example } } };
  }
  if (schema === 'html') return { description, content: { 'text/html': { schema: { type: 'string' } } } };
  if (schema === 'binary') return { description, content: { '*/*': {} } };
  const file = { type: 'string', ...(streamed?.startsWith('text/') ? {} : { format: 'binary' }) };
  const other = status === '200' && streamed !== undefined ? { [streamed]: { schema: file } } : {};
  return {
    description,
    ...(isPaged(route) && status === '200' ? { headers: pageHeaders } : {}),
    content: { 'application/json': components.content(schema), ...other },
  };
}

/** A streamed body may be of any content type, unless its route names one. */
function contentOf(body: NonNullable<Route['body']>, components: SchemaComponents): Json {
  const type = body.rule === 'stream' ? (body.type ?? '*/*') : 'application/json';
  return { [type]: components.content(body.schema) };
}

/** The operation of which this one is an alias: `PATCH /api/tools/{id}` of its PUT; null if it is not one. */
const aliasOf = (method: string, { method: first, path, aliasOf = path }: Route): string | null =>
  method === first && aliasOf === path ? null : `${first} ${template(aliasOf)}`;

/** The role, the scopes where several suffice, and whether robots are refused. */
function neededRights(route: DeviceRoute): Json {
  const need = needOf(route);
  const { role, scopes } = need;
  return {
    ...(typeof scopes !== 'string' && scopes.length > 1 ? { 'x-scopes': scopes } : {}),
    'x-role': role,
    ...(isForPeople(need) ? { 'x-person': true } : {}),
  };
}

/** Returns the operation of a request that the server sends. */
export function sentOperation(name: string, { tag, sends }: Route, components: SchemaComponents): Json {
  const { summary, description, headers, body } = sends?.[name] ?? {};
  return {
    operationId: name,
    ...{ summary, description, tags: [tag], security: [] },
    parameters: propertiesOf(headers).map(([header, { description: meaning, ...schema }]) => ({
      ...{ name: header, in: 'header', required: true, description: meaning, schema },
    })),
    requestBody: { required: true, content: { 'application/json': components.content(body ?? {}) } },
    responses: { '2XX': { description: 'Received. Any other status, or none within 10 seconds, is repeated.' } },
  };
}

/** Returns an operation of the document. `path`: the template under which it is documented. */
export function operationOf(method: string, route: Route, path: string, components: SchemaComponents): Json {
  const responses: Json = {};
  for (const [status, schema] of Object.entries(repliesOf(route)))
    responses[status] = replyOf(status, schema, route, components);
  for (const [status, name] of sharedFailuresByStatus(route))
    responses[status] = { $ref: `#/components/responses/${name}` };
  const parameters = parametersOf(route, path, components);
  const alias = aliasOf(method, route);
  const body = requestBodyOf(route);
  const confirms = route.access === 'token' && route.confirms;
  return {
    operationId: operationId(method, route.path),
    summary: route.summary,
    ...(alias === null
      ? { description: route.description }
      : { description: `Same as \`${alias}\`.`, deprecated: true, 'x-alias': alias }),
    tags: [route.tag],
    ...(route.access === 'public' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    // Some GET requests of old clients have a body, which `fetch` and most generated clients cannot send.
    ...(body && method !== 'GET'
      ? {
          requestBody: {
            required: ['object', 'late', 'stream'].includes(body.rule),
            content: contentOf(body, components),
          },
        }
      : {}),
    responses,
    'x-scope': scopeOf(route),
    ...(route.access === 'token' ? neededRights(route) : {}),
    ...(confirms ? { 'x-confirms': true } : {}),
    ...(mayBePart(route) ? { 'x-batch': true } : {}),
    ...(route.addition ? { 'x-addition': true } : {}),
  };
}
