import { describe, expect, it } from 'vitest';
import { suiteFakeAccount } from '../../test/support/fake-account.ts';
import { numeric, RobotHarness, step } from '../../test/support/robot-harness.ts';
import { RunningPrograms } from './running-programs.ts';

const account = suiteFakeAccount();

const coordinate = (x: number, y: number, z: number) => step('coordinate', { x, y, z });
const variable = (label: string) => step('identifier', { label });
const declared = (label: string, data_value: object) => step('variable_declaration', { label, data_value });
const parameter = (label: string, default_value: object) => step('parameter_declaration', { label, default_value });
const given = (label: string, data_value: object) => step('parameter_application', { label, data_value });
const execute = (sequence_id: number, ...body: object[]) => step('execute', { sequence_id }, body);
const wait = (milliseconds: number) => step('wait', { milliseconds });
const sendMessage = (message: string) => step('send_message', { message, message_type: 'info' });
const goTo = (location: object) => step('move_absolute', { location, offset: coordinate(0, 0, 0), speed: 100 });

const sequence = (name: string, steps: object[], locals: object[] = []): object => ({
  name,
  args: { version: 20180209, locals: step('scope_declaration', {}, locals) },
  body: steps,
});

/** Stores a sequence in the account. */
const store = (id: number, name: string, steps: object[], locals: object[] = []): void => {
  account.records.set(`/api/sequences/${id}`, sequence(name, steps, locals));
};

const lines = ({ performed }: RobotHarness) =>
  performed.filter((line) => line.includes('|')).map((line) => line.replace(/^\w+\|/, ''));

