import { expect, it } from 'vitest';
import type { Crop } from '../data/crops.ts';
import { neighborsOf, progressOf, sowingAt, wateredBy } from './life.ts';
import type { Plant } from './points.ts';

const plant = (id: number, x: number, openfarm_slug: string, more: Partial<Plant> = {}) =>
  ({ id, x, y: 0, openfarm_slug, planted_at: null, plant_stage: 'planted', ...more }) as Plant;
const tomato = {
  days_to_harvest: { min: 60, max: 100 },
  neighbors: { good: ['basil'], bad: ['potato'] },
  sowing: { cool: 'indoors April', temperate: 'indoors March to April, May', warm: null },
} satisfies Pick<Crop, 'days_to_harvest' | 'neighbors' | 'sowing'>;

it('names the neighbors of other crops, the ones that matter first, the nearest of each', () => {
  const others = [
    plant(1, 0, 'tomato'),
    plant(2, 100, 'carrot'),
    plant(3, 400, 'basil'),
    plant(4, 300, 'basil'),
    plant(5, 590, 'potato'),
    plant(6, 601, 'leek'),
    plant(7, 50, 'tomato'),
  ];
  expect(neighborsOf(plant(1, 0, 'tomato'), others, tomato).map(({ plant: { id }, kind }) => [id, kind])).toEqual([
    [5, 'bad'],
    [4, 'good'],
    [2, 'neutral'],
  ]);
  expect(neighborsOf(plant(1, 0, 'other'), others, undefined).every(({ kind }) => kind === 'neutral')).toBe(true);
});

it('knows how far a plant is on its way to the harvest', () => {
  const planted = plant(1, 0, 'tomato', { planted_at: '2026-04-01T00:00:00.000Z' });
  const at = (day: string) => progressOf(planted, tomato, Date.parse(day));
  expect(at('2026-05-01T00:00:00Z')?.share).toBeCloseTo(0.5);
  expect(at('2026-09-01T00:00:00Z')?.share).toBe(1);
  expect(at('2026-03-01T00:00:00Z')?.share).toBe(0);
  expect(new Date(at('2026-05-01T00:00:00Z')?.from ?? 0).toISOString()).toBe('2026-05-31T00:00:00.000Z');
  expect(progressOf(plant(1, 0, 'tomato'), tomato, 0)).toBeNull();
  expect(progressOf(planted, undefined, 0)).toBeNull();
});

it('adds up the water of a plant since it was planted, by its curve', () => {
  const runs = ['2026-04-03T06:00:00Z', '2026-03-30T06:00:00Z', '2026-04-01T06:00:00Z'].map((at) => ({ at }));
  const planted = { planted_at: '2026-04-01T00:00:00.000Z' };
  expect(wateredBy(runs, planted, { 1: 100, 3: 300 })).toEqual({
    times: [Date.parse('2026-04-01T06:00:00Z'), Date.parse('2026-04-03T06:00:00Z')],
    milliliters: 400,
  });
  expect(wateredBy(runs, planted, undefined).milliliters).toBeNull();
  expect(wateredBy(runs, { planted_at: null }, { 1: 100 })).toMatchObject({ times: { length: 3 }, milliliters: null });
});

it('sows in the months of the garden’s climate, half a year later in the south', () => {
  expect(sowingAt(tomato, 48)).toEqual([
    { first: 2, last: 3, isIndoors: true },
    { first: 4, last: 4, isIndoors: false },
  ]);
  expect(sowingAt(tomato, -45)?.[0]).toEqual({ first: 8, last: 9, isIndoors: true });
  expect(sowingAt(tomato, 10)).toEqual([]);
  expect(sowingAt(tomato, null)).toBeNull();
});
