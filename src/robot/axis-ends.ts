import type { McuParams, Xyz } from 'farmbot';
import { axes, type Vector } from './nodes.ts';

/** The end of an axis that a movement meets. */
export interface AxisEnd {
  readonly axis: Xyz;
  /** The position at which the axis stops, in mm. */
  readonly at: number;
  /** The requested position, in mm. */
  readonly wanted: number;
  /** `limit`: the settings end the movement there. `stall`: the motor stalls, which is noticed. `slip`: it stalls unnoticed. */
  readonly by: 'limit' | 'stall' | 'slip';
}

/** Returns the ends that a movement to a position meets; none for axes of unknown length, but home. [rule R31] */
export const endsOn = (target: Vector, firmware: McuParams): AxisEnd[] =>
  axes.flatMap((axis) => endOf(axis, target[axis], firmware) ?? []);

function endOf(axis: Xyz, wanted: number, firmware: McuParams): AxisEnd | null {
  const isUp = firmware[`movement_home_up_${axis}`] === 1;
  const steps = firmware[`movement_axis_nr_steps_${axis}`] ?? 0;
  // The motor controller takes less than one step for one.
  const length = Math.abs(steps) / Math.max(firmware[`movement_step_per_mm_${axis}`] ?? 1, 1);
  const limited = limitedBySettings(axis, wanted, { isUp, length }, firmware);
  const [low, high] = length === 0 ? [-Infinity, Infinity] : isUp ? [-length, 0] : [0, length];
  const at = Math.min(Math.max(limited, low), high);
  if (at === wanted) return null;
  const stalled = firmware[`encoder_enabled_${axis}`] === 1 ? 'stall' : 'slip';
  return { axis, at, wanted, by: at === limited ? 'limit' : stalled };
}

/** The motor controller's own rule: it does not know on which side of home the axis is when it stops at the end. */
function limitedBySettings(
  axis: Xyz,
  wanted: number,
  { isUp, length }: { readonly isUp: boolean; readonly length: number },
  firmware: McuParams,
): number {
  const isBeyondHome = isUp ? wanted > 0 : wanted < 0;
  if (isBeyondHome && firmware[`movement_stop_at_home_${axis}`] === 1) return 0;
  const isTooFar = length > 0 && Math.abs(wanted) > length;
  if (isTooFar && firmware[`movement_stop_at_max_${axis}`] === 1) return Math.sign(wanted) * length;
  return wanted;
}
