import { createHash, randomBytes } from 'node:crypto';
import { column } from '../db/columns.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import { members } from './members.ts';
import { tokenIssuances } from './token-issuances.ts';

/** The password with which a robot signs in to a garden other than its owner's home garden, as a hash. [ADR 58] */
export const gardenPasswords = table(
  'garden_passwords',
  { device_id: column.bigint().references('devices'), hash: column.text() },
  { reach: 'both', unique: [['device_id'], ['hash']] },
);

const prefix = 'robot_';

/** 160 random bits need no slow hash. */
export const hashOfSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/** Creates a password of the scope's garden, inside a transaction. It replaces an earlier one, whose sessions end. Returns it. */
export async function renewGardenPassword(
  scope: DeviceScope,
  endSessions: (server: ServerScope, deviceId: number) => Promise<void>,
): Promise<string> {
  const password = `${prefix}${randomBytes(20).toString('base64url')}`;
  await scope.delete(gardenPasswords, {});
  await scope.insert(gardenPasswords, { hash: hashOfSecret(password) });
  // Of an earlier password, which may have been ended before.
  const ended = await scope.delete(tokenIssuances, { where: { aud: 'bot', signed_in_at: null } });
  if (ended.length > 0) await endSessions(scope.server, scope.deviceId);
  return password;
}

/** Ends the passwords of gardens, because an owner who may know them leaves. Sessions of robots stay. Inside a transaction. */
export async function endGardenPasswords(server: ServerScope, deviceIds: readonly number[]): Promise<void> {
  await server.delete(gardenPasswords, { where: { device_id: deviceIds } });
}

type GardenPassword = RowOf<typeof gardenPasswords>;

/** Returns the row of a robot's password, if the user owns its garden as a member. */
export const gardenPasswordOf = async (
  server: ServerScope,
  userId: number,
  password: string,
): Promise<GardenPassword | null> =>
  password.startsWith(prefix) ? currentGardenPassword(server, userId, hashOfSecret(password)) : null;

/** The same for a hash: inside a transaction null if the password was renewed, or the owner removed, since it was read. */
export async function currentGardenPassword(
  server: ServerScope,
  userId: number,
  hash: string,
): Promise<GardenPassword | null> {
  const found = await server.first(gardenPasswords, { where: { hash } });
  if (!found) return null;
  const where = { device_id: found.device_id, user_id: userId, role: 'owner' };
  return (await server.first(members, { where })) ? found : null;
}
