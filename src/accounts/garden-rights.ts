import type { DeviceScope } from '../db/scope.ts';
import type { Rights } from '../engine/rights.ts';
import { memberOwners, members, roleIn } from './members.ts';
import { users } from './users.ts';

/** Returns the rights that a user's sessions have now in the scope's garden; null: none. */
export const rightsOf = async (scope: DeviceScope, userId: number): Promise<Rights | null> => {
  const user = await scope.server.first(users, { where: { id: userId, disabled_at: null } });
  const role = user && (await roleIn(scope.server, user, scope.deviceId));
  return role ? { role, scopes: null } : null;
};

/** Whether the scope's garden is that of an administrator of the server. */
export const isAdministrators = async (scope: DeviceScope): Promise<boolean> => {
  const ids = await memberOwners(scope.server, scope.deviceId);
  return (
    (await scope.count(users, { where: { admin: true } })) > 0 ||
    (await scope.server.first(users, { where: { id: ids, admin: true } })) !== undefined
  );
};

/** Whether the scope's garden has members who are not owners. */
export const hasOtherMembers = async (scope: DeviceScope): Promise<boolean> =>
  (await scope.count(members, { where: { role: { not: 'owner' } } })) > 0;
