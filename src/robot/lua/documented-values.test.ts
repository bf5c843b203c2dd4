import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { suiteFakeAccount } from '../../../test/support/fake-account.ts';
import { RobotHarness, step } from '../../../test/support/robot-harness.ts';
import { luaDeclarations, parametersOf, signatureOf } from '../../core/lua-functions.ts';
import { osVersions } from '../os-version.ts';

/** The values of functions on a robot, as its software computes them. */

const account = suiteFakeAccount();
let bench: RobotHarness;
const day = 86_400_000;
const daysAgo = (days: number): string => new Date(bench.time.now() - days * day).toISOString();

beforeAll(() => {
  bench = new RobotHarness(account.base);
});
afterAll(() => bench.lua.stop());

const plant = (id: number, plant_stage: string, radius: number, age: number | null, openfarm_slug = 'mint') => ({
  ...{ id, pointer_type: 'Plant', name: `Plant ${id}`, x: id * 100, y: 0, z: 0, meta: {} },
  ...{ plant_stage, radius, openfarm_slug, planted_at: age === null ? null : daysAgo(age), created_at: daysAgo(90) },
});
const other = (id: number, pointer_type: string, age: number, more: object) => ({
  ...{ id, pointer_type, name: `Point ${id}`, x: id, y: 0, z: 0, radius: 10, created_at: daysAgo(age), meta: {} },
  ...more,
});

beforeEach(() => {
  bench.machine.unlock();
  bench.configure({});
  bench.account.applyChange('FirmwareConfig', 1, {});
  account.records.set('/api/device', { id: 1, name: 'Robot', mounted_tool_id: null, timezone: 'America/Chicago' });
  account.records.set('/api/tools', []);
  account.records.set('/api/points', [
    plant(1, 'planted', 25, 2.5, 'basil'),
    plant(2, 'planned', 25, null),
    plant(3, 'sprouted', 50, 12),
    plant(4, 'planted', 5, null),
    other(5, 'Weed', 3, { plant_stage: 'active', meta: { color: 'red' } }),
    other(6, 'Weed', 3, { plant_stage: 'pending' }),
    other(7, 'GenericPointer', 1, { radius: 100, meta: { color: 'blue', at_soil_level: 'true' } }),
    other(8, 'GenericPointer', 5, { meta: { color: 'blue' } }),
  ]);
  account.records.set('/api/point_groups', [
    { id: 9, name: 'Mine', point_ids: [5, 3, 1], sort_type: 'xy_descending', criteria: {} },
  ]);
});

/** Runs a script of statements and returns its toasts, or the problem that ended it. */
async function run(script: string): Promise<string[] | string> {
  bench.reset();
  const problem = await bench.run(step('lua', { lua: `${script}\n` }));
  return problem ?? bench.performed.filter((line) => line.endsWith('|toast')).map((line) => line.split('|')[1] ?? '');
}

/** Returns all results of an expression as JSON; nil is null. */
async function results(expression: string): Promise<unknown[] | string> {
  const toasts = await run(
    `local all = table.pack(${expression})\nfor i = 1, all.n do toast(json.encode({ value = all[i] }))\nend`,
  );
  return typeof toasts === 'string' ? toasts : toasts.map((text) => JSON.parse(text).value ?? null);
}

const idsOf = async (list: string) =>
  results(
    `(function() local ids = {} for i, each in ipairs(${list}) do ids[i] = each.id end return table.unpack(ids) end)()`,
  );

