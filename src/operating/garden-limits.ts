import type { DeviceScope } from '../db/scope.ts';
import type { DeviceLimits } from '../device/device-limits.ts';
import { ownDevice } from '../device/devices.ts';
import { maxPoints } from '../garden/point-lifecycle.ts';
import { maxStoredPoints } from '../garden/points.ts';
import { defaultLimits, sequenceLimits } from '../programs/sequence-limits.ts';
import { maxStoredSequences } from '../programs/sequences.ts';

/** A limit of a garden that administrators change. */
export interface GardenLimit {
  readonly usual: number;
  readonly max: number;
  /** The name for documents. */
  readonly description: string;
}

/** THE list of these limits. */
export const gardenLimits = {
  points: { usual: maxPoints, max: maxStoredPoints, description: 'points of the map, archived ones included' },
  sequences: { usual: defaultLimits.sequences, max: maxStoredSequences, description: 'sequences' },
  steps: { usual: defaultLimits.steps, max: 10_000, description: 'steps of a sequence, without nested ones' },
} as const satisfies Readonly<Partial<Record<keyof DeviceLimits, GardenLimit>>>;

export type GardenLimitName = keyof typeof gardenLimits;

export const gardenLimitNames = Object.keys(gardenLimits) as readonly GardenLimitName[];

/** Returns the limits of the scope's garden. */
export async function currentLimits(scope: DeviceScope): Promise<Readonly<Record<GardenLimitName, number>>> {
  const device = await ownDevice(scope);
  return { points: device.max_point_count ?? maxPoints, ...sequenceLimits(device) };
}
