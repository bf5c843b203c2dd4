import type { ArgName, args, EnumName, enums } from './corpus-args.ts';

/** What only a function can judge; the checker knows these by name. [reference 2.5, 2.6] */
export type RuleName = 'never stored' | 'only as default' | 'no analog light' | 'a tool is mounted';

export interface NodeRow {
  /** Its arguments, all of them required, in published order. */
  readonly args: string;
  /** The kinds that its body may hold, in published order; `steps` are all rows with a `step`. */
  readonly body?: string;
  /** In published order. */
  readonly tags: string;
  /** A step: one of those that a sequence holds. Its place in the published list of steps. */
  readonly step?: number;
  /** May stand in published programs. [reference 5.4] */
  readonly shared?: true;
  readonly rule?: RuleName;
  /** What to pick, where `nothing` stands as one of its arguments. */
  readonly pick?: string;
  /** As a person would say it. `{name}` is that argument; further lines stand indented below. */
  readonly text: string;
  /** What it is for. */
  readonly about: string;
  /** What `GET /api/corpus` tells about it besides. */
  readonly docs?: string;
  /** Examples of arguments, where those of the arguments themselves do not fit. */
  readonly example?: Readonly<Partial<Record<ArgName, string | number | boolean>>>;
  /** The same for the nodes in its body; without it, its example has no body. */
  readonly inside?: Readonly<Partial<Record<ArgName, string | number | boolean>>>;
  /** Accepted, but not shown by `GET /api/corpus`. [decision 7] */
  readonly unlisted?: true;
}

