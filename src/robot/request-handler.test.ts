import { describe, expect, it } from 'vitest';
import { numeric, RobotHarness, step } from '../../test/support/robot-harness.ts';

const relative = (x: number, y: number, z: number) => step('move_relative', { x, y, z, speed: 100 });

describe('movements', () => {
  it('takes a second for 100 mm at 100 mm/s, and two at half the speed', async () => {
    const bench = new RobotHarness();
    const location = step('coordinate', { x: 100, y: 50, z: 0 });
    const offset = step('coordinate', { x: 0, y: 0, z: -5 });
    expect(await bench.run(step('move_absolute', { location, offset, speed: 100 }))).toBeNull();
    expect(bench.machine.position).toEqual({ x: 100, y: 50, z: -5 });
    expect(bench.time.now()).toBe(1000);
    expect(await bench.run(step('move_relative', { x: -100, y: 0, z: 5, speed: 50 }))).toBeNull();
    expect(bench.machine.position).toEqual({ x: 0, y: 50, z: 0 });
    expect(bench.time.now()).toBe(3000);
    expect(bench.performed).toContain('info|Moved to (0, 50, 0).');
  });

  it('follows the body of a move', async () => {
    const bench = new RobotHarness();
    const overwrite = (axis: string, axis_operand: object) => step('axis_overwrite', { axis, axis_operand });
    const addition = (axis: string, axis_operand: object) => step('axis_addition', { axis, axis_operand });
    expect(
      await bench.run(
        step('move', {}, [
          overwrite('x', numeric(200)),
          overwrite('y', step('coordinate', { x: 1, y: 2, z: 3 })),
          overwrite('z', numeric(-100)),
          addition('x', step('random', { variance: 10 })),
          addition('z', step('lua', { lua: 'return 25' })),
          step('speed_overwrite', { axis: 'all', speed_setting: numeric(50) }),
          step('safe_z'),
        ]),
      ),
    ).toBeNull();
    expect(bench.machine.position).toEqual({ x: 205, y: 2, z: -75 });
    // Across at 50 mm/s, then down.
    expect(bench.time.now()).toBe(4100 + 1500);
  });

  it('moves home axis by axis, and can set any position to 0', async () => {
    const bench = new RobotHarness();
    await bench.run(relative(10, 20, -30));
    expect(await bench.run(step('home', { axis: 'z', speed: 100 }))).toBeNull();
    expect(bench.machine.position).toEqual({ x: 10, y: 20, z: 0 });
    expect(await bench.run(step('zero', { axis: 'y' }))).toBeNull();
    expect(bench.machine.position).toEqual({ x: 10, y: 0, z: 0 });
    expect(await bench.run(step('find_home', { axis: 'all', speed: 100 }))).toBeNull();
    expect(bench.machine.position).toEqual({ x: 0, y: 0, z: 0 });
  });

  it('runs requests one at a time', async () => {
    const bench = new RobotHarness();
    bench.send(relative(100, 0, 0));
    bench.send(relative(0, 100, 0), step('wait', { milliseconds: 500 }));
    await bench.waitForResponses();
    expect(bench.responses).toEqual([
      ['label 1', null],
      ['label 2', null],
    ]);
    expect(bench.machine.position).toEqual({ x: 100, y: 100, z: 0 });
    expect(bench.time.now()).toBe(2500);
  });

  it.each([
    ['out of reach', relative(1e9, 0, 0), 'X 1000000000 is out of reach.'],
    ['just out of reach', relative(0, -100_000.5, 0), 'Y -100000.5 is out of reach.'],
    ['no number', step('move_relative', { x: '5', y: 0, z: 0 }), '"move_relative" needs a number as "x".'],
    ['no speed', step('move_relative', { x: 5, y: 0, z: 0, speed: 0 }), 'A speed must be more than 0 percent.'],
    ['no place', step('move_absolute', { location: numeric(5), offset: numeric(5) }), '"numeric" is not a place.'],
    [
      'a variable without value',
      step('move_absolute', { location: step('identifier', { label: 'bed' }), offset: {} }),
      'A step must be an object with a "kind" and "args".',
    ],
    ['no axis', step('home', { axis: 'w', speed: 1 }), '"home" needs "x", "y", "z" or "all" as "axis".'],
    [
      'Lua that fails',
      step('move', {}, [step('axis_overwrite', { axis: 'x', axis_operand: step('lua', { lua: 'f()' }) })]),
      "Lua, line 1: attempt to call a nil value (global 'f')",
    ],
    ['a strange part', step('move', {}, [step('wait')]), '"wait" is not allowed in a "move".'],
  ])('rejects %s', async (_name, request, sentence) => {
    const bench = new RobotHarness();
    expect(await bench.run(request)).toBe(sentence);
    expect(bench.problems).toEqual([sentence]);
    expect(bench.machine.position).toEqual({ x: 0, y: 0, z: 0 });
  });
});

