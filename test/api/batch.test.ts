import { describe, expect, it } from 'vitest';
import { resources } from '../../src/resources.ts';
import type { Account } from '../support/app.ts';
import { startApp, suiteAccount, suiteApp } from '../support/app.ts';
import { describeAnyEngine, describeEngines } from '../support/engines.ts';
import { actionsOf, example, hasExample } from '../support/examples.ts';

/** Resources of which a batch can create, update, show and delete a record. */
const whole = resources.filter((resource) => {
  const actions = actionsOf(resource);
  return (
    hasExample(resource) &&
    !['farmware_installations', 'images', 'logs', 'ai_feedbacks'].includes(resource.name) &&
    ['create', 'destroy'].every((action) => actions.has(action as 'create'))
  );
});

const tool = (name: unknown) => ({ method: 'POST', path: '/api/tools', body: { name } });

describeEngines('a batch', (engine) => {
  const server = suiteApp(engine);
  const own = suiteAccount(server);
  const stranger = suiteAccount(server);
  const send = (body: unknown, token = own.token) => server.call('POST', '/api/batch', { token, body });
  const tools = async ({ token }: Account = own): Promise<{ id: number; name: string }[]> =>
    (await server.call('GET', '/api/tools', { token })).json;

  it('refuses parameters that are sent twice, as the request alone does', async () => {
    const path = '/api/sensor_readings?pin=59&pin=60';
    const alone = await server.call('GET', path, { token: own.token });
    expect(await send([{ method: 'GET', path }])).toMatchObject({ status: 422, json: { 1: alone.json } });
  });

  it('carries out requests in their order and returns their answers', async () => {
    const { status, json } = await send([
      tool('Rake'),
      { method: 'PUT', path: '/api/tools/$1.id', body: { name: 'Hoe' } },
      {
        method: 'POST',
        path: '/api/points',
        body: { pointer_type: 'ToolSlot', x: 1, y: 2, z: 3, tool_id: { $ref: '1.id' } },
      },
      { method: 'GET', path: '/api/points.json?filter=all' },
      { method: 'delete', path: '/api/points/$4.0.id' },
      { method: 'GET', path: '/api/tools/$1.id/' },
      { method: 'PATCH', path: '/api/fbos_config', body: { sequence_init_log: true } },
      { method: 'DELETE', path: '/api/tools/$2.id' },
    ]);
    expect(status, JSON.stringify(json)).toBe(200);
    expect(json.map((each: { status: number }) => each.status)).toEqual([200, 200, 200, 200, 200, 200, 200, 200]);
    const [created, changed, slot, points, deleted, shown, config] = json.map((each: { body: unknown }) => each.body);
    expect(created).toMatchObject({ name: 'Rake' });
    expect(changed).toMatchObject({ id: created.id, name: 'Hoe' });
    expect(slot).toMatchObject({ tool_id: created.id });
    expect(points).toEqual([slot]);
    expect(deleted).toBeNull();
    expect(shown).toEqual(changed);
    expect(config).toMatchObject({ sequence_init_log: true });
    expect(await tools()).toEqual([]);
  });

  describe.each(whole.map((resource) => [resource.name, resource] as const))('of %s', (name, resource) => {
    it('creates, changes and deletes a record', async () => {
      const actions = actionsOf(resource);
      const { status, text, json } = await send([
        { method: 'POST', path: `/api/${name}`, body: await example(server, name, own) },
        ...(actions.has('update') ? [{ method: 'PATCH', path: `/api/${name}/$1.id`, body: {} }] : []),
        ...(actions.has('show') ? [{ method: 'GET', path: `/api/${name}/$1.id` }] : []),
        { method: 'GET', path: `/api/${name}` },
        { method: 'DELETE', path: `/api/${name}/$1.id` },
      ]);
      expect(status, text).toBe(200);
      const { id } = json[0].body;
      expect(json.at(-2).body.map((each: { id: number }) => each.id)).toContain(id);
      const after = (await server.call('GET', `/api/${name}`, { token: own.token })).json;
      expect(after.map((each: { id: number }) => each.id)).not.toContain(id);
    });
  });

  it('is all or nothing, announces nothing of a failed one, and names the part that failed', async () => {
    const before = await tools();
    const fields = await send([tool('One'), tool(null), tool('Three')]);
    expect([fields.status, fields.json]).toEqual([422, { 2: { name: expect.any(String) } }]);
    const missing = await send([tool('One'), { method: 'DELETE', path: '/api/tools/999999' }]);
    expect([missing.status, missing.json]).toEqual([
      404,
      { error: 'Part 2 (DELETE /api/tools/999999): Tool not found.' },
    ]);
    const stale = { updated_at: '2020-01-01T00:00:00.000Z', sequence_body_log: true, sequence_complete_log: true };
    const conflict = await send([tool('One'), { method: 'PATCH', path: '/api/fbos_config', body: stale }]);
    expect(conflict.status).toBe(409);
    expect(conflict.text).toContain('Part 2 (PATCH /api/fbos_config)');
    expect(await tools()).toEqual(before);
  });

  it('reaches no records of other accounts', async () => {
    const foreign = (await server.call('POST', '/api/tools', { token: stranger.token, body: { name: 'Theirs' } })).json;
    for (const part of [
      { method: 'GET', path: `/api/tools/${foreign.id}` },
      { method: 'PATCH', path: `/api/tools/${foreign.id}`, body: { name: 'Mine' } },
      { method: 'DELETE', path: `/api/tools/${foreign.id}` },
    ])
      expect((await send([part])).status).toBe(404);
    const slot = { pointer_type: 'ToolSlot', x: 1, y: 2, z: 3, tool_id: foreign.id };
    expect((await send([{ method: 'POST', path: '/api/points', body: slot }])).status).toBe(422);
    expect(await tools(stranger)).toEqual([foreign]);
  });

  it('needs the rights to each of its parts', async () => {
    const body = { name: 'Reads', scopes: ['read'], expires_at: null };
    const { json } = await server.call('POST', '/api/personal_tokens', { token: own.token, body });
    expect((await send([{ method: 'GET', path: '/api/tools' }], json.token)).status).toBe(200);
    const refused = await send([{ method: 'GET', path: '/api/tools' }, tool('Denied')], json.token);
    expect(refused.status).toBe(403);
    expect(refused.json.error).toMatch(/^Part 2 \(POST \/api\/tools\): .*garden/);
  });

  it('refuses invalid batches, with all problems by the number of the part', async () => {
    for (const body of [{}, [], 'x', null, 5, Array.from({ length: 101 }, () => tool('Many'))]) {
      const { status, json } = await send(body);
      expect([status, json]).toEqual([422, { error: 'The request body must be a JSON array of 1 to 100 requests.' }]);
    }
    const { status, json } = await send([
      tool('Good'),
      'nothing',
      { method: 'OPTIONS', path: '/api/tools' },
      { method: 'GET', path: 7 },
      { method: 'GET', path: '/app' },
      { method: 'GET', path: '/api/nothing' },
      { method: 'GET', path: '/api/%E0%A4%A' },
      { method: 'POST', path: '/api/batch', body: [] },
    ]);
    expect(status).toBe(422);
    expect(json).toEqual({
      2: { error: expect.any(String) },
      3: { method: 'Method must be one of GET, POST, PATCH, PUT, DELETE.' },
      4: { path: expect.any(String) },
      5: { path: expect.any(String) },
      6: { path: 'GET /api/nothing was not found.' },
      7: { path: expect.stringContaining('was not found') },
      8: { path: 'POST /api/batch cannot be part of a batch.' },
    });
    expect((await tools()).map(({ name }) => name)).not.toContain('Good');
    for (const raw of ['', '[', '[{"method":"GET"'])
      expect((await server.call('POST', '/api/batch', { token: own.token, raw })).status).toBe(422);
    expect((await server.call('POST', '/api/batch', { body: [tool('x')] })).status).toBe(401);
  });

  it('refuses wrong bodies and references of parts', async () => {
    const problem = async (...parts: unknown[]) => {
      const { status, json } = await send([tool('Base'), ...parts]);
      expect(status, JSON.stringify(json)).toBe(422);
      return json;
    };
    expect(await problem({ method: 'POST', path: '/api/tools' })).toEqual({
      error: 'Part 2 (POST /api/tools): The body must be a JSON object.',
    });
    expect(await problem({ method: 'POST', path: '/api/tools', body: [1] })).toHaveProperty('error');
    for (const reference of [
      '2.id',
      '3.id',
      '0.id',
      '1.nothing',
      '1',
      '1.',
      'id',
      '1.__proto__.x',
      '1.constructor',
      5,
      {},
    ])
      expect(await problem(tool({ $ref: reference })), String(reference)).toEqual({ 2: { $ref: expect.any(String) } });
    for (const path of ['/api/tools/$2.id', '/api/tools/$1.nothing'])
      expect(await problem({ method: 'GET', path }), path).toEqual({ 2: { path: expect.any(String) } });
    // Objects and long texts are not copied.
    expect(await problem({ method: 'GET', path: '/api/tools' }, tool({ $ref: '2.0' }))).toEqual({
      3: { $ref: expect.any(String) },
    });
    // Only a whole value is a reference.
    const kept = await send([{ ...tool('Odd'), body: { name: 'Odd', more: { $ref: 'x', other: 1 } } }]);
    expect(kept.status).toBe(200);
    expect((await send([{ method: 'GET', path: '/api/tools/0' }])).status).toBe(404);
  });

  it('contains only operations that are declared for it', () => {
    const { paths } = server.app.openapi() as { paths: Record<string, Record<string, { 'x-batch'?: boolean }>> };
    const declared = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, each]) => (each['x-batch'] ? [`${method} ${path}`] : [])),
    );
    expect(declared).toContain('post /api/points');
    expect(declared).toContain('patch /api/sequences/{id}');
    expect(declared).toContain('patch /api/device');
    for (const word of ['token', 'user', 'password', 'import', 'export', 'batch', 'publish', 'install', 'email', 'ai'])
      expect(
        declared.filter(
          (each) => new RegExp(`\\b${word}`).test(each) && !/farmware_installations|ai_feedbacks/.test(each),
        ),
        word,
      ).toEqual([]);
    expect(declared).not.toContain('post /api/farmware_installations');
    expect(declared).not.toContain('post /api/images');
    expect(declared).not.toContain('post /api/logs');
  });

  it('returns at most 8 MiB', async () => {
    const big = await server.signUp();
    const body = {
      name: 'Large',
      body: Array.from({ length: 30 }, () => ({ kind: 'lua', args: { lua: 'x'.repeat(2900) } })),
    };
    const { token } = big;
    const made = await server.call('POST', '/api/sequences', { token, body });
    expect(made.status, made.text).toBe(200);
    const show = { method: 'GET', path: `/api/sequences/${made.json.id}` };
    const fitting = Math.floor((8 * 1024 * 1024) / made.text.length);
    expect(
      (
        await send(
          Array.from({ length: fitting }, () => show),
          token,
        )
      ).status,
    ).toBe(200);
    const refused = await send(
      Array.from({ length: fitting + 1 }, () => show),
      token,
    );
    expect([refused.status, refused.json.error]).toEqual([
      422,
      `Part ${fitting + 1} (GET /api/sequences/${made.json.id}): The answers would be larger than 8 MiB.`,
    ]);
  });
});

describeAnyEngine('the limit of requests', () => {
  it('counts each part of a batch', async () => {
    const server = await startApp('sqlite', { RATE_LIMITS: 'on' });
    try {
      const { token } = await server.signUp();
      const body = Array.from({ length: 100 }, () => ({ method: 'GET', path: '/api/tools' }));
      const statuses: number[] = [];
      // More than twice the limit: a minute may end in between.
      for (let count = 0; count < 21; count++)
        statuses.push((await server.call('POST', '/api/batch', { token, body, from: '203.0.113.7' })).status);
      expect(statuses.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => 200));
      expect(statuses).toContain(429);
    } finally {
      await server.close();
    }
  });
});
