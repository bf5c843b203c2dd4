import type { RecordReader } from '../engine/announced-bodies.ts';
import { deviceJson, devices } from './devices.ts';
import type { DeviceTraffic } from './traffic.ts';

/** Reads the device for announcements, as answers show it. */
export const deviceReader =
  (traffic: DeviceTraffic): RecordReader =>
  async (scope) => {
    const rows = await scope.rows(devices);
    return new Map(rows.map((row) => [row.id, deviceJson(traffic.overlay(row), scope.clock.now())]));
  };
