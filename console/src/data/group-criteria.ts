import { matchesCriteria } from '../../../src/core/point-criteria.ts';
import { type RecordOf, valuesOf } from './collections.ts';

type Point = RecordOf<'points'>;
export type Criteria = RecordOf<'point_groups'>['criteria'];

/** Whether the criteria of a group match a point. `now` in ms. */
export const isMatch = (point: Point, criteria: Criteria, now: number): boolean =>
  matchesCriteria(valuesOf(point), criteria, now);

/** Returns the points of a group: chosen one by one, or matched by its criteria. */
export const membersOf = (
  group: { readonly point_ids: readonly number[]; readonly criteria: Criteria },
  points: readonly Point[],
  now: number,
): readonly Point[] => {
  const chosen = new Set(group.point_ids);
  return points.filter((point) => chosen.has(point.id) || isMatch(point, group.criteria, now));
};
