import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { DeviceRow } from '../device/devices.ts';
import { devices } from '../device/devices.ts';

/** Devices that are read at once; between two such groups everybody else has a turn. */
const atOnce = 50;

/** Work on one device, outside a transaction. */
export type DeviceWork = (scope: DeviceScope, device: DeviceRow) => Promise<void>;

/** Does some work on every device, one after the other. One that fails does not keep it from the others; rejects at the end then. */
export async function forEachDevice(server: ServerScope, work: DeviceWork): Promise<void> {
  let failed = 0;
  let last = 0;
  while (true) {
    const rows = await server.rows(devices, { where: { id: { gt: last } }, limit: atOnce });
    for (const device of rows) {
      try {
        await work(server.device(device.id), device);
      } catch (error) {
        failed++;
        server.log.warn({ device: device.id, reason: String(error) }, 'a device could not be tidied');
      }
      last = device.id;
    }
    if (rows.length < atOnce) break;
    await nextTurn();
  }
  if (failed > 0) throw new Error(`devices that could not be tidied: ${failed}`);
}
