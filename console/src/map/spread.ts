import { plantedOn } from '../../../src/core/garden-time.ts';
import { type CropGrowth, curveDays, curveReader, plantSize } from '../../../src/core/growth.ts';
import type { RecordOf } from '../data/collections.ts';
import type { Plant } from './points.ts';

/** The diameters of a plant in mm; null where they are not known. */
export interface Spread {
  readonly now: number;
  readonly grown: number | null;
}

/** The data that determine how large plants become. */
export interface GrowthSource {
  readonly curves: readonly Pick<RecordOf<'curves'>, 'id' | 'data'>[];
  readonly crops: ReadonlyMap<string, CropGrowth>;
  /** In ms since the epoch. */
  readonly now: number;
}

/** Returns the diameters of a plant, now and when it is grown: by its spread curve, else by its crop, else twice its radius. */
export function spreadOf(
  { radius, planted_at }: Pick<Plant, 'radius' | 'planted_at'>,
  curve: Readonly<Record<string, number>> | undefined,
  crop: CropGrowth | undefined,
  now: number,
): Spread {
  const plant = { radius, planted: plantedOn(planted_at) };
  const { spread } = plantSize(plant, { spread: curve && curveReader(curve), height: undefined, crop }, now);
  if (!curve) return { now: spread, grown: crop?.spread ?? null };
  const grown = curveDays(curve).days.map(({ value }) => value);
  return { now: spread, grown: grown.length === 0 ? null : Math.max(...grown) };
}

/** Returns the same for a plant of the garden. */
export const plantSpread = (plant: Plant, { curves, crops, now }: GrowthSource): Spread =>
  spreadOf(plant, curves.find(({ id }) => id === plant.spread_curve_id)?.data, crops.get(plant.openfarm_slug), now);
