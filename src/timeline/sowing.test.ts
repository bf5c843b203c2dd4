import { expect, it } from 'vitest';
import { climateOf, parseMonths } from '../core/sowing-months.ts';
import { sowingWindows } from './sowing.ts';

const crop = (temperate: string | null) => ({ slug: 'beet', sowing: { cool: null, temperate, warm: 'May' } });
const windows = (months: string | null, latitude: number | null, from: string, to: string) =>
  sowingWindows([crop(months)], latitude, from, to).map(({ from: first, to: last, indoors }) => [first, last, indoors]);

it('parses the months of the catalog, and leaves out what is not one', () => {
  expect(parseMonths('indoors March, May to June')).toEqual([
    { first: 2, last: 2, isIndoors: true },
    { first: 4, last: 5, isIndoors: false },
  ]);
  expect(parseMonths('in spring, Mayday, May to soon, April')).toEqual([{ first: 3, last: 3, isIndoors: false }]);
  expect(parseMonths(null)).toEqual([]);
});

it.each([
  [null, null],
  [0, 'warm'],
  [-35.9, 'warm'],
  [48.8, 'temperate'],
  [-56, 'cool'],
])('at the latitude %s the climate is %s', (latitude, climate) => expect(climateOf(latitude)).toBe(climate));

it('finds the windows among days, over the turn of a year', () => {
  expect(windows('April to May', 48, '2026-04-30', '2027-04-01')).toEqual([
    ['2026-04-01', '2026-05-31', false],
    ['2027-04-01', '2027-05-31', false],
  ]);
  expect(windows('indoors November to February', 48, '2026-02-28', '2026-02-28')).toEqual([
    ['2025-11-01', '2026-02-28', true],
  ]);
  // Those that begin on one day, as the catalog has them.
  expect(windows('indoors April, April to May', 48, '2026-04-01', '2026-04-02')).toEqual([
    ['2026-04-01', '2026-04-30', true],
    ['2026-04-01', '2026-05-31', false],
  ]);
  expect(windows('April', 48, '2026-05-01', '2027-03-31')).toEqual([]);
  expect(windows(null, 48, '2026-01-01', '2027-01-01')).toEqual([]);
  expect(windows('April', null, '2026-01-01', '2027-01-01')).toEqual([]);
});

it('sows half a year later south of the equator', () => {
  expect(windows('October to February', -45, '2026-06-15', '2026-06-16')).toEqual([
    ['2026-04-01', '2026-08-31', false],
  ]);
  expect(windows('April', -45, '2026-10-31', '2027-01-01')).toEqual([['2026-10-01', '2026-10-31', false]]);
  // That of the catalog for the climate.
  expect(windows('April', -20, '2026-11-30', '2027-01-01')).toEqual([['2026-11-01', '2026-11-30', false]]);
});
