import type { Xyz } from 'farmbot';
import { isObject } from '../core/json.ts';

/** Why a step was not carried out, as a sentence for the client. */
export class StepError extends Error {}

/** A node of the command language that was looked at from the outside; its arguments were not. */
export interface RobotNode {
  readonly kind: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly body: readonly RobotNode[];
}

/** How deep bodies may be nested. */
export const maxBodyDepth = 20;

/** A place or a way, in millimetres on each axis. */
export type Vector = Readonly<Record<Xyz, number>>;

export const axes = ['x', 'y', 'z'] as const satisfies readonly Xyz[];

/** Metres of garden that nobody has: coordinates lie within ± this many millimetres. */
const longestAxis = 100_000;

/** Text from elsewhere, harmless to a terminal and to a log. At most `length` characters. */
export const toPrintable = (text: string, length = 300): string => text.replaceAll(/\p{Cc}+/gu, ' ').slice(0, length);

/** Reads a node and the nodes in its body. Throws {@link StepError}. */
export function readNode(value: unknown, depth = 0): RobotNode {
  if (depth > maxBodyDepth) throw new StepError(`Steps are nested more than ${maxBodyDepth} deep.`);
  if (!isObject(value) || typeof value.kind !== 'string' || !isObject(value.args))
    throw new StepError('A step must be an object with a "kind" and "args".');
  const body = value.body ?? [];
  if (!Array.isArray(body)) throw new StepError(`The body of "${toPrintable(value.kind, 40)}" is not a list.`);
  return { kind: value.kind, args: value.args, body: body.map((each) => readNode(each, depth + 1)) };
}

const lacks = (node: RobotNode, name: string, what: string): StepError =>
  new StepError(`"${toPrintable(node.kind, 40)}" needs ${what} as "${name}".`);

/** An argument that is a finite number. Throws {@link StepError}, as all of these do. */
export function numberOf(node: RobotNode, name: string): number {
  const value = node.args[name];
  if (typeof value !== 'number' || !Number.isFinite(value)) throw lacks(node, name, 'a number');
  return value;
}

export function integerOf(node: RobotNode, name: string, least: number, most: number): number {
  const value = node.args[name];
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
    throw lacks(node, name, `a whole number from ${least} to ${most}`);
  return value;
}

export function textOf(node: RobotNode, name: string): string {
  const value = node.args[name];
  if (typeof value !== 'string') throw lacks(node, name, 'text');
  return value;
}

export function nodeOf(node: RobotNode, name: string): RobotNode {
  if (!isObject(node.args[name])) throw lacks(node, name, 'a node');
  return readNode(node.args[name]);
}

/** The axes that the argument `axis` names. */
export function axesOf(node: RobotNode): readonly Xyz[] {
  const value = node.args.axis;
  if (value === 'all') return axes;
  const axis = axes.find((each) => each === value);
  if (!axis) throw lacks(node, 'axis', '"x", "y", "z" or "all"');
  return [axis];
}

/** The position that the arguments `x`, `y` and `z` name. */
export const vectorOf = (node: RobotNode): Vector => ({
  x: numberOf(node, 'x'),
  y: numberOf(node, 'y'),
  z: numberOf(node, 'z'),
});

export const sumOf = (a: Vector, b: Vector): Vector => ({ x: a.x + b.x, y: a.y + b.y, z: a.z + b.z });

/** The same, when a machine could have such an axis. Throws {@link StepError}. */
export function assertReachable(target: Vector): Vector {
  for (const axis of axes) {
    const value = target[axis];
    if (!Number.isFinite(value) || Math.abs(value) > longestAxis)
      throw new StepError(`${axis.toUpperCase()} ${value} is out of reach.`);
  }
  return target;
}

export const coordinatesOf = ({ x, y, z }: Vector): string => `(${[x, y, z].map(shortened).join(', ')})`;

const shortened = (value: number): number => Math.round(value * 100) / 100;
