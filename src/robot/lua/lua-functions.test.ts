import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { suiteFakeAccount } from '../../../test/support/fake-account.ts';
import { RobotHarness, step } from '../../../test/support/robot-harness.ts';
import { luaDeclarations } from '../../core/lua-functions.ts';
import { orderedPoints, pointOrders } from '../../core/point-order.ts';

const account = suiteFakeAccount();
let bench: RobotHarness;
beforeAll(() => {
  bench = new RobotHarness(account.base);
});
beforeEach(() => {
  bench.machine.unlock();
  account.records.set('/api/device', { id: 1, name: 'Robot', mounted_tool_id: null });
  account.records.set('/api/tools', [
    { id: 3, name: 'Seeder', type: 'seeder', flow_rate_ml_per_s: 0, seeder_tip_z_offset: 80 },
    { id: 4, name: 'Watering Nozzle', type: 'watering_nozzle', flow_rate_ml_per_s: 50 },
  ]);
  account.records.set('/api/points', [
    { id: 1, pointer_type: 'Plant', plant_stage: 'planted', name: 'Beet', x: 300, y: 0, z: 0, meta: {} },
    { id: 2, pointer_type: 'Plant', plant_stage: 'planted', name: 'Leek', x: 100, y: 0, z: 0, meta: {} },
    { id: 3, pointer_type: 'Weed', plant_stage: 'active', name: 'Thistle', x: 200, y: 0, z: 0, meta: {} },
    { id: 4, pointer_type: 'ToolSlot', tool_id: 3, x: 10, y: 200, z: -300, pullout_direction: 1, meta: {} },
    { id: 5, pointer_type: 'GenericPointer', x: 500, y: 0, z: -410, meta: { at_soil_level: 'true' } },
    { id: 6, pointer_type: 'GenericPointer', x: 0, y: 0, z: -430, meta: { at_soil_level: 'true' } },
  ]);
  account.records.set('/api/sensors', []);
});
afterAll(() => bench.lua.stop());

/** Runs a script of statements and returns its toasts, or the problem that ended it. */
async function run(script: string): Promise<string[] | string> {
  bench.reset();
  const problem = await bench.run(step('lua', { lua: `${script}\n` }));
  return problem ?? bench.performed.filter((line) => line.endsWith('|toast')).map((line) => line.split('|')[1] ?? '');
}

/** Evaluates an expression. */
const value = async (expression: string): Promise<unknown> => {
  const [text] = await run(`toast(json.encode(${expression}))`);
  return JSON.parse(text ?? '');
};

const position = () => bench.machine.position;

it('has every declared function', async () => {
  const missing = await run(
    [...luaDeclarations.keys()].map((name) => `if type(${name}) ~= "function" then toast("${name}") end`).join('\n'),
  );
  expect(missing).toEqual([]);
});

