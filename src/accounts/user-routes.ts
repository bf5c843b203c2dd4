import { Failure, invalid, notFound } from '../core/errors.ts';
import { networkOf } from '../core/ip-addresses.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { failureSchema } from '../engine/failure-schemas.ts';
import { Type } from '../engine/json-schema.ts';
import { timeSchema } from '../engine/kinds.ts';
import type { Call, DeviceRoute, Route } from '../engine/route.ts';
import { inputSchema } from '../engine/schemas.ts';
import { jobRecord } from '../jobs/job-rows.ts';
import { maxMailAttempts } from '../mail/message.ts';
import {
  asBody,
  assertNoFailures,
  currentPasswordFields,
  emailProblem,
  flattenUser,
  nestableSchema,
  newPasswordProblem,
  normalizeEmail,
  parseCreate,
  parseUpdate,
  signUpFields,
  userChangeFields,
} from './account-fields.ts';
import { changeEmail, withdrawPendingChange } from './email-changes.ts';
import { isGuest } from './guests.ts';
import { accountJob } from './job-kinds.ts';
import { verifyPassword } from './password-verification.ts';
import { emailTaken, isTakenEmail, registerAccount, rejectTakenEmail } from './registration.ts';
import type { AccountServices } from './services.ts';
import { currentUser, hasRecentSignIn, revokeTokens, userUnlessPasswordChanged } from './sessions.ts';
import { enqueueExpiredDeletion } from './token-issuances.ts';
import type { UserRow } from './users.ts';
import { changeUser, userByEmail, userRecord, userSchema, users } from './users.ts';

const orNull = (schema: ReturnType<typeof Type.String>) => Type.Union([schema, Type.Null()]);

const jobSchema = Type.Object(
  {
    id: Type.Integer(),
    priority: Type.Integer(),
    attempts: Type.Integer(),
    handler: Type.String({ description: 'Opaque.' }),
    last_error: orNull(Type.String()),
    run_at: timeSchema,
    locked_at: Type.Null(),
    failed_at: Type.Union([timeSchema, Type.Null()]),
    locked_by: orNull(Type.String()),
    queue: Type.Null(),
    created_at: timeSchema,
    updated_at: timeSchema,
  },
  { additionalProperties: false, title: 'Job' },
);

const messageSchema = (key: string) => Type.Object({ [key]: Type.String() }, { additionalProperties: false });

/** `/api/users`: sign-up, the caller's account and its deletion. [rule A5] */
export function userRoutes(services: AccountServices): Route[] {
  const common = { path: '/api/users', tag: 'users' } as const;
  const update: Omit<DeviceRoute, 'path'> = {
    tag: 'users',
    method: 'PATCH',
    access: 'token',
    transaction: false,
    summary: 'Change your account: name, language, e-mail address, password',
    body: { rule: 'object', schema: nestableSchema(userChangeFields, 'User update') },
    replies: { 200: userSchema },
    handle: (scope, call) => change(services, scope, call),
  };
  return [
    {
      ...common,
      method: 'POST',
      access: 'public',
      transaction: false,
      summary: 'Sign up; a mail with a link confirms the address',
      body: { rule: 'object', schema: nestableSchema(signUpFields, 'User create') },
      replies: { 200: messageSchema('message'), 403: failureSchema },
      handle: (server, call) => signUp(services, server, call),
    },
    {
      ...common,
      method: 'GET',
      access: 'token',
      summary: 'List the users of the device',
      replies: { 200: Type.Array(userSchema) },
      handle: async (scope) => (await scope.rows(users)).map((row) => userRecord(services.activity.overlay(row))),
    },
    { ...update, path: '/api/users' },
    // The web app adds the id. [rule A6]
    { ...update, path: '/api/users/:ignored', params: Type.Object({ ignored: Type.String() }) },
    {
      ...common,
      method: 'DELETE',
      access: 'token',
      transaction: false,
      summary: 'Delete the account and its device, in the background',
      body: { rule: 'late', schema: inputSchema(currentPasswordFields, 'create', 'User deletion') },
      replies: { 200: jobSchema },
      handle: (scope, call) => remove(services, scope, call),
    },
    {
      method: 'POST',
      path: '/api/users/resend_verification',
      tag: 'users',
      access: 'public',
      summary: 'Send the verification mail again',
      body: { rule: 'object', schema: Type.Object({ email: Type.Optional(Type.String()) }) },
      replies: { 200: messageSchema('user'), 404: failureSchema },
      handle: (server, call) => resend(services, server, call),
    },
  ];
}

async function signUp(services: AccountServices, server: ServerScope, call: Call) {
  const { rules } = services;
  if (rules.signUp === 'closed') throw new Failure('forbidden', 'This server does not accept new accounts.');
  const sent = parseCreate<typeof signUpFields, 'name' | 'email' | 'password' | 'password_confirmation'>(
    signUpFields,
    flattenUser(call.body),
  );
  services.limits.countSignUp(call);
  const knownFailures: Record<string, string> =
    rules.requiresTerms && sent.agree_to_terms !== true
      ? { terms_of_service: 'Please agree to the terms of service.' }
      : {};
  const account = {
    name: sent.name,
    email: sent.email,
    password: sent.password,
    passwordConfirmation: sent.password_confirmation,
    ...(sent.language === undefined ? {} : { language: sent.language }),
  };
  await registerAccount(services, server, account, { call, limits: services.limits }, knownFailures);
  return { message: 'Please check your e-mail: we sent you a link to confirm your address.' };
}

