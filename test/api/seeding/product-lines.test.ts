import { describe, expect, it } from 'vitest';
import { productOptions } from '../../../src/seeding/product-lines.ts';
import { type Account, suiteApp } from '../../support/app.ts';
import { describeEngines, itAnyEngine } from '../../support/engines.ts';
import { gardenSummary, seedAccount } from '../../support/seeded-garden.ts';

const onGenesis = [
  'Mount Tool gray',
  'Dismount Tool gray',
  'Plant seed yellow',
  'Find Home blue',
  'Take photo of plant pink pinned',
  'Water plant blue pinned',
  'Water all plants green',
  'Water all blue',
  'Photo Grid gray',
  'Weed Detection Grid gray',
  'Soil Height Grid gray',
  'Grid gray',
  'Dispense Water blue',
];
const seedPicking = ['Pick from Seed Tray yellow', 'Pick from Seed Trough yellow', 'Pick from Seed Bin yellow'];
const onExpress = ['Pick up seed yellow', ...onGenesis.slice(2)];

const estop = ['16 emergency_lock', '22 emergency_unlock'];
const sensors = ['Soil Sensor 59 1', 'Tool Verification 63 0'];
const strongX = { movement_motor_current_x: 1646, movement_max_spd_y: 400, encoder_enabled_z: 1 };
const expressFirmware = {
  movement_motor_current_x: 1823,
  encoder_enabled_x: 1,
  encoder_enabled_z: 0,
  movement_max_spd_x: 400,
  movement_max_spd_y: 900,
  movement_min_spd_x: 300,
  movement_min_spd_y: 300,
  movement_min_spd_z: 50,
  movement_home_spd_y: 500,
  movement_steps_acc_dec_x: 250,
  movement_steps_acc_dec_y: 250,
  movement_steps_acc_dec_z: 300,
  encoder_missed_steps_max_x: 70,
  encoder_missed_steps_max_y: 60,
  encoder_missed_steps_max_z: 70,
  encoder_missed_steps_decay_x: 100,
  encoder_missed_steps_decay_y: 100,
  encoder_missed_steps_decay_z: 100,
};
const pins7 = [
  'Vacuum 9 0',
  'Water 8 0',
  'Lighting 7 0',
  'Peripheral 4 10 0',
  'Peripheral 5 12 0',
  'Rotary Tool 2 0',
  'Rotary Tool Reverse 3 0',
];
const troughSlots = ['Slot: Seed Trough 1 @ 0 0 -300 trough 0', 'Slot: Seed Trough 2 @ 0 25 -300 trough 0'];
const expressTools = ['Seed Trough 1 0 80 active', 'Seed Trough 2 0 80 active', 'Watering Nozzle 0 80 inactive'];
const expressGarden = {
  peripherals: ['Vacuum 9 0', 'Water 8 0', 'Lighting 7 0'],
  bindings: estop,
  sensors: [],
  tools: expressTools,
  slots: troughSlots,
  sequences: onExpress,
  firmware: expressFirmware,
};