describe('movements', () => {
  it('move, and return the position', async () => {
    expect(await run('move{ x = 100, y = 50, z = -20, speed = 50 } move{ x = 200, safe_z = true }')).toEqual([]);
    expect(position()).toEqual({ x: 200, y: 50, z: -20 });
    expect(await value('get_position()')).toEqual({ x: 200, y: 50, z: -20 });
    expect(await value('get_position("y")')).toBe(50);
    expect(
      await value(
        '{ check_position({ x = 201, y = 50, z = -20 }, 1), check_position({ x = 202, y = 50, z = -20 }, 1) }',
      ),
    ).toEqual([true, false]);
    expect(await run('go_to_home("z") soft_stop() find_home("x")')).toEqual([]);
    expect(position()).toEqual({ x: 0, y: 50, z: 0 });
    expect(await run('go_to_home()')).toEqual([]);
    expect(position()).toEqual({ x: 0, y: 0, z: 0 });
    expect(await run('move{ x = "far" }')).toBe('Lua, line 1: "move" needs a number as "x".');
    expect(await run('move(5)')).toBe('Lua, line 1: "move" needs a table as "target".');
  });

  it('iterate over grids', async () => {
    expect(
      await run(`
        local cells = grid{ grid_points = { x = 2, y = 2, z = 1 }, start = { x = 10, y = 20, z = 0 }, spacing = { x = 5, y = 7, z = 0 } }
        cells.each(function(cell) toast(cell.count .. "/" .. cells.total .. ": " .. cell.x .. " " .. cell.y) end)
      `),
    ).toEqual(['1/4: 10 20', '2/4: 10 27', '3/4: 15 27', '4/4: 15 20']);
    const points = (x: number) => `grid{ grid_points = { x = ${x}, y = 1, z = 1 }, spacing = { x = 1, y = 1, z = 1 } }`;
    expect(await run(`toast(tostring(${points(0)}))`)).toEqual(['A grid needs at least 1 point on each axis.', 'nil']);
    expect(await run('grid{ grid_points = { x = 1, y = 1, z = 1 } }')).toBe(
      'Lua, line 1: "grid" needs a table as "spacing".',
    );
  });

  it('lock and unlock', async () => {
    expect(await run('emergency_lock()')).toBe('The emergency stop was pressed.');
    // A robot logs it, and runs the rest of the script.
    expect(await run('move{ x = 1 } toast("next")')).toEqual(['next']);
    expect(bench.performed).toContain('error|The robot is locked: unlock it first.');
    // A list without its nils.
    for (const call of ['move_absolute(1, 2, 3)', 'go_to_home()', 'find_home("z")', 'find_axis_length("x")'])
      expect(await value(`{ ${call} }`)).toEqual(['The robot is locked: unlock it first.']);
    for (const call of ['on(8)', 'write_pin(8, "digital", 1)'])
      expect(await value(call)).toBe('The robot is locked: unlock it first.');
    expect(await run('emergency_unlock() move{ x = 1 } move{ x = 0 }')).toEqual([]);
  });
});

it('writes and reads pins', async () => {
  expect(await run('on(8) write_pin(7, "analog", 100) toggle_pin(8) on(6) off(6) set_pin_io_mode(5, "input")')).toEqual(
    [],
  );
  const pinAt = (pin: string) => bench.machine.pins.get(pin);
  expect([pinAt('8'), pinAt('7'), pinAt('6')]).toEqual([
    { mode: 0, value: 0 },
    { mode: 1, value: 100 },
    { mode: 0, value: 0 },
  ]);
  expect(await value('{ read_pin(7, "analog"), read_pin(59, "analog"), read_pin(58, "digital") }')).toEqual([
    100, 450, 0,
  ]);
  expect(await run('write_pin(7, "digital", 2)')).toContain('A digital pin takes 0 or 1.');
  expect(await run('read_pin(70)')).toBe('Lua, line 1: "read_pin" needs a whole number from 0 to 69 as "pin".');
});

