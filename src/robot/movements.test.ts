import { beforeEach, describe, expect, it } from 'vitest';
import { suiteFakeAccount } from '../../test/support/fake-account.ts';
import { numeric, RobotHarness, step } from '../../test/support/robot-harness.ts';

const account = suiteFakeAccount();
let bench: RobotHarness;
beforeEach(() => {
  account.records.set('/api/points', []);
  bench = new RobotHarness(account.base);
});

const goTo = (x: number, y: number, z: number) =>
  step('move_absolute', {
    location: step('coordinate', { x, y, z }),
    offset: step('coordinate', { x: 0, y: 0, z: 0 }),
    speed: 100,
  });
const item = (kind: string, axis: string, axis_operand: object) => step(kind, { axis, axis_operand });
const soil = step('special_value', { label: 'soil_height' });
const warnings = () => bench.performed.filter((line) => line.startsWith('warn|')).map((line) => line.slice(5));

it('to the slot of a tool follow the part that carries the slot', async () => {
  const slot = {
    pointer_type: 'ToolSlot',
    x: 1,
    y: 2,
    z: -3,
    mount_offset_x: 5,
    mount_offset_y: 6,
    mount_offset_z: -7,
  };
  account.records.set('/api/points', [
    { ...slot, tool_id: 1, mount_stage: 0 },
    { ...slot, tool_id: 2, mount_stage: 1 },
    { ...slot, tool_id: 3, mount_stage: 2, gantry_mounted: true },
    { ...slot, tool_id: 4, mount_stage: 3 },
    // As older clients write it.
    { pointer_type: 'ToolSlot', x: 1, y: 2, z: -3, tool_id: 5, gantry_mounted: true },
  ]);
  for (const [tool_id, at] of [
    [1, { x: 1, y: 2, z: -3 }],
    [2, { x: 105, y: 2, z: -3 }],
    [3, { x: 105, y: 206, z: -3 }],
    [4, { x: 105, y: 206, z: -37 }],
    [5, { x: 100, y: 2, z: -3 }],
  ] as const) {
    const location = step('tool', { tool_id });
    expect(await bench.run(goTo(100, 200, -30))).toBeNull();
    const offset = step('coordinate', { x: 0, y: 0, z: 0 });
    expect(await bench.run(step('move_absolute', { location, offset, speed: 100 }))).toBeNull();
    expect(bench.machine.position, `tool ${tool_id}`).toEqual(at);
  }
});

describe('the ends of the axes', () => {
  const lengths = { movement_axis_nr_steps_x: 5000, movement_step_per_mm_x: 5 };
  const configure = (settings: object) => bench.account.applyChange('FirmwareConfig', 1, { ...lengths, ...settings });

  it('end movements, which go on along the other axes and say so once', async () => {
    configure({ movement_stop_at_max_x: 1, movement_stop_at_home_y: 1 });
    const move = step('move', {}, [
      item('axis_overwrite', 'x', numeric(1200)),
      item('axis_overwrite', 'y', numeric(-20)),
      item('axis_overwrite', 'z', numeric(-50)),
      step('axis_order', { grouping: 'x,y,z', route: 'in_order' }),
    ]);
    expect(await bench.run(move)).toBeNull();
    expect(bench.machine.position).toEqual({ x: 1000, y: 0, z: -50 });
    expect(bench.performed).toEqual([
      'warn|X stops at 1000, the end of the axis, instead of 1200.',
      'warn|Y stops at 0, the end of the axis, instead of -20.',
      'info|Moved to (1000, 0, -50).',
      'response',
    ]);
  });

  it('stall the motor without the setting: the movement fails, and the program ends', async () => {
    configure({ encoder_enabled_x: 1 });
    expect(await bench.run(goTo(1200, 10, 0), goTo(0, 0, 0))).toBe(
      'Stall detected on X axis: it ends at 1000, on the way to 1200.',
    );
    expect(bench.machine.position).toEqual({ x: 1000, y: 10, z: 0 });
    expect(bench.machine.isLocked).toBe(false);
    configure({ encoder_enabled_x: 1, param_e_stop_on_mov_err: 1 });
    expect(await bench.run(goTo(-5, 0, 0))).toContain('Stall detected on X axis: it ends at 0');
    expect(bench.machine.isLocked).toBe(true);
  });

  it('are passed by a robot that does not notice a stall, with a warning', async () => {
    configure({});
    expect(await bench.run(goTo(1200, 0, 0))).toBeNull();
    expect(bench.machine.position.x).toBe(1200);
    expect(warnings()).toEqual([
      'X ends at 1000: a real robot loses its position on the way to 1200, without noticing.',
    ]);
  });
});

