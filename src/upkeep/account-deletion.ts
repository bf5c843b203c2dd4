import { destroyAccount, emptyGardensOf } from '../accounts/account-jobs.ts';
import type { AccountServices } from '../accounts/services.ts';
import type { UserRow } from '../accounts/users.ts';
import { userByEmail, users } from '../accounts/users.ts';
import type { ServerScope } from '../db/scope.ts';

/** The deletion of accounts by the operator. */
export interface AccountDeletionOperations {
  /** Deletes a user, and the garden with its photos and robot sessions unless other users keep it. False: there is no such account. */
  delete(email: string): Promise<boolean>;
}

type DeletionServices = Pick<
  AccountServices,
  'jobs' | 'anonymizeAuthor' | 'endSessions' | 'emptyDevice' | 'destroyDevice'
>;

export const accountDeletion = (server: () => ServerScope, services: DeletionServices): AccountDeletionOperations => ({
  async delete(email) {
    const found = await userByEmail(server(), email);
    return found !== undefined && deleteUser(server(), services, found);
  },
});

/** Deletes a user at once, outside of a transaction; false: it was deleted concurrently. In the device's transaction, so that of two users who are deleted at the same time the second one is the last. */
export async function deleteUser(
  server: ServerScope,
  services: DeletionServices,
  { id, device_id }: Pick<UserRow, 'id' | 'device_id'>,
): Promise<boolean> {
  await emptyGardensOf(services, server, { id, device_id });
  return server.device(device_id).transaction(async (scope) => {
    const user = await scope.first(users, { where: { id } });
    if (user) await destroyAccount(services, scope, user);
    return user !== undefined;
  });
}