describe('the declared functions', () => {
  it('are the 89 of the robot', () => {
    const names = [...luaDeclarations.keys()].map((name) => name.split('.')[0]);
    expect(new Set(names).size).toBe(89);
  });

  it('have signatures', () => {
    const signature = (name: string) => signatureOf(name, luaDeclarations.get(name) ?? expect.fail());
    expect(signature('dispense')).toBe('dispense(milliliters, {tool_name=, pin=}?)');
    expect(signature('read_pin')).toBe('read_pin(pin, mode?)');
    expect(signature('read_status')).toBe('read_status(...path)');
    expect(parametersOf(luaDeclarations.get('update_device') ?? expect.fail())).toEqual([
      { name: 'fields', isOptional: false, isRest: false, fields: null },
    ]);
  });

  it('refuse or report arguments that they do not take, as a robot does', async () => {
    expect(await run('read_pin(63, "digital", 5)')).toBe(
      'Lua, line 1: Function clause error. Check number of arguments and their types. It is read_pin(pin, mode?).',
    );
    for (const call of [
      'read_pin()',
      'coordinate(1, 2)',
      'find_home("x", 50)',
      'get_plants({}, 1)',
      'soil_height(1)',
      'toast()',
      'toast("x", nil, nil)',
      'soil_height(1, 2, nil)',
    ])
      expect(await run(call)).toContain('Function clause error.');
    expect(await run('for _ = 1, 3 do\nsafe_z(1)\nend')).toEqual([]);
    expect(bench.performed.filter((line) => line.startsWith('warn'))).toEqual([
      'warn|safe_z() takes no more: a robot ignores other arguments.',
    ]);
    expect(await run('get_plants({ stage = "planted" })')).toEqual([]);
    expect(bench.performed).toContain('warn|A robot ignores "stage", which get_plants does not take.');
  });
});

describe('points', () => {
  it.each([
    ['get_plants()', [1, 4]],
    ['get_plants{ plant_stage = "sprouted" }', [3]],
    ['get_plants{ openfarm_slug = "Basil" }', [1]],
    ['get_plants{ openfarm_slug = "broccoli" }', []],
    ['get_plants{ min_radius = 10 }', [1]],
    ['get_plants{ max_radius = 10 }', [4]],
    // A plant that was not planted is older than any age.
    ['get_plants{ min_age = 5 }', [4]],
    ['get_plants{ max_age = 3 }', [1]],
    ['get_weeds()', [5]],
    ['get_weeds{ plant_stage = "pending" }', [6]],
    ['get_weeds{ color = "blue" }', []],
    ['get_generic_points()', [7, 8]],
    ['get_generic_points{ color = "blue", min_radius = 50 }', [7]],
    ['get_generic_points{ at_soil_level = "true" }', [7]],
    ['get_generic_points{ at_soil_level = "false" }', [8]],
    ['get_generic_points{ max_age = 2 }', [7]],
    ['get_group(9)', [3, 1, 5]],
    ['get_group("Mine")', [3, 1, 5]],
    ['get_group("None")', []],
  ])('%s are %j', async (list, ids) => {
    expect(await idsOf(list)).toEqual(ids);
  });

  it('have an age in days, of which a part counts', async () => {
    expect(await results('get_plants()[1].age, get_plants()[2].age, get_weeds()[1].age, get_group(9)[1].age')).toEqual([
      3,
      null,
      3,
      12,
    ]);
  });

  it('are groups of ids, which can be sorted', async () => {
    expect(await results('group(9), group(99), sort({ 3, 1, 5 }, "xy_ascending"), sort({}, "nn")')).toEqual([
      [3, 1, 5],
      {},
      [5, 1, 3],
      {},
    ]);
    expect(await run('sort({ 99 }, "nn")')).toContain('There is no point 99.');
    expect(await run('sort(5, "nn")')).toContain('It takes a list of points or of their ids.');
  });
});

