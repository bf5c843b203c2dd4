import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { joinSql, sql } from '../db/sql.ts';
import type { Gardens } from '../device/gardens.ts';
import type { JobPayload } from '../jobs/job-rows.ts';
import { jobs } from '../jobs/job-rows.ts';
import { endGardenPasswords } from './garden-passwords.ts';
import { membershipsOf } from './members.ts';
import { gardensWithoutOther } from './owned-gardens.ts';
import type { UserServices } from './services.ts';
import { endUserSessions } from './sessions.ts';
import type { UserRow } from './users.ts';
import { users } from './users.ts';

/** Deletes most rows of the gardens that {@link destroyAccount} will delete, in small steps and outside of a transaction. */
export async function emptyGardensOf(
  gardens: Gardens,
  server: ServerScope,
  user: Pick<UserRow, 'id' | 'device_id'>,
): Promise<void> {
  for (const id of await gardensWithoutOther(server, user)) await gardens.empty(server.device(id));
}

/** Deletes a user, and the gardens of which it was the last owner. Requires a transaction of the user's device. */
export async function destroyAccount(services: UserServices, scope: DeviceScope, user: UserRow): Promise<void> {
  const { deviceId, server } = scope;
  const orphaned = await gardensWithoutOther(server, { id: user.id, device_id: deviceId });
  const owned = (await membershipsOf(server, user.id)).filter(({ role }) => role === 'owner');
  await endGardenPasswords(
    server,
    owned.map(({ device_id }) => device_id),
  );
  await endUserSessions(services.endSessions, server, user.id);
  await scope.delete(users, { where: { id: user.id } });
  await deleteJobsOf(server, user);
  await services.gardens.anonymizeAuthor(server, user.email);
  await services.endSessions(server, deviceId);
  // A device without users has no subscribers.
  if (!orphaned.includes(deviceId)) scope.events.deleted('User', user.id);
  for (const id of orphaned) {
    // Jobs of its former users do not belong to the device.
    await services.jobs.deleteForDevice(server, id, ({ payload }) => 'user_id' in payload);
    await services.gardens.destroy(server, id);
    if (id !== deviceId) await services.endSessions(server, id);
  }
}

/** Deletes a user immediately, outside of a transaction; false: it was deleted concurrently. In the device's transaction, so, of two users who are deleted at the same time, the second one is the last. */
export async function deleteUser(
  server: ServerScope,
  services: UserServices,
  { id, device_id }: Pick<UserRow, 'id' | 'device_id'>,
): Promise<boolean> {
  await emptyGardensOf(services.gardens, server, { id, device_id });
  return server.device(device_id).transaction(async (scope) => {
    const user = await scope.first(users, { where: { id } });
    if (user) await destroyAccount(services, scope, user);
    return user !== undefined;
  });
}

/** Deletes jobs that contain the id or the address of a deleted user; failed ones would be kept forever. */
async function deleteJobsOf(server: ServerScope, { id, email }: UserRow): Promise<void> {
  const concernsUser = ({ user_id, ...others }: JobPayload): boolean =>
    user_id === id || Object.values(others).includes(email);
  // Prefiltered by the database, because the queue is long while the mail server is down.
  const patterns = [`%"user_id":${id}%`, `%${JSON.stringify(email)}%`];
  const candidates = joinSql(
    patterns.map((pattern) => sql`cast(payload as text) like ${pattern}`),
    ' or ',
  );
  const found = await server.rows(jobs, { and: sql`(${candidates})` });
  const ids = found.filter(({ payload }) => concernsUser(payload)).map((job) => job.id);
  if (ids.length > 0) await server.delete(jobs, { where: { id: ids } });
}
