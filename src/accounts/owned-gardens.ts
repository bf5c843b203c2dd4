import type { ServerScope } from '../db/scope.ts';
import { membershipsOf } from './members.ts';
import { ownersOf } from './users.ts';

/** Returns the devices that have no other owner than a user, the home garden of the user first: they are deleted with the account. */
export async function gardensWithoutOther(
  server: ServerScope,
  user: { readonly id: number; readonly device_id: number },
): Promise<readonly number[]> {
  const owned = (await membershipsOf(server, user.id)).filter(({ role }) => role === 'owner');
  const found: number[] = [];
  for (const id of [user.device_id, ...owned.map(({ device_id }) => device_id)])
    if ((await ownersOf(server, id)).every((owner) => owner.id === user.id)) found.push(id);
  return found;
}
