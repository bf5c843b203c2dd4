const dayLength = 86_400_000;

/** Returns how many days ago a time was, as robots count: a part of a day is one; null without a time. `now` in ms since the epoch. */
export function ageInDays(time: unknown, now: number): number | null {
  const since = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  // Turns -0 into 0.
  return Number.isNaN(since) ? null : Math.ceil((Math.floor((now - since) / 1000) * 1000) / dayLength) + 0;
}

/** A value of a curve. */
export interface CurveDay {
  readonly day: number;
  readonly value: number;
}

const isDay = (key: string): boolean => /^\d+(\.\d+)?$/.test(key);

/** Returns the values of a curve in the order of its days, and the keys of its data that are no days: the API takes any. */
export function curveDays(data: Readonly<Record<string, unknown>>): {
  readonly days: readonly CurveDay[];
  readonly otherKeys: readonly string[];
} {
  const days = Object.entries(data)
    .filter(([key]) => isDay(key))
    .map(([key, value]) => ({ day: Number(key), value: Number(value) }))
    .sort((one, other) => one.day - other.day);
  return { days, otherKeys: Object.keys(data).filter((key) => !isDay(key)) };
}

/** Returns the value of a curve on a day. */
export type CurveReader = (day: number) => number | undefined;

/** Returns a function for the values of a curve: between its days in proportion, with two decimals, and outside of them that of the nearest day. Undefined for a curve without days. */
export function curveReader(data: Readonly<Record<string, unknown>>): CurveReader {
  const { days } = curveDays(data);
  const after = days.find((each) => each.day >= day);
  const before = days.filter((each) => each.day <= day).at(-1);
  if (!after || !before) return (before ?? after)?.value;
  if (after.day === before.day) return after.value;
  const value = before.value + ((after.value - before.value) * (day - before.day)) / (after.day - before.day);
  return Math.round(value * 100) / 100;
}
