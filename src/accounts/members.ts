import { column } from '../db/columns.ts';
import type { ServerScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import type { Role } from '../engine/rights.ts';
import { roles } from '../engine/rights.ts';

/** People in gardens other than their own: creators of another garden, and people who accepted an invitation. A device's users are its owners without a row. [ADR 58] */
export const members = table(
  'members',
  {
    device_id: column.bigint().references('devices'),
    user_id: column.bigint().references('users'),
    role: column.text(),
  },
  { reach: 'both', unique: [['device_id', 'user_id']], unwatched: [] },
);

export type MemberRow = RowOf<typeof members>;

/** The role of a row. */
export const roleOf = ({ role }: Pick<MemberRow, 'role'>): Role => roles.find((each) => each === role) ?? 'viewer';

/** Returns the role of a user in a garden; null: none. */
export async function roleIn(
  server: ServerScope,
  user: { readonly id: number; readonly device_id: number },
  deviceId: number,
): Promise<Role | null> {
  if (user.device_id === deviceId) return 'owner';
  const member = await server.first(members, { where: { device_id: deviceId, user_id: user.id } });
  return member ? roleOf(member) : null;
}

/** Returns the users who own a garden that is not their home garden. */
export const memberOwners = async (server: ServerScope, deviceId: number): Promise<readonly number[]> =>
  (await server.rows(members, { where: { device_id: deviceId, role: 'owner' } })).map(({ user_id }) => user_id);

/** Returns the other gardens of a user. */
export const membershipsOf = (server: ServerScope, userId: number): Promise<MemberRow[]> =>
  server.rows(members, { where: { user_id: userId } });
