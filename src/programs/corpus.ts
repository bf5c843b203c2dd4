import type { ArgName, args, EnumName, enums, Pickable } from './corpus-args.ts';

/** Rules that are functions in node-rules.ts. */
export type RuleName = 'never stored' | 'only as default' | 'no analog light' | 'a tool is mounted';

export interface NodeRow {
  /** The arguments, all required, in published order. */
  readonly args: string;
  /** The kinds allowed in the body, in published order; `steps` stands for all rows with a `step`. */
  readonly body?: string;
  /** In published order. */
  readonly tags: string;
  /** The position in the published list of steps, if it is allowed in the body of a sequence. */
  readonly step?: number;
  /** Whether it may be published. [rule P33] */
  readonly shared?: true;
  readonly rule?: RuleName;
  /** The noun in the message for an argument `nothing`, which asks to pick one. */
  readonly pick?: Pickable;
  /** The template for the program as text. `{name}` is replaced by that argument; further lines are indented. */
  readonly text: string;
  /** A description for the documentation. */
  readonly about: string;
  /** The field `docs` of `GET /api/corpus`. */
  readonly docs?: string;
  /** Examples of arguments that override the arguments' own examples. */
  readonly example?: Readonly<Partial<Record<ArgName, string | number | boolean>>>;
  /** The same for the node in the example's body; without it, the example has no body. */
  readonly inside?: Readonly<Partial<Record<ArgName, string | number | boolean>>>;
  /** Accepted, but not shown by `GET /api/corpus`. [decision 7] */
  readonly unlisted?: true;
}

