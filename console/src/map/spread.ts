import { ageInDays, curveDays, curveValue } from '../../../src/core/growth.ts';
import type { RecordOf } from '../data/collections.ts';
import type { Crop } from '../data/crops.ts';
import type { Plant } from './points.ts';

/** The diameters of a plant in mm; null where they are not known. */
export interface Spread {
  readonly now: number;
  readonly grown: number | null;
}

/** The data that determine how large plants become. */
export interface GrowthSource {
  readonly curves: readonly Pick<RecordOf<'curves'>, 'id' | 'data'>[];
  readonly crops: ReadonlyMap<string, Pick<Crop, 'spread'>>;
  /** In ms since the epoch. */
  readonly now: number;
}

/** Returns the diameters of a plant: by its spread curve if it has one; otherwise twice its radius, growing to the spread of its crop. */
export function spreadOf(
  { radius, planted_at }: Pick<Plant, 'radius' | 'planted_at'>,
  curve: Readonly<Record<string, number>> | undefined,
  cropSpread: number | undefined,
  now: number,
): Spread {
  if (!curve) return { now: 2 * radius, grown: cropSpread ?? null };
  const grown = curveDays(curve).days.map(({ value }) => value);
  return {
    now: curveValue(curve, ageInDays(planted_at, now) ?? 1) ?? 2 * radius,
    grown: grown.length === 0 ? null : Math.max(...grown),
  };
}

/** Returns the same for a plant of the garden. */
export const plantSpread = (plant: Plant, { curves, crops, now }: GrowthSource): Spread =>
  spreadOf(
    plant,
    curves.find(({ id }) => id === plant.spread_curve_id)?.data,
    crops.get(plant.openfarm_slug)?.spread,
    now,
  );
