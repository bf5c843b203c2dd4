import type {
  Execute,
  Identifier,
  ParameterDeclaration,
  Resource,
  ScopeDeclaration,
  Sequence,
  SequenceBodyItem,
  VariableDeclaration,
} from 'farmbot';
import { coordinate } from 'farmbot';

// Programs written with the types and builders of the published JavaScript client; `npm run types` checks them.

/** The version of the language that the client writes. [rule P1] */
const version = 20180209;

const variable = (label: string): Identifier => ({ kind: 'identifier', args: { label } });

const parameter = (
  label: string,
  default_value: ParameterDeclaration['args']['default_value'],
): ParameterDeclaration => ({ kind: 'parameter_declaration', args: { label, default_value } });

const fixed = (label: string, data_value: VariableDeclaration['args']['data_value']): VariableDeclaration => ({
  kind: 'variable_declaration',
  args: { label, data_value },
});

const scope = (...body: (ParameterDeclaration | VariableDeclaration)[]): ScopeDeclaration => ({
  kind: 'scope_declaration',
  args: {},
  body,
});

const program = (locals: ScopeDeclaration, body: SequenceBodyItem[]): Sequence => ({
  kind: 'sequence',
  args: { version, locals },
  body,
});

/** Every kind of step that may be published, with variables of every kind that may. [rule P33] */
export const publishableSequence = (): Sequence =>
  program(
    scope(
      parameter('Bed', coordinate(100, 50, 0)),
      parameter('Place', { kind: 'location_placeholder', args: {} }),
      parameter('Amount', { kind: 'number_placeholder', args: {} }),
      parameter('Words', { kind: 'text_placeholder', args: {} }),
      parameter('Plant', { kind: 'resource_placeholder', args: { resource_type: 'Plant' } }),
      parameter('Depth', { kind: 'numeric', args: { number: -20 } }),
      fixed('Home', coordinate(0, 0, 0)),
      fixed('Greeting', { kind: 'text', args: { string: 'Hello "beds" 🌱' } }),
    ),
    [
      { kind: 'calibrate', args: { axis: 'z' } },
      {
        kind: 'execute_script',
        args: { label: 'plant-detection' },
        body: [{ kind: 'pair', args: { label: 'DETECT', value: '1' } }],
      },
      { kind: 'find_home', args: { axis: 'all', speed: 100 } },
      {
        kind: 'lua',
        args: { lua: 'toast("Done")\nreturn true' },
        body: [{ kind: 'pair', args: { label: 'prompt', value: 'say done' } }],
      },
      {
        kind: 'move',
        args: {},
        body: [
          { kind: 'axis_overwrite', args: { axis: 'all', axis_operand: variable('Place') } },
          {
            kind: 'axis_overwrite',
            args: { axis: 'z', axis_operand: { kind: 'special_value', args: { label: 'safe_height' } } },
          },
          { kind: 'axis_addition', args: { axis: 'x', axis_operand: { kind: 'random', args: { variance: 5 } } } },
          { kind: 'axis_addition', args: { axis: 'z', axis_operand: { kind: 'lua', args: { lua: 'return -1' } } } },
          { kind: 'speed_overwrite', args: { axis: 'y', speed_setting: { kind: 'numeric', args: { number: 50 } } } },
          { kind: 'axis_order', args: { grouping: 'z,xy', route: 'in_order' } },
          { kind: 'safe_z', args: {} },
        ],
      },
      {
        kind: 'move_absolute',
        args: { location: variable('Bed'), offset: coordinate(0, 0.5, -10), speed: 80 },
        comment: 'gently',
      } as SequenceBodyItem,
      { kind: 'move_relative', args: { x: 1, y: -2.25, z: 0, speed: 100 } },
      { kind: 'read_pin', args: { pin_number: 59, label: 'Soil', pin_mode: 1 } },
      {
        kind: 'send_message',
        args: { message: 'At {{ x }}', message_type: 'success' },
        body: [
          { kind: 'channel', args: { channel_name: 'toast' } },
          { kind: 'channel', args: { channel_name: 'ticker' } },
        ],
      },
      { kind: 'set_servo_angle', args: { pin_number: 4, pin_value: 90 } },
      { kind: 'take_photo', args: {} },
      { kind: 'wait', args: { milliseconds: 180_000 } },
      { kind: 'zero', args: { axis: 'x' } },
      { kind: 'emergency_lock', args: {} },
      { kind: 'reboot', args: { package: 'arduino_firmware' } },
      { kind: 'power_off', args: {} },
    ],
  );

/** A short program that other programs execute with their own parameters. */
export const visitSequence = (): Sequence =>
  program(
    scope(
      parameter('Where', { kind: 'location_placeholder', args: {} }),
      parameter('Up', { kind: 'numeric', args: { number: 5 } }),
    ),
    [
      { kind: 'move_absolute', args: { location: variable('Where'), offset: coordinate(0, 0, 0), speed: 100 } },
      { kind: 'move', args: {}, body: [{ kind: 'axis_addition', args: { axis: 'z', axis_operand: variable('Up') } }] },
      { kind: 'send_message', args: { message: 'Visited ({{ x }}, {{ y }}, {{ z }})', message_type: 'info' } },
    ],
  );

