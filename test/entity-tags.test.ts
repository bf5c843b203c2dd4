import { expect, it } from 'vitest';
import { resources } from '../src/resources.ts';
import { exportAccount, sendImport } from './support/account-transfer.ts';
import type { Account } from './support/app.ts';
import { password, suiteAccount, suiteApp } from './support/app.ts';
import { describeEngines } from './support/engines.ts';
import { actionsOf, example, hasExample } from './support/examples.ts';

/** Resources whose lists have entity tags. */
const tagged = [
  ...[
    'farmware_envs',
    'farmware_installations',
    'peripherals',
    'pin_bindings',
    'points',
    'regimens',
    'sensors',
    'tools',
  ],
  ...[
    'point_groups',
    'alerts',
    'curves',
    'folders',
    'plant_templates',
    'saved_gardens',
    'scene_objects',
    'webcam_feeds',
  ],
];
const singletons = ['fbos_config', 'firmware_config'];
/** Answers with times in memory, from other accounts, or with changes that are not logged. */
const untagged = [
  ...['/api/device', '/api/users', '/api/logs', '/api/telemetries', '/api/sensor_readings', '/api/sequences'],
  ...['/api/images', '/api/points?filter=all', '/api/points?filter=old', '/api/web_app_config', '/api/device/sync'],
];

const paths = [...tagged, ...singletons].map((name) => `/api/${name}`);

