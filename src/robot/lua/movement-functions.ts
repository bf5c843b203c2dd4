import { axes, axesOf, createNode, hasArg, numberOf, type RobotNode, textOf, type Vector, vectorOf } from '../nodes.ts';
import type { StepContext } from '../step-context.ts';
import { sayOfFunction } from './function-messages.ts';
import {
  failureOf,
  type LuaScript,
  optionsOf,
  outcomeOf,
  type SomeLuaFunctions,
  tableOf,
  wrongCall,
} from './lua-function.ts';
import { toastProblem } from './message-functions.ts';

interface MoveTarget {
  readonly x?: number | undefined;
  readonly y?: number | undefined;
  readonly z?: number | undefined;
  readonly speed?: number | undefined;
  readonly safe_z?: boolean;
  readonly grouping?: string | undefined;
  readonly route?: string | undefined;
}

/** Returns a `move` step. `speed` in percent. */
function moveStep({ speed, safe_z, grouping, route, ...target }: MoveTarget): RobotNode {
  const numeric = (number: number) => createNode('numeric', { number });
  const parts = axes.flatMap((axis) => {
    const value = target[axis];
    return value === undefined ? [] : [createNode('axis_overwrite', { axis, axis_operand: numeric(value) })];
  });
  if (speed !== undefined) parts.push(createNode('speed_overwrite', { axis: 'all', speed_setting: numeric(speed) }));
  if (safe_z) parts.push(createNode('safe_z'));
  else if (grouping !== undefined || route !== undefined)
    parts.push(createNode('axis_order', { grouping: grouping ?? 'xyz', route: route ?? 'in_order' }));
  return createNode('move', {}, parts);
}

/** Moves; a failure is logged, and the script continues, as on robots. */
export async function moveTo(target: MoveTarget, script: LuaScript): Promise<void> {
  const problem = await failureOf(() => script.run(moveStep(target)), script);
  if (problem !== null) script.context.actions.log('error', problem);
}

/** Returns the numbers in a table that are given. */
const givenIn = (table: RobotNode) => {
  const number = (name: string) => (hasArg(table, name) ? numberOf(table, name) : undefined);
  return { x: number('x'), y: number('y'), z: number('z') };
};

/** Returns a place in a table; the robot's position has the missing axes. */
function placeOf(table: RobotNode, { position }: StepContext['machine']): Vector {
  const given = givenIn(table);
  return { x: given.x ?? position.x, y: given.y ?? position.y, z: given.z ?? position.z };
}

function moveTable(table: RobotNode, script: LuaScript): Promise<void> {
  const text = (name: string) => (hasArg(table, name) ? textOf(table, name) : undefined);
  const speed = hasArg(table, 'speed') ? numberOf(table, 'speed') : undefined;
  const { safe_z } = table.args;
  return moveTo(
    {
      ...givenIn(table),
      ...{ speed, grouping: text('grouping'), route: text('route') },
      safe_z: safe_z !== undefined && safe_z !== false,
    },
    script,
  );
}

/** Moves in a straight line. Returns true, or nil and the reason. `speed` in percent. */
export function moveStraight(target: Vector, speed: number, script: LuaScript): Promise<unknown> {
  const location = createNode('coordinate', { ...target });
  const offset = createNode('coordinate', { x: 0, y: 0, z: 0 });
  return outcomeOf(() => script.run(createNode('move_absolute', { location, offset, speed })), script);
}

/** Returns the lengths of the axes in mm; 0 where they are not set. */
export function gardenSize({ account: { firmware } }: StepContext): Vector {
  const length = (axis: string): number => {
    const setting = (name: string) => Number(Reflect.get(firmware, `movement_${name}_${axis}`) ?? 0);
    return setting('axis_nr_steps') / (setting('step_per_mm') || 1);
  };
  return { x: length('x'), y: length('y'), z: length('z') };
}

/** Returns whether a place is within the axes that end at 0 or at their length. */
async function verifyInBounds(call: RobotNode, script: LuaScript): Promise<boolean> {
  const place = givenIn(tableOf(call, 'place'));
  const size = gardenSize(script.context);
  const { firmware } = script.context.account;
  const isSet = (name: string) => Reflect.get(firmware, name) === 1;
  const problems = axes.flatMap((axis) => {
    const value = place[axis];
    if (value === undefined) return [];
    const distance = axis === 'z' && isSet('movement_home_up_z') ? -value : value;
    if (isSet(`movement_stop_at_home_${axis}`) && distance < 0) return [`${axis.toUpperCase()} ${value} is beyond 0`];
    const isLong = isSet(`movement_stop_at_max_${axis}`) && size[axis] > 0 && distance > size[axis];
    return isLong ? [`${axis.toUpperCase()} ${value} is beyond the length of the axis, ${size[axis]} mm`] : [];
  });
  if (problems.length > 0) await toastProblem(script, sayOfFunction.outOfBounds(problems.join(', ')));
  return problems.length === 0;
}