/** The records of gardens, written by hand. [rule S5] */
const expected = {
  'genesis_1.2': {
    name: 'FarmBot Genesis',
    board: ['arduino', 120, 0, -500],
    map: [2900, 1230, false],
    envs: [],
    peripherals: ['Vacuum 10 0', 'Water 9 0'],
    bindings: [],
    sensors,
    tools: [
      'Seed Bin 0 80 active',
      'Seed Tray 0 80 active',
      'Seeder 0 80 active',
      'Soil Sensor 0 80 active',
      'Watering Nozzle 0 80 active',
      'Weeder 0 80 active',
    ],
    slots: [
      'Slot: Seeder @ 6 200 -340 bay 1',
      'Slot: Seed Bin @ 6 300 -340 bay 1',
      'Slot: Seed Tray @ 6 400 -340 bay 1',
      'Slot: Watering Nozzle @ 6 600 -340 bay 1',
      'Slot: Soil Sensor @ 6 700 -340 bay 1',
      'Slot: Weeder @ 6 800 -340 bay 1',
    ],
    sequences: [...onGenesis, ...seedPicking],
    firmware: strongX,
  },
  'genesis_xl_1.6': {
    name: 'FarmBot Genesis XL',
    board: ['farmduino_k16', 120, 0, -500],
    map: [5900, 2730, false],
    envs: ['3D_beamLength=3000'],
    peripherals: pins7,
    bindings: estop,
    sensors,
    tools: [
      'Seed Bin 0 80 active',
      'Seed Tray 0 80 active',
      'Seed Trough 1 0 80 active',
      'Seed Trough 2 0 80 active',
      'Seeder 0 80 active',
      'Soil Sensor 0 80 active',
      'Watering Nozzle 0 80 active',
      'Weeder 0 80 active',
      'Rotary Tool 0 80 active',
    ],
    slots: [
      'Slot: Seeder @ 6 200 -340 bay 1',
      'Slot: Seed Bin @ 6 300 -340 bay 1',
      'Slot: Seed Tray @ 6 400 -340 bay 1',
      'Slot: Watering Nozzle @ 6 600 -340 bay 1',
      'Slot: Soil Sensor @ 6 700 -340 bay 1',
      'Slot: Weeder @ 6 800 -340 bay 1',
      'Slot: Rotary Tool @ 6 900 -340 bay 1',
      ...troughSlots,
    ],
    sequences: [...onGenesis, 'Mow All Weeds red', ...seedPicking],
    firmware: strongX,
  },
  'genesis_1.7': {
    name: 'FarmBot Genesis',
    board: ['farmduino_k17', 120, 0, -500],
    map: [2900, 1230, false],
    envs: [],
    peripherals: pins7,
    bindings: estop,
    sensors,
    tools: [
      'Seed Bin 0 80 active',
      'Seed Tray 0 80 active',
      'Seed Trough 1 0 80 active',
      'Seed Trough 2 0 80 active',
      'Seeder 0 80 active',
      'Soil Sensor 0 80 active',
      'Watering Nozzle 0 80 active',
      'Rotary Tool 0 80 active',
    ],
    slots: [
      'Slot: Seeder @ 6 200 -340 bay 1',
      'Slot: Seed Bin @ 6 300 -340 bay 1',
      'Slot: Seed Tray @ 6 400 -340 bay 1',
      'Slot: Watering Nozzle @ 6 600 -340 bay 1',
      'Slot: Soil Sensor @ 6 700 -340 bay 1',
      'Slot: Rotary Tool @ 6 800 -340 bay 1',
      ...troughSlots,
    ],
    sequences: [...onGenesis, 'Mow All Weeds red', ...seedPicking],
    firmware: strongX,
  },
  'genesis_xl_1.9': {
    name: 'FarmBot Genesis XL',
    board: ['farmduino_k19', 120, 0, -500],
    map: [5900, 2730, false],
    envs: ['3D_beamLength=3000', '3D_zAxisLength=800'],
    peripherals: pins7,
    bindings: estop,
    sensors,
    tools: [
      'Seed Bin 0 80 active',
      'Seed Tray 0 80 active',
      'Seed Trough 1 0 80 active',
      'Seed Trough 2 0 80 active',
      'Seeder 0 80 active',
      'Soil Sensor 0 80 active',
      'Watering Nozzle 0 80 inactive',
      'Rotary Tool 0 80 active',
    ],
    slots: [
      'Slot: Seeder @ 6 200 -340 bay 1',
      'Slot: Seed Bin @ 6 300 -340 bay 1',
      'Slot: Seed Tray @ 6 400 -340 bay 1',
      'Slot: Soil Sensor @ 6 500 -340 bay 1',
      'Slot: Rotary Tool @ 6 600 -340 bay 1',
      ...troughSlots,
    ],
    sequences: [...onGenesis, 'Mow All Weeds red', ...seedPicking],
    firmware: strongX,
  },
  'express_1.0': {
    ...expressGarden,
    name: 'FarmBot Express',
    board: ['express_k10', 140, 0, -500],
    map: [2900, 930, true],
    envs: ['3D_beamLength=1200'],
  },
  'express_xl_1.2': {
    ...expressGarden,
    name: 'FarmBot Express XL',
    board: ['express_k12', 140, 0, -500],
    map: [5900, 2130, true],
    envs: ['3D_beamLength=2400'],
  },
};

