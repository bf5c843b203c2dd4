import type { FieldFailures } from '../core/errors.ts';
import { invalid } from '../core/errors.ts';
import { siteOf } from '../core/ip-addresses.ts';
import type { Message } from '../core/message.ts';
import type { DeviceScope } from '../db/scope.ts';
import { pageLanguage } from '../engine/page-language.ts';
import type { Call } from '../engine/route.ts';
import {
  assertNoFailures,
  emailProblem,
  flattenUser,
  minPasswordLength,
  newPasswordProblem,
  normalizeEmail,
  parsePartialFields,
  userChangeFields,
} from './account-fields.ts';
import { changeEmail, withdrawPendingChange } from './email-changes.ts';
import { isGuest } from './guests.ts';
import { say } from './messages.ts';
import { verifyPassword } from './password-verification.ts';
import { emailTaken, isTakenEmail, rejectTakenEmail } from './registration.ts';
import type { AccountServices } from './services.ts';
import { currentUser, hasRecentSignIn, homeUser, revokeTokens, userUnlessPasswordChanged } from './sessions.ts';
import { enqueueExpiredDeletion } from './token-issuances.ts';
import type { UserRow } from './users.ts';
import { changeUser, userRecord } from './users.ts';

const wrongPassword = say.notCurrentPassword;
const signInAgain = say.signInAgain;

/** Changes the caller's account. Throws 422 with all problems. A new address takes effect when it is confirmed, a new password immediately. [decision 59] */
export async function changeAccount(services: AccountServices, scope: DeviceScope, call: Call) {
  const { jobs, passwords, signer } = services;
  const before = await homeUser(scope);
  const { name, language, email, newPassword, isVerified } = await parseChange(services, scope, call, before);
  if (email !== null) services.limits.countEmailChange(call, before.id, email);

  const changes: Partial<UserRow> = {};
  if (name !== undefined) changes.name = name;
  if (language !== undefined) changes.language = language;
  if (newPassword !== null) changes.password_hash = await passwords.hash(newPassword, siteOf(call.address));

  const row = await rejectTakenEmail(() =>
    scope.transaction(async (inner) => {
      // A password that was verified may have changed since.
      const now = isVerified ? await userUnlessPasswordChanged(inner, before) : await currentUser(inner);
      if (!now) throw invalid({ password: wrongPassword });
      // A concurrent reset may have revoked the session: it must not leave a change behind.
      if (email !== null && !isVerified && !(await hasRecentSignIn(services, inner, call)))
        throw invalid({ password: signInAgain });
      const user = await changeUser(inner, now, changes);
      if (newPassword !== null) {
        await withdrawPendingChange(inner.server, user.id);
        const present = call.token ? signer.verifySession(call.token) : null;
        await revokeTokens(services.endSessions, inner, user.id, { except: present?.jti, resetsRobot: true });
        await enqueueExpiredDeletion(inner.server, jobs);
      }
      return email === null ? user : changeEmail(services, inner, user, email, pageLanguage(call));
    }),
  );
  return userRecord(services.activity.overlay(row));
}

/** Parses and checks the body of a change. Throws 422 with all problems. */
async function parseChange(services: AccountServices, scope: DeviceScope, call: Call, user: UserRow) {
  const sent = parsePartialFields(userChangeFields, flattenUser(call.body));
  const email = sent.email === undefined ? user.email : normalizeEmail(sent.email);
  const hasNewEmail = email !== user.email;
  // Only the current password was sent: an incomplete change of the password.
  const hasNewPassword = sent.new_password !== undefined || (sent.password !== undefined && !hasNewEmail);
  const failures: FieldFailures = {};
  // All problems of passwords are reported under the name of the current one, for earlier clients.
  let place = 'password';
  const emailFailure = hasNewEmail ? await newEmailProblem(services, scope, call, user, email) : null;
  if (emailFailure) failures.email = emailFailure;
  if (sent.password === undefined && hasNewEmail && !(await hasRecentSignIn(services, scope, call)))
    failures.password = signInAgain;
  if (sent.password !== undefined || hasNewPassword) {
    const { password = '', new_password = '', new_password_confirmation = '' } = sent;
    const attempt = { user, email: user.email, password };
    const isOwn = password !== '' && (await verifyPassword(services, scope.server, call, attempt));
    const newFailure = hasNewPassword ? newPasswordProblem(new_password, new_password_confirmation) : null;
    const failure = isOwn ? newFailure : wrongPassword;
    if (failure) failures.password = failure;
    if (isOwn) place = new_password.length < minPasswordLength ? 'new_password' : 'new_password_confirmation';
  }
  const { password: passwordFailure, ...others } = failures;
  assertNoFailures(failures, passwordFailure ? { ...others, [place]: passwordFailure } : others);
  return {
    name: sent.name,
    language: sent.language,
    /** Null leaves it unchanged. */
    email: hasNewEmail ? email : null,
    newPassword: hasNewPassword ? (sent.new_password ?? '') : null,
    /** Whether the current password was sent and verified. */
    isVerified: sent.password !== undefined,
  };
}

/** Returns the reason why a user cannot have this address, or null. Counted: the response shows whether the address has an account. */
async function newEmailProblem(
  services: AccountServices,
  scope: DeviceScope,
  call: Call,
  user: UserRow,
  email: string,
): Promise<Message | null> {
  services.limits.countUnverified(call);
  if (isGuest(user)) return say.guestEmail;
  if (await isTakenEmail(scope.server, email, user.id)) return emailTaken;
  return emailProblem(email, services.rules.trustedDomains);
}
