import { randomUUID } from 'node:crypto';
import { currentTimestamp } from '../core/clock.ts';
import { invalid, notFound } from '../core/errors.ts';
import { UniqueViolation } from '../db/errors.ts';
import type { Identity, ServerScope } from '../db/scope.ts';
import { maxMailAttempts } from '../mail/message.ts';
import { emailFailure, newPasswordFailure, normalizeEmail, refuse } from './account-fields.ts';
import { accountJob } from './account-jobs.ts';
import type { AccountServices } from './services.ts';
import { revokeTokens } from './sessions.ts';
import type { UserRow } from './users.ts';
import { changeUser, userByEmail, userRecord, users } from './users.ts';

export interface NewAccount {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly passwordConfirmation: string;
  readonly language?: string;
  /** The operator vouches for the address: no mail, any domain. */
  readonly isPreverified?: true;
}

export const emailTaken = 'Email is already registered.';

/** Makes an account with a device of its own. Throws 422 with all failing fields. Must not run inside a transaction: it hashes. [Spec Users] */
export async function registerAccount(
  services: AccountServices,
  server: ServerScope,
  account: NewAccount,
  identity: Identity = {},
  further: Record<string, string> = {},
): Promise<UserRow> {
  const { rules, passwords, jobs, createDevice } = services;
  const email = normalizeEmail(account.email);
  const failures = { ...further };
  const badEmail = emailFailure(email, account.isPreverified ? [] : rules.trustedDomains);
  if (badEmail) failures.email = badEmail;
  if (await userByEmail(server, email)) failures.email = emailTaken;
  const badPassword = newPasswordFailure(account.password, account.passwordConfirmation);
  if (badPassword) failures.password = badPassword;
  refuse(failures);
  const password_hash = await passwords.hash(account.password);
  const isVerified = !rules.requiresVerification || account.isPreverified === true;
  return unlessTaken(() =>
    server.transaction(async (inner) => {
      const deviceId = await createDevice(inner);
      const device = inner.device(deviceId, identity);
      const now = currentTimestamp(inner.clock);
      const user = await device.insert(users, {
        name: account.name,
        email,
        password_hash,
        language: account.language ?? 'English',
        confirmed_at: isVerified ? now : null,
        confirmation_token: randomUUID(),
        agreed_to_terms_at: now,
        sign_in_count: 0,
      });
      device.events.changed('User', user.id, JSON.stringify(userRecord(user)));
      if (!isVerified)
        await jobs.enqueue(inner, accountJob.welcome, { user_id: user.id }, { deviceId, maxAttempts: maxMailAttempts });
      return user;
    }),
  );
}

/** Sets a new password and revokes every token of the account's device. Throws 422, or 404 if the account went meanwhile. Must not run inside a transaction. */
export async function setPassword(
  services: AccountServices,
  server: ServerScope,
  user: UserRow,
  password: string,
): Promise<void> {
  const failure = newPasswordFailure(password, password);
  if (failure) throw invalid({ password: failure });
  const password_hash = await services.passwords.hash(password);
  await server.device(user.device_id).transaction(async (scope) => {
    const now = await scope.first(users, { where: { id: user.id } });
    if (!now) throw notFound('Account');
    await changeUser(scope, now, { password_hash });
    await revokeTokens(services, scope);
  });
}

/** Two requests may take the same address at once: the database decides, the other one is told. */
export async function unlessTaken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UniqueViolation && error.columns.includes('email')) throw invalid({ email: emailTaken });
    throw error;
  }
}