/** Boards, tools, slots and sequences of the lines that are not compared completely. */
const others: [line: string, board: string, map: number[], tools: number, slots: number, sequences: number][] = [
  ['genesis_1.3', 'farmduino', [2900, 1230], 6, 6, 16],
  ['genesis_1.4', 'farmduino_k14', [2900, 1230], 6, 6, 16],
  ['genesis_1.5', 'farmduino_k15', [2900, 1230], 8, 8, 16],
  ['genesis_1.6', 'farmduino_k16', [2900, 1230], 9, 9, 17],
  ['genesis_1.8', 'farmduino_k18', [2900, 1230], 8, 8, 17],
  ['genesis_1.9', 'farmduino_k19', [2900, 1230], 8, 7, 17],
  ['genesis_xl_1.4', 'farmduino_k14', [5900, 2730], 6, 6, 16],
  ['genesis_xl_1.5', 'farmduino_k15', [5900, 2730], 8, 8, 16],
  ['genesis_xl_1.7', 'farmduino_k17', [5900, 2730], 8, 8, 17],
  ['genesis_xl_1.8', 'farmduino_k18', [5900, 2730], 8, 8, 17],
  ['express_1.1', 'express_k11', [2900, 930], 3, 2, 12],
  ['express_1.2', 'express_k12', [2900, 930], 3, 2, 12],
  ['express_xl_1.0', 'express_k10', [5900, 2130], 3, 2, 12],
  ['express_xl_1.1', 'express_k11', [5900, 2130], 3, 2, 12],
];

// biome-ignore lint/suspicious/noExplicitAny: tests access records of any shape
type SeededRecord = any;

/** Type, whether the robot can mount it, and the offsets of its tip, by name. */
const typedTools: Readonly<Record<string, readonly unknown[]>> = Object.fromEntries(
  [
    ['Seed Bin', 'seed_bin', false, 0, 0, 0],
    ['Seed Tray', 'seed_tray', false, 0, 0, 0],
    ['Seed Trough 1', 'seed_trough', false, 0, 0, 0],
    ['Seed Trough 2', 'seed_trough', false, 0, 0, 0],
    ['Seeder', 'seeder', true, 17.5, 0, -80],
    ['Soil Sensor', 'soil_sensor', true, 0, 0, -60],
    ['Watering Nozzle', 'watering_nozzle', true, 0, 0, 0],
    ['Weeder', 'weeder', true, 0, 0, 0],
    ['Rotary Tool', 'rotary_tool', true, 0, 0, -80],
  ].map((each) => [String(each[0]), each]),
);

const typedPeripherals: Readonly<Record<string, string>> = {
  Vacuum: 'vacuum',
  Water: 'water',
  Lighting: 'lighting',
  'Peripheral 4': 'none',
  'Peripheral 5': 'none',
  'Rotary Tool': 'rotary_tool',
  'Rotary Tool Reverse': 'rotary_tool',
};

const group = (name: string, type: string) => ({
  name,
  point_ids: [],
  sort_type: 'yx_alternating',
  criteria: {
    day: { op: '<', days_ago: 0 },
    string_eq: { pointer_type: [type] },
    number_eq: {},
    number_lt: {},
    number_gt: {},
  },
});

itAnyEngine('covers every product line', () => {
  const stress = [250, 500, 750, 1000].map((count) => `genesis_xl_1.8_stress_${count}`);
  const compared = [...Object.keys(expected), ...others.map(([line]) => line), 'none', ...stress];
  expect(productOptions.map(({ line }) => line).sort()).toEqual(compared.sort());
});

