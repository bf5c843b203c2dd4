import { randomUUID } from 'node:crypto';
import { currentTimestamp } from '../core/clock.ts';
import { invalid } from '../core/errors.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { emailProblem, normalizeEmail } from './account-fields.ts';
import { changeEmail, withdrawPendingChange } from './email-changes.ts';
import { isGuest } from './guests.ts';
import { say } from './messages.ts';
import { assertFreeEmail, registerAccount, rejectTakenEmail, setPassword } from './registration.ts';
import type { UserServices } from './services.ts';
import { deleteUser } from './user-deletion.ts';
import type { UserRow } from './users.ts';
import { changeUser, userByEmail, users } from './users.ts';

/** Operators may create accounts in any domain, without a mail to confirm the address. */
const rules = { requiresVerification: false, trustedDomains: [] };

/** The operations of the command line on users. False and null: there is no such account. */
export const userOperations = (server: () => ServerScope, accounts: UserServices) => ({
  async create(email: string, name: string, password: string): Promise<{ id: number }> {
    const user = { email, name, password, passwordConfirmation: password } as const;
    const { id } = await registerAccount({ ...accounts, rules }, server(), {
      ...user,
      isPreverified: true,
      mayAdminister: true,
    });
    return { id };
  },
  async list() {
    const rows = await server().rows(users);
    return rows.map(({ id, email, name, device_id, confirmed_at, admin }) => ({
      id,
      email,
      name: name ?? '',
      device_id,
      confirmed: confirmed_at !== null,
      admin,
    }));
  },
  async resetPassword(email: string, password: string): Promise<boolean> {
    const user = await userByEmail(server(), email);
    if (user) await setPassword(accounts, server(), user, password);
    return user !== undefined;
  },
  /** Confirms the address of an account. */
  async confirm(email: string): Promise<'confirmed' | 'unchanged' | null> {
    const changed = await inTransactionOf(server(), email, async (scope, user) => {
      if (user.confirmed_at !== null) return 'unchanged';
      await changeUser(scope, user, { confirmed_at: currentTimestamp(scope.clock) });
      return 'confirmed';
    });
    return changed ?? null;
  },
  /** Replaces a confirmed address immediately and notifies it, so that its owner can take it back; an unconfirmed one gets no mail. Throws 422 `email`. */
  async changeEmail(email: string, newEmail: string): Promise<boolean> {
    const address = normalizeEmail(newEmail);
    const changed = await rejectTakenEmail(() =>
      inTransactionOf(server(), email, async (scope, user) => {
        const problem = isGuest(user) ? say.demoEmail : emailProblem(address, rules.trustedDomains);
        if (problem) throw invalid({ email: problem });
        if (address === user.email) throw invalid({ email: say.sameEmail });
        await assertFreeEmail(scope.server, address, user.id);
        if (user.confirmed_at !== null) return changeEmail({ ...accounts, rules }, scope, user, address);
        // The person who reads mail at an address that was never confirmed may be a stranger, who must not keep the link to confirm it.
        await withdrawPendingChange(scope.server, user.id);
        const confirmed_at = currentTimestamp(scope.clock);
        return changeUser(scope, user, { email: address, confirmed_at, confirmation_token: randomUUID() });
      }),
    );
    return changed !== undefined;
  },
  /** Deletes a user, and the garden with its photos and robot sessions unless other users keep it. */
  async delete(email: string): Promise<boolean> {
    const found = await userByEmail(server(), email);
    return found !== undefined && deleteUser(server(), accounts, found);
  },
  /** Grants or revokes administration of the server. Throws 422 for demo accounts. */
  async setAdmin(email: string, admin: boolean): Promise<boolean> {
    const changed = await inTransactionOf(server(), email, async (scope, user) => {
      if (admin && isGuest(user)) throw invalid({ email: say.demoAdministrator });
      // Not announced: no client sees it.
      return scope.update(users, { admin }, { where: { id: user.id } });
    });
    return changed !== undefined;
  },
});

/** Runs work with the user of an address in a transaction of the device; undefined if there is none. */
async function inTransactionOf<T>(
  server: ServerScope,
  email: string,
  work: (scope: DeviceScope, user: UserRow) => Promise<T>,
): Promise<T | undefined> {
  const found = await userByEmail(server, email);
  if (!found) return undefined;
  return server.device(found.device_id).transaction(async (scope) => {
    const user = await scope.first(users, { where: { id: found.id } });
    return user && work(scope, user);
  });
}
