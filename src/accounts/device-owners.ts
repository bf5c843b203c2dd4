import type { ServerScope } from '../db/scope.ts';
import type { RecordReader } from '../engine/event-bodies.ts';
import type { EndSessions } from './services.ts';
import { userRecord, users } from './users.ts';

/** The people of a device, for the rooms that have something to send them. */
export const deviceOwners = (endSessions: EndSessions) => ({
  /** The e-mail addresses of the device's users. */
  async addresses(scope: ServerScope, deviceId: number): Promise<readonly string[]> {
    return (await scope.device(deviceId).rows(users)).map(({ email }) => email);
  },
  /** Gives a user another device, inside a transaction. */
  async move(scope: ServerScope, userId: number, deviceId: number): Promise<void> {
    const before = await scope.first(users, { where: { id: userId } });
    await scope.update(users, { device_id: deviceId }, { where: { id: userId } });
    if (before) await endSessions(scope, before.device_id);
  },
});

/** Reads users for announcements, as answers show them. */
export const userReader: RecordReader = async (scope, ids) => {
  const rows = await scope.rows(users, { where: { id: ids } });
  return new Map(rows.map((row) => [row.id, JSON.stringify(userRecord(row))]));
};