describe('the emergency stop', () => {
  it('aborts running and waiting requests, and rejects others until it is unlocked', async () => {
    const bench = new RobotHarness();
    bench.send(relative(1000, 0, 0));
    bench.send(relative(0, 1000, 0));
    while (bench.machine.position.x < 300) await new Promise(setImmediate);
    bench.send(step('emergency_lock'));
    await bench.waitForResponses();
    expect(bench.responses).toEqual([
      ['label 3', null],
      ['label 1', 'The emergency stop was pressed.'],
      ['label 2', 'The emergency stop was pressed.'],
    ]);
    const { position } = bench.machine;
    expect(position.x).toBeGreaterThanOrEqual(300);
    expect(position.x).toBeLessThan(1000);
    expect(position.y).toBe(0);
    expect(bench.machine.isBusy).toBe(false);

    const locked = 'The robot is locked: unlock it first.';
    expect(await bench.run(relative(1, 0, 0))).toBe(locked);
    expect(await bench.run(step('write_pin', { pin_number: 7, pin_value: 1, pin_mode: 0 }))).toBe(locked);
    expect(await bench.run(step('move', {}, []))).toBe(locked);
    expect(bench.machine.position).toEqual(position);
    expect(bench.machine.pins.size).toBe(0);

    expect(await bench.run(step('emergency_unlock'))).toBeNull();
    expect(await bench.run(relative(1, 0, 0))).toBeNull();
  });

  it('switches the pins of the motor controller off, and leaves the lights', async () => {
    const bench = new RobotHarness();
    const write = (pin: unknown, value: number) =>
      step('write_pin', { pin_number: pin, pin_value: value, pin_mode: 0 });
    const light = { kind: 'named_pin', args: { pin_type: 'BoxLed3', pin_id: -1 } };
    for (const each of [write(8, 1), write(light, 1)]) expect(await bench.run(each)).toBeNull();
    bench.send(step('emergency_lock'));
    await bench.waitForResponses();
    expect(bench.machine.pins.get('8')?.value).toBe(0);
    expect(bench.machine.pins.get('BoxLed3')?.value).toBe(1);
    expect(await bench.run(step('emergency_unlock'))).toBeNull();
    expect(bench.machine.pins.get('8')?.value).toBe(0);
  });
});

describe('pins and messages', () => {
  it('writes, toggles and turns', async () => {
    const bench = new RobotHarness();
    expect(await bench.run(step('write_pin', { pin_number: 9, pin_value: 128, pin_mode: 1 }))).toBeNull();
    expect(
      await bench.run(step('toggle_pin', { pin_number: 7 }), step('set_servo_angle', { pin_number: 4, pin_value: 90 })),
    ).toBeNull();
    expect(Object.fromEntries(bench.machine.pins)).toEqual({
      '9': { mode: 1, value: 128 },
      '7': { mode: 0, value: 1 },
      '4': { mode: 1, value: 90 },
    });
    expect(await bench.run(step('toggle_pin', { pin_number: 7 }))).toBeNull();
    expect(bench.machine.pins.get('7')).toEqual({ mode: 0, value: 0 });
    expect(await bench.run(step('write_pin', { pin_number: 9, pin_value: 2, pin_mode: 0 }))).toContain('from 0 to 1');
    expect(await bench.run(step('write_pin', { pin_number: 70, pin_value: 1, pin_mode: 0 }))).toContain('from 0 to 69');
  });

  it('sends messages with their channels and the position', async () => {
    const bench = new RobotHarness();
    await bench.run(relative(5, 0, 0));
    const channel = step('channel', { channel_name: 'toast' });
    expect(
      await bench.run(step('send_message', { message: 'At {{ x }}, {{ nothing }}!', message_type: 'warn' }, [channel])),
    ).toBeNull();
    expect(bench.performed).toContain('warn|At 5, !|toast');
    expect(await bench.run(step('send_message', { message: 'x', message_type: 'shout' }))).toBe(
      'There is no such type of message.',
    );
  });

  it('sets environment variables', async () => {
    const bench = new RobotHarness();
    const pair = (label: string, value: unknown) => step('pair', { label, value });
    expect(await bench.run(step('set_user_env', {}, [pair('a', 'b'), pair('c', 5), pair('d', 'null')]))).toBeNull();
    expect(bench.performed).toContain('[["a","b"],["c","5"],["d",null]]');
    expect(await bench.run(step('set_user_env', {}, [pair('a', {})]))).toContain('must be text');
  });
});

