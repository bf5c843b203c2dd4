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
  const days = Object.entries(data)
    .map(([key, value]) => [Number(key), value] as const)
    .sort(([a], [b]) => a - b);
  const after = days.findIndex(([each]) => each >= day);
  if (after === -1) return days.at(-1)?.[1];
  const [nextDay, nextValue] = days[after] ?? [0, 0];
  const [lastDay, lastValue] = days[after - 1] ?? [nextDay, nextValue];
  return nextDay === lastDay
    ? nextValue
    : lastValue + ((nextValue - lastValue) * (day - lastDay)) / (nextDay - lastDay);
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
  return { now: curveValue(curve, day) ?? 2 * radius, grown: Math.max(...Object.values(curve)) };
}
