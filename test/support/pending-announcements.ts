import { pendingAnnouncements } from '../../src/db/change-cursors.ts';
import type { ServerScope } from '../../src/db/scope.ts';

/** Counts the changes that are not announced yet, of all devices or of these. */
export async function countPending(server: ServerScope, deviceIds?: readonly number[]): Promise<number> {
  const pending = await pendingAnnouncements(server);
  const own = pending.filter(({ deviceId }) => !deviceIds || deviceIds.includes(deviceId));
  return own.reduce((sum, { count }) => sum + count, 0);
}
