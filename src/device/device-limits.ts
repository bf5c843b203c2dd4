import type { DeviceScope } from '../db/scope.ts';
import type { DeviceRow } from './devices.ts';
import { changeDevice, ownDevice, updateDeviceSilently } from './devices.ts';

/** Limits of a device. For steps and sequences, 0 means the default of the server. [rule D5] */
export interface DeviceLimits {
  /** Top-level steps of a sequence. */
  readonly steps: number;
  readonly sequences: number;
  /** Logs kept. */
  readonly logs: number;
  /** Photos listed. */
  readonly photos: number;
}

/** Changes the given limits of the scope's device, in a transaction. Announces the ones that the device shows. */
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
