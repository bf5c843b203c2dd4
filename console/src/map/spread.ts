import { ageInDays, curveDays, curveValue } from '../../../src/core/growth.ts';

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

/** Returns the diameters of a plant: by its spread curve if it has one; otherwise twice its radius, growing to the spread of its crop. */
export function spreadOf(
  { radius, planted_at }: SpreadSource,
  curve: Readonly<Record<string, number>> | undefined,
  cropSpread: number | undefined,
  now: number,
): Spread {
  if (!curve) return { now: 2 * radius, grown: cropSpread ?? null };
  const grown = curveDays(curve).days.map(({ value }) => value);
  return {
    now: curveValue(curve, ageInDays(planted_at, now) ?? 1) ?? 2 * radius,
    grown: grown.length === 0 ? null : Math.max(...grown),
  };
}
