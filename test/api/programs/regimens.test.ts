import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { programReferences } from '../../../src/programs/program-references.ts';
import { regimenItems } from '../../../src/programs/regimens.ts';
import { describeEngines } from '../../support/engines.ts';
import { eventSummaries, suiteEventClient } from '../../support/event-recording-client.ts';
import { createSequence } from '../../support/programs.ts';
import { suiteFixture } from '../../support/suite-fixture.ts';

let createdRecords = 0;
const named = () => ({ name: `Regimen ${++createdRecords}`, color: 'red' });

const given = (label: string, data_value: object) => ({ kind: 'parameter_application', args: { label, data_value } });
const coordinate = { kind: 'coordinate', args: { x: 1, y: 2.5, z: -3 } };

describeEngines('regimens', (engine) => {
  const client = suiteEventClient(engine);
  const other = suiteFixture(() => client.server.signUp());
  let first: number;
  let second: number;
  let foreign: number;

  beforeAll(async () => {
    foreign = await createSequence(client.server, other);
  });
  beforeEach(async () => {
    first = await createSequence(client.server, client.account);
    second = await createSequence(client.server, client.account);
  });

  const scope = () => client.server.app.server().device(client.account.deviceId);
  const items = (...offsets: number[]) => offsets.map((time_offset) => ({ time_offset, sequence_id: first }));
  const create = async (more: object = {}) =>
    (await client.requestOk('POST', '/api/regimens', { ...named(), regimen_items: [], ...more })).json;
  const refused = async (key: string, body: object, path = '/api/regimens') => {
    const response = await client.request(path === '/api/regimens' ? 'POST' : 'PATCH', path, body);
    expect([response.status, Object.keys(response.json), response.events], response.text).toEqual([422, [key], []]);
    return response.json[key];
  };
  const usesOf = async (owner_id: number) =>
    (await scope().rows(programReferences, { where: { owner_kind: 'Regimen', owner_id } }))
      .map(({ target_kind, target_id }) => `${target_kind} ${target_id}`)
      .sort();

  it('always has its items in the order in which they were sent', async () => {
    const sent = [
      { sequence_id: second, time_offset: 86_400_000 },
      { sequence_id: first, time_offset: -5 },
      { sequence_id: second, time_offset: 86_400_000, id: 1, nonsense: {} },
    ];
    const response = await client.requestOk('POST', '/api/regimens', { ...named(), regimen_items: sent });
    const { id, regimen_items, created_at } = response.json;
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(response.json).toEqual({
      id,
      created_at,
      updated_at: created_at,
      device_id: client.account.deviceId,
      name: `Regimen ${createdRecords}`,
      color: 'red',
      body: [],
      regimen_items: sent.map(({ sequence_id, time_offset }, at) => ({
        id: regimen_items[at].id,
        created_at: time,
        updated_at: time,
        regimen_id: id,
        sequence_id,
        time_offset,
      })),
    });
    expect((await client.requestOk('GET', `/api/regimens/${id}`)).text).toBe(response.text);
    expect((await client.requestOk('GET', '/api/regimens')).json).toContainEqual(response.json);
    expect(response.events).toMatchObject([{ resource: 'Regimen', recordId: id, label: 'L', body: response.text }]);
  });

  it('is announced once per update with the body of the response, and has its time in device/sync', async () => {
    const { id } = await create({ regimen_items: items(1) });
    for (const change of [{}, { name: `Other ${id}` }, { regimen_items: items(2, 3) }, { body: [] }]) {
      const response = await client.requestOk('PATCH', `/api/regimens/${id}`, change);
      expect(response.events).toMatchObject([{ resource: 'Regimen', recordId: id, body: response.text }]);
      const sync = (await client.requestOk('GET', '/api/device/sync')).json;
      expect(sync.regimens).toContainEqual([id, response.json.updated_at]);
    }
    const deleted = await client.requestOk('DELETE', `/api/regimens/${id}`);
    expect([deleted.text, eventSummaries(deleted.events)]).toEqual(['', [`Regimen ${id} deleted`]]);
    expect(
      (await client.requestOk('GET', '/api/device/sync')).json.regimens.map(([each]: number[]) => each),
    ).not.toContain(id);
  });

  it('is listed in pages', async () => {
    const ids = [(await create()).id, (await create()).id];
    const all = (await client.requestOk('GET', '/api/regimens')).json.map(({ id }: { id: number }) => id);
    expect(all.slice(-2)).toEqual(ids);
    const page = (await client.requestOk('GET', `/api/regimens?page=${all.length}&per=1`)).json;
    expect(page.map(({ id }: { id: number }) => id)).toEqual([ids[1]]);
  });

  it('takes at most 500 items', async () => {
    const all = Array.from({ length: 501 }, (_, at) => at);
    const { id, regimen_items } = await create({ regimen_items: items(...all.slice(1)) });
    expect(regimen_items.map(({ time_offset }: { time_offset: number }) => time_offset)).toEqual(all.slice(1));
    const tooMany = { ...named(), regimen_items: items(...all) };
    expect(typeof (await refused('regimen_items', tooMany))).toBe('string');
    await refused('regimen_items', tooMany, `/api/regimens/${id}`);
    expect((await client.requestOk('GET', `/api/regimens/${id}`)).json.regimen_items).toEqual(regimen_items);
  });

  it('reports the failures of items at their positions', async () => {
    const valid = { sequence_id: first, time_offset: '7 ms' };
    const wrong = [
      valid,
      5,
      {},
      { ...valid, time_offset: 1.5 },
      null,
      { ...valid, sequence_id: null },
      { sequence_id: 'x', time_offset: '' },
      [],
    ];
    const text = expect.any(String);
    const expected = [
      null,
      text,
      { sequence_id: text, time_offset: text },
      { time_offset: text },
      text,
      { sequence_id: text },
      { sequence_id: text, time_offset: text },
      text,
    ];
    expect(await refused('regimen_items', { ...named(), regimen_items: wrong })).toEqual(expected);
    const { id, regimen_items } = await create({ regimen_items: [valid] });
    expect(regimen_items).toMatchObject([{ time_offset: 7 }]);
    expect(await refused('regimen_items', { regimen_items: wrong }, `/api/regimens/${id}`)).toEqual(expected);
  });

  it('cannot run sequences of other accounts', async () => {
    const { id } = await create({ regimen_items: items(1) });
    for (const sequence_id of [foreign, 0, -1, 999_999_999, Number.MAX_SAFE_INTEGER]) {
      const regimen_items = [...items(1), { sequence_id, time_offset: 77 }];
      expect(await refused('error', { ...named(), regimen_items })).toContain(String(sequence_id));
      expect(await refused('regimen_items', { regimen_items }, `/api/regimens/${id}`)).toContain('77');
    }
    expect((await client.requestOk('GET', `/api/regimens/${id}`)).json.regimen_items).toHaveLength(1);
  });

  it('keeps fields that are not sent, and rejects null for required ones', async () => {
    const body = [given('where', coordinate)];
    const before = await create({ regimen_items: items(1), body });
    const path = `/api/regimens/${before.id}`;
    for (const change of [{}, { body: null }, { nonsense: 1 }]) {
      const { json } = await client.requestOk('PATCH', path, change);
      expect(json).toEqual({ ...before, updated_at: json.updated_at });
    }
    await refused('name', { name: null }, path);
    await refused('regimen_items', { regimen_items: null }, path);
    await refused('color', { color: 'black' }, path);
    await refused('body', { body: {} }, path);
    expect((await client.requestOk('PATCH', path, { color: null })).json.color).toBe(null);
    await refused('error', { name: 'x'.repeat(281) }, path);
    await refused('error', { name: 'x', body: [{ kind: 'sync', args: {} }] }, path);
    expect((await client.requestOk('GET', path)).json).toMatchObject({ name: before.name, color: null, body });
    const replaced = (await client.requestOk('PUT', path, { regimen_items: items(1) })).json.regimen_items;
    expect(replaced).toHaveLength(1);
    expect(replaced[0].id).toBeGreaterThan(before.regimen_items[0].id);
    expect((await client.requestOk('PATCH', path, { body: [] })).json.body).toEqual([]);
    expect((await client.requestOk('GET', path)).json.body).toEqual([]);
  });

  it('has a unique name', async () => {
    const { name } = await create();
    await refused('error', { ...named(), name: ` ${name} `, regimen_items: [] });
    const { id } = await create();
    await refused('error', { name }, `/api/regimens/${id}`);
    await client.requestOk('PATCH', `/api/regimens/${id}`, { name: name.toLowerCase() });
    const stranger = await client.server.call('POST', '/api/regimens', {
      token: other.token,
      body: { name, color: 'red', regimen_items: [] },
    });
    expect(stranger.status).toBe(200);
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect(
        (await client.request(method, `/api/regimens/${stranger.json.id}`, method === 'GET' ? undefined : {})).status,
      ).toBe(404);
  });

  it('validates and normalizes its body', async () => {
    const sent = [
      { ...given('a', { ...coordinate, uuid: 'x', body: [] }), uuid: 'y', comment: ' ' },
      given('a', coordinate),
    ];
    const { id, body } = await create({ body: sent });
    expect(body).toEqual([given('a', coordinate), given('a', coordinate)]);
    for (const wrong of [
      { kind: 'sync', args: {} },
      given('a', { kind: 'identifier', args: { label: 'b' } }),
      given('a', { kind: 'nothing', args: {} }),
      given('a', { kind: 'text', args: { string: 'x'.repeat(3000) } }),
      given('a', { kind: 'tool', args: { tool_id: 999_999_999 } }),
      { kind: 'parameter_application' },
      'x',
      null,
    ]) {
      await refused('error', { ...named(), regimen_items: [], body: [wrong] });
      await refused('error', { body: [wrong] }, `/api/regimens/${id}`);
    }
    expect((await client.requestOk('GET', `/api/regimens/${id}`)).json.body).toEqual(body);
  });

  describe('its uses', () => {
    it('are sequences of items and ids in the body, which can change separately', async () => {
      const plant = await client.create('points');
      const group = await client.create('point_groups');
      const body = [
        given('a', { kind: 'point', args: { pointer_type: 'Plant', pointer_id: plant } }),
        given('b', { kind: 'point_group', args: { point_group_id: group } }),
      ];
      const { id } = await create({ regimen_items: items(1, 2), body });
      const inBody = [`point ${plant}`, `point_group ${group}`];
      expect(await usesOf(id)).toEqual([...inBody, `sequence ${first}`]);
      const message = (await client.request('DELETE', `/api/points/${plant}`)).json.whoops;
      expect(message).toContain(`the regimen 'Regimen ${createdRecords}'`);
      expect((await client.request('DELETE', `/api/point_groups/${group}`)).json.in_use).toContain(
        `Regimen ${createdRecords}`,
      );
      await client.requestOk('PATCH', `/api/regimens/${id}`, {
        regimen_items: [{ sequence_id: second, time_offset: 0 }],
      });
      expect(await usesOf(id)).toEqual([...inBody, `sequence ${second}`]);
      await client.requestOk('PATCH', `/api/regimens/${id}`, { body: body.slice(1) });
      expect(await usesOf(id)).toEqual([`point_group ${group}`, `sequence ${second}`]);
      await client.requestOk('DELETE', `/api/points/${plant}`);
      await client.requestOk('DELETE', `/api/regimens/${id}`);
      expect(await usesOf(id)).toEqual([]);
      expect(await scope().count(regimenItems, { where: { regimen_id: id } })).toBe(0);
      await client.requestOk('DELETE', `/api/point_groups/${group}`);
    });

    it('can include an archived point if they did before', async () => {
      const plant = await client.create('points');
      const body = [given('a', { kind: 'point', args: { pointer_type: 'Plant', pointer_id: plant } })];
      const { id } = await create({ body });
      await scope().delete(programReferences, { where: { target_kind: 'point', target_id: plant } });
      await client.requestOk('DELETE', `/api/points/${plant}`);
      await refused('error', { ...named(), regimen_items: [], body });
      expect((await client.requestOk('PATCH', `/api/regimens/${id}`, { body })).json.body).toEqual(body);
    });
  });

  it('cannot be deleted while a farm event runs it', async () => {
    const { id } = await create({ regimen_items: items(1) });
    const event = { executable_type: 'Regimen', executable_id: id, repeat: 1, time_unit: 'never' };
    const { json } = await client.requestOk('POST', '/api/farm_events', {
      ...event,
      start_time: '2040-01-02T03:04:05.000Z',
    });
    const response = await client.request('DELETE', `/api/regimens/${id}`);
    expect([response.status, Object.keys(response.json), response.events]).toEqual([422, ['regimen'], []]);
    expect(response.json.regimen).toBe('This regimen is still in use by the farm event of 01/02/40.');
    await client.requestOk('DELETE', `/api/farm_events/${json.id}`);
    await client.requestOk('DELETE', `/api/regimens/${id}`);
  });
});
