import type { DeviceScope } from '../db/scope.ts';
import type { DeviceRow } from './devices.ts';
import { changeDevice, ownDevice, updateDeviceSilently } from './devices.ts';

/** How much a device may hold. For steps and sequences 0 means the limits that everybody has. [reference 2.7] */
export interface DeviceLimits {
  /** Steps of a sequence, those in bodies of steps not counted. */
  readonly steps: number;
  readonly sequences: number;
  /** Logs kept and listed. */
  readonly logs: number;
  /** Photos listed. */
  readonly photos: number;
}

/** Changes limits of the scope's own device, in a transaction; what is left out stays. Announced where the device shows it. */
export async function changeLimits(scope: DeviceScope, limits: Partial<DeviceLimits>): Promise<void> {
  const before = await ownDevice(scope);
  const { steps, sequences, logs, photos } = limits;
  const device = await changeDevice(scope, before, {
    max_sequence_length: steps ?? before.max_sequence_length,
    max_sequence_count: sequences ?? before.max_sequence_count,
  });
  const hidden: Partial<DeviceRow> = {
    ...(logs !== undefined && { max_log_count: logs }),
    ...(photos !== undefined && { max_images_count: photos }),
  };
  if (Object.keys(hidden).length > 0) await updateDeviceSilently(scope, device, hidden);
}
