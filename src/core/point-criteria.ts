const day = 24 * 60 * 60 * 1000;

type Fields = Readonly<Record<string, unknown>>;

/** The criteria of a group's points, as in the group's field `criteria`. */
export interface PointCriteria {
  readonly day?: { readonly op: string; readonly days_ago: number };
  /** Lists of values by field; `meta.color` is in the meta data. */
  readonly string_eq?: object;
  readonly number_eq?: object;
  /** Limits by field. */
  readonly number_lt?: object;
  readonly number_gt?: object;
}

/** Whether a point matches all criteria; without any criterion, no point matches. `now` in ms since the epoch. */
export function matchesCriteria(point: Fields, criteria: PointCriteria, now: number): boolean {
  const { day: age, string_eq = {}, number_eq = {}, number_lt = {}, number_gt = {} } = criteria;
  const tests: boolean[] = [];
  for (const [field, values] of [...Object.entries(string_eq), ...Object.entries(number_eq)])
    if (Array.isArray(values) && values.length > 0) tests.push(values.includes(fieldOf(point, field)));
  for (const [field, limit] of Object.entries(number_lt)) tests.push(Number(fieldOf(point, field)) < Number(limit));
  for (const [field, limit] of Object.entries(number_gt)) tests.push(Number(fieldOf(point, field)) > Number(limit));
  if (age && age.days_ago !== 0) {
    // A plant that is not planted has no age. [rule G38]
    const since = point.pointer_type === 'Plant' ? point.planted_at : point.created_at;
    const days = (now - Date.parse(String(since))) / day;
    tests.push(age.op === '<' ? days < age.days_ago : days > age.days_ago);
  }
  return tests.length > 0 && tests.every(Boolean);
}

function fieldOf(point: Fields, field: string): unknown {
  if (!field.startsWith('meta.')) return point[field];
  const { meta } = point;
  return typeof meta === 'object' && meta !== null ? Reflect.get(meta, field.slice('meta.'.length)) : undefined;
}