describe('pins', () => {
  it('have optional modes, and whole values', async () => {
    expect(await results('read_pin(63), read_pin(63, "loud"), read_pin(59, "analog")')).toEqual([1, 1, 450]);
    expect(await results('write_pin(9, "analog", 127.6), write_pin(8, 1, 1), on(7), off(7)')).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(await results('read_pin(9, "analog"), read_pin(8), read_pin(7)')).toEqual([127, 1, 0]);
    // Water changes the soil, which other tests read.
    await run('off(8)');
    expect(await results('set_pin_io_mode(5, "input")')).toEqual([true]);
    expect(await results('set_pin_io_mode(5, "in")')).toEqual([
      false,
      'Expected pin mode to be one of: ["input", "input_pullup", "output"]',
    ]);
  });

  it('read the soil where the robot is, also where they were read before', async () => {
    const read = 'read_pin(59, "analog")';
    await run('go_to_home()');
    const [here, there] = await results(`${read}, (function() move_absolute(550, 0, 0) return ${read} end)()`);
    expect(here).toBe(450);
    expect(there).toBeGreaterThan(550);
    await run('go_to_home()');
  });

  it('have readings, which are stored only by new_sensor_reading', async () => {
    account.records.set('/api/sensors', [{ id: 1, pin: 59 }]);
    account.records.set('/api/sensor_readings', {});
    await run('read_pin(59, "analog")');
    expect(account.changes).toEqual([]);
    expect(
      await results('new_sensor_reading{ x = 1, y = 2, z = 3, pin = 59.2, mode = 1, value = 449.6, read_at = utc() }'),
    ).toEqual([true]);
    expect(account.changes[0]).toMatchObject({
      path: '/api/sensor_readings',
      body: { x: 1, y: 2, z: 3, pin: 59, mode: 1, value: 450 },
    });
  });
});