describe('tools', () => {
  const mounted = (mounted_tool_id: number | null) => account.records.set('/api/device', { id: 1, mounted_tool_id });

  it('are found, mounted and dismounted', async () => {
    expect(await value('get_tool{ name = "Seeder" }')).toMatchObject({ id: 3, seeder_tip_z_offset: 80 });
    expect(await value('get_tool{ id = 4 }.name')).toBe('Watering Nozzle');
    expect(await value('{ get_tool{ name = "Spoon" }, get_mounted_tool(), get_slot_for_tool{ id = 4 } }')).toEqual({});
    expect(await value('get_slot_for_tool{ type = "seeder" }')).toMatchObject({ id: 4, y: 200, pullout_direction: 1 });
    expect(await run('if not verify_tool() then toast("none") end')).toEqual(['No tool is mounted.', 'none']);
    expect(await run('toast(tostring(mount_tool("Seeder")))')).toEqual(['The tool "Seeder" is mounted.', 'nil']);
    expect(position()).toEqual({ x: 110, y: 200, z: -300 });
    expect(account.changes.at(-1)).toEqual({ method: 'PATCH', path: '/api/device', body: { mounted_tool_id: 3 } });
    mounted(3);
    expect(await value('{ verify_tool(), get_mounted_tool().name, read_pin(63) }')).toEqual([true, 'Seeder', 0]);
    expect(await run('mount_tool("Seeder")')).toEqual(['Another tool is mounted: dismount it first.']);
    expect(await run('dismount_tool()')).toEqual(['The tool "Seeder" is dismounted.']);
    expect(position()).toEqual({ x: 10, y: 200, z: -250 });
    expect(account.changes.at(-1)?.body).toEqual({ mounted_tool_id: null });
  });

  it.each([
    ['"Spoon"', 'There is no tool "Spoon".'],
    ['"Watering Nozzle"', 'The tool is in no slot.'],
    ['{ pointer_type = "Plant", tool_id = 3 }', 'This place is no slot of a tool.'],
    ['{ pointer_type = "ToolSlot", tool_id = 3, pullout_direction = 0 }', 'The slot needs a direction.'],
    [
      '{ pointer_type = "ToolSlot", pullout_direction = 1, gantry_mounted = true }',
      'The slot must not move with an axis.',
    ],
    ['{ pointer_type = "ToolSlot", pullout_direction = 1, mount_stage = 2 }', 'The slot must not move with an axis.'],
    ['{ pointer_type = "ToolSlot", pullout_direction = 1 }', 'There is no tool in the slot.'],
  ])('cannot be mounted from %s', async (slot, problem) => {
    expect(await run(`mount_tool(${slot})`)).toEqual([problem]);
  });

  it('are verified by their name, type and id', async () => {
    mounted(3);
    expect(await value('verify_tool{ name = "Seeder", type = "seeder", id = 3 }')).toBe(true);
    expect(await run('toast(tostring(verify_tool{ type = "weeder" }))')).toEqual([
      'A tool with the type "weeder" must be mounted, not "seeder".',
      'false',
    ]);
    expect(await run('verify_tool{ name = "Spoon" }')).toHaveLength(1);
    expect(await run('verify_tool{ id = 4 }')).toHaveLength(1);
    mounted(9);
    expect(await run('verify_tool()')).toEqual(['The mounted tool does not exist.']);
    account.records.set(
      '/api/tools',
      [1, 2].map((id) => ({ id, name: 'Twin' })),
    );
    expect(await run('get_tool{ name = "Twin" }')).toContain('More than one tool fits');
  });

  it('dispense for as long as the flow rate needs', async () => {
    const before = bench.time.now();
    expect(await run('dispense(102)')).toEqual([]);
    expect(bench.time.now() - before).toBeCloseTo(2000, 0);
    expect(bench.performed).toEqual(
      expect.arrayContaining(['info|Dispensing 102 mL in 2 seconds.', 'info|Set pin 8 to 1.', 'info|Set pin 8 to 0.']),
    );
    expect(bench.jobs.get('Dispensing 102mL')).toMatchObject({ status: 'Complete', percent: 100 });
    expect(await run('dispense(100, { tool_name = "Watering Nozzle", pin = 12 })')).toEqual([]);
    expect(bench.performed).toContain('info|Set pin 12 to 1.');
    expect(await run('dispense(10000)')).toEqual([]);
    expect(bench.time.now() - before).toBeCloseTo(204_000, 0);
    expect(bench.machine.pins.get('8')).toEqual({ mode: 0, value: 0 });
  });

  it.each([
    ['5, { tool_name = "Seeder" }', 'Set the flow rate of the tool "Seeder" first.'],
    ['5, { tool_name = "Spoon" }', 'There is no tool "Spoon".'],
    ['0', 'There is no water to dispense.'],
    ['10001', 'The robot dispenses at most 10000 mL.'],
  ])('do not dispense %s', async (call, problem) => {
    expect(await run(`dispense(${call})`)).toEqual([problem]);
    expect(bench.performed.join()).not.toContain('Set pin');
  });

  it('are found by name where the server knows no types', async () => {
    account.records.set('/api/tools', [{ id: 4, name: 'Watering Nozzle', flow_rate_ml_per_s: 50 }]);
    expect(await run('dispense(100)')).toEqual([]);
    account.records.set('/api/tools', []);
    expect(await run('dispense(100)')).toEqual(['There is no watering nozzle.']);
  });

  it('have cells in seed trays', async () => {
    const tray = (side: number, type = 'ToolSlot') =>
      `{ x = 100, y = 200, z = -300, pointer_type = "${type}", pullout_direction = ${side} }`;
    const cell = (name: string, side: number) => value(`get_seed_tray_cell(${tray(side)}, "${name}")`);
    expect(await cell('A1', 1)).toEqual({ x: 101.25, y: 181.25, z: -300 });
    expect(await cell('d4', 1)).toEqual({ x: 63.75, y: 218.75, z: -300 });
    expect(await cell('A1', 2)).toEqual({ x: 63.75, y: 218.75, z: -300 });
    const refused = async (call: string) => run(`toast(tostring(get_seed_tray_cell(${call})))`);
    expect(await refused(`${tray(1)}, "E1"`)).toEqual(['A cell of a seed tray is one of A1 to D4.', 'nil']);
    for (const side of [0, 3])
      expect((await refused(`${tray(side)}, "A1"`))[0]).toBe('The slot of the seed tray needs a direction along x.');
    expect((await refused(`${tray(1, 'Plant')}, "A1"`))[0]).toBe('The seed tray must be in a slot.');
  });
});

