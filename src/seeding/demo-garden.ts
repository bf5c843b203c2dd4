import { randomInt } from 'node:crypto';
import { currentTimestamp } from '../core/clock.ts';
import type { Insertable } from '../db/scope.ts';
import { parseBody } from '../engine/body.ts';
import { announceChanged, updateRecord } from '../engine/records.ts';
import { curves } from '../garden/curves.ts';
import type { Point } from '../garden/points.ts';
import { points } from '../garden/points.ts';
import { tools } from '../garden/tools.ts';
import { webcamFeeds } from '../garden/webcam-feeds.ts';
import { cropPositions, crops } from './demo-crops.ts';
import type { GardenSeeder } from './garden-seeder.ts';
import type { Frame } from './product-lines.ts';
import { ensureEnv, ensureGroup } from './robot-seeds.ts';

/** What the web app needs to lay photos on the map. [reference 6.2] */
const cameraEnvs = {
  CAMERA_CALIBRATION_coord_scale: '1',
  CAMERA_CALIBRATION_camera_z: '0',
  CAMERA_CALIBRATION_center_pixel_location_x: '320',
  CAMERA_CALIBRATION_center_pixel_location_y: '240',
};

/** Places at which a demo knows how high the soil is, and the name of such points. [reference 6.2] */
const soilPlaces = 16;
export const soilPoint = {
  name: 'Soil Height',
  pointer_type: 'GenericPointer',
  radius: 0,
  meta: { color: 'gray', at_soil_level: 'true' },
} as const;

/** Millilitres per second. [reference 6.2] */
const flowRate = 100;

/** The curves of the crops by slug; they come before all else of a demo. */
export async function ensureCurves(bed: GardenSeeder): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>();
  for (const { name, slug, water } of crops) {
    if (!water) continue;
    const curve = `${name} water curve`;
    const body = { name: curve, type: 'water', data: water };
    ids.set(slug, (await bed.ensure(curves, { name: curve }, body, `the curve '${curve}'`)).id);
  }
  return ids;
}

/** The robot's picture of itself. */
export async function ensureWebcam(bed: GardenSeeder, { webcam }: Frame): Promise<void> {
  await bed.ensure(webcamFeeds, { name: webcam.name }, { ...webcam }, `the webcam feed '${webcam.name}'`);
}

/** What a point of this body is stored as. */
export const pointOf = (body: object): Insertable<Point> =>
  parseBody(points.fields, { ...body }, 'create').values as Insertable<Point>;

/** Stores many points that are right as they are, and announces each. Throws PointLimit. */
async function plantAll(bed: GardenSeeder, bodies: readonly object[]): Promise<void> {
  const { scope } = bed;
  await bed.reservePoints(bodies.length);
  for (const { id } of await scope.insertAll(points, bodies.map(pointOf))) announceChanged(scope, points, id);
}

/** Plants and soil heights. Where a crop or a soil height is already, it is not planted twice. Throws PointLimit. */
export async function plantDemo(
  garden: GardenSeeder,
  bed: Frame['bed'],
  curveIds: ReadonlyMap<string, number>,
): Promise<void> {
  const { scope } = garden;
  const there = await scope.rows(points, { where: { discarded_at: null } });
  const taken = new Set(there.map(({ openfarm_slug, x, y }) => `${openfarm_slug} ${x} ${y}`));
  const plants = crops.flatMap((crop) =>
    cropPositions(crop, bed)
      .filter(({ x, y }) => !taken.has(`${crop.slug} ${x} ${y}`))
      .map((place) => ({
        pointer_type: 'Plant',
        name: crop.name,
        openfarm_slug: crop.slug,
        ...place,
        z: 0,
        plant_stage: crop.isPlanted ? 'planted' : 'planned',
        planted_at: crop.isPlanted ? currentTimestamp(scope.clock) : null,
        water_curve_id: curveIds.get(crop.slug) ?? null,
      })),
  );
  const isMeasured = there.some(
    ({ name, pointer_type }) => name === soilPoint.name && pointer_type === soilPoint.pointer_type,
  );
  const heights = isMeasured ? [] : Array.from({ length: soilPlaces }, () => ({ ...soilPoint, ...somewhere(bed) }));
  await plantAll(garden, [...plants, ...heights]);
}

/** A place in the garden and a height of soil, in mm. [reference 6.2] */
function somewhere(bed: Frame['bed']): { x: number; y: number; z: number } {
  const [x, y] = bed === 'usual' ? [2700, 1200] : [5700, 2700];
  return { x: randomInt(x / 10 + 1) * 10, y: randomInt(y / 10 + 1) * 10, z: randomInt(-550, -449) };
}

/** What belongs to a demo's plants: groups of them, water, and a camera that is calibrated. */
export async function equipDemo(bed: GardenSeeder): Promise<void> {
  for (const { name, slug } of crops)
    await ensureGroup(bed, `${name} plants`, { pointer_type: ['Plant'], openfarm_slug: [slug] });
  const nozzle = await bed.scope.first(tools, { where: { name: 'Watering Nozzle' } });
  if (nozzle) await updateRecord(bed.scope, tools, nozzle, { flow_rate_ml_per_s: flowRate });
  for (const [key, value] of Object.entries(cameraEnvs)) await ensureEnv(bed, key, value);
}