describe('movements', () => {
  it('have results', async () => {
    expect(await results('move_absolute(10, 20, -5)')).toEqual([true]);
    expect(await results('get_xyz()')).toEqual([{ x: 10, y: 20, z: -5 }]);
    expect(await results('move_absolute({ x = 15 }, 50)')).toEqual([true]);
    expect(await results('move_absolute({ y = 30, safe_z = true }), get_position("y")')).toEqual([null, 30]);
    expect(await results('check_position({ x = 15, y = 30 }, 1), check_position({ x = 15, y = 32 }, 1)')).toEqual([
      true,
      false,
    ]);
    for (const call of [
      'find_home()',
      'find_home("all")',
      'go_to_home()',
      'find_axis_length("x")',
      'emergency_unlock()',
    ])
      expect(await results(call)).toEqual([true]);
    expect(await results('soft_stop(), move{}')).toEqual([null, null]);
    expect(await run('find_axis_length("all")')).toContain('It takes one axis.');
    expect(await results('coordinate(1.5, 2, 3), safe_z()')).toEqual([{ x: 1.5, y: 2, z: 3 }, -10]);
    expect(await run('coordinate(1, 2, "3")')).toContain('"coordinate" needs a number as "z".');
  });

  it('home axis by axis to find it, and in one line to go there', async () => {
    const seen = async (call: string) => {
      await run('move_absolute(30, 20, -10)');
      const before = bench.time.now();
      await run(call);
      return Math.round(bench.time.now() - before);
    };
    expect(await seen('find_home()')).toBe(600);
    expect(await seen('go_to_home()')).toBe(300);
    expect(await seen('go_to_home("all", 50)')).toBe(600);
    await run('move_absolute(30, 20, -10)\ngo_to_home("y")');
    expect(bench.machine.position).toEqual({ x: 30, y: 0, z: -10 });
  });

  it('have a grid that goes back and forth', async () => {
    const cells = (options: string) =>
      run(
        `grid(${options}).each(function(cell) toast(cell.count .. ": " .. cell.x .. " " .. cell.y .. " " .. cell.z) end)`,
      );
    expect(await cells('{ grid_points = { x = 2, y = 2, z = 1 }, spacing = { x = 100, y = 100, z = 0 } }')).toEqual([
      '1: 0 0 0',
      '2: 0 100 0',
      '3: 100 100 0',
      '4: 100 0 0',
    ]);
    const more = 'start = { x = 10, y = 20, z = 0 }, offset = { x = 1, y = 2, z = 3 }';
    expect(
      await cells(`{ grid_points = { x = 1, y = 2, z = 2 }, spacing = { x = 5, y = 5, z = -5 }, ${more} }`),
    ).toEqual(['1: 9 18 -3', '2: 9 23 -3', '3: 9 18 -8', '4: 9 23 -8']);
  });

  const bed = {
    ...{ movement_axis_nr_steps_x: 10_000, movement_step_per_mm_x: 5, movement_stop_at_home_x: 1 },
    ...{ movement_axis_nr_steps_y: 5_000, movement_step_per_mm_y: 5, movement_stop_at_max_y: 1 },
    ...{ movement_axis_nr_steps_z: 25_000, movement_step_per_mm_z: 25, movement_stop_at_max_z: 1 },
    ...{ movement_home_up_z: 1, movement_stop_at_home_z: 1 },
  };

  it('know the lengths of the axes', async () => {
    expect(await results('garden_size()')).toEqual([{ x: 0, y: 0, z: 0 }]);
    bench.account.applyChange('FirmwareConfig', 1, bed);
    expect(await results('garden_size()')).toEqual([{ x: 2000, y: 1000, z: 1000 }]);
    const large = '{ grid_points = { x = 3, y = 1, z = 1 }, spacing = { x = 1001, y = 0, z = 0 }';
    expect(await run(`toast(tostring(grid(${large} })))`)).toEqual([
      'The grid is longer than the axes: X 2002 of 2000 mm.',
      'nil',
    ]);
    expect(await results(`grid(${large}, ignore_bounds = true }).total`)).toEqual([3]);
    expect(
      await results(
        'grid{ grid_points = { x = 0, y = 0, z = 0 }, spacing = { x = 0, y = 0, z = 0 }, ignore_empty = true }.total',
      ),
    ).toEqual([0]);
  });

  it.each([
    ['{ x = 3000, y = -5, z = -1000 }', true],
    ['{ x = -1 }', false],
    ['{ y = 1001 }', false],
    ['{ z = 1 }', false],
    ['{ z = -1001 }', false],
    ['{}', true],
  ])('are in bounds: %s is %s', async (place, isWithin) => {
    bench.account.applyChange('FirmwareConfig', 1, bed);
    const toasts = await run(`toast(tostring(verify_in_bounds(${place})))`);
    expect(toasts).toHaveLength(isWithin ? 1 : 2);
    expect(toasts.at(-1)).toBe(String(isWithin));
  });

  const calibrate = (values: object) => {
    const all = {
      ...{ total_rotation_angle: 0, coord_scale: 1, camera_z: 0, camera_offset_x: 0, camera_offset_y: 0 },
      ...{ center_pixel_location_x: 200, center_pixel_location_y: 200 },
      ...values,
    };
    for (const [id, [name, value]] of Object.entries(all).entries())
      bench.account.applyChange('FarmwareEnv', id, { id, key: `CAMERA_CALIBRATION_${name}`, value: String(value) });
  };

  it('have a photo grid by the calibration of the camera', async () => {
    expect(await run('toast(photo_grid().total)')).toEqual(['Calibrate the camera first.', '0']);
    bench.account.applyChange('FirmwareConfig', 1, bed);
    calibrate({ camera_offset_x: 10 });
    const fields =
      'cells.x_grid_points, cells.y_grid_points, cells.x_spacing_mm, cells.y_spacing_mm, cells.x_grid_start_mm, cells.y_grid_size_mm, cells.x_offset_mm, cells.z, cells.total';
    const grid = () => results(`(function() local cells = photo_grid() return ${fields} end)()`);
    expect(await grid()).toEqual([6, 3, 395, 395, 197.5, 605, 10, 0, 18]);
    expect(
      (await run('photo_grid().each(function(cell) toast(cell.count .. ": " .. cell.x .. " " .. cell.y) end)')).slice(
        2,
        5,
      ),
    ).toEqual(['3: 187.5 987.5', '4: 582.5 987.5', '5: 582.5 592.5']);
    // A turned camera loses its edges.
    calibrate({
      total_rotation_angle: 50,
      coord_scale: 0.5,
      center_pixel_location_x: 640,
      center_pixel_location_y: 360,
    });
    expect(await grid()).toEqual([15, 3, 139, 419, 69.5, 581, 0, 0, 45]);
    for (let id = 0; id < 7; id++) bench.account.applyChange('FarmwareEnv', id, null);
  });

  it('calibrate the simulated camera', async () => {
    expect(await results('calibrate_camera()')).toEqual([null]);
    expect(bench.performed.join()).toContain('["CAMERA_CALIBRATION_center_pixel_location_x","320"]');
  });
});