describeEngines('seeding', (engine) => {
  const server = suiteApp(engine);
  // The lines differ in values, not in statements.
  const isSeeded = (line: string): boolean => engine === 'sqlite' || ['genesis_xl_1.6', 'express_1.1'].includes(line);
  const gardens = new Map<string, Promise<Account>>();
  /** Returns the account with the garden of a line. */
  const seeded = (line: string): Promise<Account> => {
    const seed = async (): Promise<Account> => {
      const account = await server.signUp();
      await seedAccount(server, account, { product_line: line });
      return account;
    };
    const garden = gardens.get(line) ?? seed();
    gardens.set(line, garden);
    return garden;
  };

  const compared = Object.entries(expected).filter(([line]) => isSeeded(line));
  describe.each(compared)('of %s', (line, { sequences, firmware, ...garden }) => {
    it('creates all records', async () => {
      const account = await seeded(line);
      const created = await gardenSummary(server, account);
      expect(created).toMatchObject({ ...garden, feeds: [], curves: [] });
      expect(created.firmware).toMatchObject(firmware);
      expect(created.sequences.map(({ name, color, pinned }) => `${name} ${color}${pinned ? ' pinned' : ''}`)).toEqual(
        sequences,
      );
      expect(created.groups).toMatchObject([
        group('All plants', 'Plant'),
        group('All points', 'GenericPointer'),
        group('All weeds', 'Weed'),
      ]);
      expect(created.points).toHaveLength(garden.slots.length);
      expect(created.device.account_seeded_at).toMatch(/Z$/);
      expect(created.device.fbos_version).toBeNull();
      expect(created.alerts.map(({ problem_tag }) => problem_tag)).toEqual([
        'api.user.not_welcomed',
        'api.documentation.unread',
      ]);
      // No existing records and no publisher: no notice.
      expect(created.logs).toEqual([]);
    });
  });

  const counted = others.filter(([line]) => isSeeded(line));
  it.each(counted)('creates the records in the table of %s', async (line, board, map, tools, slots, sequences) => {
    const account = await seeded(line);
    const created = await gardenSummary(server, account);
    expect([
      created.board[0],
      created.map.slice(0, 2),
      created.tools.length,
      created.slots.length,
      created.sequences.length,
    ]).toEqual([board, map, tools, slots, sequences]);
  });

  const lines = [...Object.keys(expected), ...others.map(([line]) => line)].filter(isSeeded);

  it.each(lines)('gives the equipment of %s its types, offsets and mounts', async (line) => {
    const account = await seeded(line);
    const get = async (path: string) => (await server.call('GET', `/api/${path}`, account)).json as SeededRecord[];
    const tools = await get('tools');
    for (const { name, ...tool } of tools)
      expect([
        name,
        tool.type,
        tool.utm_mountable,
        tool.effector_offset_x,
        tool.effector_offset_y,
        tool.effector_offset_z,
      ]).toEqual(typedTools[name]);
    for (const { pointer_type, tool_id, ...slot } of await get('points')) {
      expect(pointer_type).toBe('ToolSlot');
      const isTrough = tools.find(({ id }) => id === tool_id)?.type === 'seed_trough';
      expect([slot.gantry_mounted, slot.mount_stage]).toEqual(isTrough ? [true, 1] : [false, 0]);
      expect([slot.mount_offset_x, slot.mount_offset_y, slot.mount_offset_z]).toEqual([0, 0, 0]);
    }
    const typed = (list: SeededRecord[]) => Object.fromEntries(list.map(({ label, type }) => [label, type]));
    for (const [label, type] of Object.entries(typed(await get('peripherals'))))
      expect([label, type]).toEqual([label, typedPeripherals[label]]);
    expect(typed(await get('sensors'))).toEqual(
      line.startsWith('express') ? {} : { 'Soil Sensor': 'soil_moisture', 'Tool Verification': 'tool_verification' },
    );
  });

  it('creates and changes nothing without a product line', async () => {
    const account = await server.signUp();
    const before = await gardenSummary(server, account);
    await seedAccount(server, account, { product_line: 'none' });
    const after = await gardenSummary(server, account);
    expect(after.device.account_seeded_at).not.toBeNull();
    const { account_seeded_at: _then, updated_at: _time, ...same } = before.device;
    expect(after).toMatchObject({ ...before, device: same });
    expect(after).toMatchObject({ name: 'FarmBot', board: [null, 0, 0, -500], tools: [], sequences: [], groups: [] });
  });

  it('has no effect the second time', async () => {
    const account = await server.signUp();
    await seedAccount(server, account, { product_line: 'express_1.1' });
    const before = await gardenSummary(server, account);
    const again = await server.call('POST', '/api/device/seed', {
      token: account.token,
      body: { product_line: 'genesis_1.7', demo: true },
    });
    expect([again.status, again.json]).toEqual([200, { done: 'This account already has a garden.' }]);
    await server.app.runJobs();
    expect(await gardenSummary(server, account)).toEqual(before);
  });

  const refusals: [body: object, keys: string[]][] = [
    [{}, ['product_line']],
    [{ product_line: 'genesis_1.1' }, ['product_line']],
    [{ product_line: 'demo_account' }, ['product_line']],
    [{ product_line: 'genesis_xl_1.8_stress_250' }, ['product_line']],
    [{ product_line: 'genesis_xl_1.8_stress_250', demo: false }, ['product_line']],
    [{ product_line: 'genesis_1.7', demo: 'perhaps' }, ['demo']],
    [{ product_line: 'nothing', demo: 'perhaps' }, ['product_line', 'demo']],
  ];

  it('rejects an unknown product line even if the account is seeded', async () => {
    const account = await server.signUp();
    const { token } = account;
    for (const [body, keys] of refusals) {
      const response = await server.call('POST', '/api/device/seed', { token, body });
      expect([body, response.status, Object.keys(response.json)]).toEqual([body, 422, keys]);
    }
    expect((await gardenSummary(server, account)).device.account_seeded_at).toBeNull();
    await seedAccount(server, account, { product_line: 'none' });
    for (const [body, keys] of refusals) {
      const response = await server.call('POST', '/api/device/seed', { token, body });
      expect([body, response.status, Object.keys(response.json)]).toEqual([body, 422, keys]);
    }
  });
});