const origin: Vector = { x: 0, y: 0, z: 0 };

/** The places of a grid: {@link counts} on each axis. */
interface GridPlan {
  readonly counts: Vector;
  readonly start: Vector;
  readonly spacing: Vector;
  /** Subtracted from each place. */
  readonly offset: Vector;
}

/** Returns the plan of a grid; undefined if a robot refuses it. */
async function planGrid(options: RobotNode, script: LuaScript): Promise<GridPlan | undefined> {
  const vector = (name: string) => vectorOf(tableOf(options, name));
  const optional = (name: string) => (hasArg(options, name) ? vector(name) : origin);
  const counts = vector('grid_points');
  const plan = { counts, start: optional('start'), spacing: vector('spacing'), offset: optional('offset') };
  if (options.args.ignore_empty !== true && !axes.every((axis) => counts[axis] > 0))
    return void (await toastProblem(script, sayOfFunction.emptyGrid));
  const size = gardenSize(script.context);
  const beyond = axes.flatMap((axis) => {
    const end = plan.start[axis] + plan.spacing[axis] * (counts[axis] - 1) - plan.offset[axis];
    return size[axis] > 0 && end > size[axis] ? [`${axis.toUpperCase()} ${end} of ${size[axis]} mm`] : [];
  });
  if (options.args.ignore_bounds === true || beyond.length === 0) return plan;
  return void (await toastProblem(script, sayOfFunction.largeGrid(beyond.join(', '))));
}

/** Moves, positions and grids. */
export const movementFunctions = {
  move: (call, script) => moveTable(tableOf(call, 'target'), script),
  move_absolute: (call, script) => {
    const { x, y } = call.args;
    if (typeof x === 'number') {
      const speed = hasArg(call, 'speed') ? numberOf(call, 'speed') : 100;
      return moveStraight(vectorOf(call), speed, script);
    }
    const table = tableOf(call, 'x');
    if (y === undefined) return moveTable(table, script);
    return moveStraight(placeOf(table, script.context.machine), numberOf(call, 'y'), script);
  },
  find_home: (call, script) => {
    const step = createNode('find_home', { axis: 'all', ...call.args, speed: 100 });
    axesOf(step);
    return outcomeOf(() => script.run(step), script);
  },
  find_axis_length: (call, script) => {
    const [, ...others] = axesOf(call);
    if (others.length > 0) throw wrongCall('It takes one axis.');
    return outcomeOf(() => script.run(createNode('calibrate', { ...call.args })), script);
  },
  go_to_home: (call, script) => {
    const axis = axes.find((each) => each === call.args.axis);
    const speed = hasArg(call, 'speed') ? numberOf(call, 'speed') : 100;
    const { position } = script.context.machine;
    return moveStraight(axis ? { ...position, [axis]: 0 } : origin, speed, script);
  },
  get_position: ({ args }, { context: { machine } }) => {
    const axis = axes.find((each) => each === args.axis);
    return axis ? machine.position[axis] : machine.position;
  },
  get_xyz: (_call, { context }) => context.machine.position,
  check_position: (call, { context: { machine } }) => {
    const target = placeOf(tableOf(call, 'place'), machine);
    const tolerance = numberOf(call, 'tolerance');
    return axes.every((axis) => Math.abs(machine.position[axis] - target[axis]) <= tolerance);
  },
  coordinate: (call) => vectorOf(call),
  safe_z: (_call, { context }) => context.account.height('safe_height'),
  garden_size: (_call, { context }) => gardenSize(context),
  verify_in_bounds: verifyInBounds,
  // Functions return when the robot has arrived, so nothing moves while a script runs.
  soft_stop: () => undefined,
  emergency_lock: (_call, script) => outcomeOf(() => script.run(createNode('emergency_lock')), script),
  emergency_unlock: (_call, script) => outcomeOf(() => script.run(createNode('emergency_unlock')), script),
  grid: (call, script) => planGrid(optionsOf(call, 'options'), script),
} satisfies SomeLuaFunctions;
