import { randomUUID } from 'node:crypto';
import type { ServerScope } from '../db/scope.ts';
import { loadSingleton } from '../engine/singleton.ts';
import { alerts } from './alerts.ts';
import type { DeviceRow } from './devices.ts';
import { deviceDefaults, devices, updateHours } from './devices.ts';
import { fbosConfig } from './fbos-config.ts';
import { firmwareConfig } from './firmware-config.ts';
import { dropLogMails } from './log-mails.ts';
import { webAppConfig } from './web-app-config.ts';

/** What somebody may say about a device that is to be made. */
export type DeviceInput = Partial<Pick<DeviceRow, 'name' | 'timezone' | 'lat' | 'lng' | 'indoor' | 'rpi'>>;

/** The alerts that a new device begins with. [decision 38] */
const firstAlerts = [
  { problem_tag: 'api.user.not_welcomed', priority: 100 },
  { problem_tag: 'api.documentation.unread', priority: 400 },
] as const;

/** Makes a device with its alerts and configs, inside a transaction; nothing of it is announced, as nobody can be listening. Gives its id. [decision 35] */
export async function createDevice(server: ServerScope, wish: DeviceInput = {}): Promise<number> {
  const now = server.clock.now();
  const values = { ...deviceDefaults(now), ...wish };
  const { id } = await server.insert(devices, {
    ...values,
    ...updateHours({ ota_hour: 3, timezone: values.timezone ?? null }, now),
  });
  const scope = server.device(id);
  await scope.insertAll(
    alerts,
    firstAlerts.map((alert) => ({ ...alert, slug: randomUUID() })),
  );
  await loadSingleton(scope, fbosConfig);
  await loadSingleton(scope, firmwareConfig);
  await loadSingleton(scope, webAppConfig);
  return id;
}

/** Deletes a device with everything it has, its tokens and unsent mails included, inside a transaction. */
export async function destroyDevice(server: ServerScope, deviceId: number): Promise<void> {
  await dropLogMails(server, deviceId);
  await server.delete(devices, { where: { id: deviceId } });
}
