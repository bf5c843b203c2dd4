import { beforeAll, describe, expect, it } from 'vitest';
import type { Singleton } from '../../src/engine/singleton.ts';
import { resources } from '../../src/resources.ts';
import { suiteAccount, suiteApp } from '../support/app.ts';
import { actionsOf, example, hasExample } from '../support/examples.ts';
import { documentProblem } from '../support/schema-validator.ts';

interface Media {
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { $ref: string }>>;
}
type Content = Readonly<Record<string, Media>>;
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: Content }>>;
  readonly security?: readonly object[];
  readonly deprecated?: boolean;
  readonly 'x-alias'?: string;
  readonly 'x-scope': string;
  readonly 'x-role'?: string;
}
interface Document {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
    readonly responses: Readonly<Record<string, { readonly content: Content }>>;
  };
}

const server = suiteApp('sqlite');
const account = suiteAccount(server);
const scopes = ['none', 'any', 'session', 'read', 'garden', 'programs', 'control', 'logs', 'account', 'admin'];

describe("the API's description", () => {
  let document: Document;
  let operations: (Operation & { readonly name: string })[];
  beforeAll(() => {
    document = server.app.openapi() as Document;
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, name: `${method.toUpperCase()} ${path}` })),
    );
  });

  const named = (name: string) => operations.find((each) => each.name === name);
  const exampleIn = ({ example: own, examples = {} }: Media): unknown => {
    const [first] = Object.values(examples);
    return first ? document.components.examples[String(first.$ref.split('/').at(-1))]?.value : own;
  };
  const contents = ({ requestBody, responses }: Operation): Content[] =>
    [requestBody, ...Object.values(responses)].flatMap((each) => (each?.content ? [each.content] : []));

  it('has sentences and a scope for each operation', () => {
    expect(operations.length).toBeGreaterThan(200);
    for (const { name, summary, description, 'x-scope': scope } of operations) {
      expect(`${summary} ${description}`, name).not.toMatch(/\/:[a-z]|<id>/);
      expect(summary, name).toMatch(/^[A-Z][^\n]+$/);
      expect(description, name).toMatch(/^[A-Z`].*\.$/);
      expect(scopes, name).toContain(scope);
    }
    for (const { security, 'x-scope': scope } of operations) expect(security !== undefined).toBe(scope === 'none');
  });

  it('derives scopes and roles from declarations', () => {
    const scopeOf = (name: string) => named(name)?.['x-scope'];
    expect(scopeOf('POST /api/tokens')).toBe('none');
    expect(scopeOf('GET /api/tokens')).toBe('session');
    expect(scopeOf('DELETE /api/device')).toBe('session');
    expect(scopeOf('GET /api/points')).toBe('read');
    expect(scopeOf('POST /api/points')).toBe('garden');
    expect(scopeOf('PATCH /api/sequences/{id}')).toBe('programs');
    expect(scopeOf('DELETE /api/logs/all')).toBe('logs');
    expect(scopeOf('GET /api/users')).toBe('account');
    expect(scopeOf('DELETE /api/tokens')).toBe('any');
    expect(scopeOf('POST /api/points/search')).toBe('read');
    const roleOf = (name: string) => named(name)?.['x-role'];
    expect(roleOf('POST /api/tokens')).toBeUndefined();
    expect(roleOf('GET /api/points')).toBe('viewer');
    expect(roleOf('POST /api/points/search')).toBe('viewer');
    expect(roleOf('POST /api/points')).toBe('gardener');
    expect(roleOf('POST /api/device/reset')).toBe('owner');
    expect(roleOf('GET /api/storage_auth')).toBe('gardener');
  });

  it('has an example of each JSON and text, which is valid', () => {
    const missing: string[] = [];
    let count = 0;
    const responses = Object.values(document.components.responses).map(({ content }) => content);
    const places: [string, Content][] = [
      ...operations.flatMap((each) => contents(each).map((content): [string, Content] => [each.name, content])),
      ...responses.map((content): [string, Content] => ['a failure', content]),
    ];
    for (const [name, content] of places)
      for (const [type, media] of Object.entries(content)) {
        if (!/json|plain|event-stream/.test(type)) continue;
        const value = exampleIn(media);
        if (value === undefined) missing.push(`${name} ${type}`);
        else {
          count++;
          expect(documentProblem(document, media.schema ?? {}, value), `${name} ${JSON.stringify(value)}`).toBeNull();
        }
      }
    expect(missing).toEqual([]);
    expect(count).toBeGreaterThan(250);
  });

  it('names the operation of which an alias is a second path', () => {
    const aliases = operations.filter((each) => each['x-alias']);
    expect(aliases.length).toBeGreaterThan(30);
    for (const { name, deprecated, 'x-alias': original = '' } of aliases) {
      expect(deprecated, name).toBe(true);
      expect(named(original), `${name} ${original}`).toBeDefined();
      expect(named(original)?.['x-alias']).toBeUndefined();
    }
    // The pages of docs and the console send no aliases.
    expect(named('PATCH /api/virtual_robot')?.['x-alias']).toBe('PUT /api/virtual_robot');
    for (const name of ['PUT /api/tools/{id}', 'GET /api/device/{ignored}', 'PATCH /api/webcam_feed/{id}'])
      expect(aliases.map((each) => each.name)).toContain(name);
  });

  it('has groups in the order in which a new client uses them, each with a text', () => {
    const names = document.tags.map(({ name }) => name);
    expect(names.slice(0, 6)).toEqual(['Sign in', 'Account', 'Device', 'Control', 'Garden', 'Tools and pins']);
    for (const { name, description } of document.tags) expect(description, name).toMatch(/^[A-Z].*\.$/);
    expect(new Set(operations.flatMap(({ tags }) => tags))).toEqual(new Set(names));
  });

  it('says that free objects are free, and closes all others', () => {
    const open: string[] = [];
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const { type, additionalProperties } = value as { type?: unknown; additionalProperties?: unknown };
      if ([type].flat().includes('object') && additionalProperties === undefined) open.push(path);
      for (const [key, inner] of Object.entries(value)) if (!/^examples?$/.test(key)) visit(inner, `${path}/${key}`);
    };
    visit(document, '');
    expect(open).toEqual([]);
  });

  // Recorded with requests that differ in ids and times only.
  const comparable = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (key, inner) =>
        /(^|_)id$/.test(key) && typeof inner === 'number'
          ? 'an id'
          : /_at$/.test(key) && inner !== null
            ? 'a time'
            : inner,
      ),
    );

  const created = resources.filter((each) => hasExample(each) && actionsOf(each).has('create'));
  it.each(created.map(({ name }) => name))(
    '%s: the request of the example has the response of the example',
    async (name) => {
      const { token } = account;
      const operation = named(`POST /api/${name}`);
      const sent = exampleIn(operation?.requestBody?.content['application/json'] ?? {}) as object;
      // Records to which the example refers.
      const { saved_garden_id, executable_id } = await example(server, name, account);
      const references = Object.fromEntries(
        Object.entries({ saved_garden_id, executable_id }).filter(([, id]) => id !== undefined),
      );
      const { status, json, text } = await server.call('POST', `/api/${name}`, {
        token,
        body: { ...sent, ...references },
      });
      expect(status, text).toBe(200);
      const shown = exampleIn(operation?.responses[200]?.content?.['application/json'] ?? {});
      const { attachment_url: _one, ...expected } = comparable(shown) as Record<string, unknown>;
      const { attachment_url: _other, ...actual } = comparable(json) as Record<string, unknown>;
      expect(actual).toEqual(expected);
      const update = named(`PATCH /api/${name}/{id}`);
      if (!update) return;
      const body = exampleIn(update.requestBody?.content['application/json'] ?? {}) as object;
      expect(Object.keys(body).length, name).toBeGreaterThan(0);
      const changed = await server.call('PATCH', `/api/${name}/${json.id}`, {
        token,
        body: { ...body, ...references },
      });
      expect(changed.status, changed.text).toBe(200);
    },
  );

  const singletons = resources.filter((each): each is typeof each & Singleton => 'path' in each);
  it.each(singletons.map(({ path }) => path))(
    '%s: the example of an update has the response of the example',
    async (path) => {
      const operation = named(`PATCH ${path}`);
      const body = exampleIn(operation?.requestBody?.content['application/json'] ?? {});
      const { status, json, text } = await server.call('PATCH', path, { token: account.token, body });
      expect(status, text).toBe(200);
      expect(comparable(json)).toEqual(
        comparable(exampleIn(operation?.responses[200]?.content?.['application/json'] ?? {})),
      );
    },
  );

  it.each([
    ['POST /api/farm_events', { repeat: 1, time_unit: 'never' }],
    ['POST /api/farmware_envs', { key: 'camera', value: ' ' }],
    ['PATCH /api/device', { timezone: 'UTC', ota_hour: 24 }],
  ])('%s: the server and the description refuse %j', async (name, body) => {
    const { schema = {} } = named(name)?.requestBody?.content['application/json'] ?? {};
    expect(documentProblem(document, schema, body)).not.toBeNull();
    const [method = '', path = ''] = name.split(' ');
    expect((await server.call(method, path, { token: account.token, body })).status).toBe(422);
  });

  it('describes an upload as the form that the server expects, with the fields that it returns', async () => {
    const { schema = {} } = named('POST /direct_upload')?.requestBody?.content['multipart/form-data'] ?? {};
    const { json } = await server.call('GET', '/api/storage_auth', { token: account.token });
    expect(documentProblem(document, schema, json.form_data)).toBeNull();
  });

  it('describes no body of GET requests, which most clients cannot send', () => {
    expect(
      operations.filter((each) => each.requestBody && each.name.startsWith('GET ')).map(({ name }) => name),
    ).toEqual([]);
  });

  it('has the messages of `/health` in its example, and another example of a failing server', async () => {
    const shown = (status: number) =>
      exampleIn(named('GET /health')?.responses[status]?.content?.['application/json'] ?? {});
    const { database, photos, disk, jobs } = (await server.call('GET', '/health')).json;
    expect(shown(200)).toMatchObject({ database, photos, disk, jobs: { message: jobs.message } });
    expect(shown(503)).toMatchObject({ status: 'failing' });
  });

  it('has bodies that a client can send as they are, and responses of that form', async () => {
    // In this order. The account is the first two's.
    const visit = [
      ...['POST /api/users', 'POST /api/tokens', 'PATCH /api/users', 'PATCH /api/device', 'POST /api/device/seed'],
      ...['POST /api/points/search', 'POST /api/saved_gardens/snapshot', 'POST /api/sequences/check', 'POST /api/logs'],
      ...['POST /api/feedback', 'POST /api/users/resend_verification', 'POST /api/password_resets'],
      ...[
        'GET /api/users',
        'GET /api/device',
        'GET /api/storage_auth',
        'GET /api/corpus',
        'GET /api/usage',
        'GET /api/alerts',
      ],
      ...['GET /api/first_party_farmwares', 'GET /api/featured_sequences', 'GET /health', 'POST /api/export_data'],
      ...['POST /api/tokens/temporary', 'POST /api/device/reset', 'POST /api/device', 'DELETE /api/users'],
    ];
    let token: string | undefined;
    const refused = new Map([['POST /api/users/resend_verification', 422]]);
    for (const name of visit) {
      const operation = named(name);
      const [method = '', path = ''] = name.split(' ');
      const body = exampleIn(operation?.requestBody?.content['application/json'] ?? {});
      if (name === 'DELETE /api/users') token = undefined;
      token ??= name === 'POST /api/users' || name === 'POST /api/tokens' ? undefined : await signedIn();
      const { status, json, text } = await server.call(method, path, { token, body });
      expect(status, `${name} ${text}`).toBe(refused.get(name) ?? 200);
      const shown = exampleIn(operation?.responses[status]?.content?.['application/json'] ?? {});
      expectForm(json, shown, name);
    }
  });

  const signedIn = async (): Promise<string> => {
    const body = exampleIn(named('POST /api/tokens')?.requestBody?.content['application/json'] ?? {});
    return (await server.call('POST', '/api/tokens', { body })).json.token.encoded;
  };

  /** Expects the keys of an example, nested objects' as well. */
  function expectForm(actual: unknown, shown: unknown, name: string): void {
    if (typeof shown !== 'object' || shown === null || Array.isArray(shown) || Object.keys(shown).length === 0) return;
    expect(Object.keys(actual as object).toSorted(), name).toEqual(Object.keys(shown).toSorted());
    for (const [key, inner] of Object.entries(shown))
      expectForm((actual as Record<string, unknown>)[key], inner, `${name} ${key}`);
  }
});
