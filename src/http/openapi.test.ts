import { describe, expect, it } from 'vitest';
import { send, useEdge } from '../../test/support/edge.ts';
import { Type } from '../engine/json-schema.ts';
import type { Route } from '../engine/route.ts';
import { openApiDocument } from './openapi.ts';

useEdge();

const tool = Type.Object({ id: Type.Integer(), name: Type.String() }, { $id: 'Tool' });
const common = { access: 'token', tag: 'Garden', description: 'As tests need it.', handle: () => undefined } as const;
const routes: Route[] = [
  {
    ...common,
    method: 'GET',
    path: '/api/tools',
    summary: 'All tools.',
    query: Type.Object({ page: Type.Optional(Type.Integer()), per: Type.Integer() }),
    replies: { 200: Type.Array(tool) },
  },
  {
    ...common,
    method: 'PATCH',
    path: '/api/tools/:id',
    summary: 'Changes a tool.',
    body: { rule: 'object', schema: Type.Object({ name: Type.Optional(Type.String()) }) },
    replies: { 200: tool, 409: Type.Object({ stale_record: Type.String() }) },
    addition: true,
  },
  {
    ...common,
    method: 'DELETE',
    path: '/api/tools/:ids',
    summary: 'Deletes.',
    params: Type.Object({ ids: Type.String({ description: 'Several.' }) }),
    replies: { 200: 'empty' },
    acceptsAnyVersion: true,
  },
  { ...common, access: 'public', method: 'GET', path: '/api/key', summary: 'The key.', replies: { 200: 'text' } },
  {
    ...common,
    method: 'POST',
    path: '/api/answers',
    summary: 'A streamed text.',
    replies: { 200: 'text' },
    streamedType: 'text/event-stream',
  },
  {
    ...common,
    access: 'public',
    method: 'GET',
    path: '/app/*',
    summary: 'A page.',
    replies: { 200: 'html' },
    hidden: true,
  },
];

type Json = { [key: string]: unknown };
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Resolves `#/a/b` in a document. */
const at = (document: unknown, reference: string): unknown =>
  reference
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/'))
    .reduce<unknown>((value, part) => (isJson(value) ? value[part] : undefined), document);

/** All values of a key, at any depth. */
const everywhere = (value: unknown, key: string): unknown[] =>
  isJson(value)
    ? Object.entries(value).flatMap(([name, inner]) => [...(name === key ? [inner] : []), ...everywhere(inner, key)])
    : [];

describe('openApiDocument', () => {
  const document = openApiDocument(routes, '1.2.3');
  const operation = (path: string, method: string) => at(document, `#/paths/${path.replaceAll('/', '~1')}/${method}`);

  it('contains all schemas that it references, and has unique operation ids', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Potager', version: '1.2.3' } });
    for (const reference of everywhere(document, '$ref'))
      expect(at(document, String(reference)), String(reference)).toBeDefined();
    const ids = everywhere(document.paths, 'operationId');
    expect(ids).toEqual(['getTools', 'patchToolsById', 'putToolsById', 'deleteToolsByIds', 'getKey', 'postAnswers']);
  });
  it('describes a named schema once', () => {
    expect(operation('/api/tools', 'get')).toMatchObject({
      tags: ['Garden'],
      responses: {
        200: {
          content: { 'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Tool' } } } },
        },
      },
    });
    expect(at(document, '#/components/schemas/Tool')).toEqual({
      type: 'object',
      required: ['id', 'name'],
      properties: { id: { type: 'integer' }, name: { type: 'string' } },
      additionalProperties: false,
    });
    const other = Type.Object({}, { $id: 'Tool' });
    expect(() =>
      openApiDocument(
        [...routes, { ...common, method: 'GET', path: '/api/x', summary: '', replies: { 200: other } }],
        '1',
      ),
    ).toThrow('Tool');
  });
  it('names the type of streamed text', () => {
    expect(operation('/api/answers', 'post')).toMatchObject({
      responses: { 200: { content: { 'text/event-stream': { schema: { type: 'string' } } } } },
    });
  });
  it('documents paths that differ only in the name of a parameter as one', () => {
    expect(Object.keys(document.paths as Json)).toEqual(['/api/tools', '/api/tools/{id}', '/api/key', '/api/answers']);
    expect(operation('/api/tools/{id}', 'delete')).toMatchObject({
      operationId: 'deleteToolsByIds',
      parameters: [{ name: 'id', in: 'path', required: true, description: 'Several.', schema: { type: 'string' } }],
    });
  });
  it('describes parameters, bodies, failures, access and additions', () => {
    expect(operation('/api/tools', 'get')).toMatchObject({
      parameters: [
        { name: 'page', in: 'query', schema: { type: 'integer' } },
        { name: 'per', in: 'query', required: true },
      ],
    });
    const change = operation('/api/tools/{id}', 'patch');
    expect(change).not.toHaveProperty('deprecated');
    expect(operation('/api/tools/{id}', 'put')).toMatchObject({
      description: 'Same as `PATCH /api/tools/{id}`.',
      deprecated: true,
      'x-alias': 'PATCH /api/tools/{id}',
    });
    expect(change).toMatchObject({
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } }],
      requestBody: { required: true },
      'x-addition': true,
    });
    const statuses = (path: string, method: string) => Object.keys(at(operation(path, method), '#/responses') as Json);
    expect(statuses('/api/tools/{id}', 'patch')).toEqual([
      '200',
      '401',
      '403',
      '404',
      '409',
      '413',
      '422',
      '426',
      '429',
      '451',
      '503',
    ]);
    expect(statuses('/api/tools/{id}', 'delete')).toEqual([
      '200',
      '401',
      '403',
      '404',
      '413',
      '422',
      '429',
      '451',
      '503',
    ]);
    expect(operation('/api/tools/{id}', 'delete')).toMatchObject({
      responses: { 422: { $ref: '#/components/responses/Unread' } },
    });
    expect(operation('/api/key', 'get')).toMatchObject({
      security: [],
      responses: { 200: { content: { 'text/plain': {} } } },
    });
    expect(Object.keys(document.paths as Json)).not.toContain('/app/{path}');
  });
});

describe('the served documentation', () => {
  it('needs no token', async () => {
    const reply = await send('GET /api/openapi.json', undefined, { authorization: undefined });
    expect(reply.statusCode).toBe(200);
    expect(Object.keys(reply.json().paths)).toContain('/csp_reports');
  });
});
