import { randomUUID } from 'node:crypto';
import { currentTimestamp } from '../core/clock.ts';
import type { FieldFailures } from '../core/errors.ts';
import { invalid, notFound } from '../core/errors.ts';
import { siteOf } from '../core/ip-addresses.ts';
import { UniqueViolation } from '../db/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import { pageLanguage } from '../engine/page-language.ts';
import type { Call } from '../engine/route.ts';
import { maxMailAttempts } from '../mail/message.ts';
import { assertNoFailures, emailProblem, newPasswordProblem, normalizeEmail } from './account-fields.ts';
import type { AccountLimits } from './account-limits.ts';
import { isReservedEmail, withdrawPendingChange } from './email-changes.ts';
import { accountJob } from './job-kinds.ts';
import { say } from './messages.ts';
import { takeFirstAccount } from './server-settings.ts';
import type { RegistrationServices, UserServices } from './services.ts';
import { identityOf, revokeTokens } from './sessions.ts';
import type { UserRow } from './users.ts';
import { changeUser, userByEmail, userRecord, users } from './users.ts';

export interface NewAccount {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly passwordConfirmation: string;
  readonly language?: string;
  /** Created by the operator: the address needs no confirmation and may be in any domain. */
  readonly isPreverified?: true;
  /** Becomes an administrator if it is the first account of the database. */
  readonly mayAdminister?: boolean;
  /** The address was confirmed by a link that was mailed to it. */
  readonly hasConfirmedAddress?: boolean;
}

export const emailTaken = say.emailTaken;

/** Whether an address belongs to another user, or to one who can still take it back. */
export async function isTakenEmail(server: ServerScope, email: string, userId: number | null): Promise<boolean> {
  const user = await userByEmail(server, email);
  return (user !== undefined && user.id !== userId) || isReservedEmail(server, email, userId);
}

/** Throws 422 `email` if the address is taken. */
export async function assertFreeEmail(server: ServerScope, email: string, userId: number): Promise<void> {
  if (await isTakenEmail(server, email, userId)) throw invalid({ email: emailTaken });
}

/** A sign-up, and the limits that apply to it. */
export type SignUpRequest = { readonly limits: AccountLimits; readonly call: Call };

/** Creates a user with a new device. `request`: null for the operator. Throws 422 with all failing fields, 429. Not for use inside a transaction, since it hashes. [rule A4] */
export async function registerAccount(
  services: RegistrationServices,
  server: ServerScope,
  account: NewAccount,
  request: SignUpRequest | null = null,
  knownFailures: FieldFailures = {},
): Promise<UserRow> {
  const { rules, passwords, jobs, gardens } = services;
  const email = normalizeEmail(account.email);
  const failures = { ...knownFailures };
  const badEmail = emailProblem(email, account.isPreverified ? [] : rules.trustedDomains);
  if (badEmail) failures.email = badEmail;
  if (await isTakenEmail(server, email, null)) failures.email = emailTaken;
  const badPassword = newPasswordProblem(account.password, account.passwordConfirmation);
  if (badPassword) failures.password = badPassword;
  assertNoFailures(failures);
  const isVerified =
    !rules.requiresVerification || account.isPreverified === true || account.hasConfirmedAddress === true;
  if (request && !isVerified) request.limits.countConfirmationMail(request.call, email);
  const password_hash = await passwords.hash(account.password, request ? siteOf(request.call.address) : undefined);
  return rejectTakenEmail(() =>
    server.transaction(async (inner) => {
      const admin = (await takeFirstAccount(inner)) && account.mayAdminister === true;
      const deviceId = await gardens.create(inner);
      const device = inner.device(deviceId, request ? identityOf(request.call, null) : {});
      const now = currentTimestamp(inner.clock);
      const user = await device.insert(users, {
        name: account.name,
        email,
        password_hash,
        language: account.language ?? null,
        // An administrator is not locked out by a mail server that does not work yet. [decision 60]
        confirmed_at: isVerified || admin ? now : null,
        confirmation_token: randomUUID(),
        agreed_to_terms_at: now,
        sign_in_count: 0,
        admin,
      });
      device.events.changed('User', user.id, JSON.stringify(userRecord(user)));
      if (!isVerified) {
        const payload = { user_id: user.id, language: request && pageLanguage(request.call) };
        await jobs.enqueue(inner, accountJob.welcome, payload, { deviceId, maxAttempts: maxMailAttempts });
      }
      return user;
    }),
  );
}

/** Sets a new password and revokes all tokens of the device. Throws 422, or 404 if the user was deleted concurrently. Not for use inside a transaction, since it hashes. */
export async function setPassword(
  services: UserServices,
  server: ServerScope,
  user: UserRow,
  password: string,
): Promise<void> {
  const failure = newPasswordProblem(password, password);
  if (failure) throw invalid({ password: failure });
  const password_hash = await services.passwords.hash(password);
  await server.device(user.device_id).transaction(async (scope) => {
    const now = await scope.first(users, { where: { id: user.id } });
    if (!now) throw notFound('Account');
    await changeUser(scope, now, { password_hash });
    await withdrawPendingChange(scope.server, user.id);
    await revokeTokens(services.endSessions, scope, user.id);
  });
}

/** Turns a violation of the unique index, which concurrent requests can cause, into 422 `email`. */
export async function rejectTakenEmail<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UniqueViolation && error.columns.includes('email')) throw invalid({ email: emailTaken });
    throw error;
  }
}
