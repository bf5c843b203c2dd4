const dayLength = 86_400_000;

/** Returns the days between two times, as robots count: a part of a day is one. In ms since the epoch. */
export const daysBetween = (since: number, now: number): number =>
  // Turns -0 into 0.
  Math.ceil((Math.floor((now - since) / 1000) * 1000) / dayLength) + 0;

/** Returns how many days ago a time was, as {@link daysBetween} counts; null without a time. `now` in ms since the epoch. */
export function ageInDays(time: unknown, now: number): number | null {
  const since = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(since) ? null : daysBetween(since, now);
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
  return (day) => {
    const after = days.find((each) => each.day >= day);
    const before = days.filter((each) => each.day <= day).at(-1);
    if (!after || !before) return (before ?? after)?.value;
    if (after.day === before.day) return after.value;
    const value = before.value + ((after.value - before.value) * (day - before.day)) / (after.day - before.day);
    return Math.round(value * 100) / 100;
  };
}

/** Returns the value of a curve on a day, as {@link curveReader} does. */
export const curveValue = (data: Readonly<Record<string, unknown>>, day: number): number | undefined =>
  curveReader(data)(day);

/** The figures of a crop that determine how its plants grow. Lengths in mm, times in days from planting. */
export interface CropGrowth {
  readonly spread: number;
  readonly height: number;
  readonly days_to_germinate: { readonly min: number };
  readonly days_to_harvest: { readonly min: number; readonly max: number };
}

/** Returns the share of its full size that a plant of a crop has at an age: it grows from its first shoots until its harvest, most in between. [ADR 132] */
export function grownShare(age: number, { days_to_germinate, days_to_harvest }: CropGrowth): number {
  const [start, end] = [days_to_germinate.min, days_to_harvest.min];
  if (age >= end) return 1;
  const share = Math.max(0, (age - start) / (end - start));
  return share * share * (3 - 2 * share);
}

/** What determines the size of a plant; of both a curve comes first. */
export interface PlantFigures {
  readonly spread: CurveReader | undefined;
  readonly height: CurveReader | undefined;
  readonly crop: CropGrowth | undefined;
}

/** Returns the diameter and the height of a plant at a time, in mm: by its curves, else by its crop, else twice its radius and no height. `planted`, `at` in ms since the epoch. [ADR 132] */
export function plantSize(
  { radius, planted }: { readonly radius: number; readonly planted: number | null },
  { spread, height, crop }: PlantFigures,
  at: number,
): { readonly spread: number; readonly height: number | null } {
  const age = planted === null ? null : daysBetween(planted, at);
  const share = crop && age !== null ? grownShare(age, crop) : null;
  const byCrop = (full: number | undefined) => (share === null ? undefined : Math.round(share * (full ?? 0)));
  return {
    spread: spread?.(age ?? 1) ?? byCrop(crop?.spread) ?? 2 * radius,
    height: (age === null ? undefined : height?.(age)) ?? byCrop(crop?.height) ?? null,
  };
}