describe('the soil', () => {
  it('gets a warning from a movement far below it, once', async () => {
    account.records.set('/api/points', [
      { x: 0, y: 0, z: -300, meta: { at_soil_level: 'true' } },
      { x: 100, y: 0, z: -300, meta: { at_soil_level: 'true' } },
      { x: 0, y: 100, z: -300, meta: { at_soil_level: 'true' } },
    ]);
    expect(await bench.run(goTo(50, 20, -400))).toBeNull();
    expect(warnings()).toEqual([]);
    expect(await bench.run(step('move_relative', { x: 0, y: 0, z: -20, speed: 100 }))).toBeNull();
    expect(warnings()).toEqual(['(50, 20, -420) is 120 mm below the soil.']);
  });

  it('is looked up for movements down only, below the height at which the robot travels', async () => {
    expect(await bench.run(goTo(50, 20, -110))).toBeNull();
    expect(account.requested).toEqual([]);
    expect(await bench.run(goTo(50, 20, -200), goTo(900, 20, -200), goTo(0, 0, -150))).toBeNull();
    expect(account.requested).toEqual(['/api/points']);
  });
});

describe('the items of a move', () => {
  it('count in their order, x and y before z', async () => {
    account.records.set('/api/points', [
      { x: 300, y: 200, z: -350, meta: { at_soil_level: 'true' } },
      { x: 0, y: 0, z: -100, meta: { at_soil_level: 'true' } },
      { x: 250, y: 0, z: -200, meta: { at_soil_level: 'true' } },
    ]);
    const move = step('move', {}, [
      item('axis_addition', 'z', numeric(7)),
      item('axis_overwrite', 'z', soil),
      item('axis_addition', 'z', numeric(25)),
      item('axis_overwrite', 'x', numeric(250)),
      item('axis_addition', 'x', numeric(50)),
      item('axis_overwrite', 'y', numeric(200)),
    ]);
    expect(await bench.run(move)).toBeNull();
    expect(bench.machine.position).toEqual({ x: 300, y: 200, z: -325 });
  });

  it('replace z by the height of the soil where it is added, as on a robot', async () => {
    await bench.run(goTo(0, 0, -20));
    expect(await bench.run(step('move', {}, [item('axis_addition', 'z', soil)]))).toBeNull();
    expect(bench.machine.position.z).toBe(-400);
  });
});

it('homes and zeroes z first, then y, then x', async () => {
  await bench.run(goTo(10, 20, -30));
  const seen: object[] = [];
  const move = bench.machine.moveTo.bind(bench.machine);
  bench.machine.moveTo = (target, ...more) => {
    seen.push(target);
    return move(target, ...more);
  };
  expect(await bench.run(step('find_home', { axis: 'all', speed: 100 }))).toBeNull();
  expect(seen).toEqual([
    { x: 10, y: 20, z: 0 },
    { x: 10, y: 0, z: 0 },
    { x: 0, y: 0, z: 0 },
  ]);
  expect(await bench.run(step('zero', { axis: 'all' }))).toBeNull();
  expect(bench.performed).toContain('info|Set Z, Y, X to 0.');
});
