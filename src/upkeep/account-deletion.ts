import { deleteUser } from '../accounts/account-jobs.ts';
import type { UserServices } from '../accounts/services.ts';
import { userByEmail } from '../accounts/users.ts';
import type { ServerScope } from '../db/scope.ts';

/** The deletion of accounts by the operator. */
export interface AccountDeletionOperations {
  /** Deletes a user, and the garden with its photos and robot sessions unless other users keep it. False: there is no such account. */
  delete(email: string): Promise<boolean>;
}

export const accountDeletion = (server: () => ServerScope, services: UserServices): AccountDeletionOperations => ({
  async delete(email) {
    const found = await userByEmail(server(), email);
    return found !== undefined && deleteUser(server(), services, found);
  },
});
