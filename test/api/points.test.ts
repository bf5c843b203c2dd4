import { beforeAll, expect, it } from 'vitest';
import type { Event } from '../../src/core/events.ts';
import type { DeviceScope, Insertable } from '../../src/db/scope.ts';
import { devices } from '../../src/device/devices.ts';
import { logs } from '../../src/device/logs.ts';
import { parseCreate } from '../../src/engine/records.ts';
import { plantTemplates } from '../../src/garden/plant-templates.ts';
import type { Point } from '../../src/garden/points.ts';
import { points } from '../../src/garden/points.ts';
import type { Account, TestApp } from '../support/app.ts';
import { suiteApp } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';

const spot: Insertable<Point> = {
  name: 'Spot',
  pointer_type: 'GenericPointer',
  meta: {},
  x: 1,
  y: 2,
  z: 3,
  radius: 25,
  openfarm_slug: 'not-set',
  plant_stage: 'planned',
  depth: 0,
  pullout_direction: 0,
  gantry_mounted: false,
  mount_stage: 0,
  mount_offset_x: 0,
  mount_offset_y: 0,
  mount_offset_z: 0,
};

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

describeEngines('points', (engine) => {
  const server = suiteApp(engine);
  const events: Event[] = [];

  beforeAll(async () => {
    await server.app.attach((event) => {
      events.push(event);
    });
  });

  async function setUp() {
    const account = await server.signUp();
    const scope = server.app.server().device(account.deviceId);
    return { account, scope, call: callerOf(server, account) };
  }

  const stored = (scope: DeviceScope) => scope.count(points);

  it('purges archived points and notifies at 800, and rejects at 1000', async () => {
    const { scope, call } = await setUp();
    const create = () => call('POST', '/api/points', { pointer_type: 'Plant', x: 1, y: 2, z: 3 });
    const fill = (count: number, discarded_at: string | null) =>
      scope.insertAll(
        points,
        Array.from({ length: count }, () => ({ ...spot, discarded_at })),
      );
    await fill(100, daysAgo(1));
    await fill(700, null);
    expect((await create()).status).toBe(200);
    expect(await stored(scope)).toBe(701);
    const [notice, ...more] = await scope.rows(logs);
    expect(notice).toMatchObject({ type: 'info', channels: ['fatal_email'] });
    expect(notice?.message).toContain('800');
    expect(more).toEqual([]);
    await fill(290, null);
    await fill(9, daysAgo(1));
    const refused = await create();
    expect([refused.status, Object.keys(refused.json)]).toEqual([422, ['point_limit']]);
    expect(await stored(scope)).toBe(991);
    expect((await create()).status).toBe(200);
    expect(await stored(scope)).toBe(992);
    expect(await scope.count(logs)).toBe(1);
    expect((await call('GET', '/api/points')).json).toHaveLength(992);
  });

  it('notifies at 80 % of the limit of a garden, and not of a limit of one point', async () => {
    const create = { pointer_type: 'Plant', x: 1, y: 2, z: 3 };
    for (const [limit, notices] of [
      [1, []],
      [6, ['There are 5 points of at most 6. Please delete some that you do not need.']],
    ] as const) {
      const { scope, call } = await setUp();
      await scope.update(devices, { max_point_count: limit }, {});
      for (let count = 0; count < limit; count++) expect((await call('POST', '/api/points', create)).status).toBe(200);
      expect((await scope.rows(logs)).map(({ message }) => message)).toEqual(notices);
    }
  });

  it('creates 500 in one request, which is announced and undone as one', async () => {
    const { account, scope, call } = await setUp();
    const rows = Array.from({ length: 500 }, (_, i) => ({ pointer_type: 'Plant', name: `Leek ${i}`, x: i, y: 2 }));
    const { status, json } = await call('POST', '/api/points/bulk', { points: rows });
    expect(status).toBe(200);
    expect(json).toHaveLength(500);
    expect(json[499]).toMatchObject({ name: 'Leek 499', x: 499, y: 2, z: 0, plant_stage: 'planned' });
    expect((await call('GET', '/api/points')).json).toEqual(json);
    const announced = () =>
      events.filter(({ deviceId, resource }) => deviceId === account.deviceId && resource === 'Point');
    await expect.poll(() => announced().length).toBe(500);
    expect(JSON.parse(announced()[0]?.body ?? '')).toEqual(json[0]);
    const requests = (await call('GET', '/api/history?limit=200')).json.map(
      ({ request }: { request: string }) => request,
    );
    expect(new Set(requests).size).toBe(1);
    expect((await call('POST', '/api/history/revert', { request: requests[0] })).status).toBe(200);
    expect((await call('GET', '/api/points')).json).toEqual([]);
    expect((await scope.rows(points)).every(({ discarded_at }) => discarded_at !== null)).toBe(true);
  });

  it('creates none of several if one of them cannot be created', async () => {
    const { scope, call } = await setUp();
    const other = await setUp();
    const weed = { pointer_type: 'Weed', x: 1, y: 2 };
    const bulk = (sent: unknown) => call('POST', '/api/points/bulk', { points: sent });
    const sizes = { points: 'Points must be an array of 1 to 500 points.' };
    for (const sent of [undefined, null, {}, 'weed', [], Array(501).fill(weed)]) {
      const { status, json } = await bulk(sent);
      expect([status, json]).toEqual([422, sizes]);
    }
    const foreign = (await other.call('POST', '/api/tools', { name: 'Hoe' })).json.id;
    const slot = { pointer_type: 'ToolSlot', x: 0, y: 0 };
    const refused = await bulk([
      weed,
      7,
      { ...weed, x: 'east' },
      { ...slot, tool_id: foreign },
      { ...weed, y: 50_000 },
    ]);
    expect(refused.status).toBe(422);
    expect(Object.keys(refused.json)).toEqual(['2', '3', '4', '5']);
    expect(refused.json[3]).toHaveProperty('x');
    expect(refused.json[4]).toHaveProperty('tool_id');
    const own = (await call('POST', '/api/tools', { name: 'Rake' })).json.id;
    const twice = { ...slot, tool_id: own };
    expect((await bulk([twice, twice])).status).toBe(422);
    expect(await stored(scope)).toBe(0);

    await scope.insertAll(points, Array<Insertable<Point>>(998).fill(spot));
    expect((await bulk([weed, weed, weed])).json).toHaveProperty('point_limit');
    expect(await stored(scope)).toBe(998);
    expect((await bulk([weed, weed])).status).toBe(200);
  });

  it('changes many in one request, which is announced and undone as one', async () => {
    const { account, scope, call } = await setUp();
    await scope.insertAll(points, Array<Insertable<Point>>(250).fill(spot));
    const before = (await call('GET', '/api/points')).json as { id: number; x: number; meta: object }[];
    const changes = before.map(({ id }, index) => ({ id, x: index, meta: { row: `${index % 7}` } }));
    events.length = 0;
    const { status, json } = await call('PATCH', '/api/points/bulk', { points: changes });
    expect(status).toBe(200);
    expect(json).toHaveLength(250);
    expect(json[249]).toMatchObject({ id: before[249]?.id, x: 249, y: spot.y, meta: { row: '4' } });
    expect((await call('GET', '/api/points')).json).toEqual(json);
    const announced = () =>
      events.filter(({ deviceId, resource }) => deviceId === account.deviceId && resource === 'Point');
    await expect.poll(() => announced().length).toBe(250);
    const [{ request }] = (await call('GET', '/api/history?limit=1')).json;
    expect((await call('POST', '/api/history/revert', { request })).status).toBe(200);
    const after = (await call('GET', '/api/points')).json as typeof before;
    expect(after.map(({ id, x, meta }) => ({ id, x, meta }))).toEqual(
      before.map(({ id, x, meta }) => ({ id, x, meta })),
    );
  });

  it('changes none of several if one of them cannot be changed', async () => {
    const { scope, call } = await setUp();
    const other = await setUp();
    const foreign = await other.scope.insert(points, spot);
    const [one, two] = await scope.insertAll(points, [spot, spot]);
    const bulk = (sent: unknown) => call('PATCH', '/api/points/bulk', { points: sent });
    for (const sent of [undefined, null, {}, 'weed', [], Array(1001).fill({ id: one?.id, x: 1 })]) {
      const { status, json } = await bulk(sent);
      expect([status, json]).toEqual([422, { points: 'Points must be an array of 1 to 1000 points.' }]);
    }
    const refused = await bulk([
      { id: one?.id, x: 1 },
      7,
      { id: foreign.id, x: 1 },
      { id: two?.id, x: 'east' },
      { id: one?.id, x: 2 },
      { x: 3 },
      { id: { toString: 1 }, x: 3 },
      { id: [two?.id], x: 3 },
    ]);
    const id = 'This must be the id of a point, each once.';
    expect([refused.status, Object.keys(refused.json)]).toEqual([422, ['2', '3', '4', '5', '6', '7', '8']]);
    for (const number of [3, 5, 6, 7, 8]) expect(refused.json[number]).toEqual({ id });
    expect(refused.json[4]).toHaveProperty('x');
    const xs = async (its: typeof scope) => (await its.rows(points)).map(({ x }) => x);
    expect([await xs(scope), await xs(other.scope)]).toEqual([[spot.x, spot.x], [spot.x]]);
    expect((await bulk([{ id: two?.id, x: 5 }])).json).toMatchObject([{ id: two?.id, x: 5 }]);
  });

  it.each(['POST', 'PATCH'])(
    'excludes %s of several points from batches, which would multiply their limit',
    async (method) => {
      const { call } = await setUp();
      const body = { points: [{ pointer_type: 'Weed', x: 1, y: 1, z: 0 }] };
      const { status, json } = await call('POST', '/api/batch', [{ method, path: '/api/points/bulk', body }]);
      expect([status, json]).toEqual([422, { 1: { path: `${method} /api/points/bulk cannot be part of a batch.` } }]);
    },
  );

  it('deletes points that were archived two months ago', async () => {
    const { scope, call } = await setUp();
    const other = await setUp();
    const [old, recent] = await scope.insertAll(points, [
      { ...spot, discarded_at: daysAgo(63) },
      { ...spot, discarded_at: daysAgo(58) },
    ]);
    await other.scope.insert(points, { ...spot, discarded_at: daysAgo(63) });
    expect((await call('GET', '/api/points?filter=all')).json).toMatchObject([{ id: recent?.id }]);
    expect((await call('GET', `/api/points/${old?.id}`)).status).toBe(404);
    expect(await stored(other.scope)).toBe(1);
  });

  it('archives 179 in one request, releases their tool and groups, and announces it', async () => {
    const { account, scope, call } = await setUp();
    const created = await scope.insertAll(points, Array<Insertable<Point>>(179).fill(spot));
    const tool = (await call('POST', '/api/tools', { name: 'Hoe' })).json.id;
    const slot = (await call('POST', '/api/points', { pointer_type: 'ToolSlot', x: 0, y: 0, tool_id: tool })).json.id;
    const ids = created.map(({ id }) => id);
    const keptId = (await scope.insert(points, spot)).id;
    const members = [ids[7], keptId, ids[3]];
    const group = (await call('POST', '/api/point_groups', { name: 'G', point_ids: members })).json;
    const ownEvents = () => events.filter(({ deviceId }) => deviceId === account.deviceId);
    // Events of a device come in the order of commits: all earlier ones than the group's have arrived.
    await expect.poll(() => ownEvents().some(({ resource }) => resource === 'PointGroup')).toBe(true);
    events.length = 0;
    const response = await server.call('DELETE', `/api/points/${[...ids, slot].join(',')}`, {
      token: account.token,
      headers: { 'x-farmbot-rpc-id': 'bulk' },
    });
    expect([response.status, response.text]).toEqual([200, '']);
    await expect.poll(() => ownEvents().length).toBe(181);
    const deletions = ownEvents().filter(({ resource }) => resource === 'Point');
    expect(deletions.map(({ recordId }) => recordId).sort((a, b) => a - b)).toEqual(
      [...ids, slot].sort((a, b) => a - b),
    );
    expect(deletions.every(({ label, body }) => label === 'bulk' && body === null)).toBe(true);
    const [left] = ownEvents().filter(({ resource }) => resource === 'PointGroup');
    expect(left?.recordId).toBe(group.id);
    expect(left?.label).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.parse(left?.body ?? '')).toMatchObject({ point_ids: [keptId] });
    expect((await call('GET', '/api/points')).json).toMatchObject([{ id: keptId }]);
    expect((await call('GET', '/api/device/sync')).json.points).toMatchObject([[keptId, expect.any(String)]]);
    expect((await call('GET', '/api/points?filter=old')).json).toHaveLength(180);
    expect((await call('GET', `/api/tools/${tool}`)).json).toMatchObject({ status: 'inactive' });
    expect((await call('GET', `/api/points/${slot}`)).json).toMatchObject({ tool_id: null });

    // Changes of an archived point are not announced, and an archived slot accepts no tool.
    events.length = 0;
    const changed = await call('PATCH', `/api/points/${slot}`, { name: 'Old slot', tool_id: tool });
    expect(changed.json).toMatchObject({ name: 'Old slot', tool_id: null });
    expect((await call('POST', '/api/point_groups', { name: 'H', point_ids: [slot] })).json).toHaveProperty('points');
    expect((await call('DELETE', `/api/points/${slot}`)).status).toBe(200);
    expect((await call('POST', '/api/tools', { name: 'Last' })).status).toBe(200);
    await expect.poll(() => ownEvents().map(({ resource }) => resource)).toEqual(['Tool']);
  });

  it('looks up the garden of a template once, and replies 404 if it is unknown', async () => {
    const { scope, call } = await setUp();
    const garden = (await call('POST', '/api/saved_gardens', { name: 'Garden' })).json.id;
    let counts = 0;
    const counting = new Proxy(scope, {
      get(target, key) {
        if (key === 'count') counts++;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    await parseCreate(counting, plantTemplates, { saved_garden_id: garden, x: 1, y: 2 });
    expect(counts).toBe(1);
    const otherAccount = await setUp();
    const foreign = (await otherAccount.call('POST', '/api/saved_gardens', { name: 'Theirs' })).json.id;
    for (const id of [foreign, 999_999, 0, -1]) {
      const response = await call('POST', '/api/plant_templates', { saved_garden_id: id, x: 1, y: 2 });
      expect([response.status, response.json]).toEqual([404, { error: 'Saved garden not found.' }]);
    }
  });

  it('creates the plants of a garden with the defaults of a plant', async () => {
    const { call } = await setUp();
    const garden = (await call('POST', '/api/saved_gardens', { name: 'Garden' })).json.id;
    await call('POST', '/api/plant_templates', { saved_garden_id: garden, name: 'Leek', x: 1, y: 2 });
    expect((await call('POST', `/api/saved_gardens/${garden}/apply`)).status).toBe(200);
    const [{ id, created_at, updated_at, device_id, ...plant }] = (await call('GET', '/api/points')).json;
    expect(plant).toEqual({
      name: 'Leek',
      pointer_type: 'Plant',
      meta: {},
      x: 1,
      y: 2,
      z: 0,
      radius: 25,
      openfarm_slug: 'null',
      plant_stage: 'planned',
      planted_at: null,
      depth: 0,
      water_curve_id: null,
      spread_curve_id: null,
      height_curve_id: null,
    });
    expect([id, created_at, updated_at, device_id]).not.toContain(undefined);
  });

  it('keeps members in the order in which they were added', async () => {
    const { scope, call } = await setUp();
    const [a, b, c, d] = (await scope.insertAll(points, [spot, spot, spot, spot])).map(({ id }) => id);
    const { id } = (await call('POST', '/api/point_groups', { name: 'G', point_ids: [c, a] })).json;
    const put = async (point_ids: unknown) =>
      (await call('PUT', `/api/point_groups/${id}`, { point_ids })).json.point_ids;
    expect(await put(null)).toEqual([a, c]);
    expect(await put([d, c, b])).toEqual([c, d, b]);
    expect(await put([b, a, c, d])).toEqual([c, d, b, a]);
    expect(await put([])).toEqual([]);
  });

  it('sets the date of planting where an update plants a plant without naming one', async () => {
    const { account, call } = await setUp();
    const start = Date.now();
    const plant = async (values: object = {}) =>
      (await call('POST', '/api/points', { pointer_type: 'Plant', x: 1, y: 2, ...values })).json;
    const update = async (id: number, values: object) => (await call('PATCH', `/api/points/${id}`, values)).json;
    const isNow = (time: string | null) => time !== null && Date.parse(time) >= start && Date.parse(time) <= Date.now();
    const past = '2024-05-06T07:08:09.010Z';
    const future = new Date(start + 86_400_000).toISOString();

    const { id } = await plant();
    expect(isNow((await update(id, { plant_stage: 'planted' })).planted_at)).toBe(true);
    expect((await update(id, { planted_at: null })).planted_at).toBeNull();
    expect((await update(id, { plant_stage: 'planted', name: 'Leek' })).planted_at).toBeNull();

    for (const [before, sent, expected] of [
      [{ plant_stage: 'harvested', planted_at: past }, {}, 'now'],
      [{ plant_stage: 'planned', planted_at: past }, {}, 'now'],
      [{ plant_stage: 'sprouted', planted_at: past }, {}, past],
      [{ plant_stage: 'sprouted' }, {}, 'now'],
      [{ plant_stage: 'planned', planted_at: future }, {}, future],
      [{ plant_stage: 'removed', planted_at: past }, { planted_at: null }, null],
      [{}, { planted_at: past }, past],
      [{}, { planted_at: null }, null],
    ] as const) {
      const { planted_at } = await update((await plant(before)).id, { plant_stage: 'planted', ...sent });
      expect(isNow(planted_at) ? 'now' : planted_at, JSON.stringify([before, sent])).toBe(expected);
    }

    // The whole records of robots, and of people, who mean the date that they send.
    const headers = { 'user-agent': 'FarmbotOS/15.4.11 (rpi3) rpi3 ()' };
    const byRobot = async (id: number, body: object) =>
      (await server.call('PATCH', `/api/points/${id}`, { token: account.token, headers, body })).json;
    const whole = await plant();
    expect(isNow((await byRobot(whole.id, { ...whole, plant_stage: 'planted' })).planted_at)).toBe(true);
    const old = await plant({ plant_stage: 'harvested', planted_at: past });
    expect((await update(old.id, { ...old, plant_stage: 'planted' })).planted_at).toBe(past);
    // With another name: the robot's body then repeats no former version, also where both changes fall in one millisecond.
    const again = await update(old.id, { plant_stage: 'harvested', name: 'Leek' });
    expect(isNow((await byRobot(old.id, { ...again, plant_stage: 'planted' })).planted_at)).toBe(true);
    const dated = await plant();
    expect((await byRobot(dated.id, { ...dated, plant_stage: 'planted', planted_at: past })).planted_at).toBe(past);

    const many = [(await plant()).id, (await plant()).id];
    const { json } = await call('PATCH', '/api/points/bulk', {
      points: many.map((each) => ({ id: each, plant_stage: 'planted' })),
    });
    expect(json.map(({ planted_at }: { planted_at: string }) => isNow(planted_at))).toEqual([true, true]);
    expect((await plant({ plant_stage: 'planted' })).planted_at).toBeNull();
    const weed = (await call('POST', '/api/points', { pointer_type: 'Weed', x: 1, y: 2 })).json;
    expect(await update(weed.id, { plant_stage: 'planted' })).not.toHaveProperty('planted_at');
  });

  it('rejects a `meta` that becomes too large, and searches special keys', async () => {
    const { call } = await setUp();
    const specialKeys = { 'a"b': 'x', "it's": '1', '$.a': '2', '[0]': '3', é: '🌱' };
    const body = { pointer_type: 'Plant', x: 1, y: 2, z: 3, meta: specialKeys };
    const { id } = (await call('POST', '/api/points', body)).json;
    for (const [name, value] of Object.entries(specialKeys)) {
      expect((await call('POST', '/api/points/search', { meta: { [name]: value } })).json).toMatchObject([{ id }]);
      const query = `meta[${encodeURIComponent(name)}]=${encodeURIComponent(value)}`;
      expect((await call('GET', `/api/points/search?${query}`)).json).toMatchObject([{ id }]);
      expect((await call('GET', `/api/points/search?${query}x`)).json).toEqual([]);
    }
    expect((await call('PATCH', `/api/points/${id}`, { meta: { long: 'x'.repeat(2600) } })).status).toBe(200);
    expect((await call('PATCH', `/api/points/${id}`, { meta: { more: 'x'.repeat(100) } })).json).toHaveProperty(
      'error',
    );
    const wrong = await call('GET', '/api/points/search?x=&pointer_type=Tree&depth=1.x&name=');
    expect([wrong.status, Object.keys(wrong.json)]).toEqual([422, ['x', 'name', 'pointer_type']]);
    expect((await call('POST', '/api/points/search', { meta: null })).json).toHaveProperty('meta');
  });
});

describeEngines('points in web-app compatibility', (engine) => {
  const server = suiteApp(engine, { COMPATIBILITY: 'web-app' });

  it('are deleted, and gardens add to them', async () => {
    const account = await server.signUp();
    const scope = server.app.server().device(account.deviceId);
    const call = callerOf(server, account);
    const [first, archived, grouped] = await scope.insertAll(points, [
      spot,
      { ...spot, discarded_at: daysAgo(1) },
      spot,
    ]);
    const body = { name: 'G', point_ids: [first?.id, grouped?.id] };
    const group = (await call('POST', '/api/point_groups', body)).json.id;
    expect((await call('DELETE', `/api/points/${first?.id},${archived?.id}`)).status).toBe(200);
    expect((await call('GET', '/api/points?filter=all')).json).toMatchObject([{ id: grouped?.id }]);
    expect((await call('GET', `/api/point_groups/${group}`)).json).toMatchObject({ point_ids: [grouped?.id] });

    const plantNames = async () => {
      const all: { name: string; pointer_type: string }[] = (await call('GET', '/api/points?filter=all')).json;
      return all.filter(({ pointer_type }) => pointer_type === 'Plant').map(({ name }) => name);
    };
    const garden = (await call('POST', '/api/saved_gardens', { name: 'Garden' })).json.id;
    await call('POST', '/api/plant_templates', { saved_garden_id: garden, name: 'Leek', x: 1, y: 2 });
    await call('POST', '/api/points', { pointer_type: 'Plant', name: 'Beet', x: 1, y: 2 });
    expect((await call('PATCH', `/api/saved_gardens/${garden}/apply`)).status).toBe(200);
    expect(await plantNames()).toEqual(['Beet', 'Leek']);
    expect((await call('POST', `/api/saved_gardens/${garden}/apply`)).status).toBe(200);
    expect(await plantNames()).toEqual(['Leek']);
  });
});

const callerOf = (server: TestApp, account: Account) => (method: string, path: string, body?: object) =>
  server.call(method, path, { token: account.token, ...(body && { body }) });
