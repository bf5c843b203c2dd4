import type { Xyz } from 'farmbot';
import { slotPlace } from './garden-reader.ts';
import { nodeOf, numberOf, type RobotNode, StepError, textOf, toPrintable, type Vector, vectorOf } from './nodes.ts';
import type { StepContext } from './step-context.ts';

/** Maximum number of variables that refer to each other. */
const maxReferences = 20;

/** Returns the value of a variable; any other node is returned as it is. Throws {@link StepError} if there is no value. */
export function resolveVariable(node: RobotNode, { variables }: StepContext): RobotNode {
  let here = node;
  for (let i = 0; here.kind === 'identifier'; i++) {
    const label = textOf(here, 'label');
    const next = variables.get(label);
    if (!next || i >= maxReferences) throw new StepError(`The variable "${toPrintable(label, 60)}" has no value.`);
    here = next;
  }
  return here;
}

/** Returns the position of a `coordinate`, `point`, `tool`, or a variable. */
export async function findPosition(node: RobotNode, context: StepContext): Promise<Vector> {
  const value = resolveVariable(node, context);
  if (value.kind === 'coordinate') return vectorOf(value);
  if (value.kind !== 'point' && value.kind !== 'tool')
    throw new StepError(`"${toPrintable(value.kind, 40)}" is not a place.`);
  const { garden, machine } = context;
  // A robot finds slots by their tools only: as a point it takes the stored position.
  return value.kind === 'point'
    ? garden.point(numberOf(value, 'pointer_id'))
    : slotPlace(await garden.slotRecord(numberOf(value, 'tool_id')), machine.position);
}

/** Returns whether an operand of `move` is the height of the soil at the target. */
export const isSoilHeight = ({ kind, args }: RobotNode): boolean =>
  kind === 'special_value' && args.label === 'soil_height';

/** Returns a function that gives the value of an operand of `move` for an axis. `value`: the operand, no variable. */
export async function readOperand(value: RobotNode, context: StepContext): Promise<(axis: Xyz) => number> {
  if (value.kind === 'numeric') {
    const number = numberOf(value, 'number');
    return () => number;
  }
  if (value.kind === 'random') {
    const variance = numberOf(value, 'variance');
    return () => Math.round((context.random() * 2 - 1) * variance * 100) / 100;
  }
  if (value.kind === 'lua') {
    const number = await luaNumber(textOf(value, 'lua'), context);
    return () => number;
  }
  if (value.kind === 'special_value') {
    const label = textOf(value, 'label');
    if (label === 'safe_height') {
      const height = context.account.height(label);
      return () => height;
    }
    if (label === 'current_location') return (axis) => context.machine.position[axis];
    throw new StepError(`There is no special value "${toPrintable(label, 60)}".`);
  }
  const position = await findPosition(value, context);
  return (axis) => position[axis];
}

/** Returns the speed of a `speed_overwrite`, in percent. */
export async function speedOf(node: RobotNode, context: StepContext): Promise<number> {
  const value = resolveVariable(nodeOf(node, 'speed_setting'), context);
  return percentOf(value.kind === 'lua' ? await luaNumber(textOf(value, 'lua'), context) : numberOf(value, 'number'));
}

/** Checks a speed of a step and limits it to 100 %. */
export function percentOf(speed: number): number {
  if (!(speed > 0)) throw new StepError('A speed must be more than 0 percent.');
  return Math.min(speed, 100);
}

/** Returns the number that Lua evaluates to. */
async function luaNumber(text: string, context: StepContext): Promise<number> {
  // The web app writes constants as Lua: they need no thread.
  const constant = /^(?:return\s+)?(-?\d{1,9}(?:\.\d{1,9})?)\s*;?$/.exec(text.trim())?.[1];
  const value = constant === undefined ? await context.runLua(text, context) : Number(constant);
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new StepError('Lua returned no number.');
  return value;
}
