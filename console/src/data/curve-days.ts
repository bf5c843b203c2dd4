/** A value of a curve. */
export interface CurveDay {
  readonly day: number;
  readonly value: number;
}

/** Returns the values of a curve in the order of its days, and the keys of its data that are no days: the API takes any. */
export function curveDays(data: Readonly<Record<string, number>>): {
  readonly days: readonly CurveDay[];
  readonly otherKeys: readonly string[];
} {
  const isDay = (key: string): boolean => /^\d+(\.\d+)?$/.test(key);
  const days = Object.entries(data)
    .filter(([key]) => isDay(key))
    .map(([key, value]) => ({ day: Number(key), value }))
    .toSorted((one, other) => one.day - other.day);
  return { days, otherKeys: Object.keys(data).filter((key) => !isDay(key)) };
}