/** Every kind of node, in published order. [reference 1.5] */
// biome-ignore format: one row, two or three lines: structure first, then words
export const nodes = {
  assertion: { args: 'assertion_type _then lua', tags: '*', step: 1,
    text: 'test with Lua; if it fails: {assertion_type}\nto recover: {_then}\n{lua}', about: 'Runs Lua as a test. When it does not give `true`, `_then` is run (`recover`), the program ends (`abort`), both (`abort_recover`) or neither (`continue`).' },
  _if: { args: 'lhs op rhs _then _else', body: 'pair', tags: '*', step: 15,
    text: 'if {lhs} {op} {rhs}\nthen {_then}\nelse {_else}', about: 'Compares a position (`x`, `y`, `z`) or the value of a pin with a number and goes on one way or the other. `is_undefined` looks at no number.' },
  calibrate: { args: 'axis', tags: 'function firmware_user', step: 2, shared: true,
    text: 'find the length of axis {axis}', about: 'Drives to both ends of an axis and learns its length.' },
  change_ownership: { args: '', body: 'pair', tags: 'function network_user disk_user cuts_power api_writer', step: 3, rule: 'never stored',
    text: 'hand the robot over to another account', about: 'Gives the robot to another account. Only as a request to the robot, never in a program.', docs: 'Rarely used; may be removed.' },
  channel: { args: 'channel_name', tags: 'data', shared: true,
    text: 'show as {channel_name}', about: 'Where else a message is shown: as a pop-up, by mail, read aloud.', docs: 'Selects where a log message is delivered.' },
  check_updates: { args: 'package', tags: 'function network_user disk_user cuts_power', step: 4,
    text: 'look for updates of {package}', about: 'Looks for a newer version and installs it.' },
  coordinate: { args: 'x y z', tags: 'data location_like', shared: true,
    text: '({x}, {y}, {z})', about: 'A place in the garden, in millimetres; as an offset, a distance.' },
  emergency_lock: { args: '', tags: 'function firmware_user control_flow', step: 5, shared: true,
    text: 'stop everything and lock', about: 'Stops all motors and pins at once and locks the robot.' },
  emergency_unlock: { args: '', tags: 'function firmware_user', step: 6,
    text: 'unlock', about: 'Lets the robot move again after an emergency stop.' },
  execute_script: { args: 'label', body: 'pair', tags: '*', step: 8, shared: true, example: { label: 'plant-detection' },
    text: 'run the farmware {label}', about: 'Runs a farmware (a program of somebody else on the robot). The pairs of its body are its inputs.' },
  execute: { args: 'sequence_id', body: 'parameter_application', tags: '*', step: 7, shared: true, inside: {},
    text: 'run sequence {sequence_id}', about: 'Runs another sequence, or this one again. The body gives values to its variables.', pick: 'a sequence' },
  explanation: { args: 'message', tags: 'data', example: { message: 'The robot is locked.' },
    text: 'because: {message}', about: 'Why a request failed. Only in answers of the robot.' },
  factory_reset: { args: 'package', tags: 'function cuts_power', step: 9,
    text: 'reset {package} to how it left the factory', about: 'Forgets all settings of the software or of the motor board.' },
  find_home: { args: 'speed axis', tags: 'function firmware_user', step: 10, shared: true,
    text: 'find home on axis {axis} at {speed} % speed', about: 'Drives towards the end of an axis until it is felt, and calls that place 0.' },
  flash_firmware: { args: 'package', tags: 'api_writer disk_user firmware_user function network_user', step: 11, example: { package: 'arduino_firmware' },
    text: 'write the firmware of {package} anew', about: 'Installs the firmware of the motor board again.' },
  home: { args: 'speed axis', tags: 'function firmware_user', step: 12,
    text: 'go to 0 on axis {axis} at {speed} % speed', about: 'Moves to 0 on an axis.' },
  identifier: { args: 'label', tags: 'data', shared: true,
    text: '{label}', about: 'The value of a variable, by the label under which the sequence declares it.' },
  install_farmware: { args: 'url', tags: 'function network_user disk_user api_writer', step: 13,
    text: 'install the farmware from {url}', about: 'Installs a farmware from the address of its manifest.' },
  install_first_party_farmware: { args: '', tags: 'function network_user', step: 14,
    text: 'install the farmwares that belong to the robot', about: 'Installs the farmwares that come from the maker of the robot.' },
  internal_entry_point: { args: '', tags: 'private',
    text: 'begin', about: 'For the inside of robots. Never sent.' },
  internal_farm_event: { args: '', body: 'parameter_application', tags: '', inside: {},
    text: 'with these values', about: 'Stands around the `body` of a farm event. Never sent.' },
  internal_regimen: { args: '', body: 'parameter_application parameter_declaration variable_declaration', tags: '', inside: {},
    text: 'with these values', about: 'Stands around the `body` of a regimen. Never sent.' },
  move_relative: { args: 'x y z speed', tags: 'firmware_user function', step: 18, shared: true,
    text: 'move by ({x}, {y}, {z}) at {speed} % speed', about: 'Moves by so many millimetres from where the robot is.' },
  nothing: { args: '', tags: 'data function', shared: true,
    text: 'go on', about: 'Does nothing: the way of an `_if` or `assertion` that goes on with the next step.' },
  pair: { args: 'label value', tags: 'data', shared: true, rule: 'a tool is mounted', example: { label: 'plant_stage' },
    text: '{label} = {value}', about: 'A name and its value.' },
  parameter_application: { args: 'label data_value', tags: 'function control_flow scope_writer', shared: true,
    text: '{label} = {data_value}', about: 'Gives a value to a variable of the sequence that is run.' },
  parameter_declaration: { args: 'label default_value', tags: 'scope_writer', shared: true,
    text: '{label}: asked for, else {default_value}', about: 'A variable whose value whoever runs the sequence may give.', pick: 'a default value' },
  point: { args: 'pointer_type pointer_id', tags: 'location_like data', shared: true,
    text: '{pointer_type} {pointer_id}', about: 'A plant, weed, tool slot or other point of the garden.' },
  power_off: { args: '', tags: 'cuts_power function', step: 20, shared: true,
    text: 'switch off', about: 'Shuts the robot down.' },
  read_status: { args: '', tags: 'function', step: 22,
    text: 'tell the status', about: 'Has the robot send its whole status.' },
  reboot: { args: 'package', tags: 'cuts_power function firmware_user', step: 23, shared: true,
    text: 'restart {package}', about: 'Restarts the computer or the motor board.' },
  remove_farmware: { args: 'package', tags: 'function', step: 24,
    text: 'remove the farmware {package}', about: 'Removes a farmware. The language knows no other packages than its own, so this cannot name one.' },
  rpc_error: { args: 'label', body: 'explanation', tags: 'data', example: { label: 'a1b2c3' }, inside: { message: 'The robot is locked.' },
    text: 'request {label} failed', about: 'What a robot answers when a request failed. Only between clients and robots.' },
  rpc_ok: { args: 'label', tags: 'data', example: { label: 'a1b2c3' },
    text: 'request {label} is done', about: 'What a robot answers when a request is done. Only between clients and robots.' },
  rpc_request: { args: 'label priority', body: 'steps', tags: '*', example: { label: 'a1b2c3' }, inside: {},
    text: 'request {label}', about: 'Asks a robot to run steps at once. Only between clients and robots.' },
  scope_declaration: { args: '', body: 'variable_declaration parameter_declaration', tags: 'scope_writer', shared: true, inside: {},
    text: 'variables', about: 'The variables of a sequence: its argument `locals`.' },
  send_message: { args: 'message message_type', body: 'channel', tags: 'function', step: 26, shared: true, inside: {},
    text: 'say "{message}" ({message_type})', about: 'Writes a log message. `{{ x }}` in it becomes the position on that axis.' },
  sequence: { args: 'version locals', body: 'steps', tags: '*', shared: true, inside: {},
    text: 'sequence', about: 'A whole sequence. Clients send its `args` and `body` as fields of the sequence; the server says the version.' },
  set_servo_angle: { args: 'pin_number pin_value', tags: 'function firmware_user', step: 27, shared: true, example: { pin_number: 4, pin_value: 90 },
    text: 'turn the servo at pin {pin_number} to {pin_value} degrees', about: 'Turns a servo motor.' },
  set_user_env: { args: '', body: 'pair', tags: 'function disk_user', step: 28, inside: { label: 'camera', value: 'USB' },
    text: 'remember for farmwares', about: 'Stores settings for farmwares on the robot: the pairs of its body.' },
  sync: { args: '', tags: 'disk_user network_user function', step: 29,
    text: 'fetch what changed on the server', about: 'Has the robot fetch what changed on the server.' },
  take_photo: { args: '', tags: 'disk_user function', step: 30, shared: true,
    text: 'take a photo', about: 'Takes a photo and uploads it.' },
  text: { args: 'string', tags: '', shared: true,
    text: '"{string}"', about: 'A text, as the value of a variable.' },
  toggle_pin: { args: 'pin_number', tags: 'function firmware_user', step: 31, pick: 'a peripheral', example: { pin_number: 'named_pin' },
    text: 'switch pin {pin_number} over', about: 'Switches a pin on when it is off, and off when it is on.' },
  tool: { args: 'tool_id', tags: 'data location_like api_validated', text: 'tool {tool_id}', about: 'The place of a tool: that of the slot it is in.' },
  update_farmware: { args: 'package', tags: 'function network_user api_validated', step: 32,
    text: 'update the farmware {package}', about: 'Updates a farmware. The language knows no other packages than its own, so this cannot name one.' },
  variable_declaration: { args: 'label data_value', tags: 'scope_writer function', shared: true, pick: 'a value',
    text: '{label} = {data_value}', about: 'A variable with a fixed value.' },
  wait: { args: 'milliseconds', tags: 'function', step: 33, shared: true,
    text: 'wait {milliseconds} ms', about: 'Waits, at most three minutes.' },
  zero: { args: 'axis', tags: 'function firmware_user', step: 35, shared: true,
    text: 'call this place 0 on axis {axis}', about: 'Makes the present position 0 on an axis.' },
  named_pin: { args: 'pin_type pin_id', tags: 'api_validated firmware_user rpi_user data function',
    text: '{pin_type} {pin_id}', about: 'The pin of a peripheral or sensor of the garden, or a light of the electronics box (any `pin_id` but 0).' },
  move_absolute: { args: 'location speed offset', tags: 'function firmware_user', step: 17, shared: true, pick: 'a location',
    text: 'move to {location}, offset {offset}, at {speed} % speed', about: 'Moves to a place, plus a distance.' },
  write_pin: { args: 'pin_number pin_value pin_mode', tags: 'function firmware_user rpi_user', step: 34, pick: 'a peripheral', rule: 'no analog light',
    text: 'set pin {pin_number} to {pin_value} (mode {pin_mode})', about: 'Sets a pin. Mode 0 is digital (value 0 or 1), mode 1 is analog (0 to 255).' },
  read_pin: { args: 'pin_number label pin_mode', tags: 'function firmware_user rpi_user', step: 21, shared: true, pick: 'a sensor', rule: 'no analog light', example: { label: 'moisture', pin_number: 59, pin_mode: 1 },
    text: 'read pin {pin_number} as "{label}" (mode {pin_mode})', about: 'Reads a pin and stores the reading. Mode 0 is digital, mode 1 is analog.' },
  resource_update: { args: 'resource_type resource_id label value', tags: 'function api_writer network_user', shared: true, rule: 'never stored', example: { label: 'plant_stage' },
    text: 'set {label} of {resource_type} {resource_id} to {value}', about: 'Older than `update_resource`, which takes its place.' },
  resource: { args: 'resource_type resource_id', tags: 'network_user',
    text: '{resource_type} {resource_id}', about: 'A record of the account. `Device` means the robot itself, whatever the id.' },
  resource_placeholder: { args: 'resource_type', tags: '', shared: true, rule: 'only as default',
    text: 'a {resource_type} yet to be picked', about: 'As a default: whoever runs the sequence picks a record.' },
  number_placeholder: { args: '', tags: '', shared: true, rule: 'only as default',
    text: 'a number yet to be given', about: 'As a default: whoever runs the sequence gives a number.' },
  text_placeholder: { args: '', tags: '', shared: true, rule: 'only as default',
    text: 'a text yet to be given', about: 'As a default: whoever runs the sequence gives a text.' },
  location_placeholder: { args: '', tags: '', shared: true, rule: 'only as default',
    text: 'a place yet to be picked', about: 'As a default: whoever runs the sequence picks a place.' },
  update_resource: { args: 'resource', body: 'pair', tags: 'function api_writer network_user', step: 25, inside: {},
    text: 'change {resource}', about: 'Changes a record: the pairs of its body are fields and their new values.' },
  point_group: { args: 'point_group_id', tags: 'data list_like',
    text: 'each point of group {point_group_id}', about: 'All points of a group: the sequence runs once for each.' },
  numeric: { args: 'number', tags: 'data', shared: true,
    text: '{number}', about: 'A whole number.' },
  lua: { args: 'lua', body: 'pair', tags: '*', step: 16, shared: true, example: { lua: 'toast("Hello")' },
    text: 'run Lua\n{lua}', about: 'Runs Lua on the robot. A pair `prompt` holds what an assistant was asked for.' },
  special_value: { args: 'label', tags: 'data', shared: true, example: { label: 'safe_height' },
    text: 'the {label}', about: 'A value that the robot works out: `current_location`, `safe_height` or `soil_height`.' },
  axis_overwrite: { args: 'axis axis_operand', tags: 'data', shared: true,
    text: '{axis}: to {axis_operand}', about: 'Where to, on one axis or all.' },
  axis_addition: { args: 'axis axis_operand', tags: 'data', shared: true,
    text: '{axis}: plus {axis_operand}', about: 'What is added to the target on one axis or all.' },
  speed_overwrite: { args: 'speed_setting axis', tags: 'data', shared: true, example: { axis: 'all' },
    text: '{axis}: at {speed_setting} % speed', about: 'The speed on one axis or all, in per cent.' },
  safe_z: { args: '', tags: 'data', shared: true,
    text: 'over the safe height', about: 'Goes up to the safe height first, then over, then down.' },
  axis_order: { args: 'grouping route', tags: 'data', shared: true,
    text: 'axes in the order {grouping}, {route}', about: 'Which axes move together and which one after the other.' },
  random: { args: 'variance', tags: 'data', shared: true,
    text: 'a random number from -{variance} to {variance}', about: 'A random number around 0.' },
  move: { args: '', body: 'axis_overwrite axis_addition speed_overwrite axis_order safe_z', tags: 'function firmware_user', step: 19, shared: true, inside: { axis: 'z' },
    text: 'move', about: 'Moves: the body says where to, by how much more, how fast and in which order. An empty body moves nowhere.' },
  set_pin_io_mode: { args: 'pin_io_mode pin_number', tags: 'firmware_user function', step: 36, unlisted: true,
    text: 'make pin {pin_number} an {pin_io_mode}', about: 'Makes a pin an input or an output. Robots know it, lists of the language do not show it.' },
} as const satisfies Readonly<Record<string, NodeRow>>;

