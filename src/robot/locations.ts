import type { Xyz } from 'farmbot';
import { nodeOf, numberOf, type RobotNode, StepError, textOf, toPrintable, type Vector, vectorOf } from './nodes.ts';
import type { StepContext } from './step-context.ts';

/** Variables that stand for variables end somewhere. */
const longestChain = 20;

/** What a variable stands for; any other node stands for itself. Throws {@link StepError} when it stands for nothing. */
export function resolveVariable(node: RobotNode, { variables }: StepContext): RobotNode {
  let here = node;
  for (let i = 0; here.kind === 'identifier'; i++) {
    const label = textOf(here, 'label');
    const next = variables.get(label);
    if (!next || i >= longestChain) throw new StepError(`The variable "${toPrintable(label, 60)}" has no value.`);
    here = next;
  }
  return here;
}

/** The position that a node names: `coordinate`, `point`, `tool`, or a variable. */
export async function findPosition(node: RobotNode, context: StepContext): Promise<Vector> {
  const value = resolveVariable(node, context);
  if (value.kind === 'coordinate') return vectorOf(value);
  if (value.kind !== 'point' && value.kind !== 'tool')
    throw new StepError(`"${toPrintable(value.kind, 40)}" is not a place.`);
  const { at, isOnGantry } =
    value.kind === 'point'
      ? await context.garden.point(numberOf(value, 'pointer_id'))
      : await context.garden.toolSlot(numberOf(value, 'tool_id'));
  return isOnGantry ? { ...at, x: context.machine.position.x } : at;
}

/** What an operand of `move` means on an axis. */
export async function readOperand(node: RobotNode, context: StepContext): Promise<(axis: Xyz) => number> {
  const value = resolveVariable(node, context);
  if (value.kind === 'numeric') {
    const number = numberOf(value, 'number');
    return () => number;
  }
  if (value.kind === 'random') {
    const variance = numberOf(value, 'variance');
    return () => Math.round((context.random() * 2 - 1) * variance * 100) / 100;
  }
  if (value.kind === 'lua') {
    const number = luaNumber(textOf(value, 'lua'));
    return () => number;
  }
  if (value.kind === 'special_value') {
    const label = textOf(value, 'label');
    const { safeHeight, soilHeight } = context.heights();
    if (label === 'safe_height') return () => safeHeight;
    if (label === 'soil_height') return () => soilHeight;
    if (label === 'current_location') return (axis) => context.machine.position[axis];
    throw new StepError(`There is no special value "${toPrintable(label, 60)}".`);
  }
  const position = await findPosition(value, context);
  return (axis) => position[axis];
}

/** What `speed_overwrite` says, in percent. */
export function speedOf(node: RobotNode, context: StepContext): number {
  const value = resolveVariable(nodeOf(node, 'speed_setting'), context);
  const number = value.kind === 'lua' ? luaNumber(textOf(value, 'lua')) : numberOf(value, 'number');
  return percentOf(number);
}

/** A speed as steps give it. */
export function percentOf(speed: number): number {
  if (!(speed > 0)) throw new StepError('A speed must be more than 0 percent.');
  return Math.min(speed, 100);
}

/** It knows no Lua but numbers, which is what the web app writes for plain values. */
function luaNumber(text: string): number {
  const match = /^\s*(?:return\s+)?(-?\d{1,9}(?:\.\d{1,9})?)\s*;?\s*$/.exec(text);
  if (!match) throw new StepError('This virtual robot knows no Lua except numbers.');
  return Number(match[1]);
}