describe('the garden', () => {
  it('has plants and weeds, sorted by distance from the origin', async () => {
    await run('move({ x = 300, y = 0 })');
    expect(await run('for _, each in ipairs(sort(get_plants(), "nn")) do toast(each.name) end')).toEqual([
      'Leek',
      'Beet',
    ]);
    expect(await value('get_weeds()[1].name')).toBe('Thistle');
    expect(await value('sort({}, "nn")')).toEqual({});
    for (const method of ['"xy"', '"xx_ascending"', '"xy_sideways"', 'nil'])
      expect(await run(`sort({}, ${method})`)).toContain(`"sort" has no method "${method.replaceAll('"', '')}".`);
  });

  it('sorts points as groups do, in each of their orders', async () => {
    const places = [
      [2, 3],
      [1, 1],
      [9, 2],
      [1, 3],
      [2, 1],
      [1, 2],
      [2, 3],
    ].map(([x = 0, y = 0], id) => ({ id, x, y }));
    const points = `{${places.map(({ id, x, y }) => `{ id = ${id}, x = ${x}, y = ${y} }`).join(', ')}}`;
    const idsOf = async (method: string) =>
      ((await value(`sort(${points}, "${method}")`)) as { id: number }[]).map(({ id }) => id);
    for (const order of pointOrders.filter((each) => each !== 'random'))
      expect(await idsOf(order), order).toEqual(orderedPoints(places, order).map(({ id }) => id));
    expect((await idsOf('random')).sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(await idsOf('xy_alternating')).toEqual([1, 5, 3, 6, 0, 4, 2]);
  });

  it('has the soil height between measurements', async () => {
    expect(await value('soil_height(300, 0)')).toBe(-400);
    const height = (x: number, y: number, z: number) => ({ x, y, z, meta: { at_soil_level: 'true' } });
    const corners = [height(0, 0, -100), height(1000, 0, -200), height(0, 1000, -300), height(1000, 1000, -150)];
    account.records.set('/api/points', corners);
    expect(await value('{ soil_height(500, 500), soil_height(250, 750), soil_height(900, 400) }')).toEqual([
      -187.5, -286.05, -190.88,
    ]);
  });

  it('waters plants by age', async () => {
    account.records.set('/api/curves', [{ id: 2, name: 'W', type: 'water', data: { 1: 100, 11: 1100 } }]);
    const nozzle = { id: 4, name: 'Watering Nozzle', type: 'watering_nozzle', flow_rate_ml_per_s: 50 };
    account.records.set('/api/tools', [{ ...nozzle, effector_offset_x: 5, effector_offset_y: -3 }]);
    const plant = (more: string) => `water({ name = "Beet", x = 30, y = 40, z = 0, ${more} })`;
    const before = bench.time.now();
    expect(await run(plant('water_curve_id = 2, age = 6'))).toEqual([]);
    expect(bench.performed).toContain('info|Watering 6 days old "Beet" with 600 mL.');
    expect(bench.performed).toContain('info|Dispensing 600 mL in 12 seconds.');
    expect(bench.time.now() - before).toBeGreaterThan(12_000);
    expect(position()).toEqual({ x: 25, y: 43, z: -10 });
    expect(bench.jobs.get('Watering Beet')).toMatchObject({ status: 'Complete' });
    // The clock of the harness begins in 1970.
    await run(plant('water_curve_id = 2, planted_at = "1969-12-27T00:00:00.000Z"'));
    expect(bench.performed).toContain('info|Watering 6 days old "Beet" with 600 mL.');
    expect(await run(plant('age = 6'))).toEqual(['"Beet" at (30, 40) has no water curve.']);
    expect(await run(plant('water_curve_id = 2'))).toEqual(['"Beet" at (30, 40) has not been planted yet.']);
    expect(await run(plant('water_curve_id = 3, age = 1'))).toContain('The water curve of the plant does not exist.');
    account.records.set('/api/tools', []);
    expect(await run(plant('water_curve_id = 2, age = 6'))).toEqual(['There is no watering nozzle.']);
    expect(bench.performed.join()).not.toContain('Moved');
  });
});

describe('messages and jobs', () => {
  it('are sent to their channels', async () => {
    await run(
      'toast("hi") toast("ha", "fun") send_message("warn", "hu", { "email", "toast" }) send_message("info", "he", "email") debug(5) print("a", 1, nil)',
    );
    expect(bench.performed.slice(0, -1)).toEqual([
      'info|hi|toast',
      'fun|ha|toast',
      'warn|hu|email|toast',
      'info|he|email',
      'debug|5',
      'debug|a 1 nil',
    ]);
    expect(await run('local _, problem = toast("x", "shout") toast(problem)')).toEqual([
      'There is no such type of message.',
    ]);
  });

  it('show their progress', async () => {
    await run('set_job("Water", { percent = 50, status = "Moving" }) set_job("Sow") complete_job("Sow")');
    expect(bench.jobs.tree).toMatchObject({
      Water: { unit: 'percent', percent: 50, status: 'Moving' },
      Sow: { percent: 100, status: 'Complete' },
    });
    await run('set_job(("x"):rep(100000), { percent = 1e300, status = ("y"):rep(100000) })');
    expect(bench.jobs.tree['x'.repeat(100)]).toMatchObject({ percent: 100, status: 'y'.repeat(100) });
    await run('for i = 1, 150 do set_job("job " .. i) end');
    expect(Object.keys(bench.jobs.tree)).toHaveLength(100);
    expect(bench.jobs.tree['job 150']).toBeDefined();
  });
});

describe('values of the account', () => {
  it('are variables', async () => {
    const declare = (label: string, kind: string, args: object) =>
      step('variable_declaration', { label, data_value: step(kind, args) });
    account.records.set('/api/points/1', { id: 1, name: 'Beet', x: 3, y: 4, z: 5 });
    account.records.set('/api/sequences/8', {
      id: 8,
      name: 'Sub',
      args: {},
      body: [step('send_message', { message: 'sub', message_type: 'info' })],
    });
    const script = `toast(json.encode({ variable("n"), variable("t"), variable("c").y, variable("p").name, variable("tool").tool_id, variable("s").name, variable() }))
      cs_eval(variable("s"))`;
    const declarations = [
      declare('n', 'numeric', { number: 5 }),
      declare('t', 'text', { string: 'words' }),
      declare('c', 'coordinate', { x: 1, y: 2, z: 3 }),
      declare('p', 'point', { pointer_type: 'Plant', pointer_id: 1 }),
      declare('tool', 'tool', { tool_id: 3 }),
      declare('s', 'resource', { resource_type: 'Sequence', resource_id: 8 }),
      declare('parent', 'numeric', { number: 6 }),
      step('parameter_declaration', { label: 'open', default_value: step('location_placeholder') }),
    ];
    const store = (lua: string) =>
      account.records.set('/api/sequences/7', {
        name: 'Values',
        args: { locals: step('scope_declaration', {}, declarations) },
        body: [step('lua', { lua })],
      });
    store(script);
    bench.reset();
    expect(await bench.run(step('execute', { sequence_id: 7 }))).toBeNull();
    expect(bench.performed).toContain('info|[5,"words",2,"Beet",3,"Sub",6]|toast');
    expect(bench.performed).toContain('info|sub');
    bench.sequences.clear();
    store('variable("open")');
    expect(await bench.run(step('execute', { sequence_id: 7 }))).toBe('Lua, line 1: The variable "open" has no value.');
  });

  it('are settings', async () => {
    account.records.set('/api/fbos_config', { id: 1, safe_height: -10 });
    account.records.set('/api/firmware_config', { id: 1, movement_max_spd_x: 400 });
    expect(await value('{ get_device("name"), get_device().id, get_fbos_config("soil_height") }')).toEqual([
      'Robot',
      1,
      -400,
    ]);
    // Inherited properties are functions, which end the robot when they are sent to the thread.
    for (const name of ['constructor', 'toString', '__proto__'])
      expect(
        await run(`toast(tostring(get_device("${name}") or get_fbos_config("${name}") or env("${name}")))`),
      ).toEqual(['nil']);
    expect(
      await run(
        'update_device({ name = "New" }) update_fbos_config({ safe_height = -20 }) update_firmware_config{ movement_max_spd_x = 500 }',
      ),
    ).toEqual([]);
    expect(account.changes.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['PATCH', '/api/device', { name: 'New' }],
      ['PATCH', '/api/fbos_config', { safe_height: -20 }],
      ['PATCH', '/api/firmware_config', { movement_max_spd_x: 500 }],
    ]);
    expect(
      await value(
        '{ get_fbos_config("safe_height"), get_firmware_config("movement_max_spd_x"), get_firmware_config().movement_max_spd_x }',
      ),
    ).toEqual([-20, 500, 500]);
    bench.configure({});
    await run('env("key", 5)');
    expect(bench.performed).toContain('[["key","5"]]');
    expect(await value('{ current_month(), current_hour() >= 0, current_minute() >= 0 }')).toEqual([1, true, true]);
  });
});

