import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { recordTrimmed } from '../../../src/db/change-cursors.ts';
import { changeRows } from '../../../src/db/change-rows.ts';
import type { Insertable } from '../../../src/db/scope.ts';
import { parseBody } from '../../../src/engine/body.ts';
import { announceChanged } from '../../../src/engine/records.ts';
import type { Point } from '../../../src/garden/points.ts';
import { points } from '../../../src/garden/points.ts';
import { runs } from '../../../src/runs/run-records.ts';
import { callsOf } from '../../support/account-calls.ts';
import type { Account, TestApp } from '../../support/app.ts';
import { password, startApp } from '../../support/app.ts';
import { describeAnyEngine, describeEngines } from '../../support/engines.ts';
import { join } from '../../support/members.ts';

const [hour, day] = [3_600_000, 86_400_000];

/** A point in a response. */
interface Shown {
  readonly id: number;
  readonly name: string;
  readonly x: number;
  readonly state?: string;
  readonly spread?: number;
  readonly height?: number | null;
}

describeEngines('the garden at a time', (engine) => {
  const start = Date.UTC(2026, 3, 1, 8);
  const clock = { time: start, now: () => clock.time };
  let server: TestApp;
  let account: Account;
  let ok: ReturnType<typeof callsOf>['ok'];
  let call: ReturnType<typeof callsOf>['call'];

  beforeAll(async () => {
    server = await startApp(engine, { HISTORY_DAYS: '365' }, clock);
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    clock.time = start;
    account = await server.signUp();
    ({ ok, call } = callsOf(server, account));
  });

  const after = (days: number): string => new Date(start + days * day).toISOString();
  const pass = (days: number): void => {
    clock.time = start + days * day;
  };
  const at = (days: number) => ok('GET', `/api/garden?at=${after(days)}`);
  /** The points at a time by their names, with these fields. */
  const pointsAt = async (days: number, ...fields: (keyof Shown)[]) => {
    const { points } = (await at(days)) as { points: Shown[] };
    return Object.fromEntries(points.map((point) => [point.name, fields.map((field) => point[field])]));
  };
  const plant = (values: object) =>
    ok('POST', '/api/points', {
      pointer_type: 'Plant',
      name: 'Beet',
      x: 100,
      y: 200,
      openfarm_slug: 'beet',
      ...values,
    });

  it('was: points that were added, moved and removed', async () => {
    const kept = await plant({ name: 'Kept', plant_stage: 'planted', planted_at: after(0) });
    pass(1);
    const moved = await plant({ name: 'Moved', x: 1 });
    pass(2);
    await ok('PATCH', `/api/points/${moved.id}`, { x: 2 });
    const weed = await ok('POST', '/api/points', { pointer_type: 'Weed', name: 'Nettle', x: 5, y: 6 });
    pass(3);
    await call('DELETE', `/api/points/${weed.id}`);
    pass(4);
    expect(await pointsAt(0.5, 'x')).toEqual({ Kept: [100] });
    expect(await pointsAt(1, 'x')).toEqual({ Kept: [100], Moved: [1] });
    expect(await pointsAt(2.5, 'x')).toEqual({ Kept: [100], Moved: [2], Nettle: [5] });
    expect(await pointsAt(4, 'x')).toEqual({ Kept: [100], Moved: [2] });
    // What changes later is added to what was read.
    await ok('PATCH', `/api/points/${kept.id}`, { name: 'Renamed' });
    await ok('PATCH', `/api/points/${moved.id}`, { x: 3 });
    expect(await pointsAt(4, 'x')).toEqual({ Renamed: [100], Moved: [3] });
    expect(await pointsAt(3.5, 'x')).toEqual({ Kept: [100], Moved: [2] });
    // A deleted point comes back.
    const [{ id }] = await ok('GET', `/api/history?resource=Point&record_id=${weed.id}&limit=1`);
    pass(5);
    await ok('POST', `/api/history/${id}/revert`, {});
    expect(await pointsAt(4.5, 'x')).toEqual({ Renamed: [100], Moved: [3] });
    expect(await pointsAt(5, 'x')).toEqual({ Renamed: [100], Moved: [3], Nettle: [5] });
    expect((await ok('GET', '/api/garden')).points).toHaveLength(3);
  });

  it('will be: plants grow by curves and crops, ripen and leave; planned ones are planted', async () => {
    const curve = await ok('POST', '/api/curves', { name: 'Spread', type: 'spread', data: { 1: 10, 11: 110 } });
    // 6 to 14 days to germinate, 60 to 100 to harvest, 200 mm wide and 350 high.
    await plant({ name: 'By crop', plant_stage: 'planted', planted_at: after(0) });
    await plant({ name: 'By curve', plant_stage: 'planted', planted_at: after(0), spread_curve_id: curve.id });
    await plant({ name: 'Planned', planted_at: after(20) });
    await plant({ name: 'Some day' });
    await plant({ name: 'Unknown', plant_stage: 'planted', planted_at: after(0), openfarm_slug: 'x', radius: 40 });
    const fields = ['state', 'spread', 'height'] as const;
    expect(await pointsAt(6, ...fields)).toEqual({
      'By crop': ['growing', 0, 0],
      'By curve': ['growing', 60, 0],
      Planned: ['planned', 0, 0],
      'Some day': ['planned', 50, null],
      Unknown: ['growing', 80, null],
    });
    expect(await pointsAt(33, ...fields)).toEqual({
      'By crop': ['growing', 100, 175],
      'By curve': ['growing', 110, 175],
      Planned: ['growing', 9, 16],
      'Some day': ['planned', 50, null],
      Unknown: ['growing', 80, null],
    });
    expect(await pointsAt(60, 'state')).toMatchObject({ 'By crop': ['ripe'], Planned: ['growing'] });
    expect(await pointsAt(100, 'state')).toEqual({ Planned: ['ripe'], 'Some day': ['planned'], Unknown: ['growing'] });
    const [first] = (await at(0)).points;
    expect(first).toMatchObject({ name: 'By crop', harvest: { from: after(60), to: after(100) } });
    // A change of the curve changes the future.
    await ok('PATCH', `/api/curves/${curve.id}`, { data: { 1: 30 } });
    expect(await pointsAt(33, 'spread')).toMatchObject({ 'By curve': [30] });
  });

  it('shows the photos, readings, runs and the schedule of the day in the zone of the garden', async () => {
    await ok('PATCH', '/api/device', { timezone: 'Europe/Paris', lat: 48.8 });
    await plant({});
    const sequence = await ok('POST', '/api/sequences', { name: 'Water all', body: [] });
    const event = await ok('POST', '/api/farm_events', {
      executable_type: 'Sequence',
      executable_id: sequence.id,
      start_time: after(2),
      end_time: after(4.01),
      repeat: 12,
      time_unit: 'hourly',
    });
    const image = await ok('POST', '/api/images', {
      attachment_url: 'https://photos.invalid/1.jpg',
      meta: { x: 1, y: 2 },
    });
    await ok('POST', '/api/sensor_readings', { pin: 59, value: 500, mode: 1, x: 1, y: 2, z: 0 });
    await server.app.server().device(account.deviceId).insert(runs, {
      name: 'Water 3 plants',
      state: 'done',
      total: 3,
      done: 3,
      skipped: 0,
      user_id: account.userId,
      is_sent: false,
    });
    pass(1);
    const today = await at(0.5);
    expect(today).toMatchObject({
      begins_at: after(0),
      now: after(1),
      at: after(0.5),
      timezone: 'Europe/Paris',
      climate: 'temperate',
      sowing: [{ crop: 'beet', from: '2026-04-01', to: '2026-07-31', indoors: false }],
      photos: [{ id: image.id, meta: { x: 1, y: 2 } }],
      readings: [{ pin: 59, value: 500 }],
      runs: [{ name: 'Water 3 plants', done: 3 }],
      scheduled: [],
    });
    expect(await at(2)).toMatchObject({
      photos: [],
      readings: [],
      runs: [],
      // 10:00 and 22:00 in Paris.
      scheduled: [{ sequence_id: sequence.id, sequence_name: 'Water all', regimen_id: null, at: after(2), runs: 2 }],
    });
    const { days, points, ...span } = await ok('GET', `/api/garden?to=${after(4)}`);
    expect(span).toMatchObject({ from: after(0), to: after(4), begins_at: after(0) });
    expect(days).toEqual([
      { date: '2026-04-01', photos: 1, waterings: 1 },
      { date: '2026-04-03', waterings: 2 },
      { date: '2026-04-04', waterings: 2 },
      { date: '2026-04-05', waterings: 1 },
    ]);
    expect(points).toHaveLength(1);
    // What was due stays.
    pass(2.1);
    await call('DELETE', `/api/farm_events/${event.id}`);
    expect((await at(2)).scheduled).toMatchObject([{ sequence_id: sequence.id, at: after(2), runs: 1 }]);
    // A token for the garden alone sees neither runs nor the schedule.
    const { token } = await ok('POST', '/api/personal_tokens', { name: 'Script', scopes: ['garden'], password });
    const limited = (path: string) => server.call('GET', path, { token });
    expect((await limited(`/api/garden?at=${after(0.5)}`)).json).toMatchObject({
      runs: [],
      photos: [{ id: image.id }],
    });
    expect((await limited(`/api/garden?at=${after(2)}`)).json).toMatchObject({ scheduled: [] });
    const { token: other } = await ok('POST', '/api/personal_tokens', {
      name: 'Other',
      scopes: ['programs'],
      password,
    });
    expect((await server.call('GET', '/api/garden', { token: other })).status).toBe(403);
  });

  it('shows the states of points in a span, and counts what happens on its days', async () => {
    const { id } = await plant({ plant_stage: 'planted', planted_at: after(0) });
    const weed = await ok('POST', '/api/points', { pointer_type: 'Weed', name: 'Nettle', x: 5, y: 6 });
    pass(10);
    await ok('PATCH', `/api/points/${id}`, { x: 150 });
    // Within a step of the whole span only the last change counts.
    pass(10.001);
    await ok('PATCH', `/api/points/${id}`, { x: 160 });
    pass(20);
    await call('DELETE', `/api/points/${weed.id}`);
    pass(30);
    const { points, days } = await ok('GET', '/api/garden');
    expect([points.length, days]).toEqual([1, undefined]);
    const statesIn = async (query: string) =>
      (await ok('GET', `/api/garden?${query}`)).points.map(({ states }: { states: object[] }) => states);
    // Whole at first, then what changed.
    expect(await statesIn(`from=${after(0)}`)).toEqual([
      [
        {
          since: after(0),
          id,
          pointer_type: 'Plant',
          name: 'Beet',
          x: 100,
          y: 200,
          z: 0,
          radius: 25,
          openfarm_slug: 'beet',
          plant_stage: 'planted',
          planted_at: after(0),
        },
        expect.objectContaining({ since: after(10.001), x: 160, name: 'Beet' }),
      ],
      [expect.objectContaining({ since: after(0), name: 'Nettle' }), { since: after(20), removed: true }],
    ]);
    expect(await statesIn(`from=${after(9)}&to=${after(10.0005)}`)).toEqual([
      [expect.objectContaining({ since: after(0), x: 100 }), { since: after(10), x: 150 }],
      [expect.objectContaining({ name: 'Nettle' })],
    ]);
    expect(await statesIn(`from=${after(25)}&to=${after(26)}`)).toEqual([
      [expect.objectContaining({ since: after(10.001), x: 160 })],
    ]);
    expect((await ok('GET', `/api/garden?from=${after(0)}&to=${after(10)}`)).step).toBe(864);
    expect((await ok('GET', `/api/garden?from=${after(0)}`)).days).toEqual([
      { date: '2026-04-01', planted: 1 },
      { date: '2026-04-11', moved: 2 },
      { date: '2026-04-21', removed: 1 },
      { date: '2026-05-31', ripe: 1 },
    ]);
  });

  it('begins where the log does, and refuses other times by their names', async () => {
    await plant({ name: 'Early' });
    pass(5);
    await plant({ name: 'Late' });
    const scope = server.app.server().device(account.deviceId);
    await scope.delete(changeRows, { where: { created_at: { lt: after(5) } } });
    await scope.transaction((inner) => recordTrimmed(inner, 1));
    pass(6);
    expect(await pointsAt(5, 'x')).toEqual({ Early: [100], Late: [100] });
    expect((await ok('GET', `/api/garden?to=${after(6)}`)).points).toMatchObject([
      { states: [{ since: after(5), name: 'Late' }] },
      { states: [{ since: after(0), name: 'Early' }] },
    ]);
    const refusals: readonly (readonly [string, object])[] = [
      [`at=${after(4.9)}`, { at: `At is before the history of this garden, which begins at ${after(5)}.` }],
      [`at=${after(6 + 550.01)}`, { at: `At must be at most ${after(556)}.` }],
      [`from=${after(4)}`, { from: expect.stringContaining('begins at') }],
      [`to=${after(600)}`, { to: `To must be at most ${after(556)}.` }],
      [`from=${after(6)}&to=${after(6)}`, { to: 'To must be after From.' }],
      [`at=${after(6)}&to=${after(7)}`, { at: 'Send either `at`, or `from` and `to`.' }],
      ['at=tomorrow', { at: expect.any(String) }],
      ['from=x&to=y', { from: expect.any(String), to: expect.any(String) }],
      [`at=${after(6)}&at=${after(7)}`, { at: expect.any(String) }],
    ];
    for (const [query, problems] of refusals) {
      const { status, json } = await call('GET', `/api/garden?${query}`);
      expect([status, json], query).toEqual([422, problems]);
    }
    // Without any change there is no past.
    await scope.delete(changeRows, {});
    expect(await ok('GET', '/api/garden')).toMatchObject({ begins_at: after(6), points: { length: 2 } });
  });

  it('begins with the oldest point where the log is whole, as after an import', async () => {
    const scope = server.app.server().device(account.deviceId);
    await scope.transaction(async (inner) => {
      const values = parseBody(points.fields, { pointer_type: 'Plant', name: 'Old', x: 1, y: 2 }, 'create').values;
      const { id } = await inner.insert(points, { ...(values as Insertable<Point>), created_at: after(-20) });
      announceChanged(inner, points, id);
    });
    pass(1);
    expect(await ok('GET', '/api/garden')).toMatchObject({ begins_at: after(-20) });
    expect(await pointsAt(-20, 'x')).toEqual({ Old: [1] });
    await scope.transaction((inner) => recordTrimmed(inner, 1));
    expect((await ok('GET', '/api/garden')).begins_at).toBe(after(0));
  });

  it('is for those who may read the garden, and shows that of others to nobody', async () => {
    await plant({ name: 'Mine' });
    const other = await server.signUp();
    expect((await server.call('GET', '/api/garden', { token: other.token })).json.points).toEqual([]);
    const viewer = await join(server, account, await server.signUp(), 'viewer');
    expect((await server.call('GET', '/api/garden', { token: viewer.token })).json.points).toMatchObject([
      { name: 'Mine' },
    ]);
    expect((await server.call('GET', '/api/garden')).status).toBe(401);
  });

  it('is the same to requests at one time, during changes', async () => {
    const { id } = await plant({});
    clock.time += hour;
    const answers = await Promise.all([
      at(0.01),
      ...Array.from({ length: 5 }, (_, index) => ok('PATCH', `/api/points/${id}`, { x: index })),
      at(0.01),
      ok('GET', '/api/garden'),
    ]);
    expect(answers[0].points).toMatchObject([{ x: 100 }]);
    expect(await pointsAt(1 / 24, 'x')).toEqual({ Beet: [(await ok('GET', `/api/points/${id}`)).x] });
  });
});

describeAnyEngine('requests for the garden at a time', () => {
  it('are limited for a garden, whatever the network', async () => {
    const server = await startApp('sqlite', { RATE_LIMITS: 'on' }, { now: () => Date.UTC(2026, 3, 1) });
    const { token } = await server.signUp();
    const send = (index: number) => server.call('GET', '/api/garden', { token, from: `192.0.2.${index % 250}` });
    const statuses = [];
    for (let index = 0; index < 301; index++) statuses.push((await send(index)).status);
    // The first one has the whole log read, which counts as 40 more.
    expect(statuses.filter((status) => status === 200)).toHaveLength(260);
    const { status, text } = await send(0);
    expect([status, text]).toEqual([429, 'A garden can be shown at 300 times per minute.\n']);
    await server.close();
  });
});
