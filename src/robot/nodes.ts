import type { Xyz } from 'farmbot';
import { isObject } from '../core/json.ts';

/** The reason why a step was not run, as a sentence for the client. */
export class StepError extends Error {}

/** A node of the command language with unchecked arguments. */
export interface RobotNode {
  readonly kind: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly body: readonly RobotNode[];
}

/** Maximum depth of nested bodies. */
const maxBodyDepth = 20;

/** A position or a distance, in mm per axis. */
export type Vector = Readonly<Record<Xyz, number>>;

export const axes = ['x', 'y', 'z'] as const satisfies readonly Xyz[];

/** Maximum absolute coordinate, in mm. */
const maxCoordinate = 100_000;

/** Returns external text for terminals and logs: without control characters, at max `length` characters. */
export const toPrintable = (text: string, length = 300): string => text.replaceAll(/\p{Cc}+/gu, ' ').slice(0, length);

/** Parses a node and the nodes in its body. Throws {@link StepError}. */
export function readNode(value: unknown, depth = 0): RobotNode {
  if (depth > maxBodyDepth) throw new StepError(`Steps are nested more than ${maxBodyDepth} deep.`);
  if (!isObject(value) || typeof value.kind !== 'string' || !isObject(value.args))
    throw new StepError('A step must be an object with a "kind" and "args".');
  const body = value.body ?? [];
  if (!Array.isArray(body)) throw new StepError(`The body of "${toPrintable(value.kind, 40)}" is not a list.`);
  return { kind: value.kind, args: value.args, body: body.map((each) => readNode(each, depth + 1)) };
}

/** Returns a node. */
export const createNode = (kind: string, args: RobotNode['args'] = {}, body: readonly RobotNode[] = []): RobotNode => ({
  kind,
  args,
  body,
});

const missing = (node: RobotNode, name: string, what: string): StepError =>
  new StepError(`"${toPrintable(node.kind, 40)}" needs ${what} as "${name}".`);

/** Returns a finite number argument. Throws {@link StepError}, like the following functions. */
export function numberOf(node: RobotNode, name: string): number {
  const value = node.args[name];
  if (typeof value !== 'number' || !Number.isFinite(value)) throw missing(node, name, 'a number');
  return value;
}

export function integerOf(node: RobotNode, name: string, min: number, max: number): number {
  const value = node.args[name];
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
    throw missing(node, name, `a whole number from ${min} to ${max}`);
  return value;
}

export function textOf(node: RobotNode, name: string): string {
  const value = node.args[name];
  if (typeof value !== 'string') throw missing(node, name, 'text');
  return value;
}

/** Returns whether an argument is given. */
export const hasArg = (node: RobotNode, name: string): boolean => node.args[name] !== undefined;

export function nodeOf(node: RobotNode, name: string): RobotNode {
  if (!isObject(node.args[name])) throw missing(node, name, 'a node');
  return readNode(node.args[name]);
}

/** Returns the axes that the argument `axis` names. */
export function axesOf(node: RobotNode): readonly Xyz[] {
  const value = node.args.axis;
  if (value === 'all') return axes;
  const axis = axes.find((each) => each === value);
  if (!axis) throw missing(node, 'axis', '"x", "y", "z" or "all"');
  return [axis];
}

/** Returns the position in the arguments `x`, `y` and `z`. */
export const vectorOf = (node: RobotNode): Vector => ({
  x: numberOf(node, 'x'),
  y: numberOf(node, 'y'),
  z: numberOf(node, 'z'),
});

export const sumOf = (a: Vector, b: Vector): Vector => ({ x: a.x + b.x, y: a.y + b.y, z: a.z + b.z });

/** Returns the position if it is within {@link maxCoordinate}. Throws {@link StepError}. */
export function assertReachable(target: Vector): Vector {
  for (const axis of axes) {
    const value = target[axis];
    if (!Number.isFinite(value) || Math.abs(value) > maxCoordinate)
      throw new StepError(`${axis.toUpperCase()} ${value} is out of reach.`);
  }
  return target;
}

export const coordinatesOf = ({ x, y, z }: Vector): string => `(${[x, y, z].map(shortened).join(', ')})`;

/** Rounds to 0.01 mm. */
export const shortened = (value: number): number => Math.round(value * 100) / 100;