describe('time', () => {
  it('is cut to whole milliseconds, and has no limit', async () => {
    const lasting = async (call: string) => {
      const before = bench.time.now();
      expect(await run(call)).toEqual([]);
      return Math.round(bench.time.now() - before);
    };
    expect(await lasting('wait(1500.5)')).toBe(1500);
    expect(bench.jobs.get('Waiting 1.5005s')).toMatchObject({ status: 'Complete', percent: 100 });
    expect(await lasting('wait(200000, { job = "Rest", status = "Resting" })')).toBe(200_000);
    expect(bench.jobs.get('Rest')).toMatchObject({ status: 'Complete' });
    expect(await results('wait_ms(5.7)')).toEqual([5]);
    expect(await run('wait(-1)')).toContain('A pause cannot be negative.');
    expect(await run('wait_ms(180000)')).toBe('The emergency stop was pressed.');
    expect(bench.machine.isLocked).toBe(true);
  });

  it('is in UTC, and in the time zone of the robot', async () => {
    bench.time.set(Date.parse('2026-07-04T03:05:06.789Z'));
    expect(await results('utc(), local_time(), utc("hour"), local_time("hour"), local_time("day")')).toEqual([
      '2026-07-04T03:05:06.789000Z',
      '2026-07-03T22:05:06.789000-05:00',
      3,
      22,
      3,
    ]);
    expect(await results('current_month(), current_hour(), current_minute(), current_second()')).toEqual([7, 3, 5, 6]);
    expect(await results('utc("year"), utc("month"), utc("minute"), utc("second")')).toEqual([2026, 7, 5, 6]);
    expect(await results('to_unix(utc()), to_unix(local_time()), to_unix("1970-01-01T01:00:00+01:00")')).toEqual([
      1_783_134_306, 1_783_134_306, 0,
    ]);
    for (const text of ['2026-07-04', '2026-07-04T03:05:06', 'now', '2026-02-30T12:00:00Z', '2026-07-04T24:00:00Z'])
      expect(await run(`to_unix("${text}")`)).toContain('with an offset from UTC');
  });
});

describe('data', () => {
  it('is decoded and encoded', async () => {
    expect(await results('json.decode("{")')).toEqual([null, 'Error parsing JSON.']);
    expect(await results('inspect({ 1, print }), json.encode("a")')).toEqual(['[1,"[Lua Function]"]', '"a"']);
    expect(await results('base64.encode("Hello, world!"), base64.decode("SGVsbG8sIHdvcmxkIQ==")')).toEqual([
      'SGVsbG8sIHdvcmxkIQ==',
      'Hello, world!',
    ]);
    expect(await run('base64.decode("?")')).toContain('This is not Base64.');
    expect(await results('http{ url = "http://127.0.0.1/" }')).toEqual([
      null,
      'HTTP CLIENT ERROR - See log for details',
    ]);
  });

  it('is of the robot', async () => {
    expect(await results('fbos_version(), firmware_version(), is_demo()')).toEqual([
      osVersions[0],
      '6.6.20.R.virtual',
      false,
    ]);
    expect(
      await results('read_status("location_data", "position"), read_status{ "informational_settings", "locked" }'),
    ).toEqual([bench.machine.position, false]);
    expect(
      await results('read_status("no", "thing"), read_status().informational_settings.controller_version'),
    ).toEqual([null, osVersions[0]]);
  });

  it('is changed, with results', async () => {
    account.records.set('/api/tools', [{ id: 3, name: 'Seeder' }]);
    account.records.set('/api/fbos_config', {});
    expect(await results('update_device{ mounted_tool_id = 0 }')).toEqual([true]);
    expect(await results('update_device{ mounted_tool_id = 3 }')).toEqual([true]);
    expect(await results('update_device{ mounted_tool_id = 4, name = "New" }')).toEqual([true]);
    expect(bench.performed).toContain('error|There is no tool 4.');
    expect(account.changes.map(({ body }) => body)).toEqual([
      { mounted_tool_id: null },
      { mounted_tool_id: 3 },
      { name: 'New' },
    ]);
    expect(await results('update_fbos_config{ safe_height = -5 }')).toEqual([true]);
    const alone = new RobotHarness();
    expect(
      await alone.run(step('lua', { lua: 'local ok, problem = update_device{ name = "x" } error(problem)' })),
    ).toContain('is unreachable');
    alone.lua.stop();
    expect(await results('env("KEY", "value")')).toEqual(['value']);
  });
});

