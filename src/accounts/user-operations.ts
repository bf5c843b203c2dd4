import type { ServerScope } from '../db/scope.ts';
import { registerAccount, setPassword } from './registration.ts';
import type { AccountServices } from './services.ts';
import { userByEmail, users } from './users.ts';

/** What the command line does with users. */
export interface UserOperations {
  create(email: string, name: string, password: string): Promise<{ id: number }>;
  list(): Promise<{ id: number; email: string; name: string; device_id: number; confirmed: boolean }[]>;
  /** False: there is no such account. */
  resetPassword(email: string, password: string): Promise<boolean>;
}

/** Operators may create accounts in any domain, without a mail to confirm the address. */
const rules = { requiresVerification: false, trustedDomains: [] };

export const userOperations = (
  server: () => ServerScope,
  accounts: Pick<AccountServices, 'passwords' | 'jobs' | 'createDevice' | 'endSessions'>,
): UserOperations => ({
  async create(email, name, password) {
    const user = { email, name, password, passwordConfirmation: password, isPreverified: true } as const;
    const { id } = await registerAccount({ ...accounts, rules }, server(), user);
    return { id };
  },
  async list() {
    const rows = await server().rows(users);
    return rows.map(({ id, email, name, device_id, confirmed_at }) => ({
      id,
      email,
      name: name ?? '',
      device_id,
      confirmed: confirmed_at !== null,
    }));
  },
  async resetPassword(email, password) {
    const user = await userByEmail(server(), email);
    if (user) await setPassword(accounts, server(), user, password);
    return user !== undefined;
  },
});
