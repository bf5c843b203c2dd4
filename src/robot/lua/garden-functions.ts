import type { Clock } from '../../core/clock.ts';
import { objectOf } from '../../core/json.ts';
import { detectWeeds, logMissing, takePhoto } from '../farmware.ts';
import { createNode, numberOf, type RobotNode, toPrintable, vectorOf } from '../nodes.ts';
import { measureSoilHeight, soilHeightAt } from '../soil.ts';
import { type LuaFunctions, type LuaScript, tableOf } from './lua-function.ts';
import { say } from './message-functions.ts';
import { moveStep } from './movement-functions.ts';
import { dispense } from './tool-functions.ts';

const dayLength = 86_400_000;

const pointsOf =
  (type: string) =>
  async (_call: RobotNode, { context: { garden } }: LuaScript) =>
    (await garden.list('points')).filter(({ pointer_type }) => pointer_type === type);

/** Returns the value of a curve on a day, between its days in proportion. `data`: values by day. */
export function curveValue(data: Readonly<Record<string, unknown>>, day: number): number {
  const days = Object.entries(data)
    .map(([key, value]) => [Number(key), Number(value)] as const)
    .sort(([a], [b]) => a - b);
  const after = days.find(([each]) => each >= day);
  const before = days.findLast(([each]) => each <= day);
  if (!after || !before) return (before ?? after)?.[1] ?? 0;
  if (after[0] === before[0]) return after[1];
  return before[1] + ((after[1] - before[1]) * (day - before[0])) / (after[0] - before[0]);
}

/** Returns the age of a plant in days; the first day is 1. */
const ageOf = (planted_at: string, clock: Clock): number =>
  Math.floor((clock.now() - Date.parse(planted_at)) / dayLength) + 1;

/** Waters a plant according to its curve. Returns whether it could. */
async function water(call: RobotNode, script: LuaScript): Promise<boolean> {
  const plant = tableOf(call, 'plant');
  const { name, water_curve_id, planted_at } = plant.args;
  const label = toPrintable(String(name), 60);
  if (typeof water_curve_id !== 'number' || typeof planted_at !== 'string') {
    await say(
      script,
      'warn',
      `${label} has no ${typeof planted_at === 'string' ? 'water curve' : 'planting date'}.`,
      [],
    );
    return false;
  }
  const { context } = script;
  const { data } = await context.garden.record(`/api/curves/${water_curve_id}`, `curve ${water_curve_id}`);
  const milliliters = Math.round(curveValue(objectOf(data), ageOf(planted_at, context.clock)));
  const { x, y } = vectorOf(createNode('water', { z: 0, ...plant.args }));
  await script.run(moveStep({ x, y, z: context.account.height('safe_height'), safe_z: true }));
  await say(script, 'info', `Watering ${label} with ${milliliters} mL.`, []);
  return dispense(milliliters, {}, script);
}

/** Plants, soil and the camera. */
export const gardenFunctions: LuaFunctions = {
  get_plants: { takes: '', run: pointsOf('Plant') },
  get_weeds: { takes: '', run: pointsOf('Weed') },
  water: { takes: 'plant', run: water },
  soil_height: {
    takes: 'x y',
    run: (call, { context }) => soilHeightAt(numberOf(call, 'x'), numberOf(call, 'y'), context),
  },
  take_photo: { takes: '', run: (_call, { context }) => takePhoto(context) },
  detect_weeds: { takes: '', run: (_call, { context }) => detectWeeds(context) },
  measure_soil_height: { takes: '', run: (_call, { context }) => measureSoilHeight(context) },
  calibrate_camera: { takes: '', run: (_call, { context }) => logMissing('camera calibration', context) },
};
