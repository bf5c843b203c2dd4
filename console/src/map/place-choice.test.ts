import { expect, it } from 'vitest';
import { oneFilling, placesOf } from './filling.ts';
import { chosenPlaces } from './place-choice.ts';
import type { Point } from './points.ts';

const point = (more: object): Point =>
  ({
    id: 1,
    pointer_type: 'Plant',
    name: 'Broccoli',
    openfarm_slug: 'broccoli',
    x: 300,
    y: 0,
    radius: 25,
    ...more,
  }) as Point;
const figures = { height: 300, days_to_germinate: { min: 5 }, days_to_harvest: { min: 50, max: 90 } };
const source = {
  crops: new Map([
    ['broccoli', { spread: 450, ...figures }],
    ['carrot', { spread: 150, ...figures }],
  ]),
  curves: [{ id: 5, data: { 1: 50, 90: 800 } }],
  now: 0,
};
const carrot = { type: 'Plant', slug: 'carrot', name: 'Carrot' } as const;
const row = { ...oneFilling, columns: 10, columnSpacing: 100 };
const chosen = (
  points: readonly Point[],
  isOnPurpose = false,
  added: Parameters<typeof chosenPlaces>[0] = carrot,
  filling = row,
) => chosenPlaces(added, filling, placesOf(filling), points, source, isOnPurpose);
const xOf = ({ free }: ReturnType<typeof chosen>) => free.map(({ x }) => x);

it('plants rows around what stands, as large as it becomes, or there as well on purpose', () => {
  const around = chosen([point({})]);
  expect(xOf(around)).toEqual([0, 600, 700, 800, 900]);
  expect(around).toMatchObject({ taken: 0, tooClose: [{ name: 'Broccoli', count: 5 }] });
  expect(chosen([point({})], true)).toMatchObject({ tooClose: [{ count: 5 }], free: { length: 10 } });
  // By its own curve; removed ones leave their place.
  expect(xOf(chosen([point({ spread_curve_id: 5 })]))).toEqual([700, 800, 900]);
  expect(xOf(chosen([point({ plant_stage: 'harvested' })]))).toHaveLength(10);
  // Only what grows larger than its mark is known of a crop that is not in the catalog.
  expect(xOf(chosen([point({ openfarm_slug: 'unknown', radius: 60 })]))).toEqual([
    0, 100, 200, 400, 500, 600, 700, 800, 900,
  ]);
});

it('leaves out slots, and plants the same crop as close as its distances', () => {
  expect(xOf(chosen([point({ pointer_type: 'ToolSlot', name: 'Seeder' })]))).not.toContain(300);
  const own = point({ name: 'Carrot', openfarm_slug: 'carrot' });
  const dense = { ...oneFilling, columns: 10, columnSpacing: 50 };
  expect(chosen([own], false, carrot, dense)).toMatchObject({ taken: 1, tooClose: [], free: { length: 9 } });
  expect(chosen([{ ...own, x: 320 }], false, carrot, dense)).toMatchObject({ taken: 0, tooClose: [{ count: 2 }] });
});

it('lets weeds, points and slots be anywhere', () => {
  for (const type of ['Weed', 'GenericPointer', 'ToolSlot'] as const)
    expect(chosen([point({})], false, { type, slug: undefined, name: 'Dandelion' })).toMatchObject({
      tooClose: [],
      free: { length: 10 },
    });
});
