import { beforeAll, expect, it } from 'vitest';
import type { DeviceScope } from '../../src/db/scope.ts';
import { list } from '../../src/engine/records.ts';
import type { Resource } from '../../src/engine/resource.ts';
import type { Route } from '../../src/engine/route.ts';
import { isTagged } from '../../src/engine/route.ts';
import { resources } from '../../src/resources.ts';
import { exportAccount, sendImport } from '../support/account-transfer.ts';
import type { Account, TestApp, TestResponse } from '../support/app.ts';
import { password, startApp, suiteAccount, suiteApp } from '../support/app.ts';
import { describeEngines, itAnyEngine } from '../support/engines.ts';
import { actionsOf, example, hasExample } from '../support/examples.ts';
import { join } from '../support/members.ts';
import { storeRun } from '../support/stored-run.ts';

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
/** Routes without entity tags, each with a reason in its declaration. */
const untagged = [
  ...['/api/device', '/api/device/:ignored', '/api/device/sync', '/api/users', '/api/sessions', '/api/personal_tokens'],
  ...[
    '/api/admin/users',
    '/api/admin/users/:id',
    '/api/admin/server',
    '/api/admin/backups',
    '/api/admin/figures',
    '/api/robot',
    '/api/garden',
    '/api/virtual_robot',
    '/health',
  ],
  ...['/api/tokens', '/api/storage_auth'],
];

const paths = [...tagged, ...singletons].map((name) => `/api/${name}`);

type Ids = Readonly<Record<string, number>>;

/** Addresses of routes that need more than the id of a record after its name. */
const addresses: Readonly<Record<string, (ids: Ids) => string>> = {
  '/api/releases': () => '/api/releases?platform=rpi&channel=stable',
  '/api/global_bulletins/:slug': () => '/api/global_bulletins/spring',
  '/api/crops/:slug': () => '/api/crops/tomato',
  '/api/series': ({ pin }) =>
    `/api/series?source=sensor_reading&pin=${pin}&from=2040-01-01T00:00:00Z&to=2040-01-02T00:00:00Z`,
  '/api/farm_events/occurrences': () =>
    '/api/farm_events/occurrences?from=2040-04-01T00:00:00Z&to=2040-04-03T00:00:00Z',
  '/api/farm_events/occurrences/past': () =>
    '/api/farm_events/occurrences/past?from=2040-04-01T00:00:00Z&to=2040-04-03T00:00:00Z',
  '/api/sequences/:id/text': ({ sequences }) => `/api/sequences/${sequences}/text`,
  '/api/webhooks/:id/deliveries': ({ webhooks }) => `/api/webhooks/${webhooks}/deliveries`,
  '/api/admin/users/:id/quotas': ({ users }) => `/api/admin/users/${users}/quotas`,
  '/api/first_party_farmwares/:id': () => '/api/first_party_farmwares/1',
};

const addressOf = ({ path }: Pick<Route, 'path'>, ids: Ids): string =>
  addresses[path]?.(ids) ??
  path.replace(':ignored', '1').replace(/(\w+)\/:id/, (_whole, name: string) => `${name}/${ids[name]}`);

/** Creates a record of each kind, a release and a bulletin. Returns the ids by the first part of their paths. */
async function fill(server: TestApp, account: Account): Promise<Ids> {
  const post = async (path: string, body: object) => {
    const { status, json, text } = await server.call('POST', path, { token: account.token, body });
    expect(status, `${path} ${text}`).toBe(200);
    return json;
  };
  const ids: Record<string, number> = { users: account.userId };
  const made = resources.filter((resource) => hasExample(resource) && actionsOf(resource).has('create'));
  for (const { name } of made) {
    const { id, pin } = await post(`/api/${name}`, await example(server, name, account));
    ids[name] = id;
    if (name === 'sensor_readings') ids.pin = pin;
  }
  ids.sequences = (await post('/api/sequences', { name: `Filled ${account.userId} ${ids.tools}`, body: [] })).id;
  ids.farm_events = (await post('/api/farm_events', await example(server, 'farm_events', account))).id;
  await post(`/api/sequences/${ids.sequences}/publish`, { copyright: 'Ada' });
  const { token } = account;
  const shown = await server.call('GET', `/api/sequences/${ids.sequences}`, { token });
  ids.sequence_versions = shown.json.sequence_versions[0];
  ids.webhooks = (await post('/api/webhooks', { url: 'https://hooks.example/garden' })).id;
  ids.runs = await storeRun(server, account);
  ids.alerts = (await server.call('GET', '/api/alerts', { token })).json[0].id;
  await server.call('POST', '/api/logs', { token, body: { message: 'Stuck', type: 'error' } });
  ids.notifications = (await server.call('GET', '/api/notifications', { token })).json[0].id;
  ids.history = (await server.call('GET', '/api/history', { token })).json[0].id;
  return ids;
}

