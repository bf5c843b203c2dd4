import { describe, expect, it } from 'vitest';
import { globalBulletins } from '../../../src/device/global-bulletins.ts';
import { suiteApp } from '../../support/app.ts';
import { describeEngines } from '../../support/engines.ts';
import { gardenSummary, seedAccount } from '../../support/seeded-garden.ts';

const now = '2026-11-21T12:00:00.000Z';
const clock = { now: () => Date.parse(now) };

const curves = [
  { name: 'Spinach water curve', type: 'water', data: { 1: 200, 30: 500, 40: 500, 45: 300, 60: 300 } },
  { name: 'Broccoli water curve', type: 'water', data: { 1: 300, 45: 1200, 60: 1200, 65: 900, 75: 900 } },
];
const camera = [
  'CAMERA_CALIBRATION_coord_scale=1',
  'CAMERA_CALIBRATION_camera_z=0',
  'CAMERA_CALIBRATION_center_pixel_location_x=320',
  'CAMERA_CALIBRATION_center_pixel_location_y=240',
];
const pictures = '/app-resources/img/demo_accounts';

interface Demo {
  readonly spinach: number;
  readonly broccoli: number;
  readonly beet: number;
  /** The last spinach, the last broccoli, the last beet: x, y. */
  readonly last: readonly (readonly [number, number])[];
  readonly soil: readonly [x: number, y: number];
  readonly feed: { readonly name: string; readonly url: string } | null;
  readonly map: readonly unknown[];
}

const usual = {
  spinach: 26,
  broccoli: 4,
  beet: 54,
  last: [
    [2800, 300],
    [2400, 700],
    [2800, 1200],
  ],
  soil: [2700, 1200],
} as const;
const demos: Record<string, Demo> = {
  'genesis_1.7': {
    ...usual,
    feed: { name: 'Genesis', url: `${pictures}/Genesis_Demo_Webcam.jpg` },
    map: [2900, 1230, false],
  },
  'genesis_xl_1.9': {
    spinach: 112,
    broccoli: 27,
    beet: 114,
    last: [
      [5800, 2800],
      [5400, 2200],
      [5800, 1200],
    ],
    soil: [5700, 2700],
    feed: { name: 'Genesis XL', url: `${pictures}/Genesis_XL_Demo_Webcam.jpg` },
    map: [5900, 2730, false],
  },
  'express_1.0': {
    ...usual,
    feed: { name: 'Express', url: `${pictures}/Express_Demo_Webcam.JPG` },
    map: [2900, 930, true],
  },
  'express_xl_1.2': {
    spinach: 56,
    broccoli: 18,
    beet: 114,
    last: [
      [5800, 300],
      [5400, 1600],
      [5800, 1200],
    ],
    soil: [5700, 2700],
    feed: { name: 'Express XL', url: `${pictures}/Express_XL_Demo_Webcam.JPG` },
    map: [5900, 2130, true],
  },
  none: { ...usual, feed: null, map: [2900, 1230, false] },
};