/** Ids of records that {@link everyDaySequence} refers to. */
export interface EveryDayIds {
  /** The id of {@link visitSequence}. */
  readonly visit: number;
  readonly plant: number;
  readonly tool: number;
  readonly peripheral: number;
  readonly sensor: number;
}

/** More than twenty kinds of steps that a robot without hardware can execute; some of them cannot be published. */
export function everyDaySequence({ visit: sequence_id, plant, tool, peripheral, sensor }: EveryDayIds): Sequence {
  const pump = { kind: 'named_pin', args: { pin_type: 'Peripheral', pin_id: peripheral } } as const;
  const soil = { kind: 'named_pin', args: { pin_type: 'Sensor', pin_id: sensor } } as const;
  const visitAt = (where: 'Target' | 'Bed'): Execute => ({
    kind: 'execute',
    args: { sequence_id },
    body: [
      { kind: 'parameter_application', args: { label: 'Where', data_value: variable(where) } },
      { kind: 'parameter_application', args: { label: 'Up', data_value: { kind: 'numeric', args: { number: 7 } } } },
    ],
  });
  const decide = (lhs: 'x' | typeof pump, rhs: number, _then: Execute): SequenceBodyItem => ({
    kind: '_if',
    args: { lhs, op: 'is', rhs, _then, _else: { kind: 'nothing', args: {} } },
  });
  return program(
    scope(
      parameter('Target', { kind: 'point', args: { pointer_type: 'Plant', pointer_id: plant } }),
      fixed('Bed', coordinate(30, 40, 0)),
    ),
    [
      { kind: 'emergency_unlock', args: {} },
      { kind: 'find_home', args: { axis: 'all', speed: 100 } },
      { kind: 'calibrate', args: { axis: 'y' } },
      { kind: 'zero', args: { axis: 'z' } },
      { kind: 'write_pin', args: { pin_number: pump, pin_value: 1, pin_mode: 0 } },
      decide(pump, 1, visitAt('Target')),
      { kind: 'toggle_pin', args: { pin_number: pump } },
      decide(pump, 1, visitAt('Target')),
      { kind: 'read_pin', args: { pin_number: soil, label: 'Soil', pin_mode: 1 } },
      visitAt('Bed'),
      {
        kind: 'move_absolute',
        args: { location: { kind: 'tool', args: { tool_id: tool } }, offset: coordinate(0, 0, 1), speed: 100 },
      },
      { kind: 'move_relative', args: { x: 1, y: 1, z: -1, speed: 50 } },
      {
        kind: 'move',
        args: {},
        body: [
          { kind: 'axis_overwrite', args: { axis: 'x', axis_operand: variable('Bed') } },
          { kind: 'axis_order', args: { grouping: 'z,xy', route: 'in_order' } },
        ],
      },
      { kind: 'home', args: { axis: 'z', speed: 100 } },
      { kind: 'wait', args: { milliseconds: 20 } },
      {
        kind: 'send_message',
        args: { message: 'Almost done at {{ x }}', message_type: 'success' },
        body: [{ kind: 'channel', args: { channel_name: 'toast' } }],
      },
      { kind: 'set_servo_angle', args: { pin_number: 5, pin_value: 45 } },
      { kind: 'set_pin_io_mode', args: { pin_number: 6, pin_io_mode: 'input_pullup' } },
      { kind: 'set_user_env', args: {}, body: [{ kind: 'pair', args: { label: 'season', value: 'spring' } }] },
      { kind: 'read_status', args: {} },
      { kind: 'check_updates', args: { package: 'farmbot_os' } },
      { kind: 'sync', args: {} },
    ],
  );
}

/** A resource of the account, as in `update_resource`. */
const resourceOf = (resource_type: Resource['args']['resource_type'], resource_id: number): Resource => ({
  kind: 'resource',
  args: { resource_type, resource_id },
});

/** Steps that can be stored but not executed without hardware. */
export const storableSteps = ({ visit: sequence_id, plant, tool }: EveryDayIds): Sequence =>
  program(scope(), [
    {
      kind: 'update_resource',
      args: { resource: resourceOf('Plant', plant) },
      body: [{ kind: 'pair', args: { label: 'plant_stage', value: 'harvested' } }],
    },
    {
      kind: 'update_resource',
      args: { resource: resourceOf('Device', 0) },
      body: [{ kind: 'pair', args: { label: 'mounted_tool_id', value: tool } }],
    },
    {
      kind: 'assertion',
      args: { assertion_type: 'recover', lua: 'return 2 + 2 == 4', _then: { kind: 'execute', args: { sequence_id } } },
    },
    { kind: 'factory_reset', args: { package: 'arduino_firmware' } },
    { kind: 'flash_firmware', args: { package: 'arduino_firmware' } },
    { kind: 'install_farmware', args: { url: 'https://example.com/manifest.json' } },
    { kind: 'install_first_party_farmware', args: {} },
    { kind: 'remove_farmware', args: { package: 'farmbot_os' } },
    { kind: 'update_farmware', args: { package: 'farmbot_os' } },
  ]);
