/** The climates of the catalog of crops. */
export const climates = ['cool', 'temperate', 'warm'] as const;
export type Climate = (typeof climates)[number];

/** Up to these latitudes, in degrees. [ADR 132] */
const [maxWarm, maxTemperate] = [36, 56];

/** Returns the climate of a garden, of which the server knows the latitude at most. */
export function climateOf(latitude: number | null): Climate | null {
  if (latitude === null) return null;
  const degrees = Math.abs(latitude);
  if (degrees < maxWarm) return 'warm';
  return degrees < maxTemperate ? 'temperate' : 'cool';
}

const monthNames = 'January February March April May June July August September October November December'.split(' ');

/** A part of the year, in months from 0. The last one may be before the first: in the next year. */
export interface Months {
  readonly first: number;
  readonly last: number;
  readonly isIndoors: boolean;
}

/** Parses `indoors March, May to June`, as in the catalog. Parts of another form, as an operator's file may have, are left out. */
export function parseMonths(text: string | null): readonly Months[] {
  return (text ?? '').split(',').flatMap((part): Months[] => {
    const [, indoors, from = '', to = from] = /^(indoors )?(\p{L}+)(?: to (\p{L}+))?$/u.exec(part.trim()) ?? [];
    const [first, last] = [monthNames.indexOf(from), monthNames.indexOf(to)];
    return first < 0 || last < 0 ? [] : [{ first, last, isIndoors: indoors !== undefined }];
  });
}

/** How many months later than in the catalog a garden sows: half a year south of the equator. */
export const monthShift = (latitude: number): number => (latitude < 0 ? 6 : 0);