/** All kinds of nodes, in published order; `axis_order` is among them. [rule P2, P10, decision 28] */
// biome-ignore format: one row, two or three lines: structure first, then words
export const nodes = {
  assertion: { args: 'assertion_type _then lua', tags: '*', step: 1,
    text: 'test with Lua; if it fails: {assertion_type}\nto recover: {_then}\n{lua}', about: 'Runs Lua as a test. When it does not give `true`, `_then` is run (`recover`), the program ends (`abort`), both (`abort_recover`) or neither (`continue`).' },
  _if: { args: 'lhs op rhs _then _else', body: 'pair', tags: '*', step: 15,
    text: 'if {lhs} {op} {rhs}\nthen {_then}\nelse {_else}', about: 'Compares a position (`x`, `y`, `z`) or the value of a pin with a number and continues with `_then` or `_else`. `is_undefined` ignores the number.' },
  calibrate: { args: 'axis', tags: 'function firmware_user', step: 2, shared: true,
    text: 'find the length of axis {axis}', about: 'Moves to both ends of an axis and measures its length.' },
  change_ownership: { args: '', body: 'pair', tags: 'function network_user disk_user cuts_power api_writer', step: 3, rule: 'never stored',
    text: 'transfer the robot to another account', about: 'Gives the robot to another account. Only as a request to the robot, never in a program.', docs: 'Rarely used; may be removed.' },
  channel: { args: 'channel_name', tags: 'data', shared: true,
    text: 'show as {channel_name}', about: 'An additional channel for a message: as a pop-up, by e-mail or spoken.', docs: 'Selects where a log message is delivered.' },
  check_updates: { args: 'package', tags: 'function network_user disk_user cuts_power', step: 4,
    text: 'check for updates of {package}', about: 'Checks for a newer version and installs it.' },
  coordinate: { args: 'x y z', tags: 'data location_like', shared: true,
    text: '({x}, {y}, {z})', about: 'A position in the garden, in millimeters; as an offset, a distance.' },
  emergency_lock: { args: '', tags: 'function firmware_user control_flow', step: 5, shared: true,
    text: 'stop everything and lock', about: 'Stops all motors and pins at once and locks the robot.' },
  emergency_unlock: { args: '', tags: 'function firmware_user', step: 6,
    text: 'unlock', about: 'Lets the robot move again after an emergency stop.' },
  execute_script: { args: 'label', body: 'pair', tags: '*', step: 8, shared: true, example: { label: 'plant-detection' },
    text: 'run the farmware {label}', about: 'Runs a farmware (a third-party program on the robot). The pairs in the body are its inputs.' },
  execute: { args: 'sequence_id', body: 'parameter_application', tags: '*', step: 7, shared: true, inside: {},
    text: 'run sequence {sequence_id}', about: 'Runs another sequence, or the same one again. The body sets its variables.', pick: 'program' },
  explanation: { args: 'message', tags: 'data', example: { message: 'The robot is locked.' },
    text: 'because: {message}', about: 'Why a request failed. Only in responses of the robot.' },
  factory_reset: { args: 'package', tags: 'function cuts_power', step: 9,
    text: 'reset {package} to factory settings', about: 'Deletes all settings of the software or of the motor controller.' },
  find_home: { args: 'speed axis', tags: 'function firmware_user', step: 10, shared: true,
    text: 'find home on axis {axis} at {speed} % speed', about: 'Moves to the end of an axis until the motor stalls, and sets that position to 0.' },
  flash_firmware: { args: 'package', tags: 'api_writer disk_user firmware_user function network_user', step: 11, example: { package: 'arduino_firmware' },
    text: 'flash the firmware of {package}', about: 'Installs the firmware of the motor controller again.' },
  home: { args: 'speed axis', tags: 'function firmware_user', step: 12,
    text: 'go to 0 on axis {axis} at {speed} % speed', about: 'Moves to 0 on an axis.' },
  identifier: { args: 'label', tags: 'data', shared: true,
    text: '{label}', about: 'The value of a variable, by its label in the declaration.' },
  install_farmware: { args: 'url', tags: 'function network_user disk_user api_writer', step: 13,
    text: 'install the farmware from {url}', about: 'Installs a farmware from the URL of its manifest.' },
  install_first_party_farmware: { args: '', tags: 'function network_user', step: 14,
    text: 'install the first-party farmware', about: "Installs the robot manufacturer's farmware." },
  internal_entry_point: { args: '', tags: 'private',
    text: 'begin', about: 'Used inside the robot. Never sent.' },
  internal_farm_event: { args: '', body: 'parameter_application', tags: '', inside: {},
    text: 'with these values', about: 'The root of a farm event\'s `body`. Never sent.' },
  internal_regimen: { args: '', body: 'parameter_application parameter_declaration variable_declaration', tags: '', inside: {},
    text: 'with these values', about: 'The root of a regimen\'s `body`. Never sent.' },
  move_relative: { args: 'x y z speed', tags: 'firmware_user function', step: 18, shared: true,
    text: 'move by ({x}, {y}, {z}) at {speed} % speed', about: 'Moves by a distance in millimeters from the current position.' },
  nothing: { args: '', tags: 'data function', shared: true,
    text: 'continue', about: 'Does nothing: the branch of an `_if` or `assertion` that continues with the next step.' },
  pair: { args: 'label value', tags: 'data', shared: true, rule: 'a tool is mounted', example: { label: 'plant_stage' },
    text: '{label} = {value}', about: 'A name and its value.' },
  parameter_application: { args: 'label data_value', tags: 'function control_flow scope_writer', shared: true,
    text: '{label} = {data_value}', about: 'Sets a variable of the sequence that is run.' },
  parameter_declaration: { args: 'label default_value', tags: 'scope_writer', shared: true,
    text: '{label}: parameter, default {default_value}', about: 'A variable that can be set when the sequence is run.', pick: 'defaultValue' },
  point: { args: 'pointer_type pointer_id', tags: 'location_like data', shared: true,
    text: '{pointer_type} {pointer_id}', about: 'A plant, weed, tool slot or other point of the garden.' },
  power_off: { args: '', tags: 'cuts_power function', step: 20, shared: true,
    text: 'power off', about: 'Shuts the robot down.' },
  read_status: { args: '', tags: 'function', step: 22,
    text: 'report the status', about: 'Makes the robot send its whole status.' },
  reboot: { args: 'package', tags: 'cuts_power function firmware_user', step: 23, shared: true,
    text: 'restart {package}', about: 'Restarts the computer or the motor controller.' },
  remove_farmware: { args: 'package', tags: 'function', step: 24,
    text: 'remove the farmware {package}', about: 'Removes a farmware. The list of packages has no farmware, so this cannot be used.' },
  rpc_error: { args: 'label', body: 'explanation', tags: 'data', example: { label: 'a1b2c3' }, inside: { message: 'The robot is locked.' },
    text: 'request {label} failed', about: 'The response of a robot to a failed request. Only between clients and robots.' },
  rpc_ok: { args: 'label', tags: 'data', example: { label: 'a1b2c3' },
    text: 'request {label} succeeded', about: 'The response of a robot to a completed request. Only between clients and robots.' },
  rpc_request: { args: 'label priority', body: 'steps', tags: '*', example: { label: 'a1b2c3' }, inside: {},
    text: 'request {label}', about: 'Asks a robot to run steps immediately. Only between clients and robots.' },
  scope_declaration: { args: '', body: 'variable_declaration parameter_declaration', tags: 'scope_writer', shared: true, inside: {},
    text: 'variables', about: 'The variables of a sequence: its argument `locals`.' },
  send_message: { args: 'message message_type', body: 'channel', tags: 'function', step: 26, shared: true, inside: {},
    text: 'say "{message}" ({message_type})', about: 'Writes a log message. `{{ x }}` in it becomes the position on that axis, `{{ pin13 }}` the last value of a pin, `{{ CURRENT_TIME }}` the time.' },
  sequence: { args: 'version locals', body: 'steps', tags: '*', shared: true, inside: {},
    text: 'sequence', about: 'A whole sequence. Clients send its `args` and `body` as fields of the sequence; the server sets the version.' },
  set_servo_angle: { args: 'pin_number pin_value', tags: 'function firmware_user', step: 27, shared: true, example: { pin_number: 4, pin_value: 90 },
    text: 'turn the servo at pin {pin_number} to {pin_value} degrees', about: 'Turns a servo motor.' },
  set_user_env: { args: '', body: 'pair', tags: 'function disk_user', step: 28, inside: { label: 'camera', value: 'USB' },
    text: 'set farmware settings', about: 'Stores the pairs in the body as settings for farmware on the robot.' },
  sync: { args: '', tags: 'disk_user network_user function', step: 29,
    text: 'sync with the server', about: 'Makes the robot fetch changes from the server.' },
  take_photo: { args: '', tags: 'disk_user function', step: 30, shared: true,
    text: 'take a photo', about: 'Takes a photo and uploads it.' },
  text: { args: 'string', tags: '', shared: true,
    text: '"{string}"', about: 'A string, as the value of a variable.' },
  toggle_pin: { args: 'pin_number', tags: 'function firmware_user', step: 31, pick: 'peripheral', example: { pin_number: 'named_pin' },
    text: 'toggle pin {pin_number}', about: 'Switches a pin on if it is off, and off if it is on.' },
  tool: { args: 'tool_id', tags: 'data location_like api_validated', text: 'tool {tool_id}', about: "The position of the tool's slot." },
  update_farmware: { args: 'package', tags: 'function network_user api_validated', step: 32,
    text: 'update the farmware {package}', about: 'Updates a farmware. The list of packages has no farmware, so this cannot be used.' },
  variable_declaration: { args: 'label data_value', tags: 'scope_writer function', shared: true, pick: 'value',
    text: '{label} = {data_value}', about: 'A variable with a fixed value.' },
  wait: { args: 'milliseconds', tags: 'function', step: 33, shared: true,
    text: 'wait {milliseconds} ms', about: 'Waits for at most three minutes.' },
  zero: { args: 'axis', tags: 'function firmware_user', step: 35, shared: true,
    text: 'set the position on axis {axis} to 0', about: 'Sets the current position on an axis to 0.' },
  named_pin: { args: 'pin_type pin_id', tags: 'api_validated firmware_user rpi_user data function',
    text: '{pin_type} {pin_id}', about: 'The pin of a peripheral or sensor of the garden, or a light of the electronics box (any `pin_id` but 0).' },
  move_absolute: { args: 'location speed offset', tags: 'function firmware_user', step: 17, shared: true, pick: 'location',
    text: 'move to {location}, offset {offset}, at {speed} % speed', about: 'Moves to a location plus an offset.' },
  write_pin: { args: 'pin_number pin_value pin_mode', tags: 'function firmware_user rpi_user', step: 34, pick: 'peripheral', rule: 'no analog light',
    text: 'set pin {pin_number} to {pin_value} (mode {pin_mode})', about: 'Sets a pin. Mode 0 is digital (value 0 or 1), mode 1 is analog (0 to 255).' },
  read_pin: { args: 'pin_number label pin_mode', tags: 'function firmware_user rpi_user', step: 21, shared: true, pick: 'sensor', rule: 'no analog light', example: { label: 'moisture', pin_number: 59, pin_mode: 1 },
    text: 'read pin {pin_number} as "{label}" (mode {pin_mode})', about: 'Reads a pin and stores the reading. Mode 0 is digital, mode 1 is analog.' },
  resource_update: { args: 'resource_type resource_id label value', tags: 'function api_writer network_user', shared: true, rule: 'never stored', example: { label: 'plant_stage' },
    text: 'set {label} of {resource_type} {resource_id} to {value}', about: 'Replaced by `update_resource`.' },
  resource: { args: 'resource_type resource_id', tags: 'network_user',
    text: '{resource_type} {resource_id}', about: 'A record of the account. `Device` is the robot itself, whatever the id.' },
  resource_placeholder: { args: 'resource_type', tags: '', shared: true, rule: 'only as default',
    text: 'any {resource_type}', about: 'As a default: a record must be chosen when the sequence is run.' },
  number_placeholder: { args: '', tags: '', shared: true, rule: 'only as default',
    text: 'any number', about: 'As a default: a number must be given when the sequence is run.' },
  text_placeholder: { args: '', tags: '', shared: true, rule: 'only as default',
    text: 'any string', about: 'As a default: a string must be given when the sequence is run.' },
  location_placeholder: { args: '', tags: '', shared: true, rule: 'only as default',
    text: 'any location', about: 'As a default: a location must be chosen when the sequence is run.' },
  update_resource: { args: 'resource', body: 'pair', tags: 'function api_writer network_user', step: 25, inside: {},
    text: 'change {resource}', about: 'Changes a record: the pairs in the body are its fields and their new values.' },
  point_group: { args: 'point_group_id', tags: 'data list_like',
    text: 'each point of group {point_group_id}', about: 'All points of a group: the sequence runs once for each.' },
  numeric: { args: 'number', tags: 'data', shared: true,
    text: '{number}', about: 'A whole number.' },
  lua: { args: 'lua', body: 'pair', tags: '*', step: 16, shared: true, example: { lua: 'toast("Hello")' },
    text: 'run Lua\n{lua}', about: 'Runs Lua on the robot. A pair `prompt` holds the prompt that a language model was given.' },
  special_value: { args: 'label', tags: 'data', shared: true, example: { label: 'safe_height' },
    text: 'the {label}', about: 'A value that the robot computes: `current_location`, `safe_height` or `soil_height`.' },
  axis_overwrite: { args: 'axis axis_operand', tags: 'data', shared: true,
    text: '{axis}: to {axis_operand}', about: 'The target on one axis or all.' },
  axis_addition: { args: 'axis axis_operand', tags: 'data', shared: true,
    text: '{axis}: plus {axis_operand}', about: 'A distance added to the target on one axis or all.' },
  speed_overwrite: { args: 'speed_setting axis', tags: 'data', shared: true, example: { axis: 'all' },
    text: '{axis}: at {speed_setting} % speed', about: 'The speed on one axis or all, in percent.' },
  safe_z: { args: '', tags: 'data', shared: true,
    text: 'via the safe height', about: 'Moves up to the safe height first, then across, then down.' },
  axis_order: { args: 'grouping route', tags: 'data', shared: true,
    text: 'axes in the order {grouping}, {route}', about: 'Which axes move together and in which order.' },
  random: { args: 'variance', tags: 'data', shared: true,
    text: 'a random number from -{variance} to {variance}', about: 'A random number around 0.' },
  move: { args: '', body: 'axis_overwrite axis_addition speed_overwrite axis_order safe_z', tags: 'function firmware_user', step: 19, shared: true, inside: { axis: 'z' },
    text: 'move', about: 'Moves: the body defines the target, offsets, speeds and the order of axes. With an empty body nothing moves.' },
  set_pin_io_mode: { args: 'pin_io_mode pin_number', tags: 'firmware_user function', step: 36, unlisted: true,
    text: 'make pin {pin_number} an {pin_io_mode}', about: 'Makes a pin an input or an output. Robots support it; `GET /api/corpus` does not list it.' },
} as const satisfies Readonly<Record<string, NodeRow>>;