describe('formulas', () => {
  const moved = async (lua: string) => {
    bench.reset();
    const operand = step('axis_overwrite', { axis: 'x', axis_operand: step('lua', { lua }) });
    return (await bench.run(step('move', {}, [operand]))) ?? bench.machine.position.x;
  };
  const warning = 'warn|A robot takes a formula with "=" for a statement, and fails: begin it with "return".';

  it('are lines without statements', async () => {
    await bench.run(step('lua', { lua: 'go_to_home()' }));
    expect(await moved('5 + 3')).toBe(8);
    expect(await moved('get_position().x + 5')).toBe(13);
    expect(await moved('return 60')).toBe(60);
    expect(await moved('x = 5')).toBe('Lua returned no number.');
    expect(await moved('wait(1) wait(2)')).toContain('Lua, line 1:');
    expect(await moved('1 +')).toContain('Lua, line 1:');
    expect(bench.performed).not.toContain(warning);
  });

  it('are speeds and assertions, too', async () => {
    await bench.run(step('lua', { lua: 'go_to_home()' }));
    const speed = step('speed_overwrite', { axis: 'x', speed_setting: step('lua', { lua: '20 + 30' }) });
    const overwrite = step('axis_overwrite', { axis: 'x', axis_operand: step('numeric', { number: 100 }) });
    const before = bench.time.now();
    await bench.run(step('move', {}, [overwrite, speed]));
    expect(Math.round(bench.time.now() - before)).toBe(2000);
    const assertion = { assertion_type: 'abort', _then: step('nothing') };
    expect(await bench.run(step('assertion', { ...assertion, lua: 'get_position().x < 1000' }))).toBeNull();
    expect(await bench.run(step('assertion', { ...assertion, lua: 'get_position().x > 1000' }))).not.toBeNull();
    expect(await bench.run(step('assertion', { ...assertion, lua: '1 == 1' }))).toBeNull();
    expect(bench.performed).toContain(warning);
  });

  it('with a sign of equality run with a warning, because a robot fails', async () => {
    account.records.set('/api/tools', [{ id: 3, name: 'Seeder', effector_offset_x: -17 }]);
    expect(await moved('-get_tool({name="Seeder"}).effector_offset_x')).toBe(17);
    expect(bench.performed).toContain(warning);
    expect(await moved('-get_tool({name="Seeder")')).toContain('Lua, line 1: unexpected symbol near');
    expect(bench.performed).not.toContain(warning);
  });
});

describe('curves', () => {
  it('have values between their days', async () => {
    account.records.set('/api/curves', [{ id: 2, name: 'C', type: 'water', data: { 1: 10, 4: 11, 11: 110 } }]);
    expect(
      await results(
        'get_curve(2).name, get_curve(2).type, get_curve(2).unit, get_curve(2).day(2), get_curve(2).day("4"), get_curve(2).day(99), get_curve(2).data',
      ),
    ).toEqual(['C', 'water', 'mL', 10.33, 11, 110, null]);
    expect(await results('get_raw_curve{ id = 2 }, get_raw_curve{ id = 3 }')).toEqual([
      { id: 2, name: 'C', type: 'water', data: { 1: 10, 4: 11, 11: 110 } },
      null,
    ]);
    expect(await run('toast(tostring(get_curve(3)))')).toEqual(['There is no such curve.', 'nil']);
  });
});

