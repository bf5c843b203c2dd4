/** A value that was measured at a place, in mm. */
export interface Measurement {
  readonly x: number;
  readonly y: number;
  readonly value: number;
}

/** A point, as the server sends it. */
interface GardenPoint {
  readonly x?: unknown;
  readonly y?: unknown;
  readonly z?: unknown;
  readonly meta?: unknown;
  readonly updated_at?: unknown;
}

/** With fewer measurements a robot takes the height of its settings. [rule R22] */
export const minSoilHeights = 3;

/** A robot takes measurements within the same square of this size as measurements of one place, in mm. */
const square = 10;

/** Rounds half away from zero. */
const rounded = (value: number): number => Math.sign(value) * Math.round(Math.abs(value));

/** Returns whether a point is a measured height of the soil. */
export const isSoilHeight = ({ meta }: GardenPoint): boolean =>
  typeof meta === 'object' && meta !== null && Reflect.get(meta, 'at_soil_level') === 'true';

/** Returns the measured heights of the soil among points, the newest of each place. [rule R22] */
export function soilHeights(points: readonly GardenPoint[]): readonly Measurement[] {
  const newest = new Map<string, Measurement>();
  const timeOf = ({ updated_at }: GardenPoint) => Date.parse(String(updated_at)) || 0;
  for (const { x, y, z } of points.filter(isSoilHeight).sort((a, b) => timeOf(a) - timeOf(b)))
    if (typeof x === 'number' && typeof y === 'number' && typeof z === 'number')
      newest.set(`${rounded(x / square)} ${rounded(y / square)}`, { x, y, value: z });
  return [...newest.values()];
}

/** Returns the value at a place between one or more measurements: the nearer, the more they count, by the fourth power of the distance. [rule R22] */
export function interpolated(measured: readonly Measurement[], x: number, y: number): number {
  let [sum, weights] = [0, 0];
  for (const each of measured) {
    const squared = (each.x - x) ** 2 + (each.y - y) ** 2;
    if (squared === 0) return each.value;
    // So that weights and their sum stay numbers at any distance.
    const weight = 1 / Math.min(Math.max(squared, 1e-140), 1e140) ** 2;
    sum += each.value * weight;
    weights += weight;
  }
  return rounded((sum / weights) * 100) / 100;
}
