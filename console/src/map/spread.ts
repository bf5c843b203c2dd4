import { curveDays } from '../data/curve-days.ts';

/** The diameters of a plant in mm; null where they are not known. */
export interface Spread {
  readonly now: number;
  readonly grown: number | null;
}

/** The data that determine the diameters of a plant. */
export interface SpreadSource {
  /** In mm. */
  readonly radius: number;
  readonly planted_at: string | null;
}

const dayLength = 86_400_000;

/** Returns the value of a curve on a day (the first is 1), interpolated linearly between the days of the curve, and outside of them the value of the nearest day. Undefined for a curve without days. */
export function curveValue(data: Readonly<Record<string, number>>, day: number): number | undefined {
  const { days } = curveDays(data);
  const after = days.findIndex((each) => each.day >= day);
  const next = days[after];
  if (!next) return days.at(-1)?.value;
  const last = days[after - 1] ?? next;
  return next.day === last.day
    ? next.value
    : last.value + ((next.value - last.value) * (day - last.day)) / (next.day - last.day);
}

/** Returns the diameters of a plant: by its spread curve if it has one; otherwise twice its radius, growing to the spread of its crop. */
export function spreadOf(
  { radius, planted_at }: SpreadSource,
  curve: Readonly<Record<string, number>> | undefined,
  cropSpread: number | undefined,
  now: number,
): Spread {
  if (!curve) return { now: 2 * radius, grown: cropSpread ?? null };
  const day = planted_at === null ? 1 : Math.floor((now - Date.parse(planted_at)) / dayLength) + 1;
  const grown = curveDays(curve).days.map(({ value }) => value);
  return { now: curveValue(curve, day) ?? 2 * radius, grown: grown.length === 0 ? null : Math.max(...grown) };
}
