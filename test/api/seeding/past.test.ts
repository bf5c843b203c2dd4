import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { timestamp } from '../../../src/core/clock.ts';
import { suiteApp } from '../../support/app.ts';
import { describeEngines, itAnyEngine } from '../../support/engines.ts';
import { gardenSummary, seedAccount } from '../../support/seeded-garden.ts';

const day = 86_400_000;
const clock = { time: 0, now: () => clock.time };

/** Moments and time zones: a winter's evening, a night before a run, and days after both changes of the clock. */
const moments = [
  ['2026-11-21T18:00:00.000Z', 'Europe/Paris', { today: true, watered: '07:00' }],
  ['2026-04-02T10:30:00.000Z', 'America/New_York', { today: false, watered: '07:00' }],
  ['2026-10-30T23:10:00.000Z', 'Pacific/Auckland', { today: true, watered: '07:00' }],
] as const;

/** The time so many days from now. */
const isoDays = (days: number): string => new Date(clock.time + days * day).toISOString();

describeEngines('a demo garden with a past', (engine) => {
  const server = suiteApp(engine, {}, clock);

  const seeded = async (now: string, timezone: string | null, body: object = {}) => {
    clock.time = Date.parse(now);
    const account = await server.signUp();
    const { token } = account;
    if (timezone) await server.call('PATCH', '/api/device', { token, body: { timezone } });
    await seedAccount(server, account, { product_line: 'genesis_1.8', demo: true, past: true, ...body });
    const get = async (path: string) => (await server.call('GET', `/api/${path}`, { token })).json;
    return { account, token, get };
  };

  it('has plants of different ages, weeds and notes, made when they came', async () => {
    const { account } = await seeded('2026-11-21T18:00:00.000Z', 'Europe/Paris');
    const { points, curves, groups } = await gardenSummary(server, account);
    const plants = points.filter(({ pointer_type }) => pointer_type === 'Plant');
    const rows = new Map<string, string>();
    for (const { name, y, plant_stage, planted_at, created_at, radius, water_curve_id } of plants) {
      rows.set(`${name} ${y}`, `${plant_stage} ${planted_at} ${radius}`);
      expect(created_at).toBe(plant_stage === 'planned' ? '2026-11-18T17:00:00.000Z' : planted_at);
      // Robots water all planted plants by their curves.
      expect(curves.some(({ id }) => id === water_curve_id)).toBe(true);
    }
    expect(Object.fromEntries(rows)).toEqual({
      // 42, 17, 60 and 30 days ago, at 9 o'clock; in October with daylight saving time.
      'Spinach 100': 'planted 2026-10-10T07:00:00.000Z 100',
      'Spinach 300': 'planted 2026-11-04T08:00:00.000Z 26',
      'Broccoli 700': 'planted 2026-09-22T07:00:00.000Z 230',
      'Beet 1100': 'planted 2026-10-22T07:00:00.000Z 43',
      // In three days.
      'Beet 1200': 'planned 2026-11-24T08:00:00.000Z 25',
      'Lettuce 560': 'planted 2026-09-24T07:00:00.000Z 125',
      'Basil 860': 'planted 2026-10-14T07:00:00.000Z 105',
      'Radish 420': 'planted 2026-11-01T08:00:00.000Z 39',
    });
    expect(plants).toHaveLength(26 + 4 + 54 + 5 + 5 + 12);
    const names = (type: string) => points.filter(({ pointer_type }) => pointer_type === type).map(({ name }) => name);
    expect(new Set(names('Weed'))).toEqual(new Set(['Dandelion', 'Chickweed', 'Bindweed']));
    expect(points.every(({ pointer_type, plant_stage }) => pointer_type !== 'Weed' || plant_stage === 'active')).toBe(
      true,
    );
    expect(names('GenericPointer').slice(-2)).toEqual([
      'Slugs here: look in the evening',
      'Shade of the fence from 4 p.m.',
    ]);
    expect(groups.map(({ name }) => name)).toContain('Radish plants');
  });

  // Times are computed before they are stored.
  it.each(engine === 'sqlite' ? moments : moments.slice(0, 1))(
    'worked by its schedule, at %s in %s',
    async (now, zone, { today, watered }) => {
      const { get } = await seeded(now, zone);
      const events = await get('farm_events');
      expect(events).toHaveLength(4);
      const runs: { sequence_name: string; at: string; local: string }[] = await get(
        `farm_events/occurrences?from=${isoDays(-70)}&to=${isoDays(30)}`,
      );
      const past = runs.filter(({ at }) => Date.parse(at) <= clock.time);
      const waterings = past.filter(({ sequence_name }) => sequence_name === 'Water all');
      expect(waterings.length).toBeGreaterThanOrEqual(15);
      // The last one was today if its hour is over, or is the next one.
      const next = runs.find(({ sequence_name, at }) => sequence_name === 'Water all' && Date.parse(at) > clock.time);
      const ofToday = (today ? waterings.at(-1) : next)?.local;
      expect(ofToday?.slice(11, 16)).toBe(watered);
      const local = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(clock.time);
      expect(ofToday?.slice(0, 10)).toBe(local);

      // Each run has its log.
      const logs: { message: string; type: string; created_at: number }[] = await get('logs');
      const said = logs.filter(({ message }) => / scheduled for /.test(message));
      expect(
        said.map(({ created_at, message }) => `${timestamp(created_at * 1000)} ${/"(.*)"/.exec(message)?.[1]}`).sort(),
      ).toEqual(past.map(({ at, sequence_name }) => `${at} ${sequence_name}`).sort());
      for (const { at, local: time, sequence_name } of past) {
        const message = logs.find(
          ({ created_at, message: text }) => created_at * 1000 === Date.parse(at) && text.includes(sequence_name),
        );
        expect(message?.message).toContain(`scheduled for ${time.slice(11, 16)}`);
      }
      expect(said.filter(({ type }) => type === 'warn').map(({ message }) => message)).toEqual([
        expect.stringMatching(/^Skipped "Photo Grid", scheduled for \d\d:00: the robot was busy for too long\.$/),
      ]);
    },
  );

  itAnyEngine('is shown at earlier times, and as it will be', async () => {
    const { get } = await seeded('2026-11-21T18:00:00.000Z', 'Europe/Paris');
    const states = async (time: string) => {
      const { begins_at, points } = await get(`garden?at=${time}`);
      expect(begins_at).toBe('2026-09-22T07:00:00.000Z');
      const plants = points.filter(({ pointer_type }: { pointer_type: string }) => pointer_type === 'Plant');
      return Object.fromEntries(plants.map(({ name, y, state }: Record<string, string>) => [`${name} ${y}`, state]));
    };
    expect(await states('2026-10-15T12:00:00Z')).toEqual({
      'Spinach 100': 'growing',
      'Broccoli 700': 'growing',
      'Lettuce 560': 'growing',
      'Basil 860': 'growing',
    });
    expect(await states('2026-11-21T18:00:00Z')).toMatchObject({
      'Spinach 100': 'ripe',
      'Lettuce 560': 'ripe',
      'Radish 420': 'growing',
      'Beet 1200': 'planned',
    });
    expect(await states('2026-12-20T12:00:00Z')).toEqual({
      'Spinach 300': 'ripe',
      'Broccoli 700': 'ripe',
      'Beet 1100': 'growing',
      'Beet 1200': 'growing',
      'Basil 860': 'ripe',
    });
  });

  it('measured moisture, which waterings raised, in the list and in the series', async () => {
    const { get } = await seeded('2026-11-21T18:00:00.000Z', 'Europe/Paris');
    const readings: { pin: number; value: number; x: number; y: number; read_at: string; mode: number }[] =
      await get('sensor_readings');
    // At noon, at four plants.
    expect(readings).toHaveLength(4 * 31);
    expect(new Set(readings.map(({ pin, mode, y }) => `${pin} ${mode} ${y}`))).toEqual(new Set(['59 1 700']));
    expect(await get('sensors')).toMatchObject([
      { pin: 59, dry_reading: 250, wet_reading: 850 },
      { pin: 63, dry_reading: null },
    ]);
    const at = (time: string) => readings.find(({ x, read_at }) => x === 600 && read_at === time)?.value ?? 0;
    // It was watered this morning, and two days ago.
    const [watered, dried, again] = ['19', '20', '21'].map((date) => at(`2026-11-${date}T11:00:00.000Z`));
    expect([watered, again].map((value = 0) => value > (dried ?? 0) + 100)).toEqual([true, true]);
    const series = await get(
      'series?source=sensor_reading&pin=59&from=2026-11-01T00:00:00Z&to=2026-11-22T00:00:00Z&bucket=1d',
    );
    expect(series.buckets.map(({ count }: { count: number }) => count)).toEqual(Array(21).fill(4));
  });

  itAnyEngine('has photos of what stood at their places, of the size and place that the calibration says', async () => {
    const { get } = await seeded('2026-11-21T18:00:00.000Z', 'Europe/Paris');
    const images: { attachment_url: string; created_at: string; meta: { x: number; y: number; z: number } }[] =
      await get('images');
    const grid = images.filter(({ created_at }) => created_at.startsWith('2026-11-20'));
    expect(grid).toHaveLength(15);
    expect(new Set(grid.map(({ meta: { x } }) => x))).toEqual(new Set([320, 885, 1450, 2015, 2580]));
    expect(new Set(grid.map(({ meta: { y, z } }) => `${y} ${z}`))).toEqual(new Set(['240 0', '615 0', '990 0']));
    // The first broccoli at 18, 32 and 46 days.
    const portraits = images.filter(({ meta: { x, y } }) => x === 600 && y === 700);
    expect(portraits.map(({ created_at }) => created_at.slice(0, 10)).sort()).toEqual([
      '2026-10-10',
      '2026-10-24',
      '2026-11-07',
    ]);
    const greens = await Promise.all(
      portraits.map(async ({ attachment_url }) => {
        const [, device, key] = /\/photos\/(\d+)\/(\w+)\.jpg$/.exec(attachment_url) ?? [];
        const file = join(server.settings.DATA_DIR, `photos/${device}/photos/${key}/full.jpg`);
        const { data, info } = await sharp(await readFile(file))
          .raw()
          .toBuffer({ resolveWithObject: true });
        expect([info.width, info.height]).toEqual([640, 480]);
        let green = 0;
        for (let at = 0; at < data.length; at += 3) if ((data[at + 1] ?? 0) > (data[at] ?? 0)) green++;
        return green;
      }),
    );
    // The newest first: it grew.
    expect(greens[0]).toBeGreaterThan(greens[1] ?? 0);
    expect(greens[1]).toBeGreaterThan(greens[2] ?? 0);
  });

  itAnyEngine('has a plan with notes, a regimen and finished runs', async () => {
    const { get } = await seeded('2026-11-21T18:00:00.000Z', 'Europe/Paris', { language: 'fr' });
    expect(await get('saved_gardens')).toMatchObject([
      {
        name: 'Saison prochaine',
        notes: expect.stringMatching(/^Des tomates/),
        created_at: '2026-11-09T19:00:00.000Z',
      },
    ]);
    const templates: { name: string }[] = await get('plant_templates');
    expect(new Set(templates.map(({ name }) => name))).toEqual(new Set(['Carotte', 'Oignon', 'Tomate']));
    const [regimen] = await get('regimens');
    expect(regimen).toMatchObject({ name: 'Un brocoli en images', regimen_items: { length: 5 } });
    expect(await get('runs')).toMatchObject([
      { state: 'done', total: 6, done: 6, name: 'Arroser une plante' },
      { state: 'done', total: 10, done: 10 },
    ]);
    expect((await get('logs')).some(({ message }: { message: string }) => /"Tout arroser"/.test(message))).toBe(true);
  });

  if (engine === 'sqlite')
    describe('of other robots', () => {
      it.each([
        ['genesis_xl_1.8', { plants: 312, photos: 24 + 3, readings: 27 * 31, events: 4 }],
        ['express_1.0', { plants: 52, photos: 10 + 3, readings: 0, events: 3 }],
        ['none', { plants: 106, photos: 0, readings: 0, events: 0 }],
      ])('is complete: %s', async (product_line, counts) => {
        const { get } = await seeded('2026-11-21T18:00:00.000Z', 'Europe/Paris', { product_line });
        const plants = await get('points?pointer_type=Plant');
        expect({
          plants: plants.length,
          photos: (await get('images')).length,
          readings: (await get('sensor_readings')).length,
          events: (await get('farm_events')).length,
        }).toEqual(counts);
        const { map_size_y } = await get('web_app_config');
        expect(plants.filter(({ y }: { y: number }) => y > map_size_y)).toEqual([]);
      });
    });

  it('is created once, without a time zone in UTC, and without photos where there is no room', async () => {
    const { account, token, get } = await seeded('2026-11-21T18:00:00.000Z', null);
    const count = async () =>
      Promise.all(['points', 'images', 'logs', 'farm_events', 'runs'].map(async (path) => (await get(path)).length));
    const before = await count();
    expect((await get('farm_events'))[1].start_time).toMatch(/T07:00:00/);
    await server.call('PATCH', '/api/device', { token, body: { account_seeded_at: null } });
    await seedAccount(server, account, { product_line: 'genesis_1.8', demo: true, past: true });
    const after = await count();
    // A greeting, and a notice of what was there.
    expect(after).toEqual([before[0], before[1], (before[2] ?? 0) + 2, before[3], before[4]]);

    clock.time = Date.parse('2026-11-21T18:00:00.000Z');
    const other = await server.signUp();
    const quotas = await server.app.operations.quotas();
    await quotas.change(other.email, { photos: 10 });
    await seedAccount(server, other, { product_line: 'genesis_1.8', demo: true, past: true });
    const of = async (path: string) => (await server.call('GET', `/api/${path}`, { token: other.token })).json;
    expect([(await of('images')).length, (await of('farm_events')).length]).toEqual([0, 4]);
  });

  itAnyEngine('belongs to demo gardens, except those for stress tests', async () => {
    const { token } = await server.signUp();
    for (const body of [
      { product_line: 'genesis_1.8', past: true },
      { product_line: 'genesis_xl_1.8_stress_250', demo: true, past: true },
    ])
      expect(await server.call('POST', '/api/device/seed', { token, body })).toMatchObject({
        status: 422,
        json: { past: 'Only demo gardens have a past, except those for stress tests.' },
      });
    expect(
      await server.call('POST', '/api/device/seed', { token, body: { product_line: 'none', past: 3 } }),
    ).toMatchObject({
      status: 422,
      json: { past: expect.any(String) },
    });
  });

  itAnyEngine('is that of visitors of the console, not of the vendor’s web app', async () => {
    clock.time = Date.parse('2026-11-21T18:00:00.000Z');
    const { json } = await server.call('POST', '/api/demo_gardens', { body: { product_line: 'genesis_1.8' } });
    await server.app.runJobs();
    const images = await server.call('GET', '/api/images', { token: json.token.encoded });
    expect(images.json).toHaveLength(18);
  });
});
