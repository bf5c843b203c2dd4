import { calibrateCamera, detectWeeds, takePhoto } from '../farmware.ts';
import type { GardenGroup } from '../garden-reader.ts';
import { axes, numberOf, type RobotNode, StepError } from '../nodes.ts';
import { measureSoilHeight, soilHeightFor } from '../soil.ts';
import type { StepContext } from '../step-context.ts';
import { sayOfFunction } from './function-messages.ts';
import { agedPoint, passes } from './garden-points.ts';
import { failureOf, type LuaScript, optionsOf, type SomeLuaFunctions, wordsOf, wrongCall } from './lua-function.ts';
import { toastProblem } from './message-functions.ts';
import { gardenSize } from './movement-functions.ts';

/** Points of a type that pass the filters of a script. `stage`: the plant stage without a filter; null is any. */
const pointsOf =
  (type: string, stage: string | null) =>
  async (call: RobotNode, { context: { garden, clock } }: LuaScript) => {
    const filters = optionsOf(call, 'filters');
    return (await garden.list('points'))
      .filter(({ pointer_type }) => pointer_type === type)
      .map((point) => agedPoint(point, clock.now()))
      .filter((point) => passes(point, filters, stage));
  };

/** Returns a group by its id or name; undefined if there is none. */
async function findGroup(wanted: unknown, { garden, random }: StepContext): Promise<GardenGroup | undefined> {
  const group = (await garden.list('point_groups')).find(({ id, name }) => id === wanted || name === wanted);
  return group && garden.membersOf(group, random);
}

/** Returns a function that runs farmware, and returns nil or the reason of its failure. */
const farmware =
  (run: (context: StepContext) => Promise<void>) =>
  (_call: RobotNode, script: LuaScript): Promise<string | null> =>
    failureOf(() => run(script.context), script);

/** The overlap of photos, in mm. */
const overlap = 5;
/** The size of the side of a photo for which the lost edge of turned photos was measured, in pixels. */
const measuredSide = 640;

/** Returns the part of the longer side of turned photos that is lost at the edges, in mm. `angle` in degrees. */
function lostEdge(width: number, height: number, angle: number): number {
  const rest = Math.abs(((angle % 90) + 90) % 90);
  const turned = rest > 45 ? 90 - rest : rest;
  if (turned === 0) return 0;
  return Math.round((Math.max(width, height) * (5.61 - 0.095 * turned ** 2 + 9.06 * turned)) / measuredSide);
}

const calibration = [
  ...(['total_rotation_angle', 'coord_scale', 'camera_z', 'camera_offset_x', 'camera_offset_y'] as const),
  ...(['center_pixel_location_x', 'center_pixel_location_y'] as const),
];

/** Returns the camera calibration of the account; undefined if it is incomplete. */
function calibrationOf({ account }: StepContext): Record<(typeof calibration)[number], number> | undefined {
  const values = calibration.map((name) => {
    const text = account.environment[`CAMERA_CALIBRATION_${name}`];
    return [name, text === undefined || text.trim() === '' ? Number.NaN : Number(text)] as const;
  });
  if (values.some(([, value]) => !Number.isFinite(value))) return undefined;
  return Object.fromEntries(values) as Record<(typeof calibration)[number], number>;
}

/** Returns the fields of a photo grid, and the `plan` of its cells, from which robot-functions.lua makes `each`. */
async function photoGrid(_call: RobotNode, script: LuaScript): Promise<unknown> {
  const camera = calibrationOf(script.context);
  if (!camera) return void (await toastProblem(script, sayOfFunction.uncalibrated));
  const [width, height] = [camera.center_pixel_location_x, camera.center_pixel_location_y].map(
    (pixels) => pixels * 2 * camera.coord_scale,
  ) as [number, number];
  const lost = lostEdge(width, height, camera.total_rotation_angle) + overlap;
  const sides = [width - lost, height - lost].map((side) => Math.max(10, side));
  const [x = 0, y = 0] = Math.abs(camera.total_rotation_angle) < 45 ? sides : sides.reverse();
  const spacing = { x, y, z: 0 };
  const size = gardenSize(script.context);
  const counts = { x: Math.ceil((size.x - x) / x) + 1, y: Math.ceil((size.y - y) / y) + 1, z: 1 };
  const start = { x: x / 2, y: y / 2, z: camera.camera_z };
  const offset = { x: camera.camera_offset_x, y: camera.camera_offset_y, z: 0 };
  const isEmpty = axes.some((axis) => counts[axis] <= 0);
  if (isEmpty) await toastProblem(script, sayOfFunction.emptyGrid);
  return {
    ...{ x_spacing_mm: x, x_offset_mm: offset.x, x_grid_start_mm: start.x, x_grid_size_mm: size.x - x },
    ...{ y_spacing_mm: y, y_offset_mm: offset.y, y_grid_start_mm: start.y, y_grid_size_mm: size.y - y },
    ...{ x_grid_points: counts.x, y_grid_points: counts.y, z: camera.camera_z },
    ...(!isEmpty && { plan: { counts, start, spacing, offset } }),
  };
}

/** Plants, groups, soil and the camera. */
export const gardenFunctions = {
  get_plants: pointsOf('Plant', 'planted'),
  get_weeds: pointsOf('Weed', 'active'),
  get_generic_points: pointsOf('GenericPointer', null),
  get_group: async (call, { context }) => {
    const group = await findGroup(call.args.id_or_name, context);
    return (group?.points ?? []).map((point) => agedPoint(point, context.clock.now()));
  },
  group: async (call, { context }) =>
    ((await findGroup(numberOf(call, 'id'), context))?.points ?? []).map(({ id }) => id),
  // Of ids: robot-functions.lua sorts points.
  sort: async (call, { context: { garden } }) => {
    const ids = call.args.points;
    if (!Array.isArray(ids)) throw wrongCall('It takes a list of points or of their ids.');
    const points = new Map((await garden.list('points')).map((point) => [point.id, point]));
    return ids.map((id) => {
      const point = points.get(id);
      if (!point) throw new StepError(`There is no point ${wordsOf({ ...call, args: { id } }, 'id')}.`);
      return { id, x: point.x, y: point.y };
    });
  },
  soil_height: (call, { context }) => soilHeightFor(numberOf(call, 'x'), numberOf(call, 'y'), context),
  take_photo: farmware(takePhoto),
  photo_grid: photoGrid,
  detect_weeds: farmware(detectWeeds),
  measure_soil_height: farmware(measureSoilHeight),
  calibrate_camera: farmware(calibrateCamera),
} satisfies SomeLuaFunctions;
