import type { FollowedSettings } from '../data/followed-settings.ts';
import type { Axis } from './control.ts';

type Config = Pick<
  FollowedSettings,
  'bot_origin_quadrant' | 'xy_swap' | 'x_axis_inverted' | 'y_axis_inverted' | 'z_axis_inverted'
>;

export type Direction = 'up' | 'down' | 'left' | 'right' | 'raise' | 'lower';

/** An axis, and in which direction of it. */
export interface Jog {
  readonly axis: Axis;
  readonly sign: 1 | -1;
}

/**
 * Maps the arrows of the pad to axes, so that the robot moves on the map in the direction of the arrow. It depends on the corner of
 * the map's origin, on swapped axes, and on the axes that the settings invert.
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
