import { languageHeader, languages } from '../core/languages.ts';
import { failureSchema, fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { FixedContent } from '../engine/fixed-content.ts';
import type { PublicRoute, Route } from '../engine/route.ts';
import { jsonContentType, servedMethods } from '../engine/route.ts';
import type { TagName } from '../engine/tags.ts';
import { tagNames, tags } from '../engine/tags.ts';
import type { Json } from './openapi-components.ts';
import { SchemaComponents } from './openapi-components.ts';
import { operationOf, sentOperation, template } from './openapi-operation.ts';
import { failureResponses, tokenFailure } from './shared-failures.ts';

/** The OpenAPI 3.1 document of all routes that are not hidden. Throws when an operation is declared twice. */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const components = new SchemaComponents();
  for (const schema of [failureSchema, tokenFailure, fieldFailuresSchema]) components.place(schema);
  const paths: { [path: string]: Json } = {};
  const webhooks: { [name: string]: Json } = {};
  // Templates that differ only in parameter names are the same path (OpenAPI 3.1, Paths Object).
  const templates = new Map<string, string>();
  const used = new Set<TagName>();
  for (const route of routes) {
    if (route.hidden) continue;
    used.add(route.tag);
    const shape = template(route.path).replace(/\{\w+\}/g, '{}');
    const path = templates.get(shape) ?? template(route.path);
    templates.set(shape, path);
    paths[path] ??= {};
    const operations = paths[path];
    for (const name of Object.keys(route.sends ?? {}))
      webhooks[name] = { post: sentOperation(name, route, components) };
    for (const method of servedMethods(route)) {
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
      contact: { name: 'The operator of this server' },
      license: { name: 'MIT', identifier: 'MIT' },
      description: [
        'The API of a server for garden robots and their owners.',
        'Every path also works with the suffix `.json`, a trailing slash or doubled slashes; bodies are parsed as JSON whatever their content type.',
        'Bodies and parameters are described in the form that new clients should send. More is accepted, for clients of the original API: unknown and read-only fields are ignored; a null in a field that cannot be null counts as not sent; numbers, booleans and times may be sent as text (`"1"`, `"true"`, `"2026-11-22 10:00 UTC"`), and text as a number; `POST` and `PATCH /api/users` also take their fields inside an object `user`.',
        'With the header `Prefer: handling=strict` (RFC 7240), a request with unknown names of parameters or fields, or unknown values of parameters, is refused with 422. Fields of the record that an operation returns may be sent, because a record may be sent back as it was received.',
        'Operations marked `x-alias` are aliases of the named operation, for those clients, too.',
        '`x-scope` is the scope that an operation needs of a personal token: `none` (no token at all), `any`, `session` (not possible with a personal or temporary token), or one of those of `POST /api/personal_tokens`. Where several scopes suffice, `x-scopes` lists them. Every session of a person has all scopes. `x-role` is the least role in the garden: `viewer`, `gardener` or `owner`. Where `x-confirms` is true, the session must have begun with the password less than an hour ago, or the body contain the password. Where `x-person` is true, sessions of robots are refused: they have the rights of a gardener at most, on the data of the garden.',
        'Operations marked `x-batch` can be parts of `POST /api/batch`.',
        '`x-default` is what a field of a record is unless it is set, `x-unit` the unit of a number. `title` is what people call a field, `x-title` the same by language, and `x-hint` what a form says below it, by language; without English, the form says the description. `x-groups` are the properties that forms show together.',
        `Messages are in English, as clients of the original API compare them. With the header \`${languageHeader}\` they are for people: ${languages.map((each) => `\`${each}\``).join(' or ')} is the language, fields and steps of programs have the names of the console, and the messages of a failure have the fields that they concern as keys, where the original API has them under \`error\` or those of a new password under \`password\`.`,
        'Operations marked `x-addition` are not part of the original API.',
      ].join('\n\n'),
    },
    servers: [{ url: '/' }],
    tags: tagNames.filter((name) => used.has(name)).map((name) => ({ name, description: tags[name].description })),
    security: [{ token: [] }],
    paths,
    ...(Object.keys(webhooks).length > 0 ? { webhooks } : {}),
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: '`token.encoded` of `POST /api/tokens`; the word `Bearer` may be omitted.',
        },
      },
      responses: failureResponses(),
      examples: components.examples,
      schemas: components.schemas,
    },
  };
}

/** Serves the document at `/api/openapi.json`, generated on first use. */
export function openApiRoute(routes: readonly Route[], version: string): PublicRoute {
  let content: FixedContent | undefined;
  return {
    access: 'public',
    method: 'GET',
    path: '/api/openapi',
    tag: 'Server',
    summary: 'Get the OpenAPI document',
    description: 'Returns the description of the API.',
    replies: { 200: 'binary', 304: 'empty' },
    acceptsAnyVersion: true,
    addition: true,
    hidden: true,
    handle(_scope, call) {
      content ??= new FixedContent(JSON.stringify(openApiDocument(routes, version)), jsonContentType);
      return content.reply(call);
    },
  };
}
