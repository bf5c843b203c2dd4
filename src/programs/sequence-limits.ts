import type { FieldFailures } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import { ownDevice } from '../device/devices.ts';
import { sequences } from './sequences.ts';

/** Steps of one sequence (those of the list itself), and sequences of one device, where the device has no limits of its own. [reference 2.7] */
export const defaultLimits = { steps: 30, sequences: 75 } as const;

/** How many steps and sequences the device may have. */
async function limitsOf(scope: DeviceScope): Promise<{ steps: number; sequences: number }> {
  const { max_sequence_length: steps, max_sequence_count: count } = await ownDevice(scope);
  return {
    steps: steps > 0 ? steps : defaultLimits.steps,
    sequences: count > 0 ? count : defaultLimits.sequences,
  };
}

/** What keeps a sequence from having so many steps; `before`: how many it has. [decision 15] */
export async function stepLimitFailure(scope: DeviceScope, steps: number, before = 0): Promise<FieldFailures> {
  if (steps <= before) return {};
  const { steps: most } = await limitsOf(scope);
  return steps > most ? { step_count: `A sequence may have at most ${most} steps, not ${steps}.` } : {};
}

/** What keeps the device from having one more sequence. */
export async function sequenceLimitFailure(scope: DeviceScope): Promise<FieldFailures> {
  const { sequences: most } = await limitsOf(scope);
  if ((await scope.count(sequences)) < most) return {};
  return { sequence_count: `There may be at most ${most} sequences. Delete one that you no longer need.` };
}
