import { ageInDays } from '../../core/growth.ts';
import { isObject } from '../../core/json.ts';
import type { GardenRecord } from '../garden-reader.ts';
import type { RobotNode } from '../nodes.ts';

/** Returns a point as scripts get it: with its age in days, a plant's since it was planted. */
export const agedPoint = (point: GardenRecord, now: number): GardenRecord => ({
  ...point,
  age: ageInDays(point.pointer_type === 'Plant' ? point.planted_at : point.created_at, now),
});

/** Returns whether a point passes the filters of a script. `stage`: the plant stage without a filter; null is any. */
export function passes(point: GardenRecord, { args }: RobotNode, stage: string | null): boolean {
  const { plant_stage = stage, openfarm_slug, min_radius, max_radius, min_age, max_age, color, at_soil_level } = args;
  const meta: Readonly<Record<string, unknown>> = isObject(point.meta) ? point.meta : {};
  // On a robot, nil is greater than any number.
  const number = (value: unknown) => (typeof value === 'number' ? value : Number.POSITIVE_INFINITY);
  const isWithin = (value: unknown, min: unknown, max: unknown) =>
    (min === undefined || number(value) >= number(min)) && (max === undefined || number(value) <= number(max));
  return (
    (plant_stage === null || point.plant_stage === plant_stage) &&
    (openfarm_slug === undefined || point.openfarm_slug === String(openfarm_slug).toLowerCase()) &&
    isWithin(point.radius, min_radius, max_radius) &&
    isWithin(point.age, min_age, max_age) &&
    (color === undefined || meta.color === color) &&
    (at_soil_level === undefined || (meta.at_soil_level ?? 'false') === at_soil_level)
  );
}
