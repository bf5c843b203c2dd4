import type { colors } from '../../programs/sequences.ts';
import type { Node } from '../../programs/tree.ts';

/** Functions that return the ids of seeded records by name. They throw an Error for an unknown name. */
export interface Names {
  peripheral(label: string): number;
  sensor(label: string): number;
  tool(name: string): number;
  group(name: string): number;
  sequence(name: string): number;
}

/** A built-in program. */
export interface SeedProgram {
  readonly name: string;
  readonly color: (typeof colors)[number];
  /** Whether a program of this name is installed from the publisher instead, if shared. [rule S7] */
  readonly isShared?: true;
  readonly pinned?: true;
  /** Its variables. */
  readonly locals?: readonly Node[];
  readonly steps: (names: Names) => readonly Node[];
}

type Axis = 'x' | 'y' | 'z';

const node = (kind: string, args: Node['args'] = {}, body?: readonly Node[]): Node => ({
  kind,
  args,
  ...(body && { body }),
});

/** Adds a comment to a step. */
export const commented = (comment: string, step: Node): Node => ({ ...step, comment });

export const numericNode = (number: number): Node => node('numeric', { number });
export const textNode = (string: string): Node => node('text', { string });
export const coordinateNode = (x: number, y: number, z: number): Node => node('coordinate', { x, y, z });
export const variableNode = (label: string): Node => node('identifier', { label });
export const toolNode = (tool_id: number): Node => node('tool', { tool_id });
export const specialValueNode = (label: 'safe_height' | 'soil_height'): Node => node('special_value', { label });
export const anyLocationNode: Node = node('location_placeholder');
export const anySequenceNode: Node = node('resource_placeholder', { resource_type: 'Sequence' });

/** A variable that callers may set. */
export const parameterNode = (label: string, default_value: Node): Node =>
  node('parameter_declaration', { label, default_value });

/** A variable with a fixed value. */
export const constantNode = (label: string, data_value: Node): Node =>
  node('variable_declaration', { label, data_value });

/** The location of a program; the web app suggests plants for a variable of this name. */
export const placeNode = parameterNode('parent', coordinateNode(0, 0, 0));

export const axisNode = (axis: Axis, axis_operand: Node): Node => node('axis_overwrite', { axis, axis_operand });
/** Parts of {@link moveNode} to one location on several axes. */
export const axisNodes = (axes: readonly Axis[], location: Node): Node[] =>
  axes.map((axis) => axisNode(axis, location));
/** Sets the speed in percent. */
export const speedNode = (axis: Axis, percent: number): Node =>
  node('speed_overwrite', { axis, speed_setting: numericNode(percent) });
/** Moves up first, then across, then down. */
export const safeZNode: Node = node('safe_z');

export const moveNode = (...parts: readonly Node[]): Node => node('move', {}, parts);
export const findHomeNode = (axis: Axis | 'all'): Node => node('find_home', { speed: 100, axis });
export const waitNode = (milliseconds: number): Node => node('wait', { milliseconds });
export const takePhotoNode: Node = node('take_photo');

/** Switches a peripheral on (1) or off (0). */
export const writeNode = (peripheral: number, pin_value: 0 | 1): Node =>
  node('write_pin', {
    pin_mode: 0,
    pin_value,
    pin_number: node('named_pin', { pin_type: 'Peripheral', pin_id: peripheral }),
  });

/** Reads an analog sensor. */
export const readSensorNode = (sensor: number, label: string): Node =>
  node('read_pin', {
    pin_mode: 1,
    label,
    pin_number: node('named_pin', { pin_type: 'Sensor', pin_id: sensor }),
  });

/** A value for the variable of a program: a record of the garden. */
export const recordValueNode = (label: string, kind: 'point' | 'point_group', args: Node['args']): Node =>
  node('parameter_application', { label, data_value: node(kind, args) });

/** Runs a sequence once for each point of a group, which becomes the value of a parameter. */
export const executeForGroupNode = (sequence_id: number, label: string, point_group_id: number): Node =>
  node('execute', { sequence_id }, [recordValueNode(label, 'point_group', { point_group_id })]);

/** A Lua script of at most 3000 characters as JSON. [rule P14] */
export const luaNode = (script: string): Node => node('lua', { lua: script.trim() });

/** Lua that sets a local variable to a tool. Robots with an OS before 15.5.3 do not keep the offsets of tools: they ask the server. [rule S20] */
export const toolScript = (variable: string, name: string): string => `
local ${variable} = get_tool({ name = "${name}" }) or {}
if ${variable}.id and not ${variable}.effector_offset_z then
  ${variable} = api({ url = "/api/tools/" .. ${variable}.id }) or {}
end`;

/** From the head of the robot to the tip of a tool, in mm. */
export type TipOffset = Readonly<Record<Axis, number>>;

/**
 * Parts of {@link moveNode} that put the tip of a tool at a place instead of the head, `above` mm above it. `unknown` counts where neither
 * the robot nor the server knows the tool's offset. The vendor's web app edits their Lua in a field of one line. [rule S20, ADR 115]
 */
export const tipNodes = (axes: readonly Axis[], tool: string, unknown: TipOffset, above = 0): Node[] =>
  axes.map((axis) => {
    const offset = `tool.effector_offset_${axis} or ${unknown[axis]}`;
    const lua = `${toolScript('tool', tool)} return ${axis === 'z' ? above : 0} - (${offset})`;
    return node('axis_addition', { axis, axis_operand: luaNode(lua.replaceAll(/\s+/g, ' ')) });
  });

/**
 * Lua that sets a local variable to the points of a type and stage, the nearest first. Robots with an OS before 15.5 have no such function,
 * and sort ids. Texts between apostrophes are no words of a language.
 */
export const pointsScript = (variable: string, getter: string, type: string, stage: string): string => `
local ${variable} = {}
if ${getter} then
  ${variable} = sort(${getter}(), "nn")
else
  local by_id, ids = {}, {}
  for _, point in pairs(api({ url = "/api/points" }) or {}) do
    if point.pointer_type == '${type}' and point.plant_stage == '${stage}' then
      by_id[point.id] = point
      table.insert(ids, point.id)
    end
  end
  local sorted = sort(ids, "nn")
  for index = 1, #sorted do
    table.insert(${variable}, by_id[sorted[index]])
  end
end`;
