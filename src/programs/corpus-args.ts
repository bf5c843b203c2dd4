import type { TargetTable } from './targets.ts';

/** The version of the language. [rule P1] */
export const languageVersion = 20180209;

/** The types of plain values, in published order. */
export const valueNames = ['boolean', 'float', 'integer', 'string'] as const;

const pins = Array.from({ length: 70 }, (_, pin): `pin${number}` => `pin${pin}`);

/** All lists of allowed values, in published order. A string instead of a list describes one that is derived from the tables of arguments and nodes. [rule P2] */
export const enums = {
  ALLOWED_AXIS: ['x', 'y', 'z', 'all'],
  // biome-ignore format: grouped as one group, two, three, and by axes left out
  ALLOWED_GROUPING: [
    'xyz', 'x,yz', 'yz,x', 'y,xz', 'xz,y', 'z,xy', 'xy,z', 'x,y,z', 'x,z,y', 'y,x,z', 'y,z,x', 'z,x,y', 'z,y,x',
    'xy', 'x,y', 'y,x', 'xz', 'x,z', 'z,x', 'yz', 'y,z', 'z,y', 'x', 'y', 'z',
  ],
  ALLOWED_ROUTE: ['high', 'low', 'in_order'],
  ALLOWED_SPECIAL_VALUE: ['current_location', 'safe_height', 'soil_height'],
  ALLOWED_CHANNEL_NAMES: ['ticker', 'toast', 'email', 'espeak'],
  ALLOWED_MESSAGE_TYPES: ['assertion', 'busy', 'debug', 'error', 'fun', 'info', 'success', 'warn'],
  ALLOWED_OPS: ['<', '>', 'is', 'not', 'is_undefined'],
  ALLOWED_PACKAGES: ['farmbot_os', 'arduino_firmware'],
  ALLOWED_PIN_MODES: [0, 1],
  ALLOWED_ASSERTION_TYPES: ['abort', 'recover', 'abort_recover', 'continue'],
  AllowedPinTypes: ['Peripheral', 'Sensor', 'BoxLed3', 'BoxLed4'],
  Color: ['blue', 'green', 'yellow', 'orange', 'purple', 'pink', 'gray', 'red'],
  DataChangeType: ['add', 'remove', 'update'],
  LegalSequenceKind: 'all steps, sorted',
  lhs: [...pins, 'x', 'y', 'z'],
  PlantStage: ['planned', 'planted', 'harvested', 'sprouted', 'active', 'removed', 'pending'],
  PointType: ['GenericPointer', 'ToolSlot', 'Plant', 'Weed'],
  resource_type: ['Device', 'Point', 'Plant', 'ToolSlot', 'Weed', 'GenericPointer', 'Sequence', 'Peripheral', 'Sensor'],
  LegalArgString: 'all arguments',
  LegalKindString: 'all kinds, in camel case',
  ALLOWED_PIN_IO_MODES: ['input', 'input_pullup', 'output'],
} as const;

export type EnumName = keyof typeof enums;

export type PointerType = (typeof enums.PointType)[number];

/** A record whose table depends on another argument of the same node. */
interface TypedRecord {
  readonly arg: string;
  /** The table by that argument's value; other values need no record. */
  readonly targets: Readonly<Record<string, TargetTable>>;
  /** The kind of use by that argument's value; records without one may be deleted while the program exists. [rule P35] */
  readonly uses: Readonly<Record<string, 'peripheral' | 'sensor' | 'resource'>>;
}

/** The noun in messages that ask to pick one. */
export type Pickable =
  | 'program'
  | 'peripheralOrSensor'
  | 'peripheral'
  | 'sensor'
  | 'location'
  | 'value'
  | 'defaultValue';

export interface ArgRow {
  /** The accepted values, in published order: names of plain types, of lists in {@link enums}, and of kinds of nodes. */
  readonly takes: string;
  /** A value, or the kind of a node, for examples. */
  readonly example: string | number | boolean;
  /** Whether a plain value may be published. [rule P33] */
  readonly shared?: true;
  /** The table of the record that this id names. */
  readonly record?: TargetTable | TypedRecord;
  /** The noun in the message for the value 0, which asks to pick one. */
  readonly pick?: Pickable;
  /** The list that texts must be in. */
  readonly allowedList?: EnumName;
  /** Minimum and maximum length of a text, in code points. */
  readonly length?: readonly [number, number];
  /** Maximum value of a number. */
  readonly max?: number;
}

const pinTargets = { Peripheral: 'peripherals', Sensor: 'sensors' } as const;