describe('execute', () => {
  it('runs the steps in order and logs the start and the end', async () => {
    store(1, 'Water', [goTo(coordinate(100, 0, 0)), wait(500), sendMessage('Done at {{ x }}')]);
    const bench = new RobotHarness(account.base);
    expect(await bench.run(execute(1))).toBeNull();
    expect(lines(bench)).toEqual([
      'Started "Water".',
      'Moved to (100, 0, 0).',
      'Waited 500 ms.',
      'Done at 100',
      'Completed "Water".',
    ]);
    expect(bench.time.now()).toBe(1500);
  });

  it('logs each step if the settings enable it', async () => {
    store(1, 'Water', [wait(1), sendMessage('hello')]);
    const bench = new RobotHarness(account.base);
    bench.configure({ sequence_init_log: true, sequence_body_log: true, sequence_complete_log: true });
    await bench.run(execute(1));
    expect(lines(bench)).toEqual([
      'Started "Water".',
      '"Water", step 1: wait.',
      'Waited 1 ms.',
      '"Water", step 2: send_message.',
      'hello',
      'Completed "Water".',
    ]);
  });

  it('reports the step of each sequence that runs, the outermost first', async () => {
    store(1, 'Outer', [wait(1), execute(2), wait(1)]);
    store(2, 'Inner', [wait(1), step('lua', { lua: 'x()' })]);
    const seen: unknown[] = [];
    const bench = new RobotHarness(account.base);
    bench.running = new RunningPrograms(() => seen.push(bench.running.positions));
    await bench.run(execute(1));
    expect(seen).toEqual([
      [{ sequence_id: 1, step: 1, steps: 3 }],
      [{ sequence_id: 1, step: 2, steps: 3 }],
      [
        { sequence_id: 1, step: 2, steps: 3 },
        { sequence_id: 2, step: 1, steps: 2 },
      ],
      [
        { sequence_id: 1, step: 2, steps: 3 },
        { sequence_id: 2, step: 2, steps: 2 },
      ],
      // The script fails, which ends both.
      [{ sequence_id: 1, step: 2, steps: 3 }],
      [],
    ]);
  });

  it('prefers arguments over defaults, but not over fixed values', async () => {
    store(1, 'Go', [goTo(variable('where')), wait(10)], [parameter('where', coordinate(1, 2, 3))]);
    store(2, 'Stay', [goTo(variable('where'))], [declared('where', coordinate(7, 8, 9))]);
    const bench = new RobotHarness(account.base);
    await bench.run(execute(1));
    expect(bench.machine.position).toEqual({ x: 1, y: 2, z: 3 });
    await bench.run(execute(1, given('elsewhere', numeric(1)), given('where', coordinate(4, 5, 6))));
    expect(bench.machine.position).toEqual({ x: 4, y: 5, z: 6 });
    await bench.run(execute(2, given('where', coordinate(4, 5, 6))));
    expect(bench.machine.position).toEqual({ x: 7, y: 8, z: 9 });
  });

  it('passes values through several levels, also under labels that the callee uses differently', async () => {
    store(
      1,
      'Outer',
      [execute(2, given('b', variable('a')), given('a', variable('b')))],
      [parameter('a', coordinate(10, 0, 0)), parameter('b', coordinate(0, 20, 0))],
    );
    store(
      2,
      'Inner',
      [
        goTo(variable('a')),
        sendMessage('({{ x }}, {{ y }}, {{ z }})'),
        goTo(variable('b')),
        sendMessage('({{ x }}, {{ y }}, {{ z }})'),
      ],
      [parameter('a', coordinate(1, 1, 1)), parameter('b', coordinate(2, 2, 2))],
    );
    const bench = new RobotHarness(account.base);
    expect(await bench.run(execute(1))).toBeNull();
    expect(lines(bench).filter((line) => line.startsWith('('))).toEqual(['(0, 20, 0)', '(10, 0, 0)']);
    await bench.run(execute(1, given('a', coordinate(30, 0, 0))));
    expect(bench.machine.position).toEqual({ x: 30, y: 0, z: 0 });
  });

  it('does not see the variables of the caller', async () => {
    store(1, 'Outer', [execute(2)], [parameter('where', coordinate(1, 2, 3))]);
    store(2, 'Inner', [goTo(variable('where'))]);
    expect(await new RobotHarness(account.base).run(execute(1))).toBe('The variable "where" has no value.');
  });

  it('resolves points, tools and numbers', async () => {
    account.records.set('/api/points/9', { x: 11, y: 12, z: 13 });
    account.records.set('/api/points', [{ pointer_type: 'ToolSlot', tool_id: 3, x: 21, y: 22, z: 23 }]);
    const up = step('move', {}, [step('axis_addition', { axis: 'z', axis_operand: variable('height') })]);
    store(
      1,
      'Go',
      [goTo(variable('where')), up],
      [parameter('where', step('location_placeholder')), parameter('height', numeric(5))],
    );
    const bench = new RobotHarness(account.base);
    expect(await bench.run(execute(1))).toBe('"location_placeholder" is not a place.');
    await bench.run(execute(1, given('where', step('point', { pointer_type: 'Plant', pointer_id: 9 }))));
    expect(bench.machine.position).toEqual({ x: 11, y: 12, z: 18 });
    await bench.run(execute(1, given('where', step('tool', { tool_id: 3 })), given('height', numeric(-3))));
    expect(bench.machine.position).toEqual({ x: 21, y: 22, z: 20 });
  });

  it('runs once for each point of a group, in its order', async () => {
    const points = [8, 9, 10].map((id) => ({ id, x: id, y: 0, z: 0 }));
    account.records.set('/api/points', points);
    for (const point of points) account.records.set(`/api/points/${point.id}`, point);
    store(
      1,
      'Visit',
      [goTo(variable('each')), sendMessage('At {{ x }}')],
      [parameter('each', step('location_placeholder'))],
    );
    const bench = new RobotHarness(account.base);
    const visited = async (sort_type: string): Promise<string[]> => {
      account.records.set('/api/point_groups/4', { point_ids: [9, 8], sort_type });
      const before = lines(bench).length;
      expect(await bench.run(execute(1, given('each', step('point_group', { point_group_id: 4 }))))).toBeNull();
      return lines(bench)
        .slice(before)
        .filter((line) => line.startsWith('At'));
    };
    expect(await visited('xy_ascending')).toEqual(['At 8', 'At 9']);
    expect(await visited('xy_descending')).toEqual(['At 9', 'At 8']);
  });

  it('runs once for each point that the criteria of a group match, together with the added ones', async () => {
    account.records.set('/api/point_groups/4', {
      point_ids: [8],
      criteria: { string_eq: { pointer_type: ['Plant'] } },
    });
    const points = [
      { id: 7, pointer_type: 'Weed', x: 4, y: 0, z: 0 },
      { id: 8, pointer_type: 'Plant', x: 3, y: 0, z: 0 },
      { id: 9, pointer_type: 'Plant', x: 2, y: 0, z: 0 },
      { id: 10, pointer_type: 'Plant', x: 1, y: 0, z: 0 },
    ];
    account.records.set('/api/points', points);
    for (const point of points) account.records.set(`/api/points/${point.id}`, point);
    store(
      1,
      'Visit',
      [goTo(variable('each')), sendMessage('At {{ x }}')],
      [parameter('each', step('location_placeholder'))],
    );
    const bench = new RobotHarness(account.base);
    expect(await bench.run(execute(1, given('each', step('point_group', { point_group_id: 4 }))))).toBeNull();
    expect(lines(bench).filter((line) => line.startsWith('At'))).toEqual(['At 1', 'At 2', 'At 3']);
  });

  it('is ended by the emergency stop, also in a group without points', async () => {
    const ids = Array.from({ length: 200 }, (_, i) => i + 1);
    account.records.set(
      '/api/points',
      ids.map((id) => ({ id, x: id, y: 0, z: 0 })),
    );
    account.records.set('/api/point_groups/4', { point_ids: ids });
    account.records.set('/api/point_groups/5', { point_ids: [] });
    const place = step('location_placeholder');
    store(1, 'Visit', [], [parameter('each', place), parameter('other', place)]);
    const bench = new RobotHarness(account.base);
    const group = (label: string, point_group_id: number) => given(label, step('point_group', { point_group_id }));
    bench.send(execute(1, group('each', 4), group('other', 5)));
    while (!account.requested.includes('/api/point_groups/5')) await new Promise(setImmediate);
    bench.send(step('emergency_lock'));
    await bench.waitForResponses();
    expect(bench.responses).toEqual([
      ['label 2', null],
      ['label 1', 'The emergency stop was pressed.'],
    ]);
  });

  it('fetches a sequence once, until a change is announced', async () => {
    store(1, 'First', [wait(1)]);
    const bench = new RobotHarness(account.base);
    await bench.run(execute(1), execute(1));
    expect(account.requested).toEqual(['/api/sequences/1']);
    bench.sequences.applyChange(1, sequence('Second', [sendMessage('new')]));
    await bench.run(execute(1));
    expect(lines(bench)).toContain('new');
    expect(account.requested).toHaveLength(1);
    bench.sequences.applyChange(1, null);
    account.records.clear();
    expect(await bench.run(execute(1))).toBe('There is no sequence 1 in this account.');
    store(1, 'Third', [sendMessage('third')]);
    bench.sequences.clear();
    await bench.run(execute(1));
    expect(lines(bench)).toContain('third');
  });

  it('rejects invalid steps', async () => {
    const bench = new RobotHarness(account.base);
    expect(await bench.run(step('execute', { sequence_id: 'one' }))).toContain('a whole number from 1');
    expect(await bench.run(execute(0))).toContain('a whole number from 1');
    expect(await bench.run(execute(5))).toBe('There is no sequence 5 in this account.');
    account.records.set('/api/sequences/6', { name: 'Broken', args: {}, body: [5] });
    expect(await bench.run(execute(6))).toBe('A step must be an object with a "kind" and "args".');
    bench.sequences.applyChange(7, { name: 'Broken' });
    expect(await bench.run(execute(7))).toBe('There is no sequence 7 in this account.');
    expect(await new RobotHarness().run(execute(1))).toContain('is unreachable');
  });

  it('ends sequences that run themselves or each other endlessly', async () => {
    for (let id = 100; id < 120; id++) store(id, 'Nested', [execute(id + 1)]);
    store(120, 'Deepest', []);
    expect(await new RobotHarness(account.base).run(execute(101))).toBeNull();
    expect(await new RobotHarness(account.base).run(execute(100))).toBe('Sequences run each other more than 20 deep.');
    store(1, 'Again', [execute(1)]);
    const bench = new RobotHarness(account.base);
    expect(await bench.run(execute(1))).toBe('Sequences run each other more than 20 deep.');
    store(2, 'Twice', [execute(3), execute(3), execute(3), execute(3)]);
    for (let id = 3; id < 15; id++) store(id, 'Twice', [execute(id + 1), execute(id + 1), execute(id + 1)]);
    store(15, 'Last', []);
    expect(await bench.run(execute(2))).toBe('One request runs at most 10000 steps.');
    // Each sequence counts as a step too: 2 + 9998 steps.
    store(16, 'Waits', Array(9998).fill(wait(0)));
    expect(await bench.run(execute(16))).toBeNull();
    store(17, 'Waits', Array(9999).fill(wait(0)));
    expect(await bench.run(execute(17))).toBe('One request runs at most 10000 steps.');
    // The next request has its own budget.
    expect(await bench.run(wait(1))).toBeNull();
  });
});

