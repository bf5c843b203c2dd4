import type { FieldFailures } from '../core/errors.ts';
import { Failure, invalid, notFound } from '../core/errors.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { untagged } from '../engine/entity-tag.ts';
import { failureSchema } from '../engine/failure-schemas.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema, timeSchema } from '../engine/kinds.ts';
import { pageLanguage } from '../engine/page-language.ts';
import type { Call, DeviceRoute, Route } from '../engine/route.ts';
import { inputBody } from '../engine/schemas.ts';
import { ignoredId } from '../engine/singleton-routes.ts';
import { jobRecord } from '../jobs/job-rows.ts';
import { maxMailAttempts } from '../mail/message.ts';
import { changeAccount } from './account-change.ts';
import {
  accountDeletionBody,
  asBody,
  currentPasswordFields,
  flattenUser,
  normalizeEmail,
  parseFields,
  signUpFields,
  userChangeFields,
  verificationRequest,
} from './account-fields.ts';
import { assertNoneToTakeBack } from './email-changes.ts';
import { isFirstAccountCode } from './first-account.ts';
import { gardenName } from './garden-routes.ts';
import { invitationOf, invitations, isOfAdministrator } from './invitations.ts';
import { accountJob } from './job-kinds.ts';
import { members } from './members.ts';
import { say } from './messages.ts';
import { gardensWithoutOther } from './owned-gardens.ts';
import { verifyPassword } from './password-verification.ts';
import { registerAccount } from './registration.ts';
import { currentSignUp, isFirstAccountExpected } from './server-settings.ts';
import type { AccountServices } from './services.ts';
import { currentUser, homeUser, userUnlessPasswordChanged } from './sessions.ts';
import { userByEmail, userRecord, userSchema, users } from './users.ts';

const jobSchema = Type.Object(
  {
    id: idSchema,
    priority: Type.Integer(),
    attempts: Type.Integer(),
    handler: Type.String({ description: 'Opaque.', examples: ['account_destruction'] }),
    last_error: Type.Nullable(Type.String({ examples: [null] })),
    run_at: timeSchema,
    locked_at: Type.Null(),
    failed_at: Type.Nullable({ ...timeSchema, examples: [null] }),
    locked_by: Type.Nullable(Type.String({ examples: [null] })),
    queue: Type.Null(),
    created_at: timeSchema,
    updated_at: timeSchema,
  },
  { $id: 'Job' },
);

const messageSchema = (key: string) => Type.Object({ [key]: Type.String({ examples: [String(say.checkMail)] }) });

/** `/api/users`: sign-up, the caller's account and its deletion. [rule A5] */
export function userRoutes(services: AccountServices): Route[] {
  const common = { path: '/api/users', tag: 'Account' } as const;
  const update: Omit<DeviceRoute, 'path'> = {
    tag: 'Account',
    method: 'PATCH',
    access: 'token',
    needsSession: true,
    transaction: false,
    summary: 'Change your account: name, language, e-mail address, password',
    description:
      'Changes the fields that are sent and returns the user. A new password needs the current one in `password` and ends all other sessions. A new address takes effect when the link in the mail is opened, and needs the password or a recent sign-in.',
    body: inputBody(userChangeFields, 'update', 'UserUpdate', { name: 'Anna', language: 'English' }),
    replies: { 200: userSchema },
    handle: (scope, call) => changeAccount(services, scope, call),
  };
  return [
    {
      ...common,
      tag: 'Sign in',
      method: 'POST',
      access: 'public',
      transaction: false,
      summary: 'Sign up',
      description:
        'Creates an account with a garden and a device. Where the server verifies addresses, a mail with a link is sent, and signing in is possible once the link was opened. Operators can close sign-up (403).',
      body: inputBody(signUpFields, 'create', 'UserInput', {
        name: 'Anna',
        email: 'anna@example.com',
        password: 'correct horse',
        password_confirmation: 'correct horse',
        agree_to_terms: true,
      }),
      replies: { 200: messageSchema('message'), 403: failureSchema },
      handle: (server, call) => signUp(services, server, call),
    },
    {
      ...common,
      method: 'GET',
      access: 'token',
      summary: 'List the users of the device',
      description: 'Returns the users whose own garden this is; to a member of the garden, only that one.',
      replies: { 200: Type.Array(userSchema) },
      untagged: untagged.overlaid,
      handle: async (scope) => {
        const home = await scope.rows(users);
        const isHome = home.some(({ id }) => id === scope.userId);
        return (isHome ? home : [await currentUser(scope)]).map((row) => userRecord(services.activity.overlay(row)));
      },
    },
    { ...update, path: '/api/users' },
    // The web app adds the id. [rule A6]
    { ...update, path: '/api/users/:ignored', params: ignoredId, aliasOf: '/api/users' },
    {
      ...common,
      method: 'DELETE',
      access: 'token',
      needsSession: true,
      transaction: false,
      summary: 'Delete the account and its device, in the background',
      description:
        'Deletes the account in the background, given its password. With the last owner of a garden, the garden, its device and all photos are deleted; `gardens` must name those besides the home garden. Refused for a week after the e-mail address was changed, while the old one can take it back. Returns the job.',
      body: { rule: 'late', schema: accountDeletionBody },
      replies: { 200: jobSchema },
      handle: (scope, call) => remove(services, scope, call),
    },
    {
      method: 'POST',
      path: '/api/users/resend_verification',
      tag: 'Sign in',
      access: 'public',
      summary: 'Send the verification mail again',
      description: 'Sends the mail of the sign-up again, unless the address is verified.',
      body: {
        rule: 'object',
        schema: verificationRequest,
      },
      replies: { 200: messageSchema('user'), 404: failureSchema },
      handle: (server, call) => resend(services, server, call),
    },
  ];
}