describe('requests', () => {
  it('are sent to the robot’s own server only', async () => {
    expect(await value('api{ url = "/api/tools" }[1].name')).toBe('Seeder');
    account.records.set('/api/points/1', { id: 1 });
    expect(await value('api{ method = "patch", url = "/api/points/1", body = { x = 5 } }')).toEqual({ id: 1, x: 5 });
    expect(account.changes).toEqual([{ method: 'PATCH', path: '/api/points/1', body: { x: 5 } }]);
    expect(await value('api{ url = "/api/points/99" }')).toBeNull();
    expect(bench.performed).toContain('error|GET /api/points/99: Not found.');
    for (const url of [
      'http://127.0.0.1/api/',
      '@example.com/api/',
      '//example.com/api/',
      'api/',
      '.evil.example/api/',
      '/api/../metrics',
      '/api/%2e%2E/metrics',
      '/api/.\t./metrics',
    ])
      expect(await run(`api{ url = ${JSON.stringify(url)} }`)).toBe(
        'Lua, line 1: The "url" of "api" begins with /api/.',
      );
    expect(await run('api{ url = "/api/tools", method = "trace" }')).toContain('one of the methods');
  });

  it('do not follow redirects', async () => {
    const redirecting = createServer((_request, response) =>
      response.writeHead(307, { location: `${account.base}/api/tools` }).end(),
    );
    await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
    const { port } = redirecting.address() as AddressInfo;
    const other = new RobotHarness(`http://127.0.0.1:${port}`);
    account.requested = [];
    expect(await other.run(step('lua', { lua: 'assert(api{ url = "/api/tools" } == nil)' }))).toBeNull();
    other.lua.stop();
    redirecting.close();
    redirecting.closeAllConnections();
    expect(other.performed[0]).toBe('error|GET /api/tools: /api/tools returned status 307.');
    expect(account.requested).toEqual([]);
  });

  it('to other servers are not sent', async () => {
    account.requested = [];
    expect(await value(`http{ url = "${account.base}/api/tools" }`)).toBeNull();
    expect(account.requested).toEqual([]);
    expect(bench.performed[0]).toBe('warn|This virtual robot sends no requests to other servers: http returned nil.');
  });
});
