import { expect, it } from 'vitest';
import { filledBed, oneFilling, placesOf } from './filling.ts';

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
  expect(placesOf({ ...filling, columns: 1000, rows: 1000 })).toHaveLength(500);
  expect(placesOf({ ...filling, columns: Number.NaN, rows: 0 })).toEqual([{ x: 100, y: 50 }]);
});
