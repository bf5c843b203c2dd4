import { randomUUID } from 'node:crypto';
import type { ServerScope } from '../db/scope.ts';
import { loadSingleton } from '../engine/singleton.ts';
import { alerts } from './alerts.ts';
import { deviceDefaults, devices, updateHours } from './devices.ts';
import { fbosConfig } from './fbos-config.ts';
import { firmwareConfig } from './firmware-config.ts';
import type { DeviceInput, Gardens } from './gardens.ts';
import { deleteLogMails } from './log-mails.ts';
import { webAppConfig } from './web-app-config.ts';

/** Alerts of a new device. [decision 38, 65] */
const firstAlerts = [
  { problem_tag: 'api.user.not_welcomed', priority: 100 },
  { problem_tag: 'api.documentation.unread', priority: 400 },
] as const;

/** An alert that the set-up wizard of an older web app waits for. [decision 65] */
const seedAlert = { problem_tag: 'api.seed_data.missing', priority: 200 } as const;

/** Returns the function that creates devices. `needsSeedAlert`: with the alert of [decision 65]. */
export const deviceCreator =
  (needsSeedAlert: boolean): Gardens['create'] =>
  (server, input = {}) =>
    insertDevice(server, input, needsSeedAlert ? [...firstAlerts, seedAlert] : firstAlerts);

export const createDevice = deviceCreator(false);

async function insertDevice(
  server: ServerScope,
  input: DeviceInput,
  newAlerts: readonly (typeof seedAlert | (typeof firstAlerts)[number])[],
): Promise<number> {
  const now = server.clock.now();
  const values = { ...deviceDefaults(now), ...input };
  const { id } = await server.insert(devices, {
    ...values,
    ...updateHours({ ota_hour: 3, timezone: values.timezone ?? null }, now),
  });
  const scope = server.device(id);
  await scope.insertAll(
    alerts,
    newAlerts.map((alert) => ({ ...alert, slug: randomUUID() })),
  );
  await loadSingleton(scope, fbosConfig);
  await loadSingleton(scope, firmwareConfig);
  await loadSingleton(scope, webAppConfig);
  return id;
}

/** Deletes a device with all of its data, tokens and unsent mails, inside a transaction. */
export async function destroyDevice(server: ServerScope, deviceId: number): Promise<void> {
  await deleteLogMails(server, deviceId);
  await server.delete(devices, { where: { id: deviceId } });
}
