import { describe, expect, it } from 'vitest';
import { checkProgram, programUses } from './checker.ts';
import { grammar } from './grammar.ts';
import { exampleNode } from './node-examples.ts';
import type { ExistingRecords } from './references.ts';
import { collectProblems, firstProblem, referencedIds } from './references.ts';
import type { TargetTable } from './targets.ts';
import type { Tree } from './tree.ts';
import { farmEventTree, regimenTree, sequenceTree } from './tree.ts';

type Args = Readonly<Record<string, unknown>>;
const node = (kind: string, args: Args = {}, body?: readonly unknown[]) => ({ kind, args, ...(body && { body }) });

const place = node('coordinate', { x: 1, y: 2.5, z: -3 });
const nothing = node('nothing');
const move = (location: unknown, offset: unknown = place) => node('move_absolute', { location, offset, speed: 100 });
const identifier = (label: string) => node('identifier', { label });
const pin = (pin_type: string, pin_id: unknown) => node('named_pin', { pin_type, pin_id });
const wait = (milliseconds: unknown) => node('wait', { milliseconds });
const parameter = (label: string, default_value: unknown) => node('parameter_declaration', { label, default_value });
const variable = (label: string, data_value: unknown) => node('variable_declaration', { label, data_value });
const application = (label: string, data_value: unknown) => node('parameter_application', { label, data_value });
const change = (resource: unknown, ...pairs: Args[]) =>
  node(
    'update_resource',
    { resource },
    pairs.map((args) => node('pair', args)),
  );
const resource = (resource_type: string, resource_id: unknown) => node('resource', { resource_type, resource_id });

const existing: ExistingRecords = new Map<TargetTable, ReadonlyMap<number, string | null>>([
  ['sequences', new Map([[7, null]])],
  ['tools', new Map([[3, null]])],
  [
    'points',
    new Map([
      [9, 'Plant'],
      [10, 'Weed'],
    ]),
  ],
  ['point_groups', new Map([[4, null]])],
  ['peripherals', new Map([[5, null]])],
  ['sensors', new Map([[6, null]])],
]);

const withLocals = (locals: readonly unknown[], ...steps: unknown[]): Tree =>
  sequenceTree({ locals: node('scope_declaration', {}, locals) }, steps);

/** Returns the code and path of the first problem; undefined if the program is valid. */
function verdict(tree: Tree): string | undefined {
  const found = firstProblem(checkProgram(tree).diagnostics, existing);
  return found && `${found.code} ${found.path}`;
}
const verdictOfSteps = (...steps: unknown[]) => verdict(sequenceTree({}, steps));
const sentenceOf = (tree: Tree): string => String(firstProblem(checkProgram(tree).diagnostics, existing)?.message);
const sentence = (...steps: unknown[]): string => sentenceOf(sequenceTree({}, steps));

describe('every kind', () => {
  const refused = ['change_ownership'];
  const stepKinds = [...grammar.values()].filter(({ row }) => row.step !== undefined).map(({ kind }) => kind);

  it.each(stepKinds)('%s: its example is %s', (kind) => {
    expect(verdictOfSteps(exampleNode(kind))).toBe(refused.includes(kind) ? 'never_stored /body/0' : undefined);
  });

  it('is either allowed or rejected as a step', () => {
    for (const { kind, row } of grammar.values())
      if (row.step === undefined) expect(verdictOfSteps({ kind, args: {} }), kind).toBe('misplaced /body/0');
    for (const kind of ['frobnicate', 'every_point', '__proto__', 'constructor', 'toString', ''])
      expect(verdictOfSteps({ kind, args: {} }), kind).toBe('unknown_kind /body/0');
  });
});