describeEngines('entity tags', (engine) => {
  const server = suiteApp(engine);
  const own = suiteAccount(server);
  beforeAll(async () => {
    const { operations } = server.app;
    await (await operations.bulletins()).add('all', { title: 'Spring', content: 'News.', slug: 'spring' });
    const release = { version: '15.4.6', platform: 'rpi', channel: 'stable', image_url: 'https://os.example/a.img' };
    await (await operations.releases()).add(release);
  });
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
    // The tag of one query says nothing about another.
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

  it('are sent with each list and record, and confirmed while it is unchanged, unless a route declares the reason against it', async () => {
    const ids = await fill(server, own);
    const routes = server.app.routes.filter(
      ({ method, replies, hidden }) => method === 'GET' && typeof replies[200] === 'object' && !hidden,
    );
    expect(
      routes
        .filter((route) => route.untagged)
        .map(({ path }) => path)
        .sort(),
    ).toEqual([...untagged].sort());
    expect(routes.length).toBeGreaterThan(80);
    for (const route of routes) {
      const address = addressOf(route, ids);
      const first = await get(address);
      expect(first.status, `${address} ${first.text}`).toBe(200);
      if (route.untagged) {
        expect(first.headers.etag, address).toBeUndefined();
        continue;
      }
      expect(first.headers.etag, address).toMatch(/^W\/"[\w-]+"$/);
      for (const tag of [first.headers.etag, `"other", ${String(first.headers.etag).slice(2)}`, '*']) {
        const again = await get(address, tag);
        expect([again.status, again.text, again.headers.etag], `${address} ${tag}`).toEqual([
          304,
          '',
          first.headers.etag,
        ]);
      }
      expect((await get(address, '"other"')).text, address).toBe(first.text);
    }
    for (const path of paths) expect((await get(path)).headers.etag, path).toMatch(/^W\/"\d+-[\w-]{11}"$/);
    const { token } = own;
    const headers = { origin: 'https://other.example', 'if-none-match': '' };
    const shared = await server.call('GET', '/api/tools', { token, headers });
    expect(String(shared.headers['access-control-expose-headers'])).toContain('ETag');
  });

  it('and answers follow the changes of another process', async () => {
    const { id } = (await send('POST', '/api/tools', { name: 'Rake' })).json;
    const names = async () => (await get('/api/tools')).json.map(({ name }: { name: string }) => name);
    const before = await names();
    expect([before.at(-1), await names()]).toEqual(['Rake', before]);
    const url = server.settings.DATABASE_URL;
    // A second server has a connection of its own, as another process has.
    const other = await startApp(engine, url ? { DATABASE_URL: url } : { DATA_DIR: server.settings.DATA_DIR });
    const tool = resources.find(({ name }) => name === 'tools') as Resource;
    const rename = (scope: DeviceScope, name: string) => scope.update(tool, { name } as object, { where: { id } });
    await rename(other.app.server().device(own.deviceId), 'Hoe');
    expect((await names()).at(-1)).toBe('Hoe');
    await other.app.server().transaction((scope) => rename(scope.device(own.deviceId), 'Dibber'));
    expect((await names()).at(-1)).toBe('Dibber');
    const times = async () => (await get('/api/device/sync')).json.tools;
    const tools = await times();
    await other.call('PATCH', `/api/tools/${id}`, { token: own.token, body: { name: 'Spade' } });
    expect([(await names()).at(-1), (await get(`/api/tools/${id}`)).json.name]).toEqual(['Spade', 'Spade']);
    expect(await times()).not.toEqual(tools);
    await other.close();
  });

  it('ignore foreign tags, tags of other accounts, and of another copy of the database', async () => {
    const stranger = await server.signUp();
    await send('POST', '/api/tools', { name: 'Theirs' }, stranger);
    const theirs = (await get('/api/tools', undefined, stranger)).headers.etag;
    const mine = await tagOf('/api/tools');
    const [, hash] = /-(.{11})"$/.exec(mine) ?? [];
    for (const tag of [theirs, '"x"', 'x', '', `W/"999999999-${hash}"`, mine.replace(/-./, '-_')])
      expect((await get('/api/tools', tag)).status, String(tag)).toBe(200);
    expect((await get('/api/tools', mine)).status).toBe(304);
  });

  it('from the change log belong to the rights with which they were read', async () => {
    const { json } = await send('POST', '/api/personal_tokens', { name: 'Reader', scopes: ['read'] });
    const reader = { ...own, token: json.token };
    const mine = await get('/api/tools');
    const read = await get('/api/tools', mine.headers.etag, reader);
    expect([read.status, read.text]).toEqual([200, mine.text]);
    expect((await get('/api/tools', read.headers.etag, reader)).status).toBe(304);
    expect((await get('/api/tools', `${mine.headers.etag}, ${read.headers.etag}`, reader)).status).toBe(304);
  });

  // Rights are compared before tags, whatever the engine of both.
  itAnyEngine('are confirmed to none who may not read, whatever changed the rights', async () => {
    const owner = await server.signUp();
    const guest = await server.signUp();
    const ids = await fill(server, owner);
    const all = server.app.routes.flatMap((route) =>
      isTagged(route) && !route.hidden ? [{ path: addressOf(route, ids), isPublic: route.access === 'public' }] : [],
    );
    expect(all.length).toBeGreaterThan(60);
    const tags = new Map<string, Set<string>>();
    const remember = (path: string, { headers }: { headers: Record<string, unknown> }): void => {
      if (headers.etag) tags.set(path, (tags.get(path) ?? new Set()).add(String(headers.etag)));
    };
    for (const { path } of all) remember(path, await get(path, undefined, owner));
    /** Sends all known tags to each route, and `*` where the caller is refused. Returns the paths that the caller may not read. */
    const refusedTo = async (who: string, reader: Account): Promise<string[]> => {
      const refused: string[] = [];
      for (const { path, isPublic } of all) {
        const whole = await get(path, undefined, reader);
        const known = [...(tags.get(path) ?? ['"none"'])].join();
        const sent = await get(path, known, reader);
        const isOwn = whole.status === 200 && known.includes(String(whole.headers.etag));
        expect([sent.status, sent.text], `${who} ${path}`).toEqual(isOwn ? [304, ''] : [whole.status, whole.text]);
        if (whole.status !== 200) expect((await get(path, '*', reader)).text, `${who} ${path}`).toBe(whole.text);
        if (whole.status === 200) remember(path, whole);
        else if (!isPublic) refused.push(path);
      }
      return refused;
    };
    const member = await join(server, owner, guest, 'owner');
    const ofAdministrators = await refusedTo('another owner', member);
    expect(ofAdministrators.filter((path) => !path.startsWith('/api/admin/'))).toEqual([]);
    const role = (name: string) => send('PATCH', `/api/members/${guest.userId}`, { role: name }, owner);
    const again = async (): Promise<Account> => {
      const { json } = await send('POST', `/api/gardens/${owner.deviceId}/token`, {}, guest);
      return { ...member, token: json.token.encoded };
    };
    await role('gardener');
    // The session ended with the role, with all the tags that it has.
    const everything = await refusedTo('a demoted session', member);
    expect(everything.length).toBeGreaterThan(60);
    const gardener = await again();
    const ofOwners = ['/api/members', '/api/invitations', '/api/webhooks', `/api/webhooks/${ids.webhooks}/deliveries`];
    expect(await refusedTo('a gardener', gardener)).toEqual(expect.arrayContaining(ofOwners));
    await role('viewer');
    expect(await refusedTo('a demoted gardener', gardener)).toEqual(everything);
    const viewer = await again();
    expect(await refusedTo('a viewer', viewer)).toEqual(expect.arrayContaining(ofOwners));
    // More rights, with the session and the tags of before.
    await role('owner');
    expect(await refusedTo('a promoted viewer', viewer)).toEqual(ofAdministrators);
    // A condition on a write gives no right either.
    const plant = { name: 'Weed' };
    const headers = { 'if-match': '*', 'if-none-match': [...(tags.get('/api/points') ?? [])].join() };
    const path = `/api/points/${ids.points}`;
    await send('DELETE', `/api/members/${guest.userId}`, undefined, owner);
    expect(await refusedTo('a removed member', viewer)).toEqual(everything);
    const written = await server.call('PATCH', path, { token: viewer.token, headers, body: plant });
    expect(written.status).toBe(401);

    const { json } = await send('POST', '/api/personal_tokens', { name: 'Wall', scopes: ['read', 'programs'] }, owner);
    const reader = { ...owner, token: json.token };
    expect(await refusedTo('a token that reads', reader)).not.toContain('/api/logs');
    await send('PATCH', `/api/personal_tokens/${json.id}`, { scopes: ['programs'] }, owner);
    expect(await refusedTo('a narrowed token', reader)).toEqual(expect.arrayContaining(['/api/logs', '/api/points']));
    await send('DELETE', `/api/personal_tokens/${json.id}`, undefined, owner);
    expect(await refusedTo('a revoked token', reader)).toEqual(everything);
  });

  it('are never confirmed for an answer that differs, whatever changed it', async () => {
    const garden = own;
    const filled = await fill(server, garden);
    const addressed = server.app.routes.flatMap((route) =>
      isTagged(route) && !route.hidden ? [addressOf(route, filled)] : [],
    );
    const all = [...addressed, '/api/points?filter=all', '/api/points?filter=old', '/api/tools?page=1&per=2'];
    const call = async (method: string, path: string, body?: unknown): Promise<{ id: number }> => {
      const { status, json, text } = await send(method, path, body, garden);
      expect(status, `${method} ${path} ${text}`).toBe(200);
      return json;
    };
    const make = async (name: string, changes: object = {}) =>
      call('POST', `/api/${name}`, { ...(await example(server, name, garden)), ...changes });
    /** The answers before the next step: no two steps have a write between them. */
    const answers = new Map(
      await Promise.all(all.map(async (path) => [path, await get(path, undefined, garden)] as const)),
    );
    const differing: string[] = [];
    const lists = resources.filter(({ name }) => tagged.includes(name));
    /** Compares an answer that may come from memory with the database's. */
    const compareWithDatabase = async (step: string): Promise<void> => {
      // On PostgreSQL nothing is kept in memory.
      if (engine === 'postgres') return;
      const { json: sync } = await get('/api/device/sync', undefined, garden);
      const scope = server.app.server().device(garden.deviceId);
      for (const resource of lists) {
        const { name } = resource;
        const onMap = name === 'points' ? { where: { discarded_at: null } } : {};
        const stored = JSON.parse(String(await list(scope, resource as Resource, null, onMap)));
        expect((await get(`/api/${name}`, undefined, garden)).json, `${step}: ${name}`).toEqual(stored);
        const pairs = stored.map(({ id, updated_at }: { id: number; updated_at: string }) => [id, updated_at]);
        const first = stored[0] && (await get(`/api/${name}/${stored[0].id}`, undefined, garden));
        if (first?.status === 200) expect(first.json, `${step}: a record of ${name}`).toEqual(stored[0]);
        if (resource.options.sync === 'listed') expect(sync[name], `${step}: ${name} of device/sync`).toEqual(pairs);
      }
    };
    const step = async (name: string, work: () => Promise<unknown>): Promise<void> => {
      await work();
      await compareWithDatabase(name);
      const compare = async ([path, { text, headers }]: readonly [string, TestResponse]): Promise<void> => {
        const both = async () => [await get(path, headers.etag, garden), await get(path, undefined, garden)] as const;
        let [now, whole] = await both();
        // The hour of a limit ended between them, perhaps.
        if (now.status === 200 && now.text !== whole.text) [now, whole] = await both();
        answers.set(path, whole);
        if (whole.text === text) return;
        differing.push(`${name} ${path}`);
        expect([now.status, now.text], `${name} ${path}`).toEqual([whole.status, whole.text]);
        expect(whole.headers.etag, `${name} ${path}`).not.toBe(headers.etag);
      };
      await Promise.all([...answers].map(compare));
    };
    await compareWithDatabase('before all');
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
    await step('a change of an archived plant', () => call('PATCH', `/api/points/${ids.point}`, { name: 'Compost' }));
    await step('a deleted group', () => send('DELETE', `/api/point_groups/${ids.point_groups}`, undefined, garden));
    await step('a mounted tool', () => call('PATCH', '/api/device', { mounted_tool_id: ids.tools }));
    await step('a deleted tool', () => send('DELETE', `/api/tools/${ids.tools}`, undefined, garden));
    await step('a sequence with a button, and both deleted', async () => {
      const { id } = await call('POST', '/api/sequences', { name: 'Blink', body: [] });
      await call('PATCH', '/api/fbos_config', { boot_sequence_id: id });
      await send('DELETE', `/api/sequences/${id}`, undefined, garden);
    });
    await step('settings of the web app', () => call('PATCH', '/api/web_app_config', { dark_mode: false }));
    await step('a log, a reading and telemetry', async () => {
      for (const name of ['logs', 'sensor_readings', 'telemetries', 'images', 'wizard_step_results']) await make(name);
    });
    await step('a changed sequence', () => call('PATCH', `/api/sequences/${filled.sequences}`, { name: 'Other' }));
    await step('a version of another account', async () => {
      const author = await server.signUp();
      const { json } = await send('POST', '/api/sequences', { name: 'Theirs', body: [] }, author);
      const publish = (copyright: string) => send('POST', `/api/sequences/${json.id}/publish`, { copyright }, author);
      await publish('Ada');
      const version = (await get(`/api/sequences/${json.id}`, undefined, author)).json.sequence_versions[0];
      expect((await send('POST', `/api/sequences/${version}/install`, undefined, garden)).status).toBe(200);
      const before = await get('/api/sequences', undefined, garden);
      await publish('Ada and others');
      const after = await get('/api/sequences', before.headers.etag, garden);
      expect([after.status, after.text === before.text]).toEqual([200, false]);
      expect(after.headers.etag).not.toBe(before.headers.etag);
    });
    await step('people', async () => {
      await call('POST', '/api/invitations', { email: 'guest@example.com', role: 'viewer' });
      await call('PATCH', '/api/users', { name: 'Renamed' });
    });
    await step('quotas', () => call('PATCH', `/api/admin/users/${garden.userId}/quotas`, { photos: 7 }));
    await step('a webhook', () => call('PATCH', `/api/webhooks/${filled.webhooks}`, { description: 'Other' }));
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
      'an archived plant /api/points?filter=old',
      'a change of an archived plant /api/points?filter=all',
      'settings of the web app /api/web_app_config',
      'a log, a reading and telemetry /api/logs',
      'a log, a reading and telemetry /api/sensor_readings',
      'a log, a reading and telemetry /api/telemetries',
      'a log, a reading and telemetry /api/images',
      'a log, a reading and telemetry /api/usage',
      'a changed sequence /api/sequences',
      `a changed sequence /api/sequences/${filled.sequences}`,
      'a changed sequence /api/history',
      'people /api/invitations',
      'people /api/members',
      'quotas /api/usage',
      'a webhook /api/webhooks',
    ])
      expect(differing).toContain(name);
  });
});
