const dayLength = 86_400_000;

/** Returns how many days ago a time was, as robots count: a part of a day is one; null without a time. `now` in ms since the epoch. */
export function ageInDays(time: unknown, now: number): number | null {
  const since = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  // Turns -0 into 0.
  return Number.isNaN(since) ? null : Math.ceil((Math.floor((now - since) / 1000) * 1000) / dayLength) + 0;
}

/** Returns the value of a curve on a day; between its days in proportion, with two decimals, and outside of them that of the nearest day. `data`: values by day. Undefined for a curve without days. */
export function curveValue(data: Readonly<Record<string, unknown>>, day: number): number | undefined {
  const days = Object.entries(data)
    .map(([key, value]) => [Number(key), Number(value)] as const)
    .sort(([a], [b]) => a - b);
  const after = days.find(([each]) => each >= day);
  const before = days.findLast(([each]) => each <= day);
  if (!after || !before) return (before ?? after)?.[1];
  if (after[0] === before[0]) return after[1];
  const value = before[1] + ((after[1] - before[1]) * (day - before[0])) / (after[0] - before[0]);
  return Math.round(value * 100) / 100;
}