describeEngines('entity tags', (engine) => {
  const server = suiteApp(engine);
  const own = suiteAccount(server);
  const get = (path: string, tag?: unknown, { token }: Account = own) =>
    server.call('GET', path, { token, ...(tag === undefined ? {} : { headers: { 'if-none-match': String(tag) } }) });
  const send = (method: string, path: string, body?: unknown, { token }: Account = own) =>
    server.call(method, path, { token, ...(body === undefined ? {} : { body }) });
  const tagOf = async (path: string): Promise<string> => String((await get(path)).headers.etag);

  const creatable = tagged.filter((name) => {
    const resource = resources.find((each) => each.name === name);
    return resource && hasExample(resource) && actionsOf(resource).has('create') && actionsOf(resource).has('destroy');
  });

  it.each(creatable)('of %s change with each write of a record, and not with others', async (name) => {
    const path = `/api/${name}`;
    const actions = actionsOf(resources.find((each) => each.name === name) as (typeof resources)[number]);
    const body = await example(server, name, own);
    const empty = await tagOf(path);
    expect(empty).toMatch(/^W\/"\d+-[\w-]{11}"$/);
    const confirmed = await get(path, empty);
    expect([confirmed.status, confirmed.text, confirmed.headers.etag]).toEqual([304, '', empty]);

    const { json } = await send('POST', path, body);
    expect((await get(path, empty)).status, 'created').toBe(200);
    const created = await tagOf(path);
    const record = `${path}/${json.id}`;
    const shown = actions.has('show') ? await get(record) : null;
    if (shown?.headers.etag) expect((await get(record, shown.headers.etag)).status).toBe(304);
    // Another resource, which none of them refers to.
    await send('PATCH', '/api/device', { name: `Garden ${json.id}` });
    expect((await get(path, created)).status, 'another resource').toBe(304);
    // What the tag of one query says is not about another.
    if (name !== 'webcam_feeds') expect((await get(`${path}?page=1&per=1`, created)).status, 'page').toBe(200);
    if (actions.has('update')) {
      const [field, value] = Object.entries(body).find(([, each]) => typeof each === 'string') ?? ['name', 'Other'];
      const changes = name === 'points' ? { x: 77 } : { [field]: `${value} ` };
      const updated = await send('PATCH', record, changes);
      const isChanged = updated.status === 200 && updated.json.updated_at !== json.updated_at;
      if (isChanged) expect((await get(path, created)).status, 'updated').toBe(200);
    }
    const before = await tagOf(path);
    expect((await send('DELETE', record)).status).toBe(200);
    expect((await get(path, before)).status, 'deleted').toBe(200);
    if (shown?.headers.etag) expect((await get(record, shown.headers.etag)).status).toBe(404);
  });

  it('are sent with no other answers', async () => {
    for (const path of untagged) expect((await get(path)).headers.etag, path).toBeUndefined();
    for (const path of paths) expect((await get(path)).headers.etag, path).toBeDefined();
    const { token } = own;
    const headers = { origin: 'https://other.example', 'if-none-match': '' };
    const shared = await server.call('GET', '/api/tools', { token, headers });
    expect(String(shared.headers['access-control-expose-headers'])).toContain('ETag');
  });

  it('ignore tags that are no ours, of other accounts, or from another copy of the database', async () => {
    const stranger = await server.signUp();
    await send('POST', '/api/tools', { name: 'Theirs' }, stranger);
    const theirs = (await get('/api/tools', undefined, stranger)).headers.etag;
    const mine = await tagOf('/api/tools');
    const [, hash] = /-(.{11})"$/.exec(mine) ?? [];
    for (const tag of [theirs, '*', '"x"', 'x', '', `W/"999999999-${hash}"`, mine.replace(/-./, '-_')])
      expect((await get('/api/tools', tag)).status, String(tag)).toBe(200);
    expect((await get('/api/tools', mine)).status).toBe(304);
  });

  it('are never confirmed for an answer that differs, whatever changed it', async () => {
    const garden = await server.signUp();
    const call = async (method: string, path: string, body?: unknown): Promise<{ id: number }> => {
      const { status, json, text } = await send(method, path, body, garden);
      expect(status, `${method} ${path} ${text}`).toBe(200);
      return json;
    };
    const make = async (name: string, changes: object = {}) =>
      call('POST', `/api/${name}`, { ...(await example(server, name, garden)), ...changes });
    const read = async () =>
      new Map(await Promise.all(paths.map(async (path) => [path, await get(path, undefined, garden)] as const)));
    const differing: string[] = [];
    const step = async (name: string, work: () => Promise<unknown>): Promise<void> => {
      const before = await read();
      await work();
      for (const [path, { text, headers }] of before) {
        const now = await get(path, headers.etag, garden);
        if ((await get(path, undefined, garden)).text === text) continue;
        differing.push(`${name} ${path}`);
        expect(now.status, `${name} ${path}`).toBe(200);
      }
    };
    const plant = { pointer_type: 'Plant', name: 'Tomato', x: 1, y: 2, z: 0 };
    const ids: Record<string, number> = {};
    await step('records of everything', async () => {
      for (const name of creatable.filter((each) => each !== 'points')) ids[name] = (await make(name)).id;
    });
    await step('a tool in a slot', async () => {
      const slot = { pointer_type: 'ToolSlot', x: 1, y: 2, z: 0, tool_id: ids.tools };
      ids.slot = (await call('POST', '/api/points', slot)).id;
    });
    await step('an empty slot', () => call('PATCH', `/api/points/${ids.slot}`, { tool_id: null }));
    await step('a plant with a curve in a group', async () => {
      const point = await call('POST', '/api/points', { ...plant, water_curve_id: ids.curves });
      ids.point = point.id;
      await call('PATCH', `/api/point_groups/${ids.point_groups}`, { point_ids: [point.id] });
    });
    await step('a deleted curve', () => send('DELETE', `/api/curves/${ids.curves}`, undefined, garden));
    await step('an archived plant', () => send('DELETE', `/api/points/${ids.point}`, undefined, garden));
    await step('a deleted group', () => send('DELETE', `/api/point_groups/${ids.point_groups}`, undefined, garden));
    await step('a mounted tool', () => call('PATCH', '/api/device', { mounted_tool_id: ids.tools }));
    await step('a deleted tool', () => send('DELETE', `/api/tools/${ids.tools}`, undefined, garden));
    await step('a sequence with a button, and both deleted', async () => {
      const { id } = await call('POST', '/api/sequences', { name: 'Blink', body: [] });
      await call('PATCH', '/api/fbos_config', { boot_sequence_id: id });
      await send('DELETE', `/api/sequences/${id}`, undefined, garden);
    });
    await step('a snapshot', async () => {
      await call('POST', '/api/points', plant);
      await call('POST', '/api/saved_gardens/snapshot', {});
    });
    await step('a deleted layout', () => send('DELETE', `/api/saved_gardens/${ids.saved_gardens}`, undefined, garden));
    await step('a batch', () =>
      call('POST', '/api/batch', [{ method: 'POST', path: '/api/folders', body: { name: 'Batch', color: 'red' } }]),
    );
    await step('jobs', () => server.app.runJobs());
    await step('seeding', async () => {
      await send('POST', '/api/device/seed', { product_line: 'genesis_1.8' }, garden);
      await server.app.runJobs();
    });
    const exported = await exportAccount(server, garden);
    await step('configs', () => call('DELETE', '/api/firmware_config'));
    await step('a reset', async () => {
      expect((await send('POST', '/api/device/reset', { password }, garden)).status).toBe(200);
      await server.app.runJobs();
    });
    await step('an import', async () => {
      const { status, text } = await sendImport(server, garden, exported, '?mode=replace', {
        'x-account-password': password,
      });
      expect(status, text).toBe(200);
      await server.app.runJobs();
    });
    // The steps above do change these answers.
    for (const name of [
      'records of everything /api/tools',
      'a tool in a slot /api/tools',
      'an archived plant /api/points',
      'seeding /api/points',
      'a reset /api/sensors',
      'an import /api/tools',
    ])
      expect(differing).toContain(name);
  });
});
