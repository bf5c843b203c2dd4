/** A function that a robot gives to Lua. [rule R17] */
export interface LuaDeclaration {
  /** Its parameters: `pin, mode?, options?{height}`, where `?` may be left out, `{}` is a table with these fields, and `...` any number. */
  readonly takes: string;
  /** Its result; empty for nothing. */
  readonly gives: string;
  /** Its effect, for people and language models. */
  readonly does: string;
  /** Whether a robot ignores further arguments; they end the script otherwise. */
  readonly ignoresMore: boolean;
}

const strict = <Gives extends string>(takes: string, gives: Gives, does: string) => ({
  ...{ takes, gives, does },
  ignoresMore: false,
});
const lax = <Gives extends string>(takes: string, gives: Gives, does: string) => ({
  ...{ takes, gives, does },
  ignoresMore: true,
});

const outcome = 'true, or nil and the reason';
const coordinates = '{x, y, z}';
const pointFilters =
  'filters?{plant_stage, openfarm_slug, min_radius, max_radius, min_age, max_age, color, at_soil_level}';
const pointList = 'a list of {id, name, x, y, z, radius, age, plant_stage, openfarm_slug, meta, …}';
const toolFields =
  '{id, name, type, flow_rate_ml_per_s, seeder_tip_z_offset, utm_mountable, effector_offset_x, effector_offset_y, effector_offset_z}';
const tool = '{id, name, type}';
const job = '{percent, status, type, time}';
const part = 'part?';
const ofTime = 'text, or the number of the part "year", "month", "day", "hour", "minute" or "second"';