describe('the emergency stop', () => {
  it('aborts a sequence and its callers', async () => {
    store(1, 'Outer', [execute(2), sendMessage('after')]);
    store(2, 'Inner', [goTo(coordinate(1000, 0, 0)), sendMessage('there')]);
    const bench = new RobotHarness(account.base);
    bench.send(execute(1));
    while (bench.machine.position.x < 300) await new Promise(setImmediate);
    bench.send(step('emergency_lock'));
    await bench.waitForResponses();
    expect(bench.responses).toEqual([
      ['label 2', null],
      ['label 1', 'The emergency stop was pressed.'],
    ]);
    expect(bench.machine.position.x).toBeLessThan(1000);
    expect(lines(bench)).toEqual(['Started "Outer".', 'Started "Inner".', 'Emergency stop.']);
  });

  it('can be a step itself', async () => {
    store(1, 'Stop', [step('emergency_lock'), sendMessage('after')]);
    const bench = new RobotHarness(account.base);
    expect(await bench.run(execute(1))).toBe('The emergency stop was pressed.');
    expect(bench.machine.isLocked).toBe(true);
    expect(lines(bench)).toEqual(['Started "Stop".', 'Emergency stop.']);
  });
});

describe('_if', () => {
  const decide = (lhs: string | object, op: string, rhs: number, _then = execute(1), _else: object = step('nothing')) =>
    step('_if', { lhs, op, rhs, _then, _else });
  const branches = async (bench: RobotHarness, node: object): Promise<boolean | string> => {
    bench.performed.length = 0;
    const problem = await bench.run(node);
    return problem ?? lines(bench).includes('then');
  };

  it('compares positions', async () => {
    store(1, 'Then', [sendMessage('then')]);
    const bench = new RobotHarness(account.base);
    await bench.run(goTo(coordinate(5, -2, 0)));
    expect(await branches(bench, decide('x', '>', 4))).toBe(true);
    expect(lines(bench)[0]).toBe('x is 5: "x > 4" is true, so it runs a sequence.');
    expect(await branches(bench, decide('x', '>', 5))).toBe(false);
    expect(lines(bench)).toEqual(['x is 5: "x > 5" is false, so it continues.']);
    expect(await branches(bench, decide('y', '<', -1))).toBe(true);
    expect(await branches(bench, decide('y', '<', -2))).toBe(false);
    expect(await branches(bench, decide('z', 'is', 0))).toBe(true);
    expect(await branches(bench, decide('z', 'not', 0))).toBe(false);
    expect(await branches(bench, decide('z', 'is_undefined', 0))).toBe(false);
  });

  it('compares pins, by number and by name', async () => {
    store(1, 'Then', [sendMessage('then')]);
    account.records.set('/api/peripherals/6', { pin: 8, mode: 0, label: 'Pump' });
    const bench = new RobotHarness(account.base);
    const pump = step('named_pin', { pin_type: 'Peripheral', pin_id: 6 });
    expect(await branches(bench, decide(pump, 'is_undefined', 0))).toBe(true);
    expect(lines(bench)[0]).toBe('Pump is unknown: "Pump is_undefined" is true, so it runs a sequence.');
    for (const op of ['<', '>', 'is']) expect(await branches(bench, decide('pin8', op, 0))).toBe(false);
    expect(await branches(bench, decide('pin8', 'not', 0))).toBe(true);
    await bench.run(step('write_pin', { pin_number: pump, pin_value: 1, pin_mode: 0 }));
    expect(await branches(bench, decide('pin8', 'is', 1))).toBe(true);
    expect(await branches(bench, decide(pump, '>', 0))).toBe(true);
    expect(await branches(bench, decide(pump, 'is_undefined', 0))).toBe(false);
  });

  it('runs the other branch, with arguments for the sequence', async () => {
    store(1, 'Then', [sendMessage('then')]);
    store(2, 'Else', [goTo(variable('where'))], [parameter('where', step('location_placeholder'))]);
    store(
      3,
      'Main',
      [decide('x', '>', 4, execute(1), execute(2, given('where', variable('bed'))))],
      [declared('bed', coordinate(3, 4, 5))],
    );
    const bench = new RobotHarness(account.base);
    expect(await branches(bench, execute(3))).toBe(false);
    expect(bench.machine.position).toEqual({ x: 3, y: 4, z: 5 });
  });

  it('rejects operands that it cannot compare', async () => {
    const bench = new RobotHarness(account.base);
    expect(await branches(bench, decide('w', 'is', 1))).toBe('"w" cannot be compared.');
    expect(await branches(bench, decide('x', '>=', 1))).toBe('There is no comparison ">=".');
    expect(await branches(bench, decide('x', 'is', 0, wait(1)))).toBe('"wait" is not allowed as a branch of "_if".');
    expect(await branches(bench, decide(step('text', { string: 'x' }), 'is', 0))).toBe('"text" is not a pin.');
  });
});
