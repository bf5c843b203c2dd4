/** The version of the language, as every sequence carries it. [reference 1.1] */
export const languageVersion = 20180209;

/** The kinds of plain values, in published order. */
export const valueNames = ['boolean', 'float', 'integer', 'string'] as const;

const pins = Array.from({ length: 70 }, (_, pin): `pin${number}` => `pin${pin}`);

/**
 * Every list of allowed values, in published order. Where a word stands instead of a list, the list follows from the tables
 * of arguments and nodes. [reference 1.3]
 */
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
  LegalSequenceKind: 'the steps, sorted',
  lhs: [...pins, 'x', 'y', 'z'],
  PlantStage: ['planned', 'planted', 'harvested', 'sprouted', 'active', 'removed', 'pending'],
  PointType: ['GenericPointer', 'ToolSlot', 'Plant', 'Weed'],
  resource_type: ['Device', 'Point', 'Plant', 'ToolSlot', 'Weed', 'GenericPointer', 'Sequence', 'Peripheral', 'Sensor'],
  LegalArgString: 'the arguments',
  LegalKindString: 'the kinds, in camel case',
  ALLOWED_PIN_IO_MODES: ['input', 'input_pullup', 'output'],
} as const;

export type EnumName = keyof typeof enums;

/** Where records that programs name by id are kept. */
export type TargetTable = 'sequences' | 'tools' | 'points' | 'point_groups' | 'peripherals' | 'sensors';

export type PointerType = (typeof enums.PointType)[number];

/** Whose record an id is, when another argument of the same node says it. */
interface OwnBy {
  readonly arg: string;
  /** By that argument's value; a value that is not here needs no record. */
  readonly targets: Readonly<Record<string, TargetTable>>;
  /** Which of them may not be deleted while the program is there, and as what they are used. [reference 8.2] */
  readonly uses: Readonly<Record<string, 'peripheral' | 'sensor' | 'resource'>>;
}

export interface ArgRow {
  /** What it takes, in published order: names of plain values, of lists in {@link enums}, and of kinds of nodes. */
  readonly takes: string;
  /** For examples: a value, or the kind of a node. */
  readonly example: string | number | boolean;
  /** May stand in published programs while its value is plain. [reference 5.4] */
  readonly shared?: true;
  /** It is the id of a record of the same device. */
  readonly own?: TargetTable | OwnBy;
  /** What to pick, when it is 0. */
  readonly pick?: string;
  /** Texts must be in this list. */
  readonly among?: EnumName;
  /** Fewest and most characters (code points) of a text. */
  readonly length?: readonly [number, number];
  /** The greatest number. */
  readonly most?: number;
}

const pinTargets = { Peripheral: 'peripherals', Sensor: 'sensors' } as const;

/** Every argument, in published order. [reference 1.4, 2.6] */
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
  milliseconds: { takes: 'integer', example: 1500, shared: true, most: 180_000 },
  number: { takes: 'integer', example: 12, shared: true },
  offset: { takes: 'coordinate', example: 'coordinate' },
  op: { takes: 'ALLOWED_OPS', example: 'is', shared: true },
  pin_id: { takes: 'integer', example: 5, own: { arg: 'pin_type', targets: pinTargets, uses: { Peripheral: 'peripheral', Sensor: 'sensor' } }, pick: 'a peripheral or a sensor' },
  pin_mode: { takes: 'ALLOWED_PIN_MODES', example: 0, shared: true },
  pin_number: { takes: 'integer named_pin', example: 13, shared: true },
  pin_type: { takes: 'AllowedPinTypes', example: 'Peripheral', shared: true },
  point_group_id: { takes: 'integer', example: 4, own: 'point_groups' },
  pointer_id: { takes: 'integer', example: 9, own: 'points' },
  pin_value: { takes: 'integer', example: 1, shared: true },
  pointer_type: { takes: 'PointType', example: 'Plant', shared: true },
  priority: { takes: 'integer', example: 600 },
  radius: { takes: 'integer', example: 50 },
  depth: { takes: 'integer', example: 10 },
  resource_id: { takes: 'integer', example: 9, own: { arg: 'resource_type', targets: { ...pinTargets, Sequence: 'sequences', Point: 'points', Plant: 'points', ToolSlot: 'points', Weed: 'points', GenericPointer: 'points' }, uses: { GenericPointer: 'resource', ToolSlot: 'resource', Plant: 'resource' } } },
  resource_type: { takes: 'resource_type', example: 'Plant', shared: true },
  resource: { takes: 'identifier resource point', example: 'resource' },
  rhs: { takes: 'integer', example: 1, shared: true },
  sequence_id: { takes: 'integer', example: 7, own: 'sequences', pick: 'a sequence' },
  speed_setting: { takes: 'lua numeric', example: 'numeric' },
  speed: { takes: 'integer', example: 100, shared: true },
  string: { takes: 'string', example: 'carrots', shared: true },
  url: { takes: 'string', example: 'https://example.com/manifest.json' },
  value: { takes: 'string integer boolean', example: 'planted', shared: true },
  variance: { takes: 'integer', example: 10, shared: true },
  grouping: { takes: 'ALLOWED_GROUPING', example: 'z,xy' },
  route: { takes: 'ALLOWED_ROUTE', example: 'in_order' },
  version: { takes: 'integer', example: languageVersion, shared: true },
  x: { takes: 'integer float', example: 100, shared: true },
  y: { takes: 'integer float', example: 200.5, shared: true },
  z: { takes: 'integer float', example: -30, shared: true },
  lhs: { takes: 'string named_pin', example: 'pin13', among: 'lhs' },
  tool_id: { takes: 'integer', example: 3, own: 'tools' },
  package: { takes: 'string', example: 'farmbot_os', shared: true, among: 'ALLOWED_PACKAGES' },
  axis_operand: { takes: 'coordinate identifier lua numeric point random special_value tool', example: 'numeric' },
  message: { takes: 'string', example: 'All watered.', shared: true, length: [1, 300] },
  pin_io_mode: { takes: 'ALLOWED_PIN_IO_MODES', example: 'input_pullup' },
} as const satisfies Readonly<Record<string, ArgRow>>;

export type ArgName = keyof typeof args;