describe('bodies and arguments', () => {
  it.each([
    ['misplaced /body/0/body/0', node('take_photo', {}, [node('pair', { label: 'a', value: 'b' })])],
    ['misplaced /body/0/body/1', node('move', {}, [node('safe_z'), node('pair', { label: 'a', value: 'b' })])],
    ['missing_argument /body/0', node('calibrate')],
    ['missing_argument /body/0', node('calibrate', JSON.parse('{"__proto__":{"axis":"x"}}') as Args)],
    ['unknown_argument /body/0/args/speed', node('wait', { milliseconds: 1, speed: 1 })],
    ['unknown_argument /body/0/args/a~1b~0', node('sync', { 'a/b~': 1 })],
    ['unknown_argument /body/0/args/__proto__', node('sync', JSON.parse('{"__proto__":1}') as Args)],
    ['unknown_argument /body/0/args/constructor', node('sync', { constructor: 1 })],
    ['wrong_type /body/0/args/milliseconds', wait('100')],
    ['wrong_type /body/0/args/milliseconds', wait(1.5)],
    ['wrong_type /body/0/args/milliseconds', wait(null)],
    ['wrong_type /body/0/args/milliseconds', wait([1])],
    ['wrong_type /body/0/args/milliseconds', wait(Number.POSITIVE_INFINITY)],
    ['wrong_type /body/0/args/milliseconds', wait(-1e300)],
    ['wrong_type /body/0/args/milliseconds', wait(2 ** 53)],
    ['wrong_type /body/0/args/location/args/x', move(node('coordinate', { x: Number.NaN, y: 0, z: 0 }))],
    ['wrong_type /body/0/args/location', move({ x: 1, y: 2, z: 3 })],
    ['wrong_type /body/0/args/location', move({ ...place, body: {} })],
    ['wrong_type /body/0/args/location', move({ ...place, comment: 5 })],
    ['wrong_type /body/0/args/location', move(node('constructor'))],
    ['wrong_type /body/0/args/offset', move(place, node('point', { pointer_type: 'Plant', pointer_id: 9 }))],
    ['wrong_type /body/0/body/0/args/value', node('set_user_env', {}, [node('pair', { label: 'a', value: 1.5 })])],
    ['not_allowed /body/0/args/axis', node('calibrate', { axis: 'w' })],
    ['not_allowed /body/0/args/axis', node('calibrate', { axis: 1 })],
    ['wrong_type /body/0/args/axis', node('calibrate', { axis: null })],
    ['not_allowed /body/0/args/pin_mode', node('write_pin', { pin_number: 1, pin_value: 1, pin_mode: 2 })],
    ['not_allowed /body/0/args/package', node('remove_farmware', { package: 'my-own' })],
    ['not_allowed /body/0/args/lhs', node('_if', { lhs: 'pin70', op: 'is', rhs: 1, _then: nothing, _else: nothing })],
    ['wrong_length /body/0/args/message', node('send_message', { message: '', message_type: 'info' })],
    ['wrong_length /body/0/args/message', node('send_message', { message: 'm'.repeat(301), message_type: 'info' })],
    ['too_great /body/0/args/milliseconds', wait(180_001)],
    ['unpicked /body/0/args/location', move(nothing)],
    ['unpicked /body/0/args/sequence_id', node('execute', { sequence_id: nothing })],
    ['unpicked /body/0/args/sequence_id', node('execute', { sequence_id: 0 })],
    ['unpicked /body/0/args/pin_number', node('toggle_pin', { pin_number: nothing })],
    ['unpicked /body/0/args/pin_number/args/pin_id', node('toggle_pin', { pin_number: pin('Peripheral', 0) })],
    ['unpicked /body/0/args/pin_number/args/pin_id', node('toggle_pin', { pin_number: pin('BoxLed3', 0) })],
    ['analog_light /body/0', node('write_pin', { pin_number: pin('BoxLed4', 1), pin_value: 1, pin_mode: 1 })],
    [
      'missing_argument /body/0/args/pin_number',
      node('write_pin', { pin_number: node('named_pin', { pin_id: 1 }), pin_value: 1, pin_mode: 1 }),
    ],
  ])('%s', (expected, step) => {
    expect(verdictOfSteps(step)).toBe(expected);
  });

  it.each([
    [wait(0)],
    [wait(180_000)],
    [wait(-1)],
    [move(place)],
    [node('send_message', { message: '🌱'.repeat(300), message_type: 'info' })],
    [node('send_message', { message: ' ', message_type: 'info' })],
    [node('lua', { lua: '' })],
    [node('install_farmware', { url: '' })],
    [node('write_pin', { pin_number: pin('BoxLed3', -1), pin_value: 1, pin_mode: 0 })],
    [
      node('_if', {
        lhs: pin('Sensor', 6),
        op: '>',
        rhs: -5,
        _then: nothing,
        _else: node('execute', { sequence_id: 7 }),
      }),
    ],
    [node('set_pin_io_mode', { pin_io_mode: 'output', pin_number: 13 })],
    [node('move', {}, [node('axis_overwrite', { axis: 'x', axis_operand: node('special_value', { label: 'any' }) })])],
  ])('accepts %j', (step) => {
    expect(verdictOfSteps(step)).toBeUndefined();
  });
});

