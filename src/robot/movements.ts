import { findPosition, isSoilHeight, percentOf, readOperand, resolveVariable, speedOf } from './locations.ts';
import { sayOfRobot } from './log-messages.ts';
import { fullSpeed } from './machine.ts';
import {
  assertReachable,
  axesOf,
  coordinatesOf,
  nodeOf,
  numberOf,
  type RobotNode,
  StepError,
  sumOf,
  textOf,
  toPrintable,
  type Vector,
  vectorOf,
} from './nodes.ts';
import { soilHeightFor } from './soil.ts';
import type { StepContext } from './step-context.ts';
import { groupsOf, legsOf, orderOf, type TravelOrder } from './travel.ts';

async function goTo(
  target: Vector,
  speeds: Record<'x' | 'y' | 'z', number>,
  legs: readonly Vector[],
  { machine, actions, signal }: StepContext,
): Promise<void> {
  for (const leg of legs) await machine.moveTo(leg, speeds, signal);
  actions.log('info', sayOfRobot.moved(coordinatesOf(target)), { verbosity: 2 });
}

/** Returns the step's speed for all axes, by default full speed. */
function speedsOf(step: RobotNode): Record<'x' | 'y' | 'z', number> {
  const percent = step.args.speed === undefined ? 100 : percentOf(numberOf(step, 'speed'));
  return { x: percent, y: percent, z: percent };
}

export async function moveAbsolute(step: RobotNode, context: StepContext): Promise<void> {
  context.machine.ensureUnlocked();
  const offset = nodeOf(step, 'offset');
  const location = await findPosition(nodeOf(step, 'location'), context);
  const target = assertReachable(sumOf(location, await findPosition(offset, context)));
  await goTo(target, speedsOf(step), [target], context);
}

export async function moveRelative(step: RobotNode, context: StepContext): Promise<void> {
  const target = assertReachable(sumOf(context.machine.position, vectorOf(step)));
  await goTo(target, speedsOf(step), [target], context);
}

/** `home` and `find_home`: z moves first, so that the tool is out of the soil. */
export async function home(step: RobotNode, context: StepContext): Promise<void> {
  const speeds = speedsOf(step);
  const axes = axesOf(step);
  let here = context.machine.position;
  const legs: Vector[] = [];
  for (const axis of ['z', 'y', 'x'] as const) {
    if (!axes.includes(axis)) continue;
    here = { ...here, [axis]: 0 };
    legs.push(here);
  }
  await goTo(here, speeds, legs, context);
}

export function zero(step: RobotNode, { machine, actions }: StepContext): void {
  const axes = axesOf(step);
  for (const axis of axes) machine.setZero(axis);
  actions.log('info', `Set ${axes.join(', ').toUpperCase()} to 0.`, { verbosity: 2 });
}

/** Returns the parts of a `move` in their order, those of z last: it may be the height of the soil at x and y. [rule R22] */
const partsOf = ({ body }: RobotNode): readonly RobotNode[] => {
  const isHeight = ({ args }: RobotNode) => args.axis === 'z';
  return [...body.filter((part) => !isHeight(part)), ...body.filter(isHeight)];
};

/** `move`: the body defines the target, the speeds and the order of axes. */
export async function move(step: RobotNode, context: StepContext): Promise<void> {
  context.machine.ensureUnlocked();
  const from = context.machine.position;
  const target = { ...from };
  const speeds = { ...fullSpeed };
  const safeHeight = context.account.height('safe_height');
  let order: TravelOrder = orderOf(context.account.axisOrder, safeHeight);
  for (const item of partsOf(step)) {
    if (item.kind === 'axis_overwrite' || item.kind === 'axis_addition') {
      const axes = axesOf(item);
      const operand = resolveVariable(nodeOf(item, 'axis_operand'), context);
      if (isSoilHeight(operand)) {
        target.z = await soilHeightFor(target.x, target.y, context);
        continue;
      }
      const value = await readOperand(operand, context);
      for (const axis of axes) target[axis] = (item.kind === 'axis_addition' ? target[axis] : 0) + value(axis);
    } else if (item.kind === 'speed_overwrite') {
      const percent = await speedOf(item, context);
      for (const axis of axesOf(item)) speeds[axis] = percent;
    } else if (item.kind === 'safe_z') {
      order = { by: 'safe height', height: safeHeight };
    } else if (item.kind === 'axis_order') {
      order = { by: 'groups', groups: groupsOf(textOf(item, 'grouping')), route: textOf(item, 'route') };
    } else throw new StepError(`"${toPrintable(item.kind, 40)}" is not allowed in a "move".`);
  }
  assertReachable(target);
  await goTo(target, speeds, legsOf(from, target, order), context);
}
