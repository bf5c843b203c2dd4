import { expect, it } from 'vitest';
import { endsOn } from './axis-ends.ts';

/** A robot of 1000 × 500 × 400 mm whose z has coordinates of 0 and below. */
const robot = {
  movement_axis_nr_steps_x: 5000,
  movement_axis_nr_steps_y: 2500,
  movement_axis_nr_steps_z: 10_000,
  movement_step_per_mm_x: 5,
  movement_step_per_mm_y: 5,
  movement_step_per_mm_z: 25,
  movement_home_up_z: 1,
  movement_stop_at_home_x: 1,
  movement_stop_at_home_y: 1,
  movement_stop_at_home_z: 1,
  movement_stop_at_max_x: 1,
  movement_stop_at_max_y: 1,
  movement_stop_at_max_z: 1,
};

const inside = { x: 1000, y: 0, z: -400 };

it('meets no end within the axes, nor without settings', () => {
  expect(endsOn(inside, robot)).toEqual([]);
  expect(endsOn({ x: 99_999, y: -5, z: 5 }, {})).toEqual([]);
});

it.each([
  [
    { ...inside, x: 1200 },
    { axis: 'x', at: 1000, wanted: 1200 },
  ],
  [
    { ...inside, y: -0.5 },
    { axis: 'y', at: 0, wanted: -0.5 },
  ],
  [
    { ...inside, z: -400.01 },
    { axis: 'z', at: -400, wanted: -400.01 },
  ],
  [
    { ...inside, z: 1 },
    { axis: 'z', at: 0, wanted: 1 },
  ],
])('stops at home and at the end: %j', (target, end) => {
  expect(endsOn(target, robot)).toEqual([{ ...end, by: 'limit' }]);
});

it('stops at home on axes of unknown length, too', () => {
  const unknown = { ...robot, movement_axis_nr_steps_x: 0, movement_axis_nr_steps_z: 0 };
  expect(endsOn({ x: 5000, y: 0, z: -5000 }, unknown)).toEqual([]);
  expect(endsOn({ x: -1, y: 0, z: 0 }, unknown)).toEqual([{ axis: 'x', at: 0, wanted: -1, by: 'limit' }]);
});

it('takes less than a step for a millimeter for one', () => {
  expect(endsOn({ x: 6000, y: 0, z: 0 }, { ...robot, movement_step_per_mm_x: 0.5 })).toMatchObject([{ at: 5000 }]);
});

it('stalls without the limits, noticed or not', () => {
  const unlimited = { ...robot, movement_stop_at_home_x: 0, movement_stop_at_max_x: 0 };
  const noticed = { ...unlimited, encoder_enabled_x: 1 };
  expect(endsOn({ ...inside, x: 1200 }, unlimited)).toEqual([{ axis: 'x', at: 1000, wanted: 1200, by: 'slip' }]);
  expect(endsOn({ ...inside, x: 1200 }, noticed)).toEqual([{ axis: 'x', at: 1000, wanted: 1200, by: 'stall' }]);
  expect(endsOn({ ...inside, x: -3 }, noticed)).toEqual([{ axis: 'x', at: 0, wanted: -3, by: 'stall' }]);
  // The limit at the end does not protect home: it only shortens the way into it.
  const homeOpen = { ...noticed, movement_stop_at_max_x: 1 };
  expect(endsOn({ ...inside, x: -3000 }, homeOpen)).toEqual([{ axis: 'x', at: 0, wanted: -3000, by: 'stall' }]);
});