describeEngines('demo data', (engine) => {
  const server = suiteApp(engine, {}, clock);

  it('has French names where the request asks for them', async () => {
    const account = await server.signUp();
    const body = { product_line: 'genesis_1.8', demo: true, language: 'de' };
    expect(await server.call('POST', '/api/device/seed', { token: account.token, body })).toMatchObject({
      status: 422,
      json: { language: expect.any(String) },
    });
    await seedAccount(server, account, { ...body, language: 'fr' });
    const garden = await gardenSummary(server, account);
    const names = (rows: readonly { readonly name: string }[]) => [...new Set(rows.map(({ name }) => name))];
    expect(names(garden.points)).toEqual(['Emplacement', 'Épinard', 'Brocoli', 'Betterave', 'Hauteur du sol']);
    expect(names(garden.groups)).toContain('Toutes les plantes');
    expect(names(garden.curves)).toEqual(['Arrosage des épinards', 'Arrosage des brocolis']);
    expect(garden.peripherals.slice(0, 2)).toEqual(['Aspiration 9 0', 'Eau 8 0']);
    // Robots find it by this name.
    expect(garden.tools).toContain('Watering Nozzle 100 80 active');
    expect(garden.tools).toContain('Semoir 0 80 active');
    const dispense = garden.sequences.find(({ name }) => name === 'Verser de l’eau');
    expect(dispense.args.locals.body).toMatchObject([{ args: { label: 'Eau (mL)' } }]);
    expect(dispense.body).toMatchObject([
      { comment: 'Verse la quantité d’eau de la variable.', args: { lua: 'dispense(variable("Eau (mL)"))' } },
    ]);
    expect(garden.logs[0].message).toMatch(/^Bonjour/);
  });

  describe.each(Object.entries(demos))('of %s', (line, { spinach, broccoli, beet, last, soil, feed, map }) => {
    it('contains a complete garden', async () => {
      const account = await server.signUp();
      await seedAccount(server, account, { product_line: line, demo: true });
      const garden = await gardenSummary(server, account);
      const [spinachCurve, broccoliCurve] = garden.curves;
      expect(garden.curves).toMatchObject(curves);

      const plants = garden.points.filter(({ pointer_type }) => pointer_type === 'Plant');
      const of = (slug: string) => plants.filter(({ openfarm_slug }) => openfarm_slug === slug);
      expect([of('spinach').length, of('broccoli').length, of('beet').length]).toEqual([spinach, broccoli, beet]);
      expect(plants).toHaveLength(spinach + broccoli + beet);
      expect(['spinach', 'broccoli', 'beet'].map((slug) => of(slug).at(-1)).map(({ x, y }) => [x, y])).toEqual(last);
      const common = { z: 0, radius: 25, depth: 0, meta: {}, spread_curve_id: null, height_curve_id: null };
      expect(of('spinach')[0]).toMatchObject({
        ...common,
        name: 'Spinach',
        x: 400,
        y: 100,
        plant_stage: 'planted',
        planted_at: now,
        water_curve_id: spinachCurve.id,
      });
      expect(of('broccoli')[0]).toMatchObject({
        ...common,
        name: 'Broccoli',
        x: 600,
        y: 700,
        plant_stage: 'planted',
        planted_at: now,
        water_curve_id: broccoliCurve.id,
      });
      expect(of('beet')[0]).toMatchObject({
        ...common,
        name: 'Beet',
        x: 200,
        y: 1100,
        plant_stage: 'planned',
        planted_at: null,
        water_curve_id: null,
      });

      const heights = garden.points.filter(({ pointer_type }) => pointer_type === 'GenericPointer');
      expect(heights).toHaveLength(16);
      for (const { name, x, y, z, radius, meta } of heights) {
        expect([name, radius, meta]).toEqual(['Soil Height', 0, { color: 'gray', at_soil_level: 'true' }]);
        expect([x % 10, y % 10, z % 1].map(Math.abs)).toEqual([0, 0, 0]);
        expect(x >= 0 && x <= soil[0] && y >= 0 && y <= soil[1] && z >= -550 && z <= -450).toBe(true);
      }

      expect(
        garden.groups.slice(-3).map(({ name, sort_type, criteria }) => [name, sort_type, criteria.string_eq]),
      ).toEqual([
        ['Spinach plants', 'yx_alternating', { pointer_type: ['Plant'], openfarm_slug: ['spinach'] }],
        ['Broccoli plants', 'yx_alternating', { pointer_type: ['Plant'], openfarm_slug: ['broccoli'] }],
        ['Beet plants', 'yx_alternating', { pointer_type: ['Plant'], openfarm_slug: ['beet'] }],
      ]);
      expect(garden.feeds).toMatchObject(feed ? [feed] : []);
      expect(garden.envs.slice(-4)).toEqual(camera);
      expect(garden.tools.filter((tool: string) => / 100 /.test(tool)).length).toBe(line === 'none' ? 0 : 1);
      expect(garden.alerts.map(({ problem_tag, priority, slug }) => [problem_tag, priority, slug])).toEqual([
        ['api.documentation.unread', 400, expect.stringMatching(/^[0-9a-f-]{36}$/)],
        ['api.demo_account.in_use', 100, expect.stringMatching(/^[0-9a-f-]{36}$/)],
        ['api.bulletin.unread', 9999, 'buy-a-farmbot'],
        ['api.tour.not_taken', 300, expect.stringMatching(/^[0-9a-f-]{36}$/)],
      ]);
      expect(garden.logs).toMatchObject([{ type: 'fun', verbosity: 3, channels: [] }]);
      expect(garden.device.fbos_version).toBe('100.0.0');
      expect(garden.webApp).toMatchObject({ discard_unsaved: true });
      expect([garden.map, garden.board[2]]).toEqual([map, -150]);
      expect(await server.app.server().rows(globalBulletins)).toMatchObject([
        { slug: 'buy-a-farmbot', type: 'info', href: 'https://farm.bot' },
      ]);
    });
  });

  it('has the given number of each kind for a stress line, all with one image', async () => {
    const account = await server.signUp();
    const { token } = account;
    await seedAccount(server, account, { product_line: 'genesis_xl_1.8_stress_250', demo: true });
    const garden = await gardenSummary(server, account);
    expect(garden).toMatchObject({ name: 'FarmBot Genesis XL', tools: { length: 8 }, sequences: { length: 17 } });
    expect(garden.webApp).toMatchObject({ show_sensor_readings: true, show_moisture_interpolation_map: true });
    expect(garden.groups).toHaveLength(6);
    const of = (type: string) => garden.points.filter(({ pointer_type }) => pointer_type === type);
    expect(garden.points).toHaveLength(8 + 3 * 250);

    const [first, second] = of('Plant');
    expect(of('Plant')).toHaveLength(250);
    expect(first).toMatchObject({
      name: 'Spinach',
      openfarm_slug: 'spinach',
      x: 100,
      y: 100,
      z: 0,
      radius: 25,
      depth: 5,
      plant_stage: 'planted',
      planted_at: now,
      created_at: now,
      meta: {},
      water_curve_id: null,
    });
    expect(second).toMatchObject({
      name: 'Broccoli',
      x: 480,
      y: 100,
      plant_stage: 'planned',
      planted_at: '2026-11-21T11:59:59.000Z',
      created_at: '2026-11-21T11:59:59.000Z',
    });
    // 16 columns and 16 rows; the last row is not full.
    expect(of('Plant').at(-1)).toMatchObject({ name: 'Spinach', x: 3520, y: 2630 });
    expect(of('GenericPointer')[1]).toMatchObject({
      name: 'Soil Height',
      x: 520,
      y: 120,
      z: -549,
      radius: 0,
      meta: { color: 'gray', at_soil_level: 'true' },
    });
    expect(of('Weed')[1]).toMatchObject({
      name: 'Stress Weed 2',
      x: 550,
      y: 140,
      z: 0,
      radius: 21,
      plant_stage: 'active',
      meta: { color: 'yellow' },
    });

    const readings = (await server.call('GET', '/api/sensor_readings', { token })).json;
    expect(readings).toHaveLength(250);
    expect(readings[1]).toMatchObject({ pin: 59, mode: 1, value: 337, x: 620, y: 180, z: 0 });
    expect(readings[1].read_at).toBe('2026-11-21T11:59:59.000Z');

    const images = (await server.call('GET', '/api/images', { token })).json;
    expect(images).toHaveLength(250);
    expect(images[1]).toMatchObject({
      attachment_processed_at: '2026-11-21T11:59:59.000Z',
      meta: { x: 585, y: 160, z: 0, name: 'Stress Image 2' },
    });
    expect(new Set(images.map(({ attachment_url }: { attachment_url: string }) => attachment_url)).size).toBe(1);
    const picture = await server.call('GET', new URL(images[0].attachment_url).pathname);
    expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/png']);
  });

  it('is created for demo accounts, also for an unknown product line', async () => {
    const lines = ['genesis_xl_1.4', 'no such robot'];
    for (const [index, product_line] of lines.entries()) {
      const body = { secret: `secret-number-${index}`, product_line };
      expect((await server.call('POST', '/api/demo_account', { body })).status).toBe(200);
    }
    const guests = (await (await server.app.operations.users()).list()).filter(({ name }) => name === 'Guest');
    const gardens = [];
    for (const [index, { email, device_id }] of guests.entries()) {
      const user = { email, password: `secret-number-${index}` };
      const { token } = (await server.call('POST', '/api/tokens', { body: { user } })).json;
      expect((await gardenSummary(server, { token: token.encoded })).device).toMatchObject({
        id: device_id,
        account_seeded_at: now,
      });
      await server.app.runJobs();
      gardens.push(await gardenSummary(server, { token: token.encoded }));
    }
    expect(gardens).toMatchObject([
      {
        name: 'FarmBot Genesis XL',
        tools: { length: 6 },
        sequences: { length: 16 },
        device: { fbos_version: '100.0.0' },
      },
      { name: 'FarmBot', tools: [], sequences: [], feeds: [], device: { fbos_version: '100.0.0' } },
    ]);
    expect(gardens.map(({ points }) => points.length)).toEqual([6 + 253 + 16, 84 + 16]);
    expect(gardens.map(({ alerts }) => alerts.length)).toEqual([4, 4]);
  });
});