/** THE table of the functions of a robot, by subject. [ADR 106] */
const groups = {
  Movement: {
    move: strict(
      'target{x, y, z, speed, safe_z, grouping, route}',
      '',
      'Moves; all fields may be left out. `speed` is a percentage; `safe_z` moves up first, then across, then down; `grouping` as "xy,z" and `route` "high", "low" or "in_order" order the axes. After a failure, which is logged, the script continues.',
    ),
    move_absolute: strict(
      'x, y?, z?, speed?',
      outcome,
      'Moves in a straight line. It also takes a table as `move` does, and then returns nothing.',
    ),
    go_to_home: lax('axis?, speed?', outcome, 'Moves one axis to 0, or all of them in one straight line.'),
    find_home: strict('axis?', outcome, 'Finds the end of one axis, or of z, y and x.'),
    find_axis_length: strict('axis', outcome, 'Finds the length of an axis.'),
    get_position: lax('axis?', `${coordinates}, or the coordinate of the axis`, 'Where the robot is.'),
    get_xyz: lax('', coordinates, 'Where the robot is.'),
    check_position: strict(
      'place{x, y, z}, tolerance',
      'a boolean',
      'Whether the robot is there; a missing axis is not compared.',
    ),
    coordinate: strict('x, y, z', coordinates, 'A table of three numbers.'),
    safe_z: lax('', 'a number', 'The safe height of the settings.'),
    garden_size: lax('', coordinates, 'The lengths of the axes in the settings; 0 if not set.'),
    verify_in_bounds: lax(
      'place{x, y, z}',
      'a boolean',
      'Whether a place is within the axes that end at 0 or at their length; toasts why not.',
    ),
    soft_stop: lax('', '', 'Ends the movement that runs.'),
    emergency_lock: lax('', outcome, 'Stops everything, the script too.'),
    emergency_unlock: lax('', outcome, 'Unlocks the robot.'),
    grid: lax(
      'options{grid_points, spacing, start, offset, ignore_bounds, ignore_empty}',
      '{total, each}',
      '`each(function(cell) … end)` is called with {x, y, z, count}. `start` and `offset` (subtracted) are optional. Nothing for a grid beyond the axes.',
    ),
  },
  Pins: {
    on: strict('pin', '', 'Writes 1.'),
    off: strict('pin', '', 'Writes 0.'),
    toggle_pin: strict('pin', '', 'Writes 0 or 1, whichever it is not.'),
    write_pin: strict('pin, mode, value', '', 'Mode "analog": 0 to 255; any other: 0 or 1. Fractions are cut.'),
    read_pin: strict(
      'pin, mode?',
      'a number',
      'Mode "analog": 0 to 1023; any other: 0 or 1. The reading is not stored.',
    ),
    set_pin_io_mode: strict('pin, mode', 'true, or false and the reason', 'Mode "input", "input_pullup" or "output".'),
    watch_pin: strict('pin, action', '', 'Calls `action` with {pin, value} when the pin changes.'),
    new_sensor_reading: strict(
      'reading{x, y, z, pin, mode, value, read_at}',
      'true',
      'Stores a reading; `mode` 0 digital, 1 analog.',
    ),
  },
  Tools: {
    get_tool: strict(`tool${tool}`, toolFields, 'The tool with all of these values, or nil.'),
    get_mounted_tool: lax('', toolFields, 'The mounted tool, or nil.'),
    get_slot_for_tool: strict(
      `tool${tool}`,
      '{x, y, z, tool_id, pullout_direction, mount_stage, …}',
      'The slot of a tool, or nil.',
    ),
    verify_tool: lax(`tool?${tool}`, 'a boolean', 'Whether a tool, or this tool, is mounted; toasts why not.'),
    mount_tool: lax(
      'tool',
      '',
      'Mounts the tool of a slot, as `variable` returns it, or of this name; toasts a failure.',
    ),
    dismount_tool: lax('', '', 'Puts the mounted tool into its slot; toasts a failure.'),
    dispense: lax(
      'milliliters, options?{tool_name, pin}',
      '',
      'Opens the valve (pin 8) for as long as the flow rate of the watering nozzle needs; toasts a failure.',
    ),
    get_seed_tray_cell: lax(
      'tray, cell',
      coordinates,
      'The place of a cell, A1 to D4, of a seed tray in a slot whose direction is along x.',
    ),
  },
  Garden: {
    get_plants: strict(pointFilters, pointList, 'Plants; by default only those with the stage "planted".'),
    get_weeds: strict(pointFilters, pointList, 'Weeds; by default only those with the stage "active".'),
    get_generic_points: strict(
      pointFilters,
      pointList,
      'Points that are no plants, weeds or slots. `at_soil_level` is "true" or "false".',
    ),
    get_group: strict('id_or_name', pointList, 'The points of a group, in its order; none if there is no such group.'),
    group: strict('id', 'a list of ids', 'The ids of the points of a group, in its order.'),
    sort: strict(
      'points, method',
      'the same',
      'Sorts points or their ids by an order of groups: "nn" (the nearest to the one before), "xy_ascending", "yx_alternating", "random", …',
    ),
    water: lax(
      'plant, options?{tool_name, pin}',
      '',
      'Goes to a plant and dispenses what its water curve has for its age; toasts why not.',
    ),
    get_curve: lax('id', '{name, type, unit, day}', '`day(number)` returns the value of the curve on a day.'),
    get_raw_curve: strict('curve{id}', '{id, name, type, data}', 'A curve with its values by day, or nil.'),
    soil_height: strict(
      'x, y',
      'a number',
      'The height of the soil, from three measurements on; else that of the settings.',
    ),
    take_photo: strict('width?, height?, arguments?', 'nil, or the reason', 'Takes and uploads a photo.'),
    take_photo_raw: strict('width?, height?, arguments?', 'the JPEG as text, or nil and the reason', 'Takes a photo.'),
    photo_grid: lax(
      '',
      '{total, each, x_grid_points, y_grid_points, x_grid_start_mm, y_grid_start_mm, x_grid_size_mm, y_grid_size_mm, x_spacing_mm, y_spacing_mm, x_offset_mm, y_offset_mm, z}',
      'The places of photos of the whole garden, as `grid` has them; needs a camera calibration.',
    ),
    detect_weeds: lax('', 'nil, or the reason', 'Takes a photo and stores the weeds that it finds.'),
    measure_soil_height: lax('', 'nil, or the reason', 'Measures the height of the soil and stores it as a point.'),
    calibrate_camera: lax('', 'nil, or the reason', 'Calibrates the camera.'),
  },
  Messages: {
    toast: strict(
      'message, type?',
      outcome,
      'Logs a message and shows it. `type` "success", "busy", "warn", "error", "info" (the default), "fun", "debug" or "assertion".',
    ),
    send_message: strict(
      'type, message, channels?',
      outcome,
      'Logs a message. `channels`: "toast", "email" or "espeak", or a list of them.',
    ),
    debug: strict('message', outcome, 'Logs a message of the type "debug".'),
    set_job: strict(`name, job?${job}`, '', 'Adds a job to the list of jobs, or changes these fields of it.'),
    set_job_progress: strict(`name, job${job}`, '', 'Adds or replaces a job.'),
    complete_job: strict('name', '', 'Sets a job to 100 % and "Complete".'),
    get_job: strict('name', job, 'A job, or nil.'),
    get_job_progress: strict('name', job, 'The same.'),
  },
  Time: {
    wait: lax('milliseconds, options?{job, status}', '', 'Waits, and shows a job from a second on.'),
    wait_ms: strict('milliseconds', 'the milliseconds', 'Waits; three minutes or more lock the robot.'),
    utc: lax(part, ofTime, 'Now, in UTC.'),
    local_time: lax(part, ofTime, 'Now, in the time zone of the robot.'),
    to_unix: strict('time', 'a number', 'Seconds since 1970, of text like that of `utc`.'),
    current_month: lax('', 'a number', 'In UTC.'),
    current_hour: lax('', 'a number', 'In UTC.'),
    current_minute: lax('', 'a number', 'In UTC.'),
    current_second: lax('', 'a number', 'In UTC.'),
  },
  Settings: {
    env: strict('name, value?', 'text, or nil', 'Reads or stores a value under a name.'),
    get_device: lax('field?', 'a table, or the field', 'The device: name, timezone, mounted_tool_id, lat, lng, …'),
    get_fbos_config: lax('field?', 'a table, or the field', 'The settings of the robot.'),
    get_firmware_config: lax('field?', 'a table, or the field', 'The settings of the motors.'),
    update_device: strict('fields{...}', outcome, 'Changes the device. `mounted_tool_id = 0` is none.'),
    update_fbos_config: strict('fields{...}', outcome, 'Changes settings of the robot.'),
    update_firmware_config: strict('fields{...}', outcome, 'Changes settings of the motors.'),
    read_status: strict(
      '...path',
      'a value',
      'The state of the robot, or a part of it: `read_status("location_data", "position")`.',
    ),
    fbos_version: lax('', 'text', 'The version of the robot’s software.'),
    firmware_version: lax('', 'text', 'The version of the firmware.'),
    is_demo: lax('', 'false', 'Whether the script runs in a demo in the browser.'),
    auth_token: lax('', 'text', 'The token of the robot.'),
  },
  Programs: {
    variable: strict(
      'label?',
      'the value of a variable',
      'A number, text, a table with x, y, z (and age, name, …), or a table of a program. `variable("__GROUP__")` is {name, current_index, size} while the program runs for a group. An unknown one is a table with `error`.',
    ),
    variables: strict('label?', 'the value of a variable', 'The same.'),
    sequence: lax(
      'id, parameters?{...}',
      'true, or false and the reason',
      'Runs a program. `parameters`: nodes of the command language by label.',
    ),
    rpc: lax(
      'step',
      'true, or false and the reason',
      'Runs a step of the command language: `rpc({kind = "wait", args = {milliseconds = 5}})`.',
    ),
    cs_eval: strict('node', 'true, or false and the reason', 'Runs an `execute`, `sequence` or `rpc_request`.'),
  },
  Data: {
    api: lax(
      'request{method, url, body, headers}',
      'the decoded response, or nil',
      'Sends a request to a path of the server, `/api/…`; a failure is logged.',
    ),
    http: strict(
      'request{url, method, headers, body}',
      '{status, body, headers}, or nil and the reason',
      'Sends a request to another server.',
    ),
    'json.encode': strict('value', 'text', 'Encodes JSON.'),
    'json.decode': strict('text', 'a value, or nil and the reason', 'Decodes JSON.'),
    inspect: strict('value', 'text', 'The same as `json.encode`.'),
    'base64.encode': strict('text', 'text', 'Encodes Base64.'),
    'base64.decode': strict('text', 'text', 'Decodes Base64.'),
  },
  Hardware: {
    gcode: strict('command, parameters{...}', '', 'Sends G-code to the motor controller.'),
    'uart.list': strict('', 'a list of names', 'The serial ports of the computer.'),
    'uart.open': strict('name, speed', 'a port, or nil and the reason', 'Opens a serial port: {read, write, close}.'),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, LuaDeclaration>>>>;

type Groups = typeof groups;
type NameIn<Group> = Group extends unknown ? keyof Group : never;
/** The name of a function of a robot; names of functions in a library begin with it: `json.encode`. */
export type LuaFunctionName = NameIn<Groups[keyof Groups]>;

type Declaration<Group> = Group extends unknown ? Group[keyof Group] : never;
type Result = Extract<Declaration<Groups[keyof Groups]>, LuaDeclaration>['gives'];
/** A result that is described in words; others are tables of Lua. */
export type LuaResultInWords = Exclude<Result, '' | 'nil' | 'true' | 'false' | `{${string}}`>;

/** The functions by subject. */
export const luaFunctionGroups: ReadonlyMap<string, ReadonlyMap<string, LuaDeclaration>> = new Map(
  Object.entries(groups).map(([subject, functions]) => [subject, new Map(Object.entries(functions))]),
);

/** The functions by name. */
export const luaDeclarations: ReadonlyMap<string, LuaDeclaration> = new Map(
  [...luaFunctionGroups.values()].flatMap((functions) => [...functions]),
);

/** A parameter of a function. */
export interface LuaParameter {
  readonly name: string;
  readonly isOptional: boolean;
  /** Whether it stands for all arguments that remain. */
  readonly isRest: boolean;
  /** The fields of a table that the function takes, if it is one; null: any. */
  readonly fields: readonly string[] | null;
}

/** Parses {@link LuaDeclaration.takes}. */
export const parametersOf = ({ takes }: LuaDeclaration): readonly LuaParameter[] =>
  [...takes.matchAll(/(\.\.\.)?(\w+)(\?)?(?:\{([^}]*)\})?/g)].map(([, rest, name = '', optional, fields]) => ({
    name,
    isOptional: optional !== undefined || rest !== undefined,
    isRest: rest !== undefined,
    fields: fields === undefined || fields === '...' ? null : fields.split(', '),
  }));

/** Returns a function with its parameters, as in Lua: `dispense(milliliters, {tool_name=, pin=}?)`. */
export function signatureOf(name: string, declaration: LuaDeclaration): string {
  const parameters = parametersOf(declaration).map((each) => {
    const { isOptional, isRest, fields } = each;
    if (isRest) return `...${each.name}`;
    return `${fields ? `{${fields.map((field) => `${field}=`).join(', ')}}` : each.name}${isOptional ? '?' : ''}`;
  });
  return `${name}(${parameters.join(', ')})`;
}
