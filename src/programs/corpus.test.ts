import type { LegalSequenceKind, SequenceBodyItem } from 'farmbot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { NodeKind, NodeOf, NoNames, Step, UnknownNames, Words } from './corpus.ts';
import { nodes } from './corpus.ts';
import { args } from './corpus-args.ts';
import { showCorpus } from './corpus-routes.ts';
import { argRules, grammar, isKind, listedKinds, stepKinds } from './grammar.ts';

// The published order, written by hand. [rule P2]

const publishedSteps =
  'assertion calibrate change_ownership check_updates emergency_lock emergency_unlock execute execute_script factory_reset ' +
  'find_home flash_firmware home install_farmware install_first_party_farmware _if lua move_absolute move_relative move ' +
  'power_off read_pin read_status reboot remove_farmware update_resource send_message set_servo_angle set_user_env sync ' +
  'take_photo toggle_pin update_farmware wait write_pin zero';

const publishedKinds =
  'Assertion If Calibrate ChangeOwnership Channel CheckUpdates Coordinate EmergencyLock EmergencyUnlock ExecuteScript Execute ' +
  'Explanation FactoryReset FindHome FlashFirmware Home Identifier InstallFarmware InstallFirstPartyFarmware ' +
  'InternalEntryPoint InternalFarmEvent InternalRegimen MoveRelative Nothing Pair ParameterApplication ParameterDeclaration ' +
  'Point PowerOff ReadStatus Reboot RemoveFarmware RpcError RpcOk RpcRequest ScopeDeclaration SendMessage Sequence ' +
  'SetServoAngle SetUserEnv Sync TakePhoto Text TogglePin Tool UpdateFarmware VariableDeclaration Wait Zero NamedPin ' +
  'MoveAbsolute WritePin ReadPin ResourceUpdate Resource ResourcePlaceholder NumberPlaceholder TextPlaceholder ' +
  'LocationPlaceholder UpdateResource PointGroup Numeric Lua SpecialValue AxisOverwrite AxisAddition SpeedOverwrite SafeZ ' +
  'AxisOrder Random Move';

const publishedArgs =
  '_else _then assertion_type axis channel_name data_value default_value label locals location lua message_type milliseconds ' +
  'number offset op pin_id pin_mode pin_number pin_type point_group_id pointer_id pin_value pointer_type priority radius ' +
  'depth resource_id resource_type resource rhs sequence_id speed_setting speed string url value variance grouping route ' +
  'version x y z lhs tool_id package axis_operand message';

const publishedEnums =
  'ALLOWED_AXIS ALLOWED_GROUPING ALLOWED_ROUTE ALLOWED_SPECIAL_VALUE ALLOWED_CHANNEL_NAMES ALLOWED_MESSAGE_TYPES ALLOWED_OPS ' +
  'ALLOWED_PACKAGES ALLOWED_PIN_MODES ALLOWED_ASSERTION_TYPES AllowedPinTypes Color DataChangeType LegalSequenceKind lhs ' +
  'PlantStage PointType resource_type LegalArgString LegalKindString';

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');

interface Corpus {
  version: number;
  enums: { name: string; allowed_values: (string | number)[] }[];
  values: { name: string }[];
  args: { name: string; allowed_values: { tag: string; name: string }[] }[];
  nodes: { name: string; allowed_args: string[]; allowed_body_types: string[]; tags: string[]; docs: string }[];
}

/** Returns the body of the response. The route needs no scope and no call. */
function served(): { text: string; corpus: Corpus } {
  const text = (showCorpus.handle as () => { text: string })().text;
  return { text, corpus: JSON.parse(text) as Corpus };
}