type Nodes = typeof nodes;
type Args = typeof args;
type Words<S extends string> = S extends `${infer First} ${infer Rest}`
  ? First | Words<Rest>
  : S extends ''
    ? never
    : S;

/** The name of a kind of node. */
export type Kind = keyof Nodes;

/** The kinds that a sequence holds. */
export type Step = { [K in Kind]: Nodes[K] extends { readonly step: number } ? K : never }[Kind];

/** The names of a kind's arguments. */
export type ArgsOf<K extends Kind> = Extract<Words<Nodes[K]['args']>, ArgName>;

/** The kinds that may stand in a kind's body. */
export type BodyOf<K extends Kind> = Nodes[K] extends { readonly body: infer B extends string }
  ? B extends 'steps'
    ? Step
    : Extract<Words<B>, Kind>
  : never;

interface Plain {
  boolean: boolean;
  float: number;
  integer: number;
  string: string;
}

type Taken<W> = W extends keyof Plain
  ? Plain[W]
  : W extends EnumName
    ? (typeof enums)[W][number]
    : W extends Kind
      ? NodeOf<W>
      : never;

/** What an argument takes. Variables may stand in more places than this says: see the checker. */
export type ArgValue<A extends ArgName> = Taken<Words<Args[A]['takes']>>;

/** A node of one kind (of any of these kinds, for a union). */
export type NodeOf<K extends Kind> = K extends Kind
  ? {
      kind: K;
      args: { [A in ArgsOf<K>]: ArgValue<A> };
      body?: NodeOf<BodyOf<K>>[] | undefined;
      comment?: string | undefined;
    }
  : never;

/** A node of any kind. */
export type AnyNode = NodeOf<Kind>;