const wrongPassword = 'Password is not your current one.';
const signInAgain = 'To change your e-mail address, sign in again or send your current password.';

/** Changes the caller's account. A new address takes effect when it is confirmed, a new password immediately. [decision 59] */
async function change(services: AccountServices, scope: DeviceScope, call: Call) {
  const { rules, jobs, passwords, signer } = services;
  const before = await currentUser(scope);
  const sent = parseUpdate(userChangeFields, flattenUser(call.body));
  const email = sent.email === undefined ? before.email : normalizeEmail(sent.email);
  const hasNewEmail = email !== before.email;
  // A password alone, without an address that it permits, is an incomplete change of the password.
  const hasNewPassword = sent.new_password !== undefined || (sent.password !== undefined && !hasNewEmail);
  const failures: Record<string, string> = {};
  if (hasNewEmail) {
    // The response shows whether the address has an account.
    services.limits.countUnverified(call);
    const failure = isGuest(before)
      ? 'The address of a demo account cannot be changed. Please sign up for an account.'
      : (await isTakenEmail(scope.server, email, before.id))
        ? emailTaken
        : emailProblem(email, rules.trustedDomains);
    if (failure) failures.email = failure;
  }
  if (sent.password === undefined && hasNewEmail && !(await hasRecentSignIn(services, scope, call)))
    failures.password = signInAgain;
  if (sent.password !== undefined || hasNewPassword) {
    const { password = '', new_password = '', new_password_confirmation = '' } = sent;
    const attempt = { user: before, email: before.email, password };
    const isOwn = password !== '' && (await verifyPassword(services, scope.server, call, attempt));
    const failure = !isOwn
      ? wrongPassword
      : hasNewPassword
        ? newPasswordProblem(new_password, new_password_confirmation)
        : null;
    if (failure) failures.password = failure;
  }
  assertNoFailures(failures);
  if (hasNewEmail) services.limits.countEmailChange(call, before.id, email);

  const changes: Partial<UserRow> = {};
  if (sent.name !== undefined) changes.name = sent.name;
  if (sent.language !== undefined) changes.language = sent.language;
  if (hasNewPassword) changes.password_hash = await passwords.hash(sent.new_password ?? '', networkOf(call.address));

  const row = await rejectTakenEmail(() =>
    scope.transaction(async (inner) => {
      // A password that was verified may have changed since.
      const isVerified = sent.password !== undefined;
      const now = isVerified ? await userUnlessPasswordChanged(inner, before) : await currentUser(inner);
      if (!now) throw invalid({ password: wrongPassword });
      // A concurrent reset may have revoked the session: it must not leave a change behind.
      if (hasNewEmail && !isVerified && !(await hasRecentSignIn(services, inner, call)))
        throw invalid({ password: signInAgain });
      const user = await changeUser(inner, now, changes);
      if (hasNewPassword) {
        await withdrawPendingChange(inner.server, user.id);
        const present = call.token ? signer.verifySession(call.token) : null;
        await revokeTokens(services, inner, { except: present?.jti, resetsRobot: true });
        await enqueueExpiredDeletion(inner.server, jobs);
      }
      return hasNewEmail ? changeEmail(services, inner, user, email) : user;
    }),
  );
  return userRecord(services.activity.overlay(row));
}

async function remove(services: AccountServices, scope: DeviceScope, call: Call) {
  const { password } = parseCreate<typeof currentPasswordFields, 'password'>(
    currentPasswordFields,
    flattenUser(call.body),
  );
  const user = await currentUser(scope);
  const wrong = invalid({ password: 'Password is wrong.' });
  if (!(await verifyPassword(services, scope.server, call, { user, email: user.email, password }))) throw wrong;
  const job = await scope.transaction(async (inner) => {
    if (!(await userUnlessPasswordChanged(inner, user))) throw wrong;
    // Other users of the device keep its garden.
    if ((await inner.count(users)) === 1) await services.prepareAccountDeletion(inner);
    return services.jobs.enqueue(inner.server, accountJob.destroy, { user_id: user.id }, { deviceId: inner.deviceId });
  });
  return jobRecord(job);
}

async function resend(services: AccountServices, server: ServerScope, call: Call) {
  const { rules, jobs, limits } = services;
  const { email } = asBody(call.body);
  limits.countUnverified(call);
  const user = typeof email === 'string' ? await userByEmail(server, email) : undefined;
  if (!user) throw notFound('Account');
  if (!rules.requiresVerification || user.confirmed_at !== null)
    throw invalid({ user: 'This account is already verified.' });
  limits.countConfirmationMail(call, user.email);
  await jobs.enqueue(
    server,
    accountJob.welcome,
    { user_id: user.id },
    { deviceId: user.device_id, maxAttempts: maxMailAttempts },
  );
  return { user: 'Please check your e-mail.' };
}
