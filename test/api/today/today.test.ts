import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { devices } from '../../../src/device/devices.ts';
import { notifications } from '../../../src/notifications/notification-resource.ts';
import { runs } from '../../../src/runs/run-records.ts';
import { callsOf } from '../../support/account-calls.ts';
import type { Account, TestApp } from '../../support/app.ts';
import { password, startApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { join } from '../../support/members.ts';
import { seedAccount } from '../../support/seeded-garden.ts';

const [hour, day] = [3_600_000, 86_400_000];

describeEngines('today', (engine) => {
  // A Wednesday, 10:30 in Paris.
  const start = Date.UTC(2026, 3, 1, 8, 30);
  const clock = { time: start, now: () => clock.time };
  let server: TestApp;
  let account: Account;
  let ok: ReturnType<typeof callsOf>['ok'];

  beforeAll(async () => {
    server = await startApp(engine, {}, clock);
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    clock.time = start;
    account = await server.signUp();
    ({ ok } = callsOf(server, account));
    await ok('PATCH', '/api/device', { timezone: 'Europe/Paris' });
  });

  const scope = () => server.app.server().device(account.deviceId);
  const at = (days: number, hours: number): string =>
    new Date(Date.UTC(2026, 3, 1) + days * day + hours * hour).toISOString();
  /** The sentences as the console of a language reads them, by their kinds. */
  const sentences = async (language?: string): Promise<[string, string][]> => {
    const headers = language ? { 'x-potager-language': language } : {};
    const { json } = await server.call('GET', '/api/today', { token: account.token, headers });
    return json.items.map(({ kind, message }: Record<string, string>) => [
      kind,
      message?.replaceAll(/[\u00a0\u202f]/g, ' '),
    ]);
  };
  const program = async (name: string): Promise<number> =>
    ((await ok('POST', '/api/sequences', { name, body: [] })) as { id: number }).id;
  const log = (message: string, time: string, type = 'info') =>
    ok('POST', '/api/logs', { message, type, created_at: Date.parse(time) / 1000 });
  const plant = (values: object) =>
    ok('POST', '/api/points', { pointer_type: 'Plant', name: 'Mine', x: 1, y: 2, plant_stage: 'planted', ...values });

  it('has nothing to say about an empty garden', async () => {
    expect(await ok('GET', '/api/today')).toEqual({ date: '2026-04-01', items: [] });
    // In Auckland it is tomorrow already.
    clock.time += 6 * hour;
    await ok('PATCH', '/api/device', { timezone: 'Pacific/Auckland' });
    expect(await ok('GET', '/api/today')).toEqual({ date: '2026-04-02', items: [] });
  });

  describe('about the robot', () => {
    /** Schedules a program every day at 5 and 7 UTC. */
    const schedule = async (name: string, hours = 5, values: object = {}) => {
      clock.time = start - 3 * day;
      const executable_id = await program(name);
      const event = { executable_type: 'Sequence', executable_id, start_time: at(-2, hours), end_time: at(60, 0) };
      await ok('POST', '/api/farm_events', { ...event, repeat: 1, time_unit: 'daily', ...values });
      clock.time = start;
    };

    it('says what ran, what failed, and what is next', async () => {
      await schedule('Water');
      await schedule('Mow', 6);
      await schedule('Weed', 6.5);
      await schedule('Photos', 7);
      await schedule('Measure', 4, { repeat: 3, time_unit: 'hourly' });
      await log('Completed "Water".', at(0, 5.02), 'success');
      await log('Failed to run "Mow", scheduled for 08:00: There is no watering nozzle.', at(0, 6.01), 'error');
      await log('Skipped "Weed", scheduled for 08:30: the robot was busy for too long.', at(0, 6.6), 'warn');
      await log('Completed "Measure".', at(0, 4.01), 'success');
      await log('Completed "Measure".', at(0, 7.01), 'success');
      // Yesterday's do not count.
      await log('Failed to run "Mow", scheduled for 08:00: Rain.', at(-1, 6.01), 'error');
      await scope().insert(notifications, { kind: 'missed_run', message: 'Photos', at: at(0, 7) });
      expect(await sentences('en')).toEqual([
        ['failed', '“Mow” failed at 8:00 AM: There is no watering nozzle.'],
        ['failed', '“Weed” was skipped at 8:30 AM: the robot was busy for too long.'],
        ['failed', '“Photos” was due at 9:00 AM, and the robot was offline.'],
        ['ran', 'Done today: Measure (2), Water (7:00 AM).'],
        ['next', 'Next: “Measure”, today at 12:00 PM.'],
      ]);
      expect(await sentences('fr')).toEqual([
        ['failed', '« Mow » a échoué à 08:00 : Il n’y a pas de buse d’arrosage.'],
        ['failed', '« Weed » a été sauté à 08:30 : le robot était occupé trop longtemps.'],
        ['failed', '« Photos » était prévu à 09:00, et le robot était hors ligne.'],
        ['ran', 'Fait aujourd’hui : Measure (2), Water (07:00).'],
        ['next', 'Ensuite : « Measure », aujourd’hui à 12:00.'],
      ]);
    });

    it('says what failed of the last runs of a busy day, and counts none', async () => {
      await schedule('Mow', 6);
      const often = { start_time: at(0, 0), end_time: at(0, 8), repeat: 1, time_unit: 'minutely' };
      await schedule('Watch', 0, often);
      await schedule('Look', 0, often);
      await log('Completed "Watch".', at(0, 5.01), 'success');
      await log('Failed to run "Mow", scheduled for 08:00: Rain.', at(0, 6.01), 'error');
      expect(await sentences('en')).toEqual([
        ['failed', '“Mow” failed at 8:00 AM: Rain.'],
        ['next', 'Next: “Mow”, tomorrow at 8:00 AM.'],
      ]);
    });

    it('names the day of the next run, within a week', async () => {
      await schedule('Water', 5, { repeat: 3 });
      expect(await sentences('en')).toEqual([['next', 'Next: “Water”, tomorrow at 7:00 AM.']]);
      clock.time += day;
      expect(await sentences('en')).toEqual([['next', 'Next: “Water”, on Sunday at 7:00 AM.']]);
      clock.time += 58 * day;
      expect(await sentences('en')).toEqual([]);
    });

    it('says what became of runs over several places', async () => {
      const run = { name: 'Water plant', total: 10, skipped: 0, user_id: 0, is_sent: false };
      await scope().insertAll(runs, [
        { ...run, state: 'done', done: 10, created_at: at(0, 5) },
        { ...run, state: 'interrupted', done: 2, place: 'Broccoli 3', problem: 'No water.', created_at: at(0, 6) },
        { ...run, state: 'done', done: 10, created_at: at(-1, 6) },
      ]);
      expect(await sentences('en')).toEqual([
        ['failed', '“Water plant” was interrupted at “Broccoli 3”: No water.'],
        ['ran', 'Done today: Water plant (10 of 10).'],
      ]);
    });

    it('says since when the robot is offline, unless it was put away', async () => {
      const seen = async (last_saw_broker: string) => {
        await scope().update(devices, { last_saw_broker }, {});
        return sentences('en');
      };
      expect(await seen(at(0, 8.49))).toEqual([]);
      expect(await seen(at(0, 7))).toEqual([['offline', 'The robot has been offline since 9:00 AM.']]);
      expect(await seen(at(-2, 7))).toEqual([['offline', 'The robot has been offline since Mar 30, 2026, 9:00 AM.']]);
      expect(await seen(at(-31, 7))).toEqual([]);
    });
  });

  it('says where calibrated sensors found it dry within two days', async () => {
    const sensor = { pin: 59, label: 'Soil', mode: 1 };
    const { id } = (await ok('POST', '/api/sensors', sensor)) as { id: number };
    const measure = (x: number, value: number, time: string) =>
      ok('POST', '/api/sensor_readings', { pin: 59, mode: 1, value, x, y: 700, z: -500, read_at: time });
    await plant({ name: 'Broccoli', x: 640, y: 720 });
    await measure(600, 250, at(0, 6));
    await measure(620, 900, at(0, 5));
    await measure(1200, 280, at(0, 6));
    await measure(1800, 300, at(0, 5));
    await measure(1800, 700, at(0, 6));
    await measure(2400, 250, at(-3, 6));
    // Without a calibration nobody knows what a reading means.
    expect(await sentences('en')).toEqual([]);
    await ok('PATCH', `/api/sensors/${id}`, { dry_reading: 200, wet_reading: 800 });
    expect(await sentences('en')).toEqual([['dry', 'Dry: Broccoli at 600, 700 (8 %); 1200, 700 (13 %).']]);
    expect(await sentences('fr')).toEqual([['dry', 'Sec : Broccoli en 600, 700 (8 %) ; 1200, 700 (13 %).']]);
    // Of other sensors high readings are dry.
    await ok('PATCH', `/api/sensors/${id}`, { dry_reading: 800, wet_reading: 200 });
    expect(await sentences('en')).toEqual([['dry', 'Dry: 1800, 700 (17 %).']]);
  });

  describe('about plants', () => {
    it('says what is ripe, what will be, and what is to be sown, by crop', async () => {
      const days = (count: number) => at(-count, 7);
      // Spinach is ripe after 40 to 55 days.
      for (const age of [60, 41]) await plant({ openfarm_slug: 'spinach', planted_at: days(age) });
      await plant({ openfarm_slug: 'spinach', planted_at: days(50), plant_stage: 'harvested' });
      await plant({ openfarm_slug: 'spinach', planted_at: days(34) });
      await plant({ openfarm_slug: 'spinach', planted_at: days(20) });
      await plant({ openfarm_slug: 'unknown', planted_at: days(90) });
      await plant({ openfarm_slug: 'beet', plant_stage: 'planned', planted_at: at(6, 7) });
      await plant({ openfarm_slug: 'my-own', name: 'Own seeds', plant_stage: 'planned', planted_at: at(-1, 7) });
      await plant({ openfarm_slug: 'beet', plant_stage: 'planned', planted_at: at(30, 7) });
      // Without a date, and no latitude.
      await plant({ openfarm_slug: 'carrot', plant_stage: 'planned' });
      expect(await sentences('en')).toEqual([
        ['ripe', 'Ripe: Spinach (2).'],
        ['ripens', 'Ripe within a week: Spinach (1).'],
        ['sow', 'To be sown or planted this week: Beet (1), Own seeds (1).'],
      ]);
      expect((await sentences('fr'))[0]).toEqual(['ripe', 'Mûr : Épinard (2).']);
      // In the temperate climate, carrots are sown from March to July.
      await ok('PATCH', '/api/device', { lat: 48.9 });
      expect((await sentences('en')).at(-1)?.[1]).toContain('Carrot (1)');
      // South of the equator it is autumn.
      await ok('PATCH', '/api/device', { lat: -41.3 });
      expect((await sentences('en')).at(-1)?.[1]).not.toContain('Carrot (1)');
    });
  });

  it('is read by viewers, not without a token, and a personal token gets what it may read', async () => {
    await plant({ openfarm_slug: 'spinach', planted_at: at(-41, 7) });
    const viewer = await join(server, account, await server.signUp(), 'viewer');
    const { json } = await server.call('GET', '/api/today', { token: viewer.token });
    expect(json.items).toMatchObject([{ kind: 'ripe', point_ids: [expect.any(Number)] }]);
    expect((await server.call('GET', '/api/today')).status).toBe(401);
    const executable_id = await program('Water');
    const event = { executable_type: 'Sequence', executable_id, start_time: at(1, 5), repeat: 1, time_unit: 'never' };
    await ok('POST', '/api/farm_events', event);
    for (const [scopes, kinds] of [
      [['read'], ['next', 'ripe']],
      [['garden'], ['ripe']],
    ]) {
      const body = { name: String(scopes), scopes, password };
      const { token } = (await ok('POST', '/api/personal_tokens', body)) as { token: string };
      const { json: seen } = await server.call('GET', '/api/today', { token });
      expect(seen.items.map(({ kind }: { kind: string }) => kind)).toEqual(kinds);
    }
    const other = await server.signUp();
    expect((await server.call('GET', '/api/today', { token: other.token })).json.items).toEqual([]);
  });

  it('tells of a demo garden with a past', async () => {
    clock.time = Date.UTC(2026, 10, 21, 12);
    account = await server.signUp();
    ({ ok } = callsOf(server, account));
    await ok('PATCH', '/api/device', { timezone: 'Europe/Paris' });
    await seedAccount(server, account, { product_line: 'genesis_1.8', demo: true, past: true });
    const kinds = await sentences('en');
    expect(kinds).toEqual(
      expect.arrayContaining([
        ['ran', 'Done today: Water all (7:00 AM), Measure moisture (12:00 PM).'],
        ['next', 'Next: “Measure moisture”, tomorrow at 12:00 PM.'],
        ['ripe', 'Ripe: Spinach (13), Lettuce (5).'],
        ['ripens', 'Ripe within a week: Radish (12).'],
        ['sow', 'To be sown or planted this week: Beet (27).'],
      ]),
    );
  });
});
