import fc from 'fast-check';
import inject from 'light-my-request';
import { beforeAll, expect, it } from 'vitest';
import { resources } from '../../src/resources.ts';
import { suiteAccount, suiteApp } from '../support/app.ts';
import { describeEngines, itAnyEngine } from '../support/engines.ts';
import { example } from '../support/examples.ts';
import { corruptedBody, hostileBodies, hostileIds, hostileObject, hostileQuery } from '../support/hostile-inputs.ts';
import type { Operation } from '../support/operations.ts';
import { publishedOperations } from '../support/operations.ts';
import type { ReceivedResponse, SentRequest } from '../support/response-problems.ts';
import { requestSummary, responseProblem } from '../support/response-problems.ts';

// No request may cause a 5xx, and a rejected request changes nothing. The seed is fixed.

const seed = 20_261_121;
/** The number of concurrent requests, which on SQLite share commits. */
const concurrency = 24;

/** Paths that are not in the OpenAPI document. */
const pages = [
  '/',
  '/os',
  '/tos_update',
  '/featured',
  '/logout',
  '/app',
  '/docs',
  '/api',
  '/api/openapi.json',
  '/api/nothing',
  '/csp_reports',
];

/** Routes that end the account or its session. */
const endsAccount = ({ method, path }: Operation): boolean =>
  (path === '/api/device' && (method === 'DELETE' || method === 'POST')) ||
  (path === '/api/tokens' && method === 'DELETE') ||
  /^\/api\/(sessions|admin\/users)\/\{\w+\}/.test(path);
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Routes that hash a password. */
const isSlow = ({ path }: Operation): boolean => /^\/api\/(users|tokens|password_resets)/.test(path);

/** Routes that create or update a record of a resource with an example. */
const isOfRecords = ({ path }: Operation): boolean =>
  resources.some(({ name, options }) => options.example && (path === `/api/${name}` || path === `/api/${name}/{id}`));

