import { expect, it } from 'vitest';
import { filledBed, fillingOf, freeOf, obstaclesAt, oneFilling, placesOf, problemsOf, tooCloseOf } from './filling.ts';

it('fills rows and columns from a place', () => {
  const filling = { ...oneFilling, x: 100, y: 50, columns: 3, rows: 2, columnSpacing: 200, rowSpacing: 300 };
  expect(placesOf(filling)).toEqual([
    { x: 100, y: 50 },
    { x: 300, y: 50 },
    { x: 500, y: 50 },
    { x: 100, y: 350 },
    { x: 300, y: 350 },
    { x: 500, y: 350 },
  ]);
  expect(filledBed(filling, 500, 640)).toMatchObject({ columns: 3, rows: 2 });
  expect(filledBed(filling, 499, 650)).toMatchObject({ columns: 2, rows: 3 });
  expect(placesOf({ ...filling, columns: 25, rows: 20 })).toHaveLength(500);
});

it('begins at the place and with the distances of a crop, where there are any', () => {
  const filling = { ...oneFilling, x: 5, y: 6, columns: 3, rows: 2 };
  expect(fillingOf(filling, null, undefined)).toEqual(filling);
  expect(fillingOf(filling, [100, 200], undefined)).toEqual({ ...filling, x: 100, y: 200 });
  expect(fillingOf(filling, null, { plant_spacing: 50, row_spacing: 700 })).toEqual({
    x: 5,
    y: 6,
    columns: 1,
    rows: 1,
    columnSpacing: 50,
    rowSpacing: 700,
  });
});

it('names the wrong numbers, and replaces none', () => {
  expect(problemsOf(oneFilling)).toEqual({});
  const wrong = { ...oneFilling, x: Number.NaN, columns: 5000, rows: 0, columnSpacing: -1 };
  expect(problemsOf(wrong)).toEqual({ x: 'missing', columns: 'tooMany', rows: 'tooSmall', columnSpacing: 'tooSmall' });
  expect(placesOf(wrong)).toEqual([]);
  expect(problemsOf({ ...oneFilling, columns: 25, rows: 21 })).toEqual({ rows: 'tooMany' });
  expect(problemsOf({ ...oneFilling, columns: 2.5 })).toEqual({ columns: 'notWhole' });
});

it('leaves out the places where the same stands, unless rows are that close', () => {
  const places = [
    { x: 100, y: 50 },
    { x: 300, y: 50 },
  ];
  const standing = [{ x: 106, y: 50 }];
  expect(freeOf(places, standing, oneFilling)).toEqual([{ x: 300, y: 50 }]);
  expect(freeOf(places, [{ x: 112, y: 50 }], oneFilling)).toEqual(places);
  expect(freeOf(places, standing, { ...oneFilling, columnSpacing: 8 })).toEqual(places);
});

it('finds the nearest obstacle of each place within its reach', () => {
  const [broccoli, mint] = [
    { name: 'Broccoli', x: 0, y: 0, reach: 200 },
    { name: 'Mint', x: 300, y: 0, reach: 150 },
  ];
  const places = [0, 100, 160, 199, 200, 449, 450, -199].map((x) => ({ x, y: 0 }));
  const found = obstaclesAt(places, [broccoli, mint]);
  expect(places.map((place) => found.get(place)?.name)).toEqual([
    'Broccoli',
    'Broccoli',
    'Mint',
    'Mint',
    'Mint',
    'Mint',
    undefined,
    'Broccoli',
  ]);
  expect(tooCloseOf(found.values())).toEqual([
    { name: 'Mint', count: 4 },
    { name: 'Broccoli', count: 3 },
  ]);
  expect(obstaclesAt(places, [])).toEqual(new Map());
});