describe('requests that end or restart the robot', () => {
  it.each([
    ['reboot', { package: 'farmbot_os' }, 'reboot'],
    ['power_off', {}, 'end'],
    ['factory_reset', { package: 'farmbot_os' }, 'forget'],
  ])('get a response first: %s', async (kind, args, what) => {
    const bench = new RobotHarness();
    expect(await bench.run(step(kind, args))).toBeNull();
    expect(bench.performed).toEqual(['response', what]);
  });

  it('do not include a reset of the motor controller', async () => {
    const bench = new RobotHarness();
    expect(await bench.run(step('factory_reset', { package: 'arduino_firmware' }))).toBeNull();
    expect(bench.performed).toEqual(['reset firmware', 'response']);
    expect(await bench.run(step('factory_reset', { package: 'toaster' }))).toBe('There is no package "toaster".');
  });
});

describe('bad requests', () => {
  it.each([
    ['nothing', ''],
    ['invalid JSON', '{"kind'],
    ['null', 'null'],
    ['no label', '{"kind":"rpc_request","args":{}}'],
    ['a label that is too long', JSON.stringify({ kind: 'rpc_request', args: { label: 'x'.repeat(1025) } })],
    ['a label that is not a string', '{"kind":"rpc_request","args":{"label":7}}'],
    ['a very deep list', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['a very long text', JSON.stringify('x'.repeat(300_000))],
  ])('cannot respond to %s, but continues', async (_name, text) => {
    const bench = new RobotHarness();
    bench.handler.handle(text);
    expect(bench.problems).toHaveLength(1);
    expect(bench.responses).toEqual([]);
    expect(await bench.run(step('read_status'))).toBeNull();
  });

  it('accepts requests and labels of the maximum length', async () => {
    const bench = new RobotHarness();
    const label = 'x'.repeat(1024);
    const request = JSON.stringify({ kind: 'rpc_request', args: { label }, body: [] });
    bench.handler.handle(request.padEnd(256 * 1024));
    await bench.waitForResponses(1);
    expect(bench.responses).toEqual([[label, null]]);
    bench.handler.handle(request.padEnd(256 * 1024 + 1));
    expect(bench.problems).toEqual(['A request was too long.']);
  });

  it('reaches coordinates of 100 m', async () => {
    const bench = new RobotHarness();
    expect(await bench.run(relative(100_000, 0, 0))).toBeNull();
  });

  it.each([
    ['another kind', { kind: 'sequence', args: { label: 'l' } }],
    ['a body that is not a list', { kind: 'rpc_request', args: { label: 'l' }, body: {} }],
    ['a step that is not an object', { kind: 'rpc_request', args: { label: 'l' }, body: [5] }],
    ['a step of an unknown kind', { kind: 'rpc_request', args: { label: 'l' }, body: [step('dance')] }],
    ['a step named like a method', { kind: 'rpc_request', args: { label: 'l' }, body: [step('constructor')] }],
    ['a step it cannot do', { kind: 'rpc_request', args: { label: 'l' }, body: [step('change_ownership')] }],
    [
      'a wait of a day',
      { kind: 'rpc_request', args: { label: 'l' }, body: [step('wait', { milliseconds: 86_400_000 })] },
    ],
  ])('responds to %s with the reason', async (_name, request) => {
    const bench = new RobotHarness();
    bench.handler.handle(JSON.stringify(request));
    await bench.waitForResponses(1);
    expect(bench.responses).toEqual([['l', expect.stringMatching(/^\S.*\.$/)]]);
  });

  it('rejects bodies that are nested too deeply', async () => {
    const bench = new RobotHarness();
    let body = step('move');
    for (let i = 0; i < 1000; i++) body = step('move', {}, [body]);
    expect(await bench.run(body)).toBe('Steps are nested more than 20 deep.');
    const nested = (depth: number) => {
      let node = step('sync');
      for (let i = 1; i < depth; i++) node = step('sync', {}, [node]);
      return node;
    };
    expect(await bench.run(nested(20))).toBe(null);
    expect(await bench.run(nested(21))).toBe('Steps are nested more than 20 deep.');
  });

  it('accepts at most a hundred waiting requests', async () => {
    const bench = new RobotHarness();
    for (let i = 0; i < 101; i++) bench.send(step('wait', { milliseconds: 1 }));
    expect(bench.responses).toEqual([['label 101', 'Too many requests wait already.']]);
    await bench.waitForResponses();
    expect(bench.responses.filter(([, problem]) => problem === null)).toHaveLength(100);
  });

  it('responds to an empty request', async () => {
    expect(await new RobotHarness().run()).toBeNull();
  });
});
