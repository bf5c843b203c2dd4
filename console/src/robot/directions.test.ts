import { expect, it } from 'vitest';
import { jogsOf } from './directions.ts';

const config = {
  bot_origin_quadrant: 2,
  xy_swap: false,
  x_axis_inverted: false,
  y_axis_inverted: false,
  z_axis_inverted: false,
};

it('moves as the map shows it', () => {
  expect(jogsOf(config)).toEqual({
    right: { axis: 'x', sign: 1 },
    left: { axis: 'x', sign: -1 },
    down: { axis: 'y', sign: 1 },
    up: { axis: 'y', sign: -1 },
    raise: { axis: 'z', sign: 1 },
    lower: { axis: 'z', sign: -1 },
  });
  // The origin is in the right lower corner, and x goes upward.
  expect(jogsOf({ ...config, bot_origin_quadrant: 4, xy_swap: true })).toMatchObject({
    right: { axis: 'y', sign: -1 },
    up: { axis: 'x', sign: 1 },
  });
});

it('inverts axes as configured', () => {
  expect(jogsOf({ ...config, x_axis_inverted: true, z_axis_inverted: true })).toMatchObject({
    right: { axis: 'x', sign: -1 },
    left: { axis: 'x', sign: 1 },
    down: { axis: 'y', sign: 1 },
    raise: { axis: 'z', sign: -1 },
  });
});
