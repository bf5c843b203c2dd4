import type { Crop } from '../garden/crop-columns.ts';

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
interface Months {
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

/** A span in which a crop is sown. */
export interface SowingWindow {
  readonly crop: string;
  /** The first and the last day: `2027-03-01`. */
  readonly from: string;
  readonly to: string;
  readonly indoors: boolean;
}

const dateOf = (year: number, month: number, day: number): string =>
  new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);

/** Returns when crops are sown at a latitude, among the days from `from` to `to` (`2027-03-01`), in the order of the crops. South of the equator, half a year later. */
export function sowingWindows(
  crops: readonly Pick<Crop, 'slug' | 'sowing'>[],
  latitude: number | null,
  from: string,
  to: string,
): SowingWindow[] {
  const climate = climateOf(latitude);
  if (climate === null) return [];
  const shift = (latitude ?? 0) < 0 ? 6 : 0;
  const [firstYear, lastYear] = [Number(from.slice(0, 4)) - 2, Number(to.slice(0, 4))];
  const years = Array.from({ length: lastYear - firstYear + 1 }, (_, index) => firstYear + index);
  return crops.flatMap(({ slug, sowing }) =>
    parseMonths(sowing[climate])
      .flatMap(({ first, last, isIndoors }) =>
        years.map((year) => ({
          crop: slug,
          from: dateOf(year, first + shift, 1),
          // The day before the first of the next month.
          to: dateOf(year, (last < first ? last + 12 : last) + shift + 1, 0),
          indoors: isIndoors,
        })),
      )
      .filter((window) => window.to >= from && window.from <= to)
      .sort((a, b) => (a.from < b.from ? -1 : 1)),
  );
}
