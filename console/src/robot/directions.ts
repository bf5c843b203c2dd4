import type { components } from '../data/generated/api.ts';
import type { Axis } from './control.ts';

type Config = Pick<
  components['schemas']['WebAppConfig'],
  'bot_origin_quadrant' | 'xy_swap' | 'x_axis_inverted' | 'y_axis_inverted' | 'z_axis_inverted'
>;

export type Direction = 'up' | 'down' | 'left' | 'right' | 'raise' | 'lower';

/** An axis, and in which direction of it. */
export interface Jog {
  readonly axis: Axis;
  readonly sign: 1 | -1;
}

/**
 * What the arrows of the pad move: in the direction in which the robot then moves on the map, which the corner of its origin and
 * swapped axes determine. An axis that is inverted in the settings goes the other way.
 */
export function jogsOf(config: Config): Readonly<Record<Direction, Jog>> {
  const { bot_origin_quadrant: quadrant, xy_swap: isSwapped } = config;
  const [across, along]: readonly [Axis, Axis] = isSwapped ? ['y', 'x'] : ['x', 'y'];
  const jog = (axis: Axis, isForward: boolean): Jog => ({
    axis,
    sign: isForward === config[`${axis}_axis_inverted`] ? -1 : 1,
  });
  const isRight = quadrant === 1 || quadrant === 4;
  const isLow = quadrant === 3 || quadrant === 4;
  return {
    right: jog(across, !isRight),
    left: jog(across, isRight),
    down: jog(along, !isLow),
    up: jog(along, isLow),
    raise: jog('z', true),
    lower: jog('z', false),
  };
}
