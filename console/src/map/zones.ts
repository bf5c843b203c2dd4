import type { RecordOf } from '../data/collections.ts';

/** The part of the bed that a group takes points from, in mm; null in a direction without a limit. */
interface Zone {
  readonly id: number;
  readonly name: string;
  readonly minX: number | null;
  readonly maxX: number | null;
  readonly minY: number | null;
  readonly maxY: number | null;
}

/** Returns the zones of groups whose criteria limit coordinates. */
export const zonesOf = (groups: readonly RecordOf<'point_groups'>[]): readonly Zone[] =>
  groups.flatMap(({ id, name, criteria: { number_gt, number_lt } }) => {
    const zone = {
      id,
      name,
      minX: number_gt.x ?? null,
      maxX: number_lt.x ?? null,
      minY: number_gt.y ?? null,
      maxY: number_lt.y ?? null,
    };
    const { minX, maxX, minY, maxY } = zone;
    return [minX, maxX, minY, maxY].some((limit) => limit !== null) ? [zone] : [];
  });
