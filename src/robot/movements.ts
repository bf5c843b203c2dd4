import type { Xyz } from 'farmbot';
import { type AxisEnd, endsOn } from './axis-ends.ts';
import { findPosition, isSoilHeight, percentOf, readOperand, resolveVariable, speedOf } from './locations.ts';
import { sayOfRobot } from './log-messages.ts';
import { fullSpeed, type Speeds } from './machine.ts';
import {
  assertReachable,
  axesOf,
  coordinatesOf,
  nodeOf,
  numberOf,
  type RobotNode,
  StepError,
  shortened,
  sumOf,
  textOf,
  toPrintable,
  type Vector,
  vectorOf,
} from './nodes.ts';
import { soilHeightAt, soilHeightFor } from './soil.ts';
import type { StepContext } from './step-context.ts';
import { groupsOf, legsOf, orderOf, type TravelOrder } from './travel.ts';

/** How far below the soil tools work, in mm. */
const maxDepth = 100;

/** Warns of a movement down that drives the tool into the bed. Returns whether it does. */
async function warnOfSoil(place: Vector, context: StepContext): Promise<boolean> {
  const { account, machine } = context;
  // The soil is below the height at which the robot travels. Others need no points of the garden.
  if (place.z >= machine.position.z || place.z >= account.height('safe_height') - maxDepth) return false;
  // A robot moves without its server, too.
  const soil = await soilHeightAt(place.x, place.y, context).catch(() => account.height('soil_height'));
  const depth = soil - place.z;
  if (depth <= maxDepth) return false;
  context.actions.log('warn', sayOfRobot.belowSoil(coordinatesOf(place), Math.round(depth)));
  return true;
}

/** Moves along straight legs, as far as the axes reach. Throws {@link StepError} if a motor stalls. */
async function goTo(legs: readonly Vector[], speeds: Speeds, context: StepContext): Promise<void> {
  const { machine, account, actions, signal } = context;
  machine.ensureUnlocked();
  const reported = new Set<Xyz>();
  let isBelowSoil = false;
  for (const leg of legs) {
    const ends = endsOn(leg, account.firmware);
    const place = { ...leg };
    for (const { axis, at, wanted, by } of ends) {
      if (by !== 'slip') place[axis] = at;
      if (by === 'stall' || reported.has(axis)) continue;
      reported.add(axis);
      const sentence = by === 'limit' ? sayOfRobot.stoppedAtEnd : sayOfRobot.slipped;
      actions.log('warn', sentence(axis.toUpperCase(), shortened(at), shortened(wanted)));
    }
    if (!isBelowSoil) isBelowSoil = await warnOfSoil(place, context);
    await machine.moveTo(place, speeds, signal);
    const stall = ends.find(({ by }) => by === 'stall');
    if (stall) failByStall(stall, context);
  }
  actions.log('info', sayOfRobot.moved(coordinatesOf(machine.position)), { verbosity: 2 });
}

/** Throws {@link StepError}; with the setting for it, the robot locks itself first. */
function failByStall({ axis, at, wanted }: AxisEnd, { machine, account }: StepContext): never {
  if (account.firmware.param_e_stop_on_mov_err === 1) machine.lock();
  const [end, target] = [shortened(at), shortened(wanted)];
  throw new StepError(`Stall detected on ${axis.toUpperCase()} axis: it ends at ${end}, on the way to ${target}.`);
}

/** Returns the step's speed for all axes, by default full speed. */
function speedsOf(step: RobotNode): Speeds {
  const percent = step.args.speed === undefined ? 100 : percentOf(numberOf(step, 'speed'));
  return { x: percent, y: percent, z: percent };
}

export async function moveAbsolute(step: RobotNode, context: StepContext): Promise<void> {
  context.machine.ensureUnlocked();
  const offset = nodeOf(step, 'offset');
  const location = await findPosition(nodeOf(step, 'location'), context);
  const target = assertReachable(sumOf(location, await findPosition(offset, context)));
  await goTo([target], speedsOf(step), context);
}

export async function moveRelative(step: RobotNode, context: StepContext): Promise<void> {
  const target = assertReachable(sumOf(context.machine.position, vectorOf(step)));
  await goTo([target], speedsOf(step), context);
}

/** The axes in the order in which the robot homes them: z first, so that the tool is out of the soil. [rule R32] */
const homingOrder = ['z', 'y', 'x'] as const;

const inHomingOrder = (step: RobotNode): readonly Xyz[] => {
  const named = axesOf(step);
  return homingOrder.filter((axis) => named.includes(axis));
};

/** `home`, `find_home` and `calibrate`. */
export async function home(step: RobotNode, context: StepContext): Promise<void> {
  let here = context.machine.position;
  const legs = inHomingOrder(step).map((axis) => {
    here = { ...here, [axis]: 0 };
    return here;
  });
  await goTo(legs, speedsOf(step), context);
}

export function zero(step: RobotNode, { machine, actions }: StepContext): void {
  const axes = inHomingOrder(step);
  for (const axis of axes) machine.setZero(axis);
  actions.log('info', `Set ${axes.join(', ').toUpperCase()} to 0.`, { verbosity: 2 });
}

/** Returns the parts of a `move` in their order, parts of z last: it may be the height of the soil at x and y. [rule R22] */
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
  await goTo(legsOf(from, target, order), speeds, context);
}
