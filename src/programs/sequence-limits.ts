import type { FieldFailures } from '../core/errors.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { DeviceRow } from '../device/devices.ts';
import { ownDevice } from '../device/devices.ts';
import { say } from './messages.ts';
import type { Sequence } from './sequence-program.ts';
import { findShownProgram } from './sequence-program.ts';
import { sequences } from './sequences.ts';

/** Maximum number of steps per sequence, not counting nested ones, and of sequences per device, unless the device has its own limits. [rule P17] */
export const defaultLimits = { steps: 30, sequences: 75 } as const;

/** Returns the maximum numbers of steps of a sequence, and of sequences of the device. */
export const sequenceLimits = ({
  max_sequence_length: steps,
  max_sequence_count: count,
}: DeviceRow): { steps: number; sequences: number } => ({
  steps: steps > 0 ? steps : defaultLimits.steps,
  sequences: count > 0 ? count : defaultLimits.sequences,
});

/** Returns a failure if a sequence may not have so many steps. `before`: its current number. [decision 15] */
export async function stepLimitFailure(scope: DeviceScope, steps: number, before = 0): Promise<FieldFailures> {
  if (steps <= before) return {};
  const { steps: max } = sequenceLimits(await ownDevice(scope));
  return steps > max ? { step_count: say.maxSteps(max, steps) } : {};
}

/** The same for a sequence that is changed: one already above the limit may keep its number of steps. */
export async function stepIncreaseFailure(
  scope: DeviceScope,
  steps: number,
  sequence: () => Sequence,
): Promise<FieldFailures> {
  const failures = await stepLimitFailure(scope, steps);
  if (Object.keys(failures).length === 0) return failures;
  return stepLimitFailure(scope, steps, (await findShownProgram(scope, sequence())).body.length);
}

/** Returns a failure if the device may not have another sequence. */
export async function sequenceLimitFailure(scope: DeviceScope): Promise<FieldFailures> {
  const { sequences: max } = sequenceLimits(await ownDevice(scope));
  if ((await scope.count(sequences)) < max) return {};
  return { sequence_count: say.maxSequences(max) };
}