describe('the served corpus', () => {
  const { text, corpus } = served();
  const valuesOf = (name: string) => corpus.enums.find((each) => each.name === name)?.allowed_values;
  const nodeOf = (name: string) => corpus.nodes.find((each) => each.name === name);

  it('has everything in published order', () => {
    expect(Object.keys(corpus)).toEqual(['version', 'enums', 'values', 'args', 'nodes']);
    expect(corpus.version).toBe(20180209);
    expect(corpus.enums.map(({ name }) => name)).toEqual(words(publishedEnums));
    expect(corpus.values).toEqual([{ name: 'boolean' }, { name: 'float' }, { name: 'integer' }, { name: 'string' }]);
    expect(corpus.args.map(({ name }) => name)).toEqual(words(publishedArgs));
    expect(valuesOf('LegalArgString')).toEqual(words(publishedArgs));
    expect(valuesOf('LegalKindString')).toEqual(words(publishedKinds));
    expect(valuesOf('LegalSequenceKind')).toEqual(words(publishedSteps).sort());
    expect(nodeOf('sequence')?.allowed_body_types).toEqual(words(publishedSteps));
    expect(nodeOf('rpc_request')?.allowed_body_types).toEqual(words(publishedSteps));
  });

  it('has the published bytes', () => {
    expect(text).toContain('"enums":[{"name":"ALLOWED_AXIS","allowed_values":["x","y","z","all"]}');
    expect(text).toContain('{"name":"ALLOWED_PIN_MODES","allowed_values":[0,1]}');
    expect(text).toContain(
      '{"name":"pin_number","allowed_values":[{"tag":"integer","name":"Integer"},{"tag":"named_pin","name":"named_pin"}]}',
    );
    expect(text).toContain(
      '{"allowed_args":["message","message_type"],"allowed_body_types":["channel"],"name":"send_message","tags":["function"],"docs":""}',
    );
    expect(text).toContain('"name":"_if","tags":["*"],"docs":""}');
    expect(text).toContain('{"allowed_args":["string"],"allowed_body_types":[],"name":"text","tags":[],"docs":""}');
    expect(corpus.nodes.filter(({ docs }) => docs !== '').map(({ name }) => name)).toEqual([
      'change_ownership',
      'channel',
    ]);
    expect(valuesOf('lhs')?.slice(68)).toEqual(['pin68', 'pin69', 'x', 'y', 'z']);
    expect(valuesOf('ALLOWED_GROUPING')?.length).toBe(25);
  });

  it('does not list kinds that only newer robots support', () => {
    expect(text).not.toContain('pin_io_mode');
    expect(text).not.toContain('PinIoMode');
    expect(text).not.toContain('PIN_IO');
  });
});

describe('the tables', () => {
  it('contain only existing names', () => {
    for (const [kind, { args: own }] of Object.entries(nodes))
      for (const arg of words(own)) expect(Object.hasOwn(args, arg), `${kind}: ${arg}`).toBe(true);
    for (const { kind, body } of grammar.values())
      for (const child of body) expect(isKind(child), `${kind}: ${child}`).toBe(true);
    for (const { name, kinds } of argRules.values())
      for (const kind of kinds) expect(isKind(kind), `${name}: ${kind}`).toBe(true);
  });

  it('number the steps from 1 without gaps', () => {
    expect(stepKinds).toEqual([...words(publishedSteps), 'set_pin_io_mode']);
    const places = Object.values(nodes).flatMap((row) => ('step' in row ? [row.step] : []));
    expect(places.sort((a, b) => a - b)).toEqual(Array.from({ length: 36 }, (_, i) => i + 1));
    expect(listedKinds.length).toBe(71);
  });

  it('use every argument of every kind in its text', () => {
    for (const { kind, row, args: own } of grammar.values()) {
      const inText = [...row.text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
      for (const name of inText) expect(own.has(name), `${kind} says ${name}`).toBe(true);
      const withoutText = ['sequence', 'rpc_request'];
      if (!withoutText.includes(kind)) for (const name of own.keys()) expect(inText, kind).toContain(name);
      expect(row.about.endsWith('.'), kind).toBe(true);
    }
  });

  it('produce the types of steps of the JavaScript client', () => {
    expectTypeOf<Step>().toEqualTypeOf<LegalSequenceKind>();
    expectTypeOf<SequenceBodyItem>().toExtend<NodeOf<Step>>();
    expectTypeOf<NodeOf<Step>>().toExtend<SequenceBodyItem>();
    expectTypeOf<NodeOf<'wait'>['args']>().toEqualTypeOf<{ milliseconds: number }>();
    expectTypeOf<NodeOf<'write_pin'>['args']['pin_mode']>().toEqualTypeOf<0 | 1>();
  });
});

it('does not compile with a misspelled name in its tables', () => {
  expectTypeOf<UnknownNames>().toBeNever();
  // @ts-expect-error: `exekute` is not a kind of node.
  expectTypeOf<NoNames<Exclude<Words<'nothing exekute'>, NodeKind>>>();
});
