import type { DeviceScope, Selection, ServerScope } from '../db/scope.ts';
import type { Rights } from '../engine/rights.ts';
import type { FetchRequest } from '../engine/server-fetch.ts';
import { memberOwners, members, roleIn } from './members.ts';
import { users } from './users.ts';

/** Returns the rights that a user's sessions have now in the scope's garden; null: none. */
export const rightsOf = async (scope: DeviceScope, userId: number): Promise<Rights | null> => {
  const user = await scope.server.first(users, { where: { id: userId, disabled_at: null } });
  const role = user && (await roleIn(scope.server, user, scope.deviceId));
  return role ? { role, scopes: null } : null;
};

/** Whether the scope's garden belongs to an administrator of the server. */
export const isAdministrators = async (scope: DeviceScope): Promise<boolean> => {
  const ids = await memberOwners(scope.server, scope.deviceId);
  return (
    (await scope.count(users, { where: { admin: true } })) > 0 ||
    (await scope.server.first(users, { where: { id: ids, admin: true } })) !== undefined
  );
};

/** Returns which private addresses the settings open to requests of the scope's garden: only an administrator's has those of FETCH_ALLOW. */
export const opensFor = async (scope: DeviceScope): Promise<FetchRequest['opens']> =>
  (await isAdministrators(scope)) ? 'listed' : 'none';

/** Whether the scope's garden has members who are not owners. */
export const hasOtherMembers = async (scope: DeviceScope): Promise<boolean> =>
  (await scope.count(members, { where: { role: { not: 'owner' } } })) > 0;

/** A user and a garden. */
interface Membership {
  readonly user_id: number;
  readonly device_id: number;
}

/** The home garden of a user who is not disabled, and whether the requested garden is one of the user's. */
interface Place {
  readonly home: number;
  readonly isMember: boolean;
}

/** Of hundreds of users. */
const homeGardens: Selection<readonly [number, number]> = {
  key: 'homes',
  expressions: ['"id"', '"device_id"'],
  isLarge: true,
  read: ([id, device_id]) => [Number(id), Number(device_id)],
};

/** Returns a function that finds the places of these users; null for disabled or deleted users. All are read in two statements. */
export async function placesOf(
  server: ServerScope,
  asked: readonly Membership[],
): Promise<(membership: Membership) => Place | null> {
  const ids = [...new Set(asked.map(({ user_id }) => user_id))];
  const homes = new Map(await server.select(users, homeGardens, { where: { id: ids, disabled_at: null } }));
  const guests = new Set(
    asked.filter((each) => homes.get(each.user_id) !== each.device_id).map((each) => each.user_id),
  );
  const rows = guests.size === 0 ? [] : await server.rows(members, { where: { user_id: [...guests] } });
  const joined = new Set(rows.map(({ user_id, device_id }) => `${user_id} ${device_id}`));
  return ({ user_id, device_id }) => {
    const home = homes.get(user_id);
    return home === undefined ? null : { home, isMember: home === device_id || joined.has(`${user_id} ${device_id}`) };
  };
}