describe('messages and jobs', () => {
  it('have results', async () => {
    expect(await results('send_message("info", 5), debug("x")')).toEqual([true, true]);
    expect(await run('toast(tostring(toast("x", "warn")))')).toEqual(['x', 'true']);
    expect(await run('toast(tostring(toast(nil)))')).toEqual(['', 'true']);
    expect(await results('send_message("loud", "x")')).toEqual([null, 'There is no such type of message.']);
  });

  it('keep fields that are not set', async () => {
    expect(await results('get_job("Dig")')).toEqual([null]);
    await run('set_job("Dig", { percent = 50, status = "Deep", time = 5000 })\nset_job("Dig", { percent = 75 })');
    const job = { percent: 75, status: 'Deep', type: 'unknown', time: 5000, unit: 'percent' };
    expect(await results('get_job("Dig"), get_job_progress("Dig")')).toEqual([job, job]);
    expect(bench.jobs.tree.Dig).toMatchObject({ time: '1970-01-01T00:00:05.000Z', percent: 75 });
    await run('set_job_progress("Dig", { percent = 10 })');
    expect(await results('get_job("Dig").status, get_job("Dig").percent')).toEqual(['Working', 10]);
    await run('complete_job("Dig")\nset_job("Dig")');
    expect(await results('get_job("Dig").status, get_job("Dig").percent')).toEqual(['Working', 0]);
    await run('emergency_lock()');
    expect(bench.jobs.tree).toEqual({});
  });
});

describe('programs', () => {
  const toaster = (lua: string, declarations: object[] = []) => ({
    name: 'Called',
    args: { locals: step('scope_declaration', {}, declarations) },
    body: [step('lua', { lua: `${lua}\n` })],
  });

  it('are run by scripts, with values', async () => {
    const declared = step('parameter_declaration', { label: 'n', default_value: step('numeric', { number: 1 }) });
    account.records.set('/api/sequences/5', toaster('toast("got " .. variable("n"))', [declared]));
    expect(await run('sequence(5)\nsequence(5, { n = { kind = "numeric", args = { number = 7 } } })')).toEqual([
      'got 1',
      'got 7',
    ]);
    expect(await results('sequence(6)')).toEqual([false, 'There is no sequence 6 in this account.']);
    expect(await results('rpc({ kind = "wait", args = { milliseconds = 1 } })')).toEqual([true]);
    // Gaps in a body are left out, as in lists of parts of which some are nil.
    const body =
      '{ [2] = { kind = "axis_overwrite", args = { axis = "x", axis_operand = { kind = "numeric", args = { number = 5 } } } } }';
    expect(await results(`rpc({ kind = "move", args = {}, body = ${body} }), get_position("x")`)).toEqual([true, 5]);
  });

  it('know of their group, and of unknown variables', async () => {
    account.records.set('/api/point_groups/9', { id: 9, name: 'Mine', point_ids: [1, 3], sort_type: 'xy_ascending' });
    for (const point of account.records.get('/api/points') as { id: number }[])
      account.records.set(`/api/points/${point.id}`, point);
    const label = { label: 'Plant' };
    account.records.set(
      '/api/sequences/5',
      toaster(
        'local g = variable("__GROUP__") toast(g.name .. g.current_index .. "/" .. g.size .. " " .. variable("Plant").age)',
        [step('parameter_declaration', { ...label, default_value: step('coordinate', { x: 0, y: 0, z: 0 }) })],
      ),
    );
    bench.reset();
    bench.sequences.clear();
    const data_value = step('point_group', { point_group_id: 9 });
    expect(
      await bench.run(step('execute', { sequence_id: 5 }, [step('parameter_application', { ...label, data_value })])),
    ).toBeNull();
    expect(bench.performed.filter((line) => line.endsWith('|toast'))).toEqual([
      'info|Mine1/2 3|toast',
      'info|Mine2/2 12|toast',
    ]);
    const error = 'There is no variable "nope".';
    expect(await results('variable("nope")')).toEqual([{ kind: 'error', error }, error]);
    expect(await results('variables("nope").error')).toEqual([error]);
  });
});

describe('devices that a virtual robot lacks', () => {
  it('answer as on a robot without them', async () => {
    expect(await results('gcode("G00", { X = 1.5 }), uart.list()')).toEqual([null, {}]);
    expect(await results('uart.open("ttyUSB0", 115200)')).toEqual([null, 'UART device not found!']);
    expect(await results('take_photo_raw()')).toEqual([null, '']);
    expect(bench.performed).toContain('warn|A virtual robot has no camera for take_photo_raw: the step was skipped.');
    expect(await run('gcode("G00")')).toContain('Function clause error.');
  });
});
