import { randomInt } from 'node:crypto';
import { timestamp } from '../core/clock.ts';
import type { Insertable } from '../db/scope.ts';
import { parseBody } from '../engine/body.ts';
import { announceChanged, updateRecord } from '../engine/records.ts';
import { curves } from '../garden/curves.ts';
import type { Point } from '../garden/points.ts';
import { points } from '../garden/points.ts';
import { tools } from '../garden/tools.ts';
import { webcamFeeds } from '../garden/webcam-feeds.ts';
import { cropsOf } from './demo-crops.ts';
import type { DemoPast } from './demo-past.ts';
import { demoPlants, madeAt, plantingHour } from './demo-past.ts';
import { watchedCrop } from './demo-schedule.ts';
import { demoNotes, demoWeeds } from './demo-weeds.ts';
import type { GardenSeeder } from './garden-seeder.ts';
import type { Frame, ProductLine } from './product-lines.ts';
import { ensureEnv, ensureGroup } from './robot-seeds.ts';

/** The camera calibration that the web app needs to place photos on the map. [rule S10] */
const cameraEnvs = {
  CAMERA_CALIBRATION_coord_scale: '1',
  CAMERA_CALIBRATION_camera_z: '0',
  CAMERA_CALIBRATION_center_pixel_location_x: '320',
  CAMERA_CALIBRATION_center_pixel_location_y: '240',
};

/** Number of soil height measurements in a demo. [rule S10] */
const soilPointCount = 16;
export const soilPoint = {
  name: 'Soil Height',
  pointer_type: 'GenericPointer',
  radius: 0,
  meta: { color: 'gray', at_soil_level: 'true' },
} as const;

/** In milliliters per second. [rule S10] */
export const flowRate = 100;

/** Creates the curves of the crops and returns their ids by slug. */
export async function ensureCurves(seeder: GardenSeeder, hasPast: boolean): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>();
  for (const { name, slug, water } of cropsOf(hasPast)) {
    if (!water) continue;
    const curve = `${name} water curve`;
    const body = { name: curve, type: 'water', data: water };
    ids.set(
      slug,
      (await seeder.ensure(curves, { name: curve }, body, (texts) => texts.curve(seeder.inWords(curve)))).id,
    );
  }
  return ids;
}

/** Creates the webcam feed. */
export async function ensureWebcam(seeder: GardenSeeder, { webcam }: Frame): Promise<void> {
  await seeder.ensure(webcamFeeds, { name: webcam.name }, { ...webcam }, (texts) =>
    texts.webcam(seeder.inWords(webcam.name)),
  );
}

/** Parses the body of a point. */
export const pointOf = (body: object): Insertable<Point> =>
  parseBody(points.fields, { ...body }, 'create').values as Insertable<Point>;

/** Inserts points from trusted bodies, announces each, and returns them. Those with a past know their times. Throws PointLimit. */
async function plantAll(
  seeder: GardenSeeder,
  bodies: readonly { readonly body: object; readonly since?: number }[],
): Promise<Point[]> {
  const { scope } = seeder;
  await seeder.reservePoints(bodies.length);
  const rows = await scope.insertAll(
    points,
    bodies.map(({ body, since }) => ({ ...pointOf(seeder.inWords(body)), ...(since !== undefined && madeAt(since)) })),
  );
  for (const { id } of rows) announceChanged(scope, points, id);
  return rows;
}

/** How many days ago plants that are only planned were added. */
const planAge = 3;

/**
 * Creates plants and soil heights, unless they exist; with a past, plants of their age, weeds and notes, too. Returns the id of the plant
 * that the past watches, if it was created. Throws PointLimit. [rule S10]
 */
export async function plantDemo(
  seeder: GardenSeeder,
  product: ProductLine | null,
  curveIds: ReadonlyMap<string, number>,
  past: DemoPast | null,
): Promise<number | null> {
  const { scope } = seeder;
  const there = await scope.rows(points, { where: { discarded_at: null } });
  const taken = new Set(there.map(({ openfarm_slug, x, y }) => `${openfarm_slug} ${x} ${y}`));
  const plants = demoPlants(product, past !== null)
    .filter(({ crop, x, y }) => !taken.has(`${crop.slug} ${x} ${y}`))
    .map((plant) => {
      const { crop, x, y, age } = plant;
      const isPlanned = age === null || age < 0;
      const planted = age === null ? null : past ? past.at(age, plantingHour) : scope.clock.now();
      const since = past && (isPlanned || planted === null ? past.at(planAge, 18) : planted);
      const body = {
        pointer_type: 'Plant',
        name: crop.name,
        openfarm_slug: crop.slug,
        x,
        y,
        z: 0,
        plant_stage: isPlanned ? 'planned' : 'planted',
        planted_at: planted === null ? null : timestamp(planted),
        water_curve_id: curveIds.get(crop.slug) ?? null,
        ...(past && !isPlanned && { radius: past.radiusOf(plant, past.now) }),
      };
      return { body, ...(since !== null && { since }) };
    });
  const isMeasured = there.some(
    ({ name, pointer_type }) => name === seeder.inWords(soilPoint.name) && pointer_type === soilPoint.pointer_type,
  );
  const bed = product?.frame.bed ?? 'standard';
  const heights = isMeasured
    ? []
    : Array.from({ length: soilPointCount }, () => ({ body: { ...soilPoint, ...randomPosition(bed) } }));
  const found =
    past && !there.some(({ pointer_type }) => pointer_type === 'Weed') ? [...demoWeeds(past), ...demoNotes(past)] : [];
  const planted = await plantAll(seeder, [...plants, ...heights, ...found]);
  return planted.find(({ openfarm_slug }) => openfarm_slug === watchedCrop)?.id ?? null;
}

/** Returns a random position with a height of the soil, in mm. [rule S10] */
function randomPosition(bed: Frame['bed']): { x: number; y: number; z: number } {
  const [x, y] = bed === 'standard' ? [2700, 1200] : [5700, 2700];
  return { x: randomInt(x / 10 + 1) * 10, y: randomInt(y / 10 + 1) * 10, z: randomInt(-550, -449) };
}

/** Creates the groups of the crops and sets the flow rate and the camera calibration. [rule S10] */
export async function equipDemo(seeder: GardenSeeder, hasPast: boolean): Promise<void> {
  for (const { name, slug } of cropsOf(hasPast))
    await ensureGroup(seeder, `${name} plants`, { pointer_type: ['Plant'], openfarm_slug: [slug] });
  const nozzle = await seeder.scope.first(tools, { where: { name: seeder.inWords('Watering Nozzle') } });
  if (nozzle) await updateRecord(seeder.scope, tools, nozzle, { flow_rate_ml_per_s: flowRate });
  for (const [key, value] of Object.entries(cameraEnvs)) await ensureEnv(seeder, key, value);
}