describe('the first of several problems', () => {
  it('is found in this order: kinds of all steps, locals, each step', () => {
    const bad = wait('x');
    expect(verdictOfSteps(bad, node('coordinate'))).toBe('misplaced /body/1');
    expect(verdict(withLocals([parameter('a', nothing)], bad))).toBe('unpicked /args/locals/body/0/args/default_value');
    expect(verdictOfSteps(node('execute', { sequence_id: 8 }), bad)).toBe('not_found /body/0/args/sequence_id');
    expect(verdictOfSteps(bad, node('execute', { sequence_id: 8 }))).toBe('wrong_type /body/0/args/milliseconds');
    expect(verdictOfSteps(node('send_message', { message: 5 }, [node('pair')]))).toBe('misplaced /body/0/body/0');
    expect(verdictOfSteps(node('send_message', { message: 5 }))).toBe('missing_argument /body/0');
    expect(verdictOfSteps(move(node('tool', { tool_id: 'x' }), nothing))).toBe('unpicked /body/0/args/offset');
    expect(verdictOfSteps(node('lua', { lua: 'a'.repeat(2999) }), bad)).toBe('wrong_type /body/1/args/milliseconds');
    expect(verdictOfSteps(bad, { kind: 'sync' })).toBe('no_node /body/1');
  });

  it('is one of all problems in the mode `all`', () => {
    const tree = sequenceTree({}, [
      wait('x'),
      5,
      node('execute', { sequence_id: 8 }),
      node('frobnicate'),
      wait(180_001),
    ]);
    expect(
      collectProblems(checkProgram(tree, 'all').diagnostics, existing).map(({ code, path }) => `${code} ${path}`),
    ).toEqual([
      'no_node /body/1',
      'unknown_kind /body/3',
      'wrong_type /body/0/args/milliseconds',
      'not_found /body/2/args/sequence_id',
      'too_great /body/4/args/milliseconds',
    ]);
    const many = sequenceTree(
      {},
      Array.from({ length: 500 }, () => node('execute', { sequence_id: 8 })),
    );
    expect(collectProblems(checkProgram(many, 'all').diagnostics, existing).length).toBe(100);
    const bad = sequenceTree(
      {},
      Array.from({ length: 500 }, () => wait('x')),
    );
    expect(checkProgram(bad, 'all').diagnostics.length).toBe(100);
    expect(checkProgram(bad).diagnostics.length).toBe(1);
  });
});

