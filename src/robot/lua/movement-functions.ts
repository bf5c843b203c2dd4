import { photoView } from '../garden-picture.ts';
import {
  axes,
  axesOf,
  createNode,
  hasArg,
  numberOf,
  type RobotNode,
  StepError,
  textOf,
  type Vector,
  vectorOf,
} from '../nodes.ts';
import type { StepContext } from '../step-context.ts';
import { type LuaFunctions, tableOf } from './lua-function.ts';

/** Maximum number of cells of a grid. */
const maxCells = 5_000;

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
export function moveStep({ speed, safe_z, grouping, route, ...target }: MoveTarget): RobotNode {
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

/** Returns the size of the bed in mm: the lengths of the axes, or the size of the account's map if they are not set. */
async function gardenSize({ account, garden }: StepContext): Promise<{ x: number; y: number }> {
  const { firmware } = account;
  const [x, y] = [
    Number(firmware.movement_axis_nr_steps_x) / Number(firmware.movement_step_per_mm_x),
    Number(firmware.movement_axis_nr_steps_y) / Number(firmware.movement_step_per_mm_y),
  ];
  if (x > 0 && y > 0 && Number.isFinite(x + y)) return { x, y };
  const map = await garden.record('/api/web_app_config', 'map');
  return { x: Number(map.map_size_x), y: Number(map.map_size_y) };
}

type Cell = Vector & { readonly count: number };

/** Returns the positions of a grid, column by column. */
function cellsOf(counts: Vector, start: Vector, spacing: Vector): Cell[] {
  if (!axes.every((axis) => Number.isInteger(counts[axis]) && counts[axis] >= 1))
    throw new StepError('A grid needs at least 1 point on each axis.');
  if (counts.x * counts.y * counts.z > maxCells) throw new StepError(`A grid has at most ${maxCells} points.`);
  const cells: Cell[] = [];
  for (let x = 0; x < counts.x; x++)
    for (let y = 0; y < counts.y; y++)
      for (let z = 0; z < counts.z; z++)
        cells.push({
          x: start.x + x * spacing.x,
          y: start.y + y * spacing.y,
          z: start.z + z * spacing.z,
          count: cells.length + 1,
        });
  return cells;
}

/** Moves, positions and grids. */
export const movementFunctions: LuaFunctions = {
  move: {
    takes: '{}',
    run: (call, { run }) => {
      const number = (name: string) => (hasArg(call, name) ? numberOf(call, name) : undefined);
      const text = (name: string) => (hasArg(call, name) ? textOf(call, name) : undefined);
      const [x, y, z, speed] = [number('x'), number('y'), number('z'), number('speed')];
      const safe_z = call.args.safe_z === true;
      return run(moveStep({ x, y, z, speed, safe_z, grouping: text('grouping'), route: text('route') }));
    },
  },
  find_home: {
    takes: 'axis speed',
    run: ({ args }, { run }) => run(createNode('find_home', { axis: 'all', speed: 100, ...args })),
  },
  go_to_home: {
    takes: 'axis speed',
    run: ({ args }, { run }) => run(createNode('home', { axis: 'all', speed: 100, ...args })),
  },
  get_position: {
    takes: 'axis',
    run: (call, { context: { machine } }) => {
      if (!hasArg(call, 'axis')) return machine.position;
      const [axis, ...others] = axesOf(call);
      return axis && others.length === 0 ? machine.position[axis] : machine.position;
    },
  },
  check_position: {
    takes: 'position tolerance',
    run: (call, { context: { machine } }) => {
      const target = vectorOf(tableOf(call, 'position'));
      const tolerance = numberOf(call, 'tolerance');
      return axes.every((axis) => Math.abs(machine.position[axis] - target[axis]) <= tolerance);
    },
  },
  // Functions return when the robot has arrived, so nothing moves while a script runs.
  soft_stop: { takes: '', run: () => true },
  emergency_lock: { takes: '', run: (_call, { run }) => run(createNode('emergency_lock')) },
  emergency_unlock: { takes: '', run: (_call, { run }) => run(createNode('emergency_unlock')) },
  wait: { takes: 'milliseconds', run: ({ args }, { run }) => run(createNode('wait', { ...args })) },
  garden_size: { takes: '', run: (_call, { context }) => gardenSize(context) },
  grid: {
    takes: '{}',
    run: (call) => {
      const vector = (name: string) => vectorOf(tableOf(call, name));
      return cellsOf(vector('grid_points'), vector('start'), vector('spacing'));
    },
  },
  photo_grid: {
    takes: '',
    run: async (_call, { context }) => {
      const size = await gardenSize(context);
      const counts = { x: Math.ceil(size.x / photoView.x), y: Math.ceil(size.y / photoView.y), z: 1 };
      const spacing = { x: size.x / counts.x, y: size.y / counts.y, z: 0 };
      return cellsOf(counts, { x: spacing.x / 2, y: spacing.y / 2, z: 0 }, spacing);
    },
  },
};