describeEngines('hostile requests', (engine) => {
  const server = suiteApp(engine, { FETCH_PRIVATE_ADDRESSES: 'off' });
  const account = suiteAccount(server);
  let operations: readonly Operation[];
  beforeAll(async () => {
    // Old clients send searches as the body of a GET, which the description omits.
    operations = publishedOperations(server.app).map((each, _index, all) => {
      const isSearch = each.method === 'GET' && each.path.endsWith('/search');
      const post = all.find(
        ({ method, path }) => method === 'POST' && path === each.path.replace(/logs.search/, 'logs'),
      );
      return isSearch ? { ...each, fields: post?.fields ?? null } : each;
    });
  });

  const send = async ({ method, path, body }: SentRequest, token = account.token): Promise<ReceivedResponse> => {
    const headers = {
      authorization: token,
      'user-agent': 'test',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const response = await inject(server.app.http.handler, {
      method: method as 'GET',
      url: path,
      headers,
      ...(body !== undefined && { payload: body }),
    });
    return { status: response.statusCode, text: response.body, type: String(response.headers['content-type'] ?? '') };
  };
  /** Sends requests. Returns the ones with an invalid response. */
  async function findInvalid(all: readonly SentRequest[], token?: string): Promise<string[]> {
    const wrong: string[] = [];
    for (let from = 0; from < all.length; from += concurrency)
      await Promise.all(
        all.slice(from, from + concurrency).map(async (sent) => {
          const seen = await send(sent, token);
          const found = responseProblem(sent, seen);
          if (found) wrong.push(`${requestSummary(sent)}\n  ${found}: ${seen.status} ${seen.text.slice(0, 300)}`);
        }),
      );
    return wrong;
  }
  const filled = (path: string, id = '1'): string => path.replace(/\{\w+\}/, id);
  const json = (value: unknown): string => JSON.stringify(value) ?? 'null';

  it('bodies with any JSON in the fields of the route', async () => {
    // Bodies of records that reach the database differ from valid ones in few fields, as in the next test.
    const isSent = (each: Operation): boolean => engine === 'sqlite' || !isOfRecords(each);
    const all = operations
      .filter((each) => each.fields !== null && !endsAccount(each) && isSent(each))
      .flatMap((each) => {
        const bodies = fc.sample(
          fc.oneof(
            { weight: 5, arbitrary: hostileObject(each.fields ?? []) },
            { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
          ),
          {
            seed,
            numRuns: isSlow(each) ? 5 : 18,
          },
        );
        return bodies.map((body) => ({ method: each.method, path: filled(each.path), body: json(body) }));
      });
    expect(await findInvalid(all)).toEqual([]);
    expect(all.length).toBeGreaterThan(engine === 'sqlite' ? 1000 : 500);
  });

  it('valid bodies with one or two corrupted fields, on create and update', async () => {
    const wrong: string[] = [];
    for (const { name, fields, options } of resources.filter(
      ({ options }) => options.routes && options.changeLogName !== 'Alert',
    )) {
      const post = operations.find(({ method, path }) => method === 'POST' && path === `/api/${name}`);
      if (!post) continue;
      const good = await example(server, name, account);
      const created = await server.call('POST', `/api/${name}`, { token: account.token, body: good });
      expect(created.status, `${name} ${created.text}`).toBe(200);
      const bodies = fc.sample(corruptedBody(Object.keys(fields), good), { seed, numRuns: 70 });
      wrong.push(
        ...(await findInvalid(bodies.map((body) => ({ method: 'POST', path: `/api/${name}`, body: json(body) })))),
      );
      const path = `/api/${name}/${created.json.id}`;
      if (
        options.routes?.includes('update') ||
        operations.some((each) => each.method === 'PATCH' && each.path === `/api/${name}/{id}`)
      )
        wrong.push(...(await findInvalid(bodies.map((body) => ({ method: 'PATCH', path, body: json(body) })))));
    }
    expect(wrong).toEqual([]);
  });

  // Refused before the database is asked.
  itAnyEngine('bytes that are not JSON', async () => {
    const wrong: string[] = [];
    for (const each of operations.filter(({ method }) => method !== 'GET')) {
      if (endsAccount(each)) continue;
      // Reports of browsers always succeed; brokers send forms. [decision 2, 19]
      // Uploads and imports are streams of any bytes.
      const readsAny = /^\/(csp_reports|api\/rmq|direct_upload|api\/import$)/.test(each.path);
      const rule = each.fields === null || readsAny ? null : 'object';
      const request = async ([name, body, status]: (typeof hostileBodies)[number]) => {
        // Large bodies are sent to a few routes only: all share the parser.
        if (body.length > 100_000 && !/^\/api\/(tools|points|users|saved_gardens)$/.test(each.path)) return;
        const sent = { method: each.method, path: filled(each.path, '999999'), body };
        const seen = await send(sent);
        const found = responseProblem(sent, seen);
        if (found)
          wrong.push(`${requestSummary(sent)} (${name})\n  ${found}: ${seen.status} ${seen.text.slice(0, 300)}`);
        // An export ignores its body, which is JSON.
        const isIgnored = each.path === '/api/export_data' && isJson(String(body));
        const isEmpty = isIgnored || String(body).trim() === '' || String(body) === 'null';
        const isLarger =
          status === 413 || (each.method === 'POST' && each.path === '/api/password_resets' && body.length > 4096);
        if (isLarger ? seen.status !== 413 : rule && status && !(isEmpty && !each.needsBody) && seen.status !== status)
          wrong.push(`${requestSummary(sent)} (${name}): ${seen.status} instead of ${status}`);
      };
      await Promise.all(hostileBodies.map(request));
    }
    expect(wrong).toEqual([]);
  });

  it('ids in paths', async () => {
    const all = operations
      .filter(({ path }) => path.includes('{'))
      .flatMap(({ method, path, fields }) =>
        hostileIds.map((id) => ({ method, path: filled(path, id), ...(fields !== null && { body: '{}' }) })),
      );
    const elsewhere = ['/verify/', '/password_reset/', '/app/', '/docs/', '/api/nothing/'].flatMap((path) =>
      hostileIds.map((id) => ({ method: 'GET', path: path + id })),
    );
    expect(await findInvalid([...all, ...elsewhere], (await server.signUp()).token)).toEqual([]);
    const many = hostileIds.at(-1) ?? '';
    expect((await send({ method: 'DELETE', path: `/api/points/${many}` })).status).toBe(414);
  });

  it('queries', async () => {
    // A stream of events has no end.
    const lists = operations.filter(({ method, path }) => method === 'GET' && path !== '/api/events');
    const paths = [...lists.map(({ path }) => filled(path)), ...pages];
    const queries = fc.sample(hostileQuery, { seed, numRuns: 25 });
    const all = paths.flatMap((path) => queries.map((query) => ({ method: 'GET', path: `${path}?${query}` })));
    // As another account: the lists of the first one are long by now.
    expect(await findInvalid(all, (await server.signUp()).token)).toEqual([]);
  });

  itAnyEngine('unusual methods, paths and headers', async () => {
    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
    const paths = [
      ...operations.map(({ path }) => filled(path)),
      ...pages,
      '//',
      '/api//tools///',
      '/api/tools.json.json',
      '/%2e%2e/etc/passwd',
      '/api/%00',
      '/api/tools/%',
    ];
    const all = paths
      .filter((path) => !/tokens|device$/.test(path))
      .flatMap((path) => methods.map((method) => ({ method, path })));
    expect(await findInvalid(all, '')).toEqual([]);
    const wrong: string[] = [];
    for (const [name, value] of [
      ['authorization', 'Bearer \u00ff\u00fe'],
      ['authorization', `Bearer ${'a.'.repeat(5000)}`],
      ['x-farmbot-rpc-id', '\u00ff'.repeat(300)],
      ['x-farmbot-rpc-id', ''],
      ['user-agent', `FarmBotOS/${'9'.repeat(2000)}`],
      ['user-agent', 'FarmBotOS/0.0.0-__proto__'],
      ['content-type', 'application/json; charset=utf-32'],
      ['content-encoding', 'gzip'],
      ['origin', 'null\u00ff'],
      ['accept', 'text/html'.repeat(2000)],
      ['host', '__proto__:99999999'],
      ['x-forwarded-for', '::ffff:1.2.3.4, \u00ff'],
      ['access-control-request-headers', 'x\u00ff'.repeat(500)],
    ] as const)
      for (const method of ['GET', 'POST', 'OPTIONS'] as const) {
        const headers = { authorization: account.token, 'user-agent': 'test', [name]: value };
        const { statusCode, body } = await inject(server.app.http.handler, {
          method,
          url: '/api/tools',
          headers,
          ...(method === 'POST' && { payload: '{}' }),
        });
        if (statusCode >= 500) wrong.push(`${method} ${name}: ${value.slice(0, 40)}: ${statusCode} ${body}`);
      }
    expect(wrong).toEqual([]);
  });

  it('routes that end an account', async () => {
    const { token } = await server.signUp();
    for (const body of fc.sample(hostileObject(['name', 'timezone', 'lat', 'lng', 'indoor', 'rpi']), {
      seed,
      numRuns: 40,
    })) {
      const sent = { method: 'POST', path: '/api/device', body: json(body) };
      const seen = await send(sent, token);
      expect(responseProblem(sent, seen), `${requestSummary(sent)} ${seen.text}`).toBeNull();
    }
    for (const [, body] of hostileBodies)
      for (const [method, path] of [
        ['DELETE', '/api/device'],
        ['DELETE', '/api/tokens'],
        // Of another account.
        ['DELETE', '/api/sessions/1'],
        ['PATCH', '/api/admin/users/1'],
        ['DELETE', '/api/admin/users/1'],
      ] as const) {
        const sent = { method, path, body };
        expect(responseProblem(sent, await send(sent, token)), requestSummary(sent)).toBeNull();
      }
  });

  it('rejected requests change nothing', async () => {
    const own = await server.signUp();
    const request = (method: string, path: string, body?: object) =>
      server.call(method, path, { token: own.token, ...(body && { body }) });
    const tables = [
      'points',
      'point_groups',
      'tools',
      'pin_bindings',
      'plant_templates',
      'saved_gardens',
      'farmware_envs',
      'curves',
      'folders',
    ];
    const targets: { list: string; post?: string; patch: string; fields: string[]; good: object }[] = [];
    for (const name of tables) {
      const good = await example(server, name, own);
      const { json: created } = await request('POST', `/api/${name}`, good);
      const fields = Object.keys(resources.find((each) => each.name === name)?.fields ?? {});
      targets.push({ list: `/api/${name}`, post: `/api/${name}`, patch: `/api/${name}/${created.id}`, fields, good });
    }
    for (const path of ['/api/device', '/api/users', '/api/fbos_config', '/api/web_app_config'])
      targets.push({
        list: path,
        patch: path,
        good: {},
        fields: [...(operations.find((each) => each.path === path && each.method === 'PATCH')?.fields ?? [])],
      });
    let refused = 0;
    for (const { list, post, patch, fields, good } of targets) {
      // Requests update a time that is held in memory. [decision 52]
      const state = async () =>
        (await request('GET', list)).text.replace(list === '/api/users' ? /"updated_at":"[^"]*"/ : '', '');
      let before = await state();
      for (const body of fc.sample(corruptedBody(fields, good), { seed: seed + 1, numRuns: 16 }))
        for (const [method, path] of [
          ['POST', post],
          ['PATCH', patch],
        ] as const) {
          if (path === undefined) continue;
          const reply = await request(method, path, body);
          const after = await state();
          expect(reply.status, `${method} ${path} ${json(body).slice(0, 300)} ${reply.text}`).toBeLessThan(500);
          if (reply.status >= 400) {
            refused++;
            expect(after, `${method} ${path} ${json(body)} answered ${reply.status}`).toBe(before);
          }
          before = after;
        }
    }
    expect(refused).toBeGreaterThan(100);
  });

  it('the server still works', async () => {
    const body = { name: 'After all' };
    const { status, json } = await server.call('POST', '/api/saved_gardens', { token: account.token, body });
    expect([status, json.name]).toEqual([200, 'After all']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
