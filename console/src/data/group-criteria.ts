import { type RecordOf, valuesOf } from './collections.ts';

type Point = RecordOf<'points'>;
export type Criteria = RecordOf<'point_groups'>['criteria'];

const day = 24 * 60 * 60 * 1000;

/** The value of a field of a point; `meta.color` is in its meta data. */
function fieldOf(point: Point, field: string): unknown {
  if (!field.startsWith('meta.')) return valuesOf(point)[field];
  return point.meta[field.slice('meta.'.length)];
}

/** Whether a point has all that the criteria of a group ask for; without any criterion, none has. `now` in ms. */
export function matchesCriteria(point: Point, criteria: Criteria, now: number): boolean {
  const { day: age, string_eq = {}, number_eq = {}, number_lt = {}, number_gt = {} } = criteria;
  const tests: boolean[] = [];
  for (const [field, values] of [...Object.entries(string_eq), ...Object.entries(number_eq)])
    if (values && values.length > 0) tests.push((values as readonly unknown[]).includes(fieldOf(point, field)));
  for (const [field, limit] of Object.entries(number_lt)) tests.push(Number(fieldOf(point, field)) < Number(limit));
  for (const [field, limit] of Object.entries(number_gt)) tests.push(Number(fieldOf(point, field)) > Number(limit));
  if (age && age.days_ago !== 0) {
    const planted = 'planted_at' in point && point.planted_at ? point.planted_at : point.created_at;
    const days = (now - Date.parse(planted)) / day;
    tests.push(age.op === '<' ? days < age.days_ago : days > age.days_ago);
  }
  return tests.length > 0 && tests.every(Boolean);
}

/** Returns the points of a group: those chosen one by one, and those that its criteria match. */
export const membersOf = (
  group: { readonly point_ids: readonly number[]; readonly criteria: Criteria },
  points: readonly Point[],
  now: number,
): readonly Point[] => {
  const chosen = new Set(group.point_ids);
  return points.filter((point) => chosen.has(point.id) || matchesCriteria(point, group.criteria, now));
};
