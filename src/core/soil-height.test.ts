import { expect, it } from 'vitest';
import { interpolated, soilHeights } from './soil-height.ts';

const point = (x: number, y: number, z: number, more: object = {}) => ({
  ...{ x, y, z, meta: { at_soil_level: 'true' }, updated_at: '2026-05-01T00:00:00.000Z' },
  ...more,
});
const corners = [point(0, 0, -100), point(1000, 0, -200), point(0, 1000, -300), point(1000, 1000, -150)];

// Measured on the robot OS.
it.each([
  [500, 500, -187.5],
  [250, 750, -286.05],
  [900, 400, -190.88],
  [100, 100, -100.19],
  [1000, 0, -200],
])('interpolates at (%i, %i) as the robot does', (x, y, z) => {
  expect(interpolated(soilHeights(corners), x, y)).toBe(z);
});

it('is a number at any distance', () => {
  for (const [x, y] of [
    [1e200, 0],
    [1e300, -1e300],
    [1e-200, 0],
  ] as const)
    expect(interpolated(soilHeights(corners), x, y)).toSatisfy(Number.isFinite);
});

it('takes the newest of measurements within 10 mm, and no other points', () => {
  const older = point(503, 498, -20, { updated_at: '2026-04-30T00:00:00.000Z' });
  const newer = point(-3, 4, -90, { updated_at: '2026-05-02T00:00:00.000Z' });
  const others = [
    point(700, 700, -5, { meta: { at_soil_level: 'false' } }),
    point(700, 700, -5, { meta: {} }),
    point(700, 700, -5, { meta: null }),
  ];
  expect(soilHeights([point(500, 500, -10), newer, older, ...others, point(0, 0, -80), point(5, 0, -70)])).toEqual([
    { x: 500, y: 500, value: -10 },
    { x: -3, y: 4, value: -90 },
    { x: 5, y: 0, value: -70 },
  ]);
});