describe('variables', () => {
  const point = node('point', { pointer_type: 'Plant', pointer_id: 9 });
  const group = node('point_group', { point_group_id: 4 });

  it.each([
    [undefined, [parameter('p', place)], move(identifier('p'))],
    [
      undefined,
      [variable('p', node('tool', { tool_id: 3 })), variable('q', place)],
      move(identifier('p'), identifier('q')),
    ],
    ['wrong_variable /body/0/args/offset', [parameter('p', place)], move(place, identifier('p'))],
    ['wrong_variable /body/0/args/offset', [variable('p', point)], move(place, identifier('p'))],
    ['wrong_variable /body/0/args/location', [variable('p', node('numeric', { number: 4 }))], move(identifier('p'))],
    ['wrong_variable /body/0/args/location', [variable('p', group)], move(identifier('p'))],
    ['unbound /body/0/args/location', [parameter('p', place)], move(identifier('q'))],
    ['unbound /body/0/args/location', [], move(identifier('constructor'))],
    ['missing_argument /body/0/args/location', [], move(node('identifier'))],
    [undefined, [parameter('__proto__', place)], move(identifier('__proto__'))],
    // The first of equal labels counts; a variable may refer to itself.
    [undefined, [parameter('p', place), variable('p', group)], move(identifier('p'))],
    [undefined, [variable('p', identifier('p'))], move(identifier('p'))],
    ['wrong_type /args/locals/body/0/args/default_value', [parameter('p', group)], node('sync')],
    ['placeholder /args/locals/body/0/args/data_value', [variable('p', node('text_placeholder'))], node('sync')],
    [undefined, [parameter('p', node('resource_placeholder', { resource_type: 'Sequence' }))], node('sync')],
    [
      'placeholder /body/0/body/0/args/data_value',
      [],
      node('execute', { sequence_id: 7 }, [application('p', node('number_placeholder'))]),
    ],
    [undefined, [], node('execute', { sequence_id: 7 }, [application('p', group), application('p', place)])],
    ['misplaced /args/locals/body/0', [node('sync')], node('sync')],
  ])('%s', (expected, locals, step) => {
    expect(verdict(withLocals(locals, step))).toBe(expected);
  });

  it('are named with their content where they do not fit', () => {
    const sentence = (locals: readonly unknown[]): string =>
      sentenceOf(withLocals(locals, move(place, identifier('p'))));
    expect(sentence([variable('p', point)])).toBe(
      'Step 1: "offset" of move_absolute must be coordinate, but the variable "p" holds point.',
    );
    expect(sentence([parameter('p', place)])).toBe(
      'Step 1: "offset" of move_absolute must be coordinate, not the variable "p", which is set when the sequence is run.',
    );
  });

  it('do not exist in regimens and farm events', () => {
    expect(verdict(regimenTree([parameter('b', place), application('a', identifier('b'))]))).toBe(
      'unbound /body/1/args/data_value',
    );
    expect(verdict(farmEventTree([application('a', identifier('b'))]))).toBe('unbound /body/0/args/data_value');
    expect(verdict(farmEventTree([parameter('a', place)]))).toBe('misplaced /body/0');
    expect(verdict(regimenTree([variable('a', group), parameter('b', node('location_placeholder'))]))).toBeUndefined();
  });
});

