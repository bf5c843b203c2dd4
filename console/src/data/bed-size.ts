import type { FollowedSettings } from './followed-settings.ts';
import type { components } from './generated/api.ts';

type FirmwareConfig = components['schemas']['FirmwareConfig'];

/** Lengths of the axes in mm. */
export type BedSize = Pick<FollowedSettings, 'map_size_x' | 'map_size_y'>;

/** Settings that determine the lengths of the axes. */
type AxisConfig = Pick<
  FirmwareConfig,
  `movement_${'axis_nr_steps' | 'step_per_mm'}_${'x' | 'y'}` | `movement_stop_at_max_${'x' | 'y'}`
>;

/**
 * Returns the size of the bed. With a dynamic map it follows the robot, as in the vendor's app: the length of each axis that has
 * one and that stops at its end; else the size in the settings of the map. `axes` is undefined until they were read.
 */
export function bedSizeOf(
  { map_size_x, map_size_y, dynamic_map }: BedSize & Pick<FollowedSettings, 'dynamic_map'>,
  axes: AxisConfig | undefined,
): BedSize {
  if (!dynamic_map || !axes) return { map_size_x, map_size_y };
  const length = (steps: number, stepsPerMm: number, stopsAtEnd: number): number | undefined =>
    stopsAtEnd === 1 && steps > 0 && stepsPerMm > 0 ? Math.round(steps / stepsPerMm) : undefined;
  return {
    map_size_x:
      length(axes.movement_axis_nr_steps_x, axes.movement_step_per_mm_x, axes.movement_stop_at_max_x) ?? map_size_x,
    map_size_y:
      length(axes.movement_axis_nr_steps_y, axes.movement_step_per_mm_y, axes.movement_stop_at_max_y) ?? map_size_y,
  };
}