async function signUp(services: AccountServices, server: ServerScope, call: Call) {
  const { rules } = services;
  const isClosed = (await currentSignUp(server, rules.signUp)) === 'closed';
  const sentCode = flattenUser(call.body).administrator_code;
  const sentInvitation = flattenUser(call.body).invitation;
  const invitation = typeof sentInvitation === 'string' ? await invitationOf(server, sentInvitation) : undefined;
  const isInvited = invitation !== undefined && (await isOfAdministrator(server, invitation));
  if (isClosed && !sentCode && !isInvited) throw new Failure('forbidden', say.signUpClosed);
  const sent = parseFields<typeof signUpFields, 'name' | 'email' | 'password' | 'password_confirmation'>(
    signUpFields,
    flattenUser(call.body),
  );
  services.limits.countSignUp(call);
  const knownFailures: FieldFailures =
    rules.requiresTerms && sent.agree_to_terms !== true ? { terms_of_service: say.agreeToTerms } : {};
  const { administrator_code: code = '' } = sent;
  const isRightCode =
    code !== '' && isFirstAccountCode(services.keyPair, code) && (await isFirstAccountExpected(server));
  if (code !== '' && !isRightCode) knownFailures.administrator_code = say.wrongCode;
  if (sent.invitation !== undefined && invitation?.email !== normalizeEmail(sent.email))
    knownFailures.invitation = say.deadCode;
  const account = {
    hasConfirmedAddress: invitation?.is_mailed === true,
    mayAdminister: isRightCode || services.isPrivateCall(call),
    name: sent.name,
    email: sent.email,
    password: sent.password,
    passwordConfirmation: sent.password_confirmation,
    ...(sent.language === undefined ? {} : { language: sent.language }),
  };
  const request = { call, limits: services.limits };
  const { id, device_id } = await registerAccount(services, server, account, request, knownFailures);
  // It is done with the account; one to a garden is still to be accepted.
  if (invitation?.role === null) await server.delete(invitations, { where: { id: invitation.id } });
  server.log.info({ user: id, device: device_id }, 'an account was created');
  const isMailed = rules.requiresVerification && !account.hasConfirmedAddress;
  return { message: isMailed ? say.checkMailForLink : say.accountCreated };
}

async function remove(services: AccountServices, scope: DeviceScope, call: Call) {
  const { password } = parseFields<typeof currentPasswordFields, 'password'>(
    currentPasswordFields,
    flattenUser(call.body),
  );
  const user = await homeUser(scope);
  const wrong = invalid({ password: say.wrongPassword });
  if (!(await verifyPassword(services, scope.server, call, { user, email: user.email, password }))) throw wrong;
  const job = await scope.transaction(async (inner) => {
    const ended = await gardensWithoutOther(inner.server, user);
    await assertNamed(inner, ended, call);
    const now = await userUnlessPasswordChanged(inner, user);
    if (!now) throw wrong;
    await assertNoneToTakeBack(inner.server, now);
    // Other owners of the device keep its garden.
    if (ended.includes(inner.deviceId)) await services.gardens.prepareDeletion(inner);
    return services.jobs.enqueue(inner.server, accountJob.destroy, { user_id: user.id }, { deviceId: inner.deviceId });
  });
  return jobRecord(job);
}

/** Throws 422 unless the body names the further gardens that end with the account, and the home garden if others are members of it. */
async function assertNamed(scope: DeviceScope, ended: readonly number[], call: Call): Promise<void> {
  const { gardens } = flattenUser(call.body);
  const named = Array.isArray(gardens) ? gardens : [];
  const missing: string[] = [];
  for (const id of ended) {
    const isShared = id !== scope.deviceId || (await scope.count(members)) > 0;
    if (isShared && !named.includes(id)) missing.push(`${await gardenName(scope.server, id)} (${id})`);
  }
  if (missing.length > 0)
    throw invalid({
      gardens: say.lastOwnerOf(missing.join(', ')),
    });
}

async function resend(services: AccountServices, server: ServerScope, call: Call) {
  const { rules, jobs, limits } = services;
  const { email } = asBody(call.body);
  limits.countUnverified(call);
  const user = typeof email === 'string' ? await userByEmail(server, email) : undefined;
  if (!user) throw notFound('Account');
  if (!rules.requiresVerification || user.confirmed_at !== null) throw invalid({ user: say.accountVerified });
  limits.countConfirmationMail(call, user.email);
  await jobs.enqueue(
    server,
    accountJob.welcome,
    { user_id: user.id, language: pageLanguage(call) },
    { deviceId: user.device_id, maxAttempts: maxMailAttempts },
  );
  return { user: say.checkMail };
}
