import type { ErrorCode } from '../core/errors.ts';
import { errorTable } from '../core/errors.ts';
import { failureSchema, fieldFailuresSchema } from '../engine/failure-schemas.ts';
import type { JsonSchema } from '../engine/json-schema.ts';
import type { NonJsonContent, PublicRoute, Route } from '../engine/route.ts';
import { jsonReply } from '../engine/route.ts';
import type { Json } from './openapi-components.ts';
import { SchemaComponents } from './openapi-components.ts';

const sentence = { type: 'string', description: 'A human-readable message.' };

const tokenFailure: Json = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      anyOf: [
        sentence,
        {
          type: 'object',
          required: ['jwt', 'strategy'],
          properties: { jwt: sentence, strategy: { type: ['string', 'null'] } },
        },
      ],
    },
  },
};

const json = (schema: Json): Json => ({ 'application/json': { schema } });
const text: Json = { 'text/plain': { schema: { type: 'string' } } };

const component = (kind: 'schemas' | 'responses', name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

const failure = json(component('schemas', 'Failure'));

/** Failures that routes share, by their component names: the error code and the content. */
const sharedFailures = {
  Unauthenticated: ['bad_token', json(component('schemas', 'TokenFailure'))],
  TermsNotAccepted: ['terms_not_accepted', failure],
  NotFound: ['not_found', failure],
  TooLarge: ['body_too_large', failure],
  TooLargeInText: ['body_too_large', text],
  Invalid: ['invalid', json(component('schemas', 'FieldFailures'))],
  MalformedJson: ['malformed_json', failure],
  UpgradeRequired: ['upgrade_required', failure],
  Throttled: ['throttled', text],
  Unavailable: ['unavailable', failure],
} as const satisfies Record<string, readonly [ErrorCode, Json]>;

export type SharedFailure = keyof typeof sharedFailures;

const sharedNames = (route: Route): readonly SharedFailure[] => [
  ...(route.access === 'token' ? (['Unauthenticated', 'TermsNotAccepted'] as const) : []),
  ...(/[:*]/.test(route.path) ? (['NotFound'] as const) : []),
  route.maxBodySize === undefined ? 'TooLarge' : 'TooLargeInText',
  // A body that the route does not use is refused only if it is declared as JSON and malformed.
  route.body ? 'Invalid' : 'MalformedJson',
  ...(route.acceptsAnyVersion ? [] : (['UpgradeRequired'] as const)),
  ...(route.rateLimit === 'none' ? [] : (['Throttled'] as const)),
  'Unavailable',
];

/** The failures of a route besides those that it declares itself, by status. */
export function sharedFailuresByStatus(route: Route): ReadonlyMap<number, SharedFailure> {
  const found = new Map<number, SharedFailure>();
  for (const name of sharedNames(route)) {
    const [status] = errorTable[sharedFailures[name][0]];
    if (route.replies[status] === undefined) found.set(status, name);
  }
  return found;
}

/** `/api/tools/:id` → `/api/tools/{id}`. */
const template = (path: string): string => path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}');

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

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
    const standard: Json = own === 'id' ? { type: 'integer', minimum: 1 } : { type: 'string' };
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
    schema: components.place(schema),
  }));
  return [...inPath, ...inQuery];
}

function replyOf(
  status: string,
  schema: JsonSchema | NonJsonContent,
  components: SchemaComponents,
  streamed: string | undefined,
): Json {
  const known = Object.values(errorTable).find(([code]) => String(code) === status);
  const description = known ? known[1] : 'OK';
  if (schema === 'empty') return { description: known ? description : 'OK, with an empty body' };
  if (schema === 'text') return { description, content: text };
  if (schema === 'html') return { description, content: { 'text/html': { schema: { type: 'string' } } } };
  if (schema === 'binary') return { description, content: { '*/*': {} } };
  const other = status === '200' && streamed !== undefined ? { [streamed]: {} } : {};
  return { description, content: { ...json(components.place(schema)), ...other } };
}

/** A streamed body may be of any content type. */
function contentOf({ rule, schema }: NonNullable<Route['body']>, components: SchemaComponents): Json {
  const placed = components.place(schema);
  return rule === 'stream' ? { '*/*': { schema: placed } } : json(placed);
}

function operationOf(method: string, route: Route, path: string, components: SchemaComponents): Json {
  const responses: Json = {};
  for (const [status, schema] of Object.entries(route.replies))
    responses[status] = replyOf(status, schema, components, route.streamedType);
  for (const [status, name] of sharedFailuresByStatus(route)) responses[status] = component('responses', name);
  const parameters = parametersOf(route, path, components);
  return {
    operationId: operationId(method, route.path),
    summary: route.summary,
    ...(method === 'PUT' ? { description: 'Same as PATCH.' } : {}),
    tags: [route.tag],
    ...(route.access === 'public' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body
      ? {
          requestBody: {
            required: ['object', 'late', 'stream'].includes(route.body.rule),
            content: contentOf(route.body, components),
          },
        }
      : {}),
    responses,
    ...(route.addition ? { 'x-addition': true } : {}),
  };
}

/** The OpenAPI 3.1 document of all routes that are not hidden. Throws when an operation is declared twice. */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const components = new SchemaComponents();
  components.place(failureSchema);
  components.place({ $id: 'TokenFailure', ...tokenFailure });
  components.place(fieldFailuresSchema);
  const paths: { [path: string]: Json } = {};
  // Templates that differ only in parameter names are the same path (OpenAPI 3.1, Paths Object).
  const templates = new Map<string, string>();
  const tags = new Set<string>();
  for (const route of routes) {
    if (route.hidden) continue;
    tags.add(route.tag);
    const shape = template(route.path).replace(/\{\w+\}/g, '{}');
    const path = templates.get(shape) ?? template(route.path);
    templates.set(shape, path);
    paths[path] ??= {};
    const operations = paths[path];
    for (const method of route.method === 'PATCH' ? ['PATCH', 'PUT'] : [route.method]) {
      const key = method.toLowerCase();
      if (operations[key]) throw new Error(`${method} ${path} is declared twice`);
      operations[key] = operationOf(method, route, path, components);
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Potager',
      version,
      license: { name: 'MIT', identifier: 'MIT' },
      description: [
        'The API of a server for garden robots and their owners.',
        'Every path also works with the suffix `.json`, a trailing slash or doubled slashes; bodies are parsed as JSON whatever their content type.',
        'Operations marked `x-addition` are not part of the original API.',
      ].join('\n\n'),
    },
    servers: [{ url: '/' }],
    tags: [...tags].sort().map((name) => ({ name })),
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: '`token.encoded` of `POST /api/tokens`; the word `Bearer` may be omitted.',
        },
      },
      responses: Object.fromEntries(
        Object.entries(sharedFailures).map(([name, [code, content]]) => [
          name,
          { description: errorTable[code][1], content },
        ]),
      ),
      schemas: components.schemas,
    },
  };
}

/** Serves the document at `/api/openapi.json`, generated on first use. */
export function openApiRoute(routes: readonly Route[], version: string): PublicRoute {
  let document: string | undefined;
  return {
    access: 'public',
    method: 'GET',
    path: '/api/openapi',
    tag: 'documentation',
    summary: 'Get the OpenAPI document',
    replies: { 200: { type: 'object' } },
    acceptsAnyVersion: true,
    addition: true,
    hidden: true,
    handle() {
      document ??= JSON.stringify(openApiDocument(routes, version));
      return jsonReply(document);
    },
  };
}