describe('records', () => {
  it.each([
    ['not_found /body/0/args/location/args/tool_id', move(node('tool', { tool_id: 4 }))],
    ['not_found /body/0/args/location/args/tool_id', move(node('tool', { tool_id: -3 }))],
    ['wrong_type /body/0/args/location/args/tool_id', move(node('tool', { tool_id: 2 ** 63 }))],
    ['not_found /body/0/args/location/args/pointer_id', move(node('point', { pointer_type: 'Plant', pointer_id: 8 }))],
    ['not_found /body/0/args/pin_number/args/pin_id', node('toggle_pin', { pin_number: pin('Sensor', 5) })],
    ['not_found /body/0/args/pin_number/args/pin_id', node('toggle_pin', { pin_number: pin('Peripheral', 6) })],
    ['not_found /body/0/args/resource/args/resource_id', change(resource('Plant', 10))],
    ['not_found /body/0/args/resource/args/resource_id', change(resource('Sequence', 8))],
    ['not_found /body/0/args/resource/args/resource_id', change(resource('Point', 0))],
    ['not_found /body/0/body/0/args/value', change(resource('Device', 0), { label: 'mounted_tool_id', value: 4 })],
    // The type in `point` is not compared with the record's.
    [undefined, move(node('point', { pointer_type: 'ToolSlot', pointer_id: 9 }))],
    [undefined, change(resource('Point', 10))],
    [undefined, change(resource('Device', 12345))],
    [undefined, change(resource('Device', 0), { label: 'mounted_tool_id', value: 0 })],
    [undefined, change(resource('Device', 0), { label: 'mounted_tool_id', value: 3 })],
    [undefined, node('lua', { lua: '' }, [node('pair', { label: 'mounted_tool_id', value: 4 })])],
  ])('%s', (expected, step) => {
    expect(verdictOfSteps(step)).toBe(expected);
  });

  const all = [
    move(node('tool', { tool_id: 3 })),
    move(node('tool', { tool_id: 3 })),
    move(node('point', { pointer_type: 'Weed', pointer_id: 10 })),
    node('execute', { sequence_id: 7 }, [application('g', node('point_group', { point_group_id: 4 }))]),
    node('toggle_pin', { pin_number: pin('Peripheral', 5) }),
    node('toggle_pin', { pin_number: pin('BoxLed3', 77) }),
    node('read_pin', { pin_number: pin('Sensor', 6), pin_mode: 0, label: 'x' }),
    change(resource('Plant', 9)),
    change(resource('Weed', 10)),
    change(resource('Peripheral', 5), { label: 'mounted_tool_id', value: 3 }),
  ];

  it('are not queried with an id of 0', () => {
    const { diagnostics, uses } = checkProgram(sequenceTree({}, [move(node('tool', { tool_id: 0 }))]), 'all');
    expect([referencedIds(diagnostics).size, uses]).toEqual([0, []]);
    expect(verdictOfSteps(move(node('tool', { tool_id: 0 })))).toBe('not_found /body/0/args/location/args/tool_id');
  });

  it('are referenced by table, without duplicates', () => {
    expect([...referencedIds(checkProgram(sequenceTree({}, all)).diagnostics)]).toEqual([
      ['tools', [3]],
      ['points', [10, 9]],
      ['sequences', [7]],
      ['point_groups', [4]],
      ['peripherals', [5]],
      ['sensors', [6]],
    ]);
  });

  it('are listed as uses, without duplicates', () => {
    const { root } = sequenceTree({}, all);
    expect(programUses(root).map(({ target_kind, target_id }) => `${target_kind} ${target_id}`)).toEqual([
      'tool 3',
      'point 10',
      'sequence 7',
      'point_group 4',
      'peripheral 5',
      'sensor 6',
      'resource 9',
      'mounted_tool 3',
    ]);
    expect(checkProgram(sequenceTree({}, all)).uses).toEqual(programUses(root));
  });
});

describe('long texts', () => {
  it.each([
    ['a', 2998],
    ['é', 2998],
    ['🌱', 2998],
    ['"', 1499],
    ['\n', 1499],
  ])('%j fits %i times', (letter, times) => {
    const lua = (count: number) => node('lua', { lua: letter.repeat(count) });
    expect(verdictOfSteps(lua(times))).toBeUndefined();
    expect(verdictOfSteps(lua(times + 1))).toBe('text_too_long /body/0/args/lua');
  });

  it('are rejected everywhere, also in locals and in comments', () => {
    expect(verdict(withLocals([parameter('l'.repeat(2999), place)]))).toBe(
      'text_too_long /args/locals/body/0/args/label',
    );
    expect(verdictOfSteps({ ...node('sync'), comment: '🌱'.repeat(240) })).toBeUndefined();
    expect(verdictOfSteps(move({ ...place, comment: 'c'.repeat(241) }))).toBe('comment_too_long /body/0/args/location');
    expect(checkProgram(sequenceTree({}, [{ ...node('sync'), comment: 'c'.repeat(241) }])).diagnostics).toMatchObject([
      { class: 'length' },
    ]);
    const long = { ...application('a', place), comment: 'c'.repeat(5000) };
    expect(verdict(farmEventTree([long]))).toBeUndefined();
  });
});

