import type { RecordReader } from '../engine/event-bodies.ts';
import type { DeviceActivity } from './device-activity.ts';
import { deviceJson, devices } from './devices.ts';

/** Reads the device for announcements, as answers show it. */
export const deviceReader =
  (traffic: DeviceActivity): RecordReader =>
  async (scope) => {
    const rows = await scope.rows(devices);
    return new Map(rows.map((row) => [row.id, deviceJson(traffic.overlay(row), scope.clock.now())]));
  };
