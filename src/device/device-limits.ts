import type { DeviceScope } from '../db/scope.ts';
import type { DeviceRow } from './devices.ts';
import { changeDevice, ownDevice, updateDeviceSilently } from './devices.ts';

/** Limits of a device. For points, steps and sequences, null means the default of the server. [rule D5] */
export interface DeviceLimits {
  /** Points, archived ones included. */
  readonly points: number | null;
  /** Top-level steps of a sequence. */
  readonly steps: number | null;
  readonly sequences: number | null;
  /** Logs kept. */
  readonly logs: number;
  /** Photos listed. */
  readonly photos: number;
}

/** Changes the given limits of the scope's device, in a transaction. Announces the ones that the device shows. */
export async function changeLimits(scope: DeviceScope, limits: Partial<DeviceLimits>): Promise<void> {
  const before = await ownDevice(scope);
  const { points, steps, sequences, logs, photos } = limits;
  const device = await changeDevice(scope, before, {
    ...(steps !== undefined && { max_sequence_length: steps ?? 0 }),
    ...(sequences !== undefined && { max_sequence_count: sequences ?? 0 }),
  });
  const hidden: Partial<DeviceRow> = {
    ...(points !== undefined && { max_point_count: points }),
    ...(logs !== undefined && { max_log_count: logs }),
    ...(photos !== undefined && { max_images_count: photos }),
  };
  if (Object.keys(hidden).length > 0) await updateDeviceSilently(scope, device, hidden);
}
