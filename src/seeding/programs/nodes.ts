import type { colors } from '../../programs/sequences.ts';

/** A node of the command language. */
export interface Node {
  readonly kind: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly body?: readonly Node[];
  readonly comment?: string;
}

/** The ids of what a seeded program names, by the names that its product line gives. Each throws an Error for a name that is not there. */
export interface Names {
  peripheral(label: string): number;
  tool(name: string): number;
  group(name: string): number;
  sequence(name: string): number;
}

/** A program that seeding brings. */
export interface SeedProgram {
  readonly name: string;
  readonly color: (typeof colors)[number];
  /** Where the server's publisher shares a program of this name, that one is installed instead. [reference 5.9] */
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

/** The same step, with a comment for its readers. */
export const commented = (comment: string, step: Node): Node => ({ ...step, comment });

export const numeric = (number: number): Node => node('numeric', { number });
export const text = (string: string): Node => node('text', { string });
export const coordinate = (x: number, y: number, z: number): Node => node('coordinate', { x, y, z });
export const variable = (label: string): Node => node('identifier', { label });
export const toolLocation = (tool_id: number): Node => node('tool', { tool_id });
export const special = (label: 'safe_height' | 'soil_height'): Node => node('special_value', { label });
export const anyLocation: Node = node('location_placeholder');
export const anySequence: Node = node('resource_placeholder', { resource_type: 'Sequence' });

/** A variable that whoever runs the program may fill. */
export const parameter = (label: string, default_value: Node): Node =>
  node('parameter_declaration', { label, default_value });

/** A variable that only the program itself fills. */
export const constant = (label: string, data_value: Node): Node => node('variable_declaration', { label, data_value });

/** The place that a program works at: web apps offer plants for it. */
export const place = parameter('parent', coordinate(0, 0, 0));

/** What {@link move} is made of. */
export const to = (axis: Axis, axis_operand: Node): Node => node('axis_overwrite', { axis, axis_operand });
/** To one location in several axes. */
export const toAll = (axes: readonly Axis[], location: Node): Node[] => axes.map((axis) => to(axis, location));
/** Millimetres more. */
export const plus = (axis: Axis, millimetres: number): Node =>
  node('axis_addition', { axis, axis_operand: numeric(millimetres) });
/** Percent of the greatest speed. */
export const speed = (axis: Axis, percent: number): Node =>
  node('speed_overwrite', { axis, speed_setting: numeric(percent) });
/** Up first, then across, then down. */
export const safely: Node = node('safe_z');

export const move = (...parts: readonly Node[]): Node => node('move', {}, parts);
export const findHome = (axis: Axis | 'all'): Node => node('find_home', { speed: 100, axis });
export const wait = (milliseconds: number): Node => node('wait', { milliseconds });
export const takePhoto: Node = node('take_photo');

/** Switches a peripheral on (1) or off (0). */
export const write = (peripheral: number, pin_value: 0 | 1): Node =>
  node('write_pin', {
    pin_mode: 0,
    pin_value,
    pin_number: node('named_pin', { pin_type: 'Peripheral', pin_id: peripheral }),
  });

/** Runs a sequence once for every point of a group, in place of a parameter. */
export const executeForGroup = (sequence_id: number, label: string, point_group_id: number): Node =>
  node('execute', { sequence_id }, [
    node('parameter_application', { label, data_value: node('point_group', { point_group_id }) }),
  ]);

/** A script. At most 3000 characters as JSON. [reference 2.7] */
export const lua = (script: string): Node => node('lua', { lua: script.trim() });
