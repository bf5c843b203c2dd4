import { expect, it } from 'vitest';
import { countsAt, eachPointAt, endOfNextAutumn, type GardenSpan, tappedAt, timeGarden } from './time-garden.ts';

const day = 86_400_000;
const start = Date.UTC(2026, 3, 1);
const after = (days: number): string => new Date(start + days * day).toISOString();
const crop = { spread: 200, height: 300, days_to_germinate: { min: 10 }, days_to_harvest: { min: 50, max: 80 } };
const figures = { crops: new Map([['beet', crop]]), curves: [{ id: 3, data: { 1: 50, 101: 150 } }] };

const plant = {
  id: 7,
  pointer_type: 'Plant',
  name: 'Beet',
  x: 1,
  y: 2,
  z: 0,
  radius: 25,
  openfarm_slug: 'beet',
  plant_stage: 'planted',
  planted_at: after(0),
} as const;
const span: Pick<GardenSpan, 'points'> = {
  points: [
    {
      id: 7,
      states: [
        { since: after(0), ...plant },
        { since: after(5), x: 9 },
        { since: after(20), removed: true },
        { since: after(25), ...plant, x: 4, spread_curve_id: 3 },
      ],
    },
    { id: 8, states: [{ since: after(1), ...plant, id: 8, pointer_type: 'Weed', name: 'Nettle', radius: 40 }] },
    { id: 9, states: [{ since: after(1), ...plant, id: 9, meta: { at_soil_level: 'true' } }] },
  ],
};
const garden = timeGarden(span, figures);
const pointsAt = (days: number, now = 30) => {
  const found: unknown[] = [];
  eachPointAt(garden, start + days * day, start + now * day, ({ point, state, spread }) =>
    found.push([point.name, point.x, state, spread]),
  );
  return found;
};

it('applies what changed to the state before, and grows plants by the functions of the server', () => {
  expect(pointsAt(-1)).toEqual([]);
  expect(pointsAt(0)).toEqual([['Beet', 1, 'growing', 0]]);
  expect(pointsAt(5)).toEqual([
    ['Beet', 9, 'growing', 0],
    ['Nettle', 1, null, 80],
  ]);
  expect(pointsAt(21)).toEqual([['Nettle', 1, null, 80]]);
  expect(pointsAt(51)[0]).toEqual(['Beet', 4, 'ripe', 100]);
  // It left after its harvest, unless it stands now.
  expect(pointsAt(80)).toEqual([['Nettle', 1, null, 80]]);
  expect(pointsAt(80, 80)[0]).toEqual(['Beet', 4, 'ripe', 129]);
});

it('finds the point that a tap means: the nearest of those that it touches', () => {
  const nameAt = (x: number, reach = 5): string | undefined =>
    tappedAt(garden, start + 51 * day, start + 30 * day, { x, y: 2, reach })?.point.name;
  // Beet at 4 is 100 mm wide, Nettle at 1 is 80.
  expect([nameAt(0), nameAt(4), nameAt(50), nameAt(60), nameAt(60, 60)]).toEqual([
    ...['Nettle', 'Beet', 'Beet'],
    undefined,
    'Beet',
  ]);
});

it('counts plants by their states', () => {
  expect(countsAt(garden, start + 60 * day, start)).toEqual({ planned: 0, growing: 0, ripe: 1, harvested: 0 });
});

it.each([
  ['2026-11-29', false, '2027-11-30'],
  ['2026-08-01', false, '2026-11-30'],
  ['2026-10-01', false, '2026-11-30'],
  ['2026-10-03', false, '2027-11-30'],
  ['2026-08-01', true, '2027-05-31'],
])('from %s the slider (south: %s) reaches the end of the next autumn, %s', (now, isSouth, end) =>
  expect(new Date(endOfNextAutumn(Date.parse(now), isSouth)).toISOString().slice(0, 10)).toBe(end),
);