type Nodes = typeof nodes;
type Args = typeof args;
export type Words<S extends string> = S extends `${infer First} ${infer Rest}`
  ? First | Words<Rest>
  : S extends ''
    ? never
    : S;

/** The name of a kind of node. */
export type NodeKind = keyof Nodes;

/** The kinds allowed in the body of a sequence. */
export type Step = { [K in NodeKind]: Nodes[K] extends { readonly step: number } ? K : never }[NodeKind];

/** The names of a kind's arguments. */
export type ArgsOf<K extends NodeKind> = Extract<Words<Nodes[K]['args']>, ArgName>;

/** The kinds allowed in a kind's body. */
export type BodyOf<K extends NodeKind> = Nodes[K] extends { readonly body: infer B extends string }
  ? B extends 'steps'
    ? Step
    : Extract<Words<B>, NodeKind>
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
    : W extends NodeKind
      ? NodeOf<W>
      : never;

type BodyWords<K extends NodeKind> = Nodes[K] extends { readonly body: infer B extends string } ? Words<B> : never;

/** Compiles only for `never`; otherwise the error shows the names. */
export type NoNames<Names extends never> = Names;

/** The words in the tables that name no plain type, list, kind or argument: a misspelled one does not compile. */
export type UnknownNames = NoNames<
  | Exclude<Words<Args[ArgName]['takes']>, keyof Plain | EnumName | NodeKind>
  | Exclude<Words<Nodes[NodeKind]['args']>, ArgName>
  | Exclude<BodyWords<NodeKind>, NodeKind | 'steps'>
>;

/** The values that an argument accepts. The checker accepts variables in more places. */
export type ArgValue<A extends ArgName> = Taken<Words<Args[A]['takes']>>;

/** A node of one kind (of any of these kinds, for a union). */
export type NodeOf<K extends NodeKind> = K extends NodeKind
  ? {
      kind: K;
      args: { [A in ArgsOf<K>]: ArgValue<A> };
      body?: NodeOf<BodyOf<K>>[] | undefined;
      comment?: string | undefined;
    }
  : never;