/** All arguments, in published order. [rule P2, P10, P11] */
// biome-ignore format: one row, one line
export const args = {
  _else: { takes: 'execute nothing', example: 'nothing' },
  _then: { takes: 'execute nothing', example: 'execute' },
  assertion_type: { takes: 'ALLOWED_ASSERTION_TYPES', example: 'abort' },
  axis: { takes: 'ALLOWED_AXIS', example: 'x', shared: true },
  channel_name: { takes: 'ALLOWED_CHANNEL_NAMES', example: 'toast', shared: true },
  data_value: { takes: 'coordinate identifier location_placeholder number_placeholder numeric point resource resource_placeholder text text_placeholder tool point_group', example: 'coordinate' },
  default_value: { takes: 'coordinate identifier location_placeholder number_placeholder numeric point resource resource_placeholder text text_placeholder tool', example: 'coordinate' },
  label: { takes: 'string', example: 'place', shared: true },
  locals: { takes: 'scope_declaration', example: 'scope_declaration' },
  location: { takes: 'tool coordinate point identifier', example: 'coordinate' },
  lua: { takes: 'string', example: 'return true', shared: true },
  message_type: { takes: 'ALLOWED_MESSAGE_TYPES', example: 'success', shared: true },
  milliseconds: { takes: 'integer', example: 1500, shared: true, max: 180_000 },
  number: { takes: 'integer', example: 12, shared: true },
  offset: { takes: 'coordinate', example: 'coordinate' },
  op: { takes: 'ALLOWED_OPS', example: 'is', shared: true },
  pin_id: { takes: 'integer', example: 5, record: { arg: 'pin_type', targets: pinTargets, uses: { Peripheral: 'peripheral', Sensor: 'sensor' } }, pick: 'peripheralOrSensor' },
  pin_mode: { takes: 'ALLOWED_PIN_MODES', example: 0, shared: true },
  pin_number: { takes: 'integer named_pin', example: 13, shared: true },
  pin_type: { takes: 'AllowedPinTypes', example: 'Peripheral', shared: true },
  point_group_id: { takes: 'integer', example: 4, record: 'point_groups' },
  pointer_id: { takes: 'integer', example: 9, record: 'points' },
  pin_value: { takes: 'integer', example: 1, shared: true },
  pointer_type: { takes: 'PointType', example: 'Plant', shared: true },
  priority: { takes: 'integer', example: 600 },
  radius: { takes: 'integer', example: 50 },
  depth: { takes: 'integer', example: 10 },
  resource_id: { takes: 'integer', example: 9, record: { arg: 'resource_type', targets: { ...pinTargets, Sequence: 'sequences', Point: 'points', Plant: 'points', ToolSlot: 'points', Weed: 'points', GenericPointer: 'points' }, uses: { GenericPointer: 'resource', ToolSlot: 'resource', Plant: 'resource' } } },
  resource_type: { takes: 'resource_type', example: 'Plant', shared: true },
  resource: { takes: 'identifier resource point', example: 'resource' },
  rhs: { takes: 'integer', example: 1, shared: true },
  sequence_id: { takes: 'integer', example: 7, record: 'sequences', pick: 'program' },
  speed_setting: { takes: 'lua numeric', example: 'numeric' },
  speed: { takes: 'integer', example: 100, shared: true },
  string: { takes: 'string', example: 'carrots', shared: true },
  url: { takes: 'string', example: 'https://example.com/manifest.json' },
  value: { takes: 'string integer boolean', example: 'planted', shared: true },
  variance: { takes: 'integer', example: 10, shared: true },
  grouping: { takes: 'ALLOWED_GROUPING', example: 'z,xy', shared: true },
  route: { takes: 'ALLOWED_ROUTE', example: 'in_order', shared: true },
  version: { takes: 'integer', example: languageVersion, shared: true },
  x: { takes: 'integer float', example: 100, shared: true },
  y: { takes: 'integer float', example: 200.5, shared: true },
  z: { takes: 'integer float', example: -30, shared: true },
  lhs: { takes: 'string named_pin', example: 'pin13', allowedList: 'lhs' },
  tool_id: { takes: 'integer', example: 3, record: 'tools' },
  package: { takes: 'string', example: 'farmbot_os', shared: true, allowedList: 'ALLOWED_PACKAGES' },
  axis_operand: { takes: 'coordinate identifier lua numeric point random special_value tool', example: 'numeric' },
  message: { takes: 'string', example: 'All watered.', shared: true, length: [1, 300] },
  pin_io_mode: { takes: 'ALLOWED_PIN_IO_MODES', example: 'input_pullup' },
} as const satisfies Readonly<Record<string, ArgRow>>;

export type ArgName = keyof typeof args;
