import { climateOf, monthShift, parseMonths } from '../core/sowing-months.ts';
import type { Crop } from '../garden/crop-columns.ts';

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
  const shift = monthShift(latitude ?? 0);
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
      .sort((a, b) => Date.parse(a.from) - Date.parse(b.from)),
  );
}
