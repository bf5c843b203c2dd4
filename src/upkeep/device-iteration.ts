import { pauseForRequests } from '../core/request-pause.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { DeviceRow } from '../device/devices.ts';
import { devices } from '../device/devices.ts';

/** Devices that are read at a time. */
const batchSize = 50;
/** How long tasks run until requests are handled for as long, in ms: on SQLite, the event loop does not run in between. */
const maxTime = 3;

/** A task on one device, called outside of a transaction. */
export type DeviceTask = (scope: DeviceScope, device: DeviceRow) => Promise<void>;

/** Runs a task on every device, one after the other. If it fails on some, it still runs on the others; rejects at the end. */
export async function forEachDevice(server: ServerScope, task: DeviceTask): Promise<void> {
  let failed = 0;
  let last = 0;
  let began = performance.now();
  while (true) {
    const rows = await server.rows(devices, { where: { id: { gt: last } }, limit: batchSize });
    for (const device of rows) {
      try {
        await task(server.device(device.id), device);
      } catch (error) {
        failed++;
        server.log.warn({ device: device.id, reason: String(error) }, 'cleaning up a device failed');
      }
      last = device.id;
      if (performance.now() - began < maxTime) continue;
      await pauseForRequests(began);
      began = performance.now();
    }
    if (rows.length < batchSize) break;
  }
  if (failed > 0) throw new Error(`cleaning up ${failed} devices failed`);
}
