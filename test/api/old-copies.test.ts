import { expect, it, vi } from 'vitest';
import { changeRows } from '../../src/db/change-rows.ts';
import { oldCopyIn } from '../../src/engine/old-copies.ts';
import type { AnyResource } from '../../src/engine/resource.ts';
import { points } from '../../src/garden/points.ts';
import { password, suiteApp } from '../support/app.ts';
import { describeEngines } from '../support/engines.ts';

const robotOs = { 'user-agent': 'FarmbotOS/15.4.11 (rpi3) rpi3 ()' };
const minute = 60_000;

/** A clock that tests move. */
const clock = { offset: 0, now: () => Date.now() + clock.offset };

describeEngines('old copies of robots', (engine) => {
  const server = suiteApp(engine, {}, clock);

  /** A garden with requests of a person and of its robot. */
  async function garden() {
    const account = await server.signUp();
    const send = (headers: Record<string, string>) => async (method: string, path: string, body?: unknown) => {
      const sent = { token: account.token, headers, ...(body === undefined ? {} : { body }) };
      const response = await server.call(method, path, sent);
      expect(response.status, `${method} ${path} ${response.text}`).toBe(200);
      return response.json;
    };
    const person = send({});
    const robot = send(robotOs);
    const log = () => server.app.server().device(account.deviceId).rows(changeRows);
    const kept = async () =>
      (await person('GET', '/api/history')).filter((each: { action: string }) => each.action === 'kept');
    return { ...account, person, robot, kept, log };
  }

  /** The copy of a point as the OS sends it: all fields of all kinds, and times with six decimals. */
  const asRobot = (point: Record<string, unknown>) => ({
    gantry_mounted: null,
    plant_stage: null,
    planted_at: null,
    tool_id: null,
    pullout_direction: null,
    openfarm_slug: null,
    depth: null,
    discarded_at: null,
    ...point,
    created_at: String(point.created_at).replace('Z', '000Z'),
    updated_at: String(point.updated_at).replace('Z', '000Z'),
  });

  it('a point that a person edited stays as it is, and the history says so', async () => {
    const { person, robot, kept, log } = await garden();
    const point = await person('POST', '/api/points', {
      pointer_type: 'GenericPointer',
      name: 'P37',
      x: 750,
      y: 700,
      meta: { b: '1', a: '2' },
    });
    const edited = await person('PATCH', `/api/points/${point.id}`, { name: 'edited', y: 555.5 });
    const before = await log();
    // Robots order keys by themselves.
    const copy = { ...asRobot(point), meta: { a: '2', b: '1' } };
    expect(await robot('PATCH', `/api/points/${point.id}`, copy)).toEqual(edited);
    expect(await person('GET', `/api/points/${point.id}`)).toEqual(edited);
    const [entry, ...others] = await kept();
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      actor: { kind: 'robot' },
      resource: 'Point',
      record_id: point.id,
      name: 'edited',
    });
    expect(await person('GET', `/api/history/${entry.id}`)).toMatchObject({
      before: point,
      after: edited,
      difference: [
        { field: 'name', before: 'P37', after: 'edited' },
        { field: 'y', before: 700, after: 555.5 },
      ],
    });
    expect((await log()).slice(before.length)).toMatchObject([{ action: 'kept' }]);
  });

  it('the session of a robot is enough, whatever the User-Agent', async () => {
    const { email, person } = await garden();
    const user = { email, password };
    const signedIn = await server.call('POST', '/api/tokens', { headers: robotOs, body: { user } });
    const point = await person('POST', '/api/points', { pointer_type: 'Weed', name: 'Nettle', x: 1, y: 2 });
    const edited = await person('PATCH', `/api/points/${point.id}`, { x: 3 });
    const sent = { token: signedIn.json.token.encoded, body: asRobot(point) };
    expect((await server.call('PATCH', `/api/points/${point.id}`, sent)).json).toEqual(edited);
  });

  it('it is announced to no client, and there is nothing to undo', async () => {
    const { token, deviceId, person, robot, kept } = await garden();
    const seen: string[] = [];
    await server.app.attach(({ deviceId: id, resource, recordId, body }) => {
      if (id === deviceId && resource === 'Point') seen.push(`Point ${recordId} at ${JSON.parse(String(body)).x}`);
    });
    const point = await person('POST', '/api/points', { pointer_type: 'Weed', name: 'Nettle', x: 1, y: 2 });
    await person('PATCH', `/api/points/${point.id}`, { x: 3 });
    await robot('PATCH', `/api/points/${point.id}`, asRobot(point));
    await person('PATCH', `/api/points/${point.id}`, { x: 4 });
    const name = `Point ${point.id} at`;
    // In order: the last one is there when all others are.
    await expect.poll(() => seen.at(-1)).toBe(`${name} 4`);
    expect(seen).toEqual([`${name} 1`, `${name} 3`, `${name} 4`]);
    const [{ id }] = await kept();
    const refused = await server.call('POST', `/api/history/${id}/revert`, { token });
    expect([refused.status, refused.json]).toEqual([
      422,
      { error: 'The robot sent an old copy, which changed nothing: there is nothing to put back.' },
    ]);
    await person('POST', '/api/history/revert', { from_id: id });
    expect(await person('GET', `/api/points/${point.id}`)).toMatchObject({ x: 3 });
  });

  it.each([
    ['/api/tools', { name: 'Trowel' }, { name: 'Rake' }],
    ['/api/sensors', { label: 'Soil', pin: 59, mode: 1 }, { label: 'Moisture' }],
    ['/api/point_groups', { name: 'Some', point_ids: [] }, { name: 'Others' }],
    [
      '/api/sequences',
      { name: 'Wait', body: [{ kind: 'wait', args: { milliseconds: 5 } }] },
      { name: 'Rest', body: [] },
    ],
    ['/api/regimens', { name: 'Spring', color: 'red', regimen_items: [] }, { name: 'Summer' }],
    ['/api/curves', { name: 'Curve', type: 'water', data: { 1: 5, 9: 7 } }, { name: 'Bend' }],
  ])('%s', async (path, body, edit) => {
    const { person, robot } = await garden();
    const created = await person('POST', path, body);
    const edited = await person('PATCH', `${path}/${created.id}`, edit);
    expect(await robot('PATCH', `${path}/${created.id}`, created)).toEqual(edited);
    expect(await person('GET', `${path}/${created.id}`)).toEqual(edited);
  });

  it('events of the schedule', async () => {
    const { person, robot } = await garden();
    const sequence = await person('POST', '/api/sequences', { name: 'Water', body: [] });
    const event = await person('POST', '/api/farm_events', {
      executable_type: 'Sequence',
      executable_id: sequence.id,
      start_time: '2040-01-02T08:00:00.000Z',
      end_time: '2040-01-03T08:00:00.000Z',
      repeat: 1,
      time_unit: 'daily',
    });
    const edited = await person('PATCH', `/api/farm_events/${event.id}`, { repeat: 2 });
    const copy = { ...event, start_time: '2040-01-02T08:00:00.000000Z' };
    expect(await robot('PATCH', `/api/farm_events/${event.id}`, copy)).toEqual(edited);
  });

  it('everything else that a robot sends is stored', async () => {
    const { person, robot, kept } = await garden();
    const create = (name: string) => person('POST', '/api/points', { pointer_type: 'Weed', name, x: 1, y: 2 });
    const point = await create('Nettle');
    const path = `/api/points/${point.id}`;
    const edited = await person('PATCH', path, { name: 'edited' });
    // A clock that is wrong, and a time of no version.
    expect(await robot('PATCH', path, { ...asRobot(point), updated_at: '1970-01-01T00:00:00.000000Z' })).toMatchObject({
      name: 'Nettle',
    });
    // A change that the robot made to its old copy.
    const changed = { ...asRobot(edited), plant_stage: 'removed' };
    expect(await robot('PATCH', path, changed)).toMatchObject({ name: 'edited', plant_stage: 'removed' });
    // The present version.
    const present = await person('GET', path);
    expect(await robot('PATCH', path, { ...asRobot(present), x: 9 })).toMatchObject({ x: 9 });
    // A copy of another point.
    const other = await create('Thistle');
    await person('PATCH', `/api/points/${other.id}`, { x: 5 });
    expect(await robot('PATCH', path, { ...asRobot(other), id: point.id })).toMatchObject({ name: 'Thistle' });
    // No field at all, and no time.
    expect(await robot('PATCH', path, { updated_at: point.updated_at })).toMatchObject({ name: 'Thistle' });
    expect(await robot('PATCH', path, { name: 'Nettle' })).toMatchObject({ name: 'Nettle' });
    expect(await kept()).toEqual([]);
  });

  it('the robot may put back its own changes', async () => {
    const { token, person, robot, kept } = await garden();
    const point = await person('POST', '/api/points', { pointer_type: 'Weed', name: 'Nettle', x: 0, y: 2 });
    const path = `/api/points/${point.id}`;
    // A script with a table that it read once.
    expect(await robot('PATCH', path, { ...point, x: 1 })).toMatchObject({ x: 1 });
    expect(await robot('PATCH', path, { ...point, x: 0 })).toMatchObject({ x: 0 });
    expect(await kept()).toEqual([]);
    expect(await robot('PATCH', path, { ...point, x: 1 })).toMatchObject({ x: 1 });
    // A person, whose client sends no User-Agent, and then the robot again.
    const sent = { token, body: { y: 7 }, headers: { 'user-agent': '' } };
    expect((await server.call('PATCH', path, sent)).json).toMatchObject({ x: 1, y: 7 });
    expect(await robot('PATCH', path, { name: 'Thistle' })).toMatchObject({ y: 7 });
    expect(await robot('PATCH', path, asRobot(point))).toMatchObject({ name: 'Thistle', x: 1, y: 7 });
    expect((await kept()).length).toBe(1);
  });

  it('a person may put an earlier version back', async () => {
    const { token, person, kept } = await garden();
    const point = await person('POST', '/api/points', { pointer_type: 'Weed', name: 'Nettle', x: 1, y: 2 });
    await person('PATCH', `/api/points/${point.id}`, { x: 3 });
    expect(await person('PATCH', `/api/points/${point.id}`, point)).toMatchObject({ x: 1 });
    await person('PATCH', `/api/points/${point.id}`, { x: 3 });
    // Without a User-Agent it is no known robot.
    const sent = { token, body: point, headers: { 'user-agent': '' } };
    expect((await server.call('PATCH', `/api/points/${point.id}`, sent)).json).toMatchObject({ x: 1 });
    expect(await kept()).toEqual([]);
  });

  it('a bulk change and a batch keep the points that they repeat', async () => {
    const { person, robot, kept } = await garden();
    const points = [];
    for (const name of ['one', 'two'])
      points.push(await person('POST', '/api/points', { pointer_type: 'Weed', name, x: 1, y: 2 }));
    const [one, two] = points;
    await person('PATCH', `/api/points/${one.id}`, { x: 3 });
    const bulk = { points: [asRobot(one), { id: two.id, x: 7 }] };
    expect(await robot('PATCH', '/api/points/bulk', bulk)).toMatchObject([{ x: 3 }, { x: 7 }]);
    const requests = [
      { method: 'PATCH', path: `/api/points/${one.id}`, body: asRobot(one) },
      { method: 'PATCH', path: `/api/points/${one.id}`, body: { x: 8 } },
    ];
    await robot('POST', '/api/batch', requests);
    expect(await person('GET', `/api/points/${one.id}`)).toMatchObject({ x: 8 });
    expect((await kept()).length).toBe(2);
    expect(
      (await person('GET', `/api/history?resource=Point&record_id=${one.id}`)).map(
        (each: { action: string }) => each.action,
      ),
    ).toEqual(['updated', 'kept', 'kept', 'updated', 'created']);
  });

  it('the log is looked at only for a time that may be of a former version', async () => {
    const { deviceId, person } = await garden();
    const point = await person('POST', '/api/points', { pointer_type: 'Weed', name: 'Nettle', x: 1, y: 2 });
    const edited = await person('PATCH', `/api/points/${point.id}`, { x: 3 });
    const scope = server.app.server().device(deviceId, { isOfRobot: true });
    const [rows, select] = [vi.spyOn(scope, 'rows'), vi.spyOn(scope, 'select')];
    const find = (body: typeof point) => oldCopyIn(scope, points as unknown as AnyResource, point.id, asRobot(body));
    // The robot changed the record: the record has the time of its change.
    const later = new Date(Date.parse(edited.updated_at) + 1).toISOString();
    expect(await find({ ...point, updated_at: later })).toBeNull();
    const tables = () => [...rows.mock.calls, ...select.mock.calls].map(([{ name }]) => name);
    expect(tables()).not.toContain('changes');
    expect(JSON.parse((await find(point)) ?? 'null')).toEqual(point);
    expect(tables()).toContain('changes');
  });

  it('a config of which one field changed stays, too; more are refused', async () => {
    const { token, person, robot } = await garden();
    const config = await person('GET', '/api/fbos_config');
    const edited = await person('PATCH', '/api/fbos_config', { safe_height: -55 });
    expect(await robot('PATCH', '/api/fbos_config', config)).toEqual(edited);
    await person('PATCH', '/api/fbos_config', { soil_height: -9 });
    const refused = await server.call('PATCH', '/api/fbos_config', { token, headers: robotOs, body: config });
    expect(refused.status).toBe(409);
  });

  it('farmware envs carry no time: a value that a person replaced within 30 minutes', async () => {
    const { person, robot, kept } = await garden();
    const env = await person('POST', '/api/farmware_envs', { key: 'K20', value: '20' });
    const path = `/api/farmware_envs/${env.id}`;
    const copy = { id: env.id, key: 'K20', value: '20' };
    const edited = await person('PATCH', path, { value: 'edited' });
    clock.offset += 29 * minute;
    expect(await robot('PATCH', path, copy)).toEqual(edited);
    expect(await kept()).toMatchObject([{ resource: 'FarmwareEnv', record_id: env.id }]);
    // Another value, and another key.
    expect(await robot('PATCH', path, { ...copy, value: '21' })).toMatchObject({ value: '21' });
    // The robot changed it since: it wants this value.
    expect(await robot('PATCH', path, copy)).toMatchObject({ value: '20' });
    await person('PATCH', path, { value: 'once more' });
    expect(await robot('PATCH', path, copy)).toMatchObject({ value: 'once more' });
    expect(await robot('PATCH', path, { ...copy, key: 'K21' })).toMatchObject({ key: 'K21', value: '20' });
    await person('PATCH', path, { key: 'K20', value: 'last' });
    clock.offset += 31 * minute;
    expect(await robot('PATCH', path, { ...copy, key: 'K21' })).toMatchObject({ key: 'K21', value: '20' });
  });
});

describeEngines('old copies of robots without a history', (engine) => {
  const server = suiteApp(engine, { HISTORY_DAYS: '0' });

  it('are stored', async () => {
    const { token } = await server.signUp();
    const body = { pointer_type: 'Weed', name: 'Nettle', x: 1, y: 2 };
    const { json: point } = await server.call('POST', '/api/points', { token, body });
    const path = `/api/points/${point.id}`;
    await server.call('PATCH', path, { token, body: { x: 3 } });
    expect((await server.call('PATCH', path, { token, headers: robotOs, body: point })).json).toMatchObject({ x: 1 });
    const env = { key: 'K', value: '1' };
    const created = await server.call('POST', '/api/farmware_envs', { token, body: env });
    const envPath = `/api/farmware_envs/${created.json.id}`;
    await server.call('PATCH', envPath, { token, body: { value: '2' } });
    expect((await server.call('PATCH', envPath, { token, headers: robotOs, body: env })).json).toMatchObject({
      value: '1',
    });
  });
});
