import { UniqueViolation } from '../db/errors.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { insertRecord } from '../engine/records.ts';
import { alerts } from './alerts.ts';
import { globalBulletins } from './global-bulletins.ts';

/** News that the server itself writes. */
export type ServerBulletin = Omit<RowOf<typeof globalBulletins>, 'id' | 'created_at' | 'updated_at'>;

/** The subject of alerts that refer to a bulletin, the one of which existing clients show a text of the server. [rule D14] */
export const bulletinTag = 'api.bulletin.unread';
/** The priority of the alert. [rule S18] */
const priority = 99;

/** Stores a bulletin of the server unless it exists; an operator may have written a different one. */
export async function ensureBulletin(server: ServerScope, bulletin: ServerBulletin): Promise<void> {
  if (await server.first(globalBulletins, { where: { slug: bulletin.slug } })) return;
  try {
    // In a savepoint, because another process may insert it first.
    await server.transaction((inner) => inner.insert(globalBulletins, bulletin));
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
  }
}

/** Creates the alert that refers to a bulletin. Returns false if the device has one already. Requires a transaction. */
export async function alertOnce(scope: DeviceScope, slug: string): Promise<boolean> {
  const alert = { problem_tag: bulletinTag, slug } as const;
  if ((await scope.count(alerts, { where: alert })) > 0) return false;
  await insertRecord(scope, alerts, { ...alert, priority });
  return true;
}

/** Alerts the owners of a device by a bulletin of the server. Requires a transaction. */
export type Alert = (scope: DeviceScope, bulletin: ServerBulletin) => Promise<void>;

export const alertByBulletin: Alert = async (scope, bulletin) => {
  await ensureBulletin(scope.server, bulletin);
  await alertOnce(scope, bulletin.slug);
};
