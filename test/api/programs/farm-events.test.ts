import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { devices } from '../../../src/device/devices.ts';
import { jobs } from '../../../src/jobs/job-rows.ts';
import { purgeExpiredEvents, purgeJobKind } from '../../../src/programs/farm-event-purge.ts';
import { farmEvents } from '../../../src/programs/farm-events.ts';
import { programReferences } from '../../../src/programs/program-references.ts';
import type { Account } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { EventRecordingClient, eventSummaries } from '../../support/event-recording-client.ts';
import { createSequence } from '../../support/programs.ts';

const day = 86_400_000;
const times = { start_time: '2040-01-01T10:00:00.000Z', end_time: '2040-01-11T10:00:00.000Z' };
const daily = { repeat: 1, time_unit: 'daily', ...times };
const given = (label: string, data_value: object) => ({ kind: 'parameter_application', args: { label, data_value } });
const coordinate = { kind: 'coordinate', args: { x: 1, y: 2.5, z: -3 } };

/** A clock that runs ahead of the system's. */
let lead = 0;
const clock = { now: () => Date.now() + lead };
/** Sets the clock; it continues to run. */
const setClock = (time: string) => {
  lead = Date.parse(time) - Date.now();
};

let createdRecords = 0;

describeEngines('farm events', (engine) => {
  let client: EventRecordingClient;
  let other: Account;
  let sequence: number;
  let foreign: number;

  beforeAll(async () => {
    setClock('2026-03-01T12:00:00.000Z');
    client = await EventRecordingClient.start(engine, {}, clock);
    other = await client.server.signUp();
    sequence = await createSequence(client.server, client.account);
    foreign = await createSequence(client.server, other);
  });
  afterAll(() => client.server.close());
  beforeEach(() => setClock('2026-03-01T12:00:00.000Z'));

  const scope = () => client.server.app.server().device(client.account.deviceId);
  const create = async (more: object = {}) =>
    (await client.requestOk('POST', '/api/farm_events', { ...daily, executable_id: sequence, ...more })).json;
  const regimen = async (...offsets: number[]): Promise<number> => {
    const regimen_items = offsets.map((time_offset) => ({ time_offset, sequence_id: sequence }));
    const body = { name: `Regimen ${++createdRecords}`, color: 'red', regimen_items };
    return (await client.requestOk('POST', '/api/regimens', body)).json.id;
  };
  const refused = async (keys: string[], body: object, path = '/api/farm_events') => {
    const response = await client.request(/\d$/.test(path) ? 'PATCH' : 'POST', path, body);
    expect([response.status, Object.keys(response.json).sort(), response.events], response.text).toEqual([
      422,
      keys.sort(),
      [],
    ]);
    return response.json;
  };
  const usesOf = async (owner_id: number) =>
    (await scope().rows(programReferences, { where: { owner_kind: 'FarmEvent', owner_id } }))
      .map(({ target_kind, target_id }) => `${target_kind} ${target_id}`)
      .sort();

  it('is created, shown, listed in pages, updated and deleted, with one announcement each', async () => {
    const response = await client.requestOk('POST', '/api/farm_events', { ...daily, executable_id: sequence });
    const { id, created_at } = response.json;
    expect(response.json).toEqual({
      id,
      created_at,
      updated_at: created_at,
      ...daily,
      executable_type: 'Sequence',
      executable_id: sequence,
      body: [],
    });
    expect(response.events).toMatchObject([{ resource: 'FarmEvent', recordId: id, label: 'L', body: response.text }]);
    expect((await client.requestOk('GET', `/api/farm_events/${id}`)).text).toBe(response.text);
    const second = await create();
    expect((await client.requestOk('GET', '/api/farm_events?page=2&per=1')).json).toEqual([second]);
    for (const change of [{}, { repeat: 2 }, { repeat: null, body: null, start_time: null }, { nonsense: 1 }]) {
      const changed = await client.requestOk('PUT', `/api/farm_events/${id}`, change);
      expect(changed.events).toMatchObject([{ resource: 'FarmEvent', recordId: id, body: changed.text }]);
      const sync = (await client.requestOk('GET', '/api/device/sync')).json;
      expect(sync.farm_events).toContainEqual([id, changed.json.updated_at]);
    }
    const deleted = await client.requestOk('DELETE', `/api/farm_events/${id}`);
    expect([deleted.text, eventSummaries(deleted.events)]).toEqual(['', [`FarmEvent ${id} deleted`]]);
    for (const method of ['GET', 'DELETE'])
      expect((await client.request(method, `/api/farm_events/${id}`)).status).toBe(404);
  });

  it('reports missing and invalid fields', async () => {
    await refused(['repeat', 'time_unit'], {});
    const valid = { ...daily, executable_id: sequence };
    await refused(['end_time'], { ...valid, end_time: null });
    await refused(['end_time', 'farm_event'], { ...valid, end_time: null, executable_id: 0 });
    for (const executable_id of [undefined, null, 0, -1, 999_999_999, foreign])
      await refused(['farm_event'], { ...valid, executable_id });
    await refused(['farm_event'], { ...valid, executable_type: 'Regimen' });
    await refused(['executable_id'], { ...valid, executable_id: 'x' });
    await refused(['executable_type'], { ...valid, executable_type: 'Tool' });
    await refused(['body'], { ...valid, body: 'x' });
    for (const repeat of [0, -1, 1.5, true, null]) await refused(['repeat'], { ...valid, repeat });
    await refused(['error'], { ...valid, repeat: 2_147_483_648 });
    await refused(['time_unit'], { ...valid, time_unit: 'Daily' });
    await refused(['end_time', 'farm_event'], { ...valid, end_time: '2039-01-01', executable_id: 0 });
    await refused(['farm_event', 'occurrences'], { ...valid, time_unit: 'minutely', executable_id: 0 });
    expect((await create({ repeat: '2 times', time_unit: ' weekly ' })).repeat).toBe(2);
    expect((await create({ executable_type: null, end_time: times.start_time })).executable_type).toBe('Sequence');
  });

  it('must be within twenty years from now', async () => {
    const valid = { ...daily, executable_id: sequence };
    await refused(['end_time', 'start_time'], { ...valid, start_time: '2006-03-01T12:00:00Z', end_time: '2046-03-02' });
    await refused(['end_time'], { ...valid, time_unit: 'never', end_time: '2046-03-02' });
    const once = { repeat: 1, time_unit: 'never', executable_id: sequence, end_time: null };
    await refused(['error'], { ...once, start_time: '2046-03-02' });
    await refused(['error'], { ...once, start_time: '9999-12-31T23:59:59.999Z' });
    const { id } = await create();
    const path = `/api/farm_events/${id}`;
    await refused(['start_time'], { start_time: '1990-01-01' }, path);
    await refused(['end_time'], { end_time: '2090-01-01' }, path);
    await refused(['error'], { time_unit: 'never', start_time: '2046-03-02' }, path);
    expect(await create({ start_time: '2006-03-01T12:30:00Z', end_time: '2006-03-02' })).toMatchObject({
      start_time: '2006-03-01T12:30:00.000Z',
    });
  });

  it('ends a minute after its start if it does not repeat', async () => {
    const event = await create({ time_unit: 'never', end_time: '2030-01-01' });
    expect(event.end_time).toBe('2040-01-01T10:01:00.000Z');
    const path = `/api/farm_events/${event.id}`;
    expect((await client.requestOk('PATCH', path, { end_time: '2041-01-01' })).json.end_time).toBe(event.end_time);
    expect((await client.requestOk('PATCH', path, { start_time: '2040-05-05' })).json.end_time).toBe(
      '2040-05-05T00:01:00.000Z',
    );
    expect((await client.requestOk('PATCH', path, { time_unit: 'daily' })).json.end_time).toBe(
      '2040-05-05T00:01:00.000Z',
    );
    // An end before the start is rejected only on create.
    expect((await client.requestOk('PATCH', path, { end_time: '2039-01-01' })).json.end_time).toBe(
      '2039-01-01T00:00:00.000Z',
    );
    const before = clock.now();
    const { start_time, end_time } = await create({ time_unit: 'never', start_time: null, end_time: undefined });
    expect(Date.parse(end_time) - Date.parse(start_time)).toBe(60_000);
    expect(Date.parse(start_time)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(start_time)).toBeLessThanOrEqual(clock.now());
  });

  it('has at most 500 occurrences, also after an update', async () => {
    const minutely = { time_unit: 'minutely', start_time: '2040-01-01' };
    const event = await create({ ...minutely, end_time: '2040-01-01T08:20:29Z' });
    const path = `/api/farm_events/${event.id}`;
    const { occurrences } = await refused(['occurrences'], {
      ...daily,
      ...minutely,
      executable_id: sequence,
      end_time: '2040-01-01T08:20:30Z',
    });
    expect(occurrences).toContain('501');
    await refused(['occurrences'], { end_time: '2040-01-02' }, path);
    await client.requestOk('PATCH', path, { end_time: '2040-01-02', repeat: 3 });
    await refused(['occurrences'], { repeat: 2 }, path);
    expect((await client.requestOk('GET', path)).json).toMatchObject({
      repeat: 3,
      end_time: '2040-01-02T00:00:00.000Z',
    });
  });

  it('can be changed to another sequence or regimen by its id or its type', async () => {
    const [another, plan] = [await createSequence(client.server, client.account), await regimen(0)];
    const { id } = await create();
    const path = `/api/farm_events/${id}`;
    expect(await usesOf(id)).toEqual([`sequence ${sequence}`]);
    expect((await client.requestOk('PATCH', path, { executable_id: another })).json.executable_id).toBe(another);
    expect(await usesOf(id)).toEqual([`sequence ${another}`]);
    const both = { executable_id: plan, executable_type: 'Regimen' };
    expect((await client.requestOk('PATCH', path, both)).json).toMatchObject(both);
    expect(await usesOf(id)).toEqual([`regimen ${plan}`]);
    const next = await regimen(0);
    expect((await client.requestOk('PATCH', path, { executable_id: next })).json).toMatchObject({
      ...both,
      executable_id: next,
    });
    for (const executable_id of [foreign, 0, 999_999_999])
      await refused(['farm_event'], { executable_type: 'Sequence', executable_id }, path);
    expect(await usesOf(id)).toEqual([`regimen ${next}`]);
    await client.requestOk('DELETE', `/api/regimens/${plan}`);
    expect((await client.request('DELETE', `/api/regimens/${next}`)).status).toBe(422);
    await client.requestOk('DELETE', path);
    expect(await usesOf(id)).toEqual([]);
    await client.requestOk('DELETE', `/api/regimens/${next}`);
  });

  it('stores a body, whose records are in use', async () => {
    const plant = await client.create('points');
    const group = await client.create('point_groups');
    const inPoint = given('a', { kind: 'point', args: { pointer_type: 'Plant', pointer_id: plant } });
    const inGroup = given('b', { kind: 'point_group', args: { point_group_id: group } });
    const { id, body } = await create({ body: [inPoint, { ...inGroup, uuid: 'x', body: [] }] });
    const path = `/api/farm_events/${id}`;
    expect(body).toEqual([inPoint, inGroup]);
    expect(await usesOf(id)).toEqual([`point ${plant}`, `point_group ${group}`, `sequence ${sequence}`]);
    expect((await client.request('DELETE', `/api/points/${plant}`)).json.whoops).toContain(
      'the farm event of 01/01/40',
    );
    expect((await client.request('DELETE', `/api/point_groups/${group}`)).json.in_use).toContain(
      'the farm event of 01/01/40',
    );
    for (const wrong of [
      { kind: 'sync', args: {} },
      { kind: 'parameter_declaration', args: { label: 'a', default_value: coordinate } },
      given('a', { kind: 'identifier', args: { label: 'b' } }),
      given('a', { kind: 'text', args: { string: 'x'.repeat(3000) } }),
      given('a', { kind: 'tool', args: { tool_id: 999_999_999 } }),
      'x',
    ]) {
      await refused(['farm_event'], { ...daily, executable_id: sequence, body: [wrong] });
      await refused(['error'], { body: [wrong], repeat: 9 }, path);
    }
    expect((await client.requestOk('PATCH', path, { body: null })).json).toMatchObject({ repeat: 1, body });
    expect((await client.requestOk('PATCH', path, { body: [inGroup] })).json.body).toEqual([inGroup]);
    await client.requestOk('DELETE', `/api/points/${plant}`);
    expect((await client.requestOk('PATCH', path, { body: [] })).json.body).toEqual([]);
    expect(await usesOf(id)).toEqual([`sequence ${sequence}`]);
    await client.requestOk('DELETE', `/api/point_groups/${group}`);
  });

  it('cannot name records of another account', async () => {
    const foreign = async (path: string, body: object): Promise<number> =>
      (await client.server.call('POST', path, { token: other.token, body })).json.id;
    const tool = await foreign('/api/tools', { name: `Tool ${++createdRecords}` });
    const plant = await foreign('/api/points', { pointer_type: 'Plant', x: 1, y: 1 });
    const group = await foreign('/api/point_groups', { name: 'Group', point_ids: [] });
    const { id } = await create();
    for (const named of [
      { kind: 'tool', args: { tool_id: tool } },
      { kind: 'point', args: { pointer_type: 'Plant', pointer_id: plant } },
      { kind: 'point_group', args: { point_group_id: group } },
      { kind: 'resource', args: { resource_type: 'Plant', resource_id: plant } },
      { kind: 'resource', args: { resource_type: 'Sequence', resource_id: foreign } },
    ]) {
      const body = [given('a', named)];
      await refused(['farm_event'], { ...daily, executable_id: sequence, body });
      await refused(['error'], { body }, `/api/farm_events/${id}`);
      await refused(
        ['error'],
        { name: `Regimen ${++createdRecords}`, color: 'red', regimen_items: [], body },
        '/api/regimens',
      );
    }
  });

  it('is not found in another account', async () => {
    const { id, ...event } = await create();
    const before = await client.requestOk('GET', `/api/farm_events/${id}`);
    for (const [method, body] of [['GET'], ['PATCH', { repeat: 2 }], ['PUT', {}], ['DELETE']] as const) {
      const response = await client.server.call(method, `/api/farm_events/${id}`, { token: other.token, body });
      expect(response.status, method).toBe(404);
    }
    const body = { ...event, executable_id: sequence };
    const response = await client.server.call('POST', '/api/farm_events', { token: other.token, body });
    expect([response.status, Object.keys(response.json)]).toEqual([422, ['farm_event']]);
    expect((await client.requestOk('GET', `/api/farm_events/${id}`)).text).toBe(before.text);
  });

  describe('expired events', () => {
    const zone = (timezone: string) => client.requestOk('PATCH', '/api/device', { timezone });
    const purge = async () => eventSummaries((await client.requestOk('GET', '/api/farm_events')).events);
    const deletions = (...ids: number[]) => ids.map((id) => `FarmEvent ${id} deleted`);
    const once = (start_time: string) => create({ time_unit: 'never', start_time });
    const run = async (plan: number, start_time: string) =>
      (await create({ executable_type: 'Regimen', executable_id: plan, time_unit: 'never', start_time })).id;

    beforeEach(async () => {
      await scope().transaction(async (inner) => {
        await inner.delete(farmEvents, {});
        await inner.server.delete(jobs, { where: { kind: purgeJobKind } });
        await inner.update(devices, { timezone: null }, {});
      });
    });

    it('are deleted when the list is read, if the device has a time zone', async () => {
      const { id } = await once('2026-02-01T00:00:00Z');
      const { id: later } = await once('2026-03-01T11:59:30Z');
      expect(await purge()).toEqual([]);
      await zone('Europe/Berlin');
      expect((await client.requestOk('GET', `/api/farm_events/${id}`)).events).toEqual([]);
      expect(await purge()).toEqual(deletions(id));
      expect(await usesOf(id)).toEqual([]);
      expect((await client.request('GET', `/api/farm_events/${id}`)).status).toBe(404);
      expect((await client.requestOk('GET', '/api/farm_events')).json).toMatchObject([{ id: later }]);
      setClock('2026-03-01T12:00:31Z');
      expect(await purge()).toEqual(deletions(later));
    });

    it.each([
      // Daylight saving time starts on the second day.
      ['Europe/Berlin', '2026-03-29T10:00:00Z', 0, '2026-03-28T23:00:00Z'],
      ['Europe/Berlin', '2026-03-29T22:30:00Z', 0, '2026-03-29T22:00:00Z'],
      // Three days are three times 24 hours, independent of daylight saving time.
      ['Europe/Berlin', '2026-03-28T10:00:00Z', 3 * day + 1999, '2026-03-30T23:00:01Z'],
      // Daylight saving time ends.
      ['Europe/Berlin', '2026-10-25T22:30:00Z', 0, '2026-10-24T22:00:00Z'],
      ['Europe/Berlin', '2026-10-24T23:00:00Z', 2 * day, '2026-10-26T22:00:00Z'],
      ['America/Los_Angeles', '2026-03-08T09:30:00Z', day, '2026-03-09T08:00:00Z'],
      ['America/Los_Angeles', '2026-11-02T07:30:00Z', day, '2026-11-02T07:00:00Z'],
    ])('regimens, in %s, begun %s with its last item at %i ms: after %s', async (timezone, start, offset, end) => {
      await zone(timezone);
      const id = await run(await regimen(offset, offset - day), start);
      const latest = Math.max(Date.parse(end), Date.parse(start));
      await client.takeEvents();
      setClock(new Date(latest - 60_000).toISOString());
      await purgeExpiredEvents(scope());
      expect(await client.takeEvents()).toEqual([]);
      setClock(new Date(latest + 1000).toISOString());
      await purgeExpiredEvents(scope());
      expect(await client.takeEvents()).toMatchObject([
        { resource: 'FarmEvent', recordId: id, body: null, label: 'NONE' },
      ]);
    });

    it('include regimens without items, but none that has not started', async () => {
      await zone('UTC');
      const empty = await run(await regimen(), '2026-03-01T11:00:00Z');
      const negative = await run(await regimen(-day), '2026-03-01T13:00:00Z');
      expect(await purge()).toEqual(deletions(empty));
      setClock('2026-03-01T13:00:01Z');
      expect(await purge()).toEqual(deletions(negative));
    });

    it('are deleted before a sequence, a regimen or a group, which they do not block', async () => {
      await zone('UTC');
      const steps = await createSequence(client.server, client.account);
      const over = await create({ executable_id: steps, time_unit: 'never', start_time: '2026-02-01' });
      const ended = (await client.requestOk('DELETE', `/api/sequences/${steps}`)).events;
      expect(eventSummaries(ended).sort()).toEqual([...deletions(over.id), `Sequence ${steps} deleted`].sort());
      const group = await client.create('point_groups');
      const body = [given('a', { kind: 'point_group', args: { point_group_id: group } })];
      const { id } = await create({ time_unit: 'never', start_time: '2026-02-01', body });
      const response = await client.requestOk('DELETE', `/api/point_groups/${group}`);
      expect(eventSummaries(response.events).sort()).toEqual([...deletions(id), `PointGroup ${group} deleted`].sort());
      const plan = await regimen(1000);
      const event = await run(plan, '2026-02-01');
      const deleted = (await client.requestOk('DELETE', `/api/regimens/${plan}`)).events;
      expect(eventSummaries(deleted).sort()).toEqual([...deletions(event), `Regimen ${plan} deleted`].sort());
    });

    it('are deleted once by concurrent purges', async () => {
      await zone('UTC');
      const ids = [(await once('2026-02-01')).id, (await once('2026-02-02')).id];
      await client.takeEvents();
      await Promise.all([1, 2, 3, 4].map(() => purgeExpiredEvents(scope())));
      expect((await client.takeEvents()).map(({ recordId }) => recordId).sort()).toEqual(ids.sort());
    });

    // The last test: in its future the account's token has expired and is deleted.
    it('are deleted by a daily job while there are events, and announced without a label', async () => {
      await zone('UTC');
      const waiting = async () => (await scope().server.rows(jobs, { where: { kind: purgeJobKind } })).length;
      const { id } = await create({ time_unit: 'never', start_time: '2026-03-01T13:00:00Z' });
      await create();
      expect(await waiting()).toBe(1);
      await client.takeEvents();
      await client.server.app.runJobs();
      expect(await client.takeEvents()).toEqual([]);
      setClock('2026-03-02T12:00:10Z');
      await client.server.app.runJobs();
      expect(await client.takeEvents()).toMatchObject([
        { resource: 'FarmEvent', recordId: id, body: null, label: 'NONE' },
      ]);
      expect(await waiting()).toBe(1);
      setClock('2040-01-12T00:00:00Z');
      await client.server.app.runJobs();
      expect([(await client.takeEvents()).length, await waiting()]).toEqual([1, 0]);
    });
  });
});