describe('messages', () => {
  it.each([
    ['Step 1: "milliseconds" of wait must be a whole number, not the string "100".', wait('100')],
    ['Step 1: "milliseconds" of wait must be at most 180000, not 180001.', wait(180_001)],
    ['Step 1: "axis" of calibrate must be x, y, z or all, not the string "w".', node('calibrate', { axis: 'w' })],
    [
      'Step 1: find_home is missing the argument "speed": it requires speed and axis, but has axis.',
      node('find_home', { axis: 'x' }),
    ],
    ['Step 1: move has no argument "speed": it takes no arguments.', node('move', { speed: 1 })],
    [
      'Step 1: pair is not allowed in the body of send_message. The body of send_message can contain channel.',
      node('send_message', {}, [node('pair')]),
    ],
    ['Step 1: Please pick a sensor for read_pin.', node('read_pin', { pin_number: nothing, label: '', pin_mode: 0 })],
    ['Step 1: "tool_id" of tool is 4, but this account has no tool with that id.', move(node('tool', { tool_id: 4 }))],
    ['Step 1: "resource_id" of resource is 9, but this account has no Weed with that id.', change(resource('Weed', 9))],
    [
      'Step 1: "location" of move_absolute is the variable "q", which the sequence does not declare.',
      move(identifier('q')),
    ],
    [
      'Step 1: "lhs" of _if must be pin0 to pin69, x, y or z, not the string "pin70".',
      node('_if', { lhs: 'pin70', op: 'is', rhs: 1, _then: nothing, _else: nothing }),
    ],
    ['Step 1: change_ownership cannot be part of a program. Please delete this step.', node('change_ownership')],
  ])('%s', (expected, step) => {
    expect(sentence(step)).toBe(expected);
  });

  it('truncate the values that were sent and remove control characters', () => {
    const message = sentence(wait(`a\u0007\u202eb${'x'.repeat(5000)}`));
    expect(message).toBe(
      `Step 1: "milliseconds" of wait must be a whole number, not the string "a b${'x'.repeat(56)}…".`,
    );
    const atLimit = sentence(wait('x'.repeat(60)));
    expect(atLimit).toBe(`Step 1: "milliseconds" of wait must be a whole number, not the string "${'x'.repeat(60)}".`);
    expect(sentence(node('k'.repeat(5000))).length).toBeLessThan(800);
    expect(sentence(node('sync', { ['a'.repeat(5000)]: 1 })).length).toBeLessThan(200);
  });
});

describe('the cost', () => {
  it('is linear in the number of nodes, and no depth overflows the stack', () => {
    let deep: unknown = nothing;
    for (let i = 0; i < 10_000; i++) deep = node('execute', { sequence_id: deep });
    expect(verdictOfSteps(deep)).toMatch(/^too_deep /);
    const steps = (count: number) =>
      sequenceTree(
        {},
        Array.from({ length: count }, () => move(place)),
      );
    const time = (tree: Tree): number => {
      const times = Array.from({ length: 20 }, () => {
        const start = performance.now();
        checkProgram(tree);
        return performance.now() - start;
      });
      return Math.min(...times);
    };
    const [few, many] = [steps(100), steps(3000)];
    time(few);
    // Thirty times the nodes; quadratic growth would take nine hundred times as long.
    expect(time(many)).toBeLessThan(time(few) * 300);
  });
});
