import { currentTimestamp } from '../core/clock.ts';
import { Failure, invalid, notFound } from '../core/errors.ts';
import { siteOf } from '../core/ip-addresses.ts';
import type { ServerScope } from '../db/scope.ts';
import { failureSchema } from '../engine/failure-schemas.ts';
import { Type } from '../engine/json-schema.ts';
import { pageLanguage } from '../engine/page-language.ts';
import type { Call, PublicRoute, Route } from '../engine/route.ts';
import { inputBody, inputSchema, withExample } from '../engine/schemas.ts';
import { ignoredId } from '../engine/singleton-routes.ts';
import { maxMailAttempts } from '../mail/message.ts';
import {
  asBody,
  newPasswordProblem,
  normalizeEmail,
  parseFields,
  resetFields,
  resetRequestFields,
} from './account-fields.ts';

import { changeToTakeBack, takeBackChange, withdrawPendingChange } from './email-changes.ts';
import { accountJob } from './job-kinds.ts';
import { rememberNetwork } from './known-networks.ts';
import { say } from './messages.ts';
import { passwordDigest } from './passwords.ts';
import { rejectTakenEmail } from './registration.ts';
import type { AccountServices } from './services.ts';
import type { OpenedSession } from './sessions.ts';
import {
  inUserTransaction,
  openSession,
  requestOf,
  revokeTokens,
  sessionSchema,
  termsFailure,
  userUnlessPasswordChanged,
  verificationFailure,
} from './sessions.ts';
import { changeUser, userByEmail, users } from './users.ts';

/** Bytes. [rule A19] */
const maxRequestSize = 4096;

const status = say.checkMailForReset;

const statusSchema = Type.Object({ status: Type.String({ examples: [String(status)] }) });

// Sent as `id`, reported as `token`. [rule A20]
const { token: tokenField, ...passwordFields } = resetFields;
const changeSchema = withExample(inputSchema({ ...passwordFields, id: tokenField }, 'create', 'PasswordResetInput'), {
  password: 'battery staple',
  password_confirmation: 'battery staple',
  id: 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbm5hIn0.c2lnbmF0dXJl',
});

/** `/api/password_resets`: request the mail, and set a new password with the token in it. [rule A19, decision 39] */
export function passwordResetRoutes(services: AccountServices): Route[] {
  const common = { tag: 'Sign in', rateLimit: 'reset' } as const;
  const change: Omit<PublicRoute, 'path'> = {
    ...common,
    method: 'PATCH',
    access: 'public',
    transaction: false,
    summary: 'Set a new password with the token from the mail, and sign in',
    description:
      'Takes the token of a mailed link as `id`, sets the password, ends all sessions of the account, and returns a new one. A link works once.',
    body: { rule: 'object', schema: changeSchema },
    replies: { 200: sessionSchema, 401: failureSchema, 403: failureSchema, 404: failureSchema, 451: failureSchema },
    handle: (server, call) => reset(services, server, call),
  };
  return [
    {
      ...common,
      method: 'POST',
      access: 'public',
      path: '/api/password_resets',
      maxBodySize: maxRequestSize,
      summary: 'Request a mail with a link to choose a new password',
      description:
        'Sends a mail with a link if there is an account with this address. The response does not show whether there is one.',
      body: inputBody(resetRequestFields, 'create', 'PasswordResetRequest', {
        email: 'anna@example.com',
      }),
      replies: { 200: statusSchema },
      async handle(server, call) {
        const { email } = parseFields<typeof resetRequestFields, 'email'>(resetRequestFields, asBody(call.body));
        // The job looks the account up, so that neither the response nor its timing reveals whether it exists.
        const address = normalizeEmail(email);
        if (services.limits.allowsResetMail(call, address))
          await services.jobs.enqueue(
            server,
            accountJob.passwordReset,
            { email: address, language: pageLanguage(call) },
            { maxAttempts: maxMailAttempts },
          );
        return { status };
      },
    },
    { ...change, path: '/api/password_resets' },
    { ...change, path: '/api/password_resets/:ignored', params: ignoredId, aliasOf: '/api/password_resets' },
  ];
}

const unusableLink = (): Failure => invalid({ reset: say.deadReset });

/** Sets a new password with a link for that, or with one that also takes a change of the e-mail address back. [decision 59] */
async function reset(services: AccountServices, server: ServerScope, call: Call): Promise<OpenedSession> {
  const body = asBody(call.body);
  const sent = parseFields<typeof resetFields, keyof typeof resetFields>(resetFields, { ...body, token: body.id });
  const badPassword = newPasswordProblem(sent.password, sent.password_confirmation);
  if (badPassword) throw invalid({ password: badPassword });
  const claims = services.signer.verifyLink(sent.token);
  if (claims === 'forged') throw new Failure('unauthenticated', say.forgedLink);
  if (claims === 'unusable' || claims.aud === 'EMAIL_CONFIRMATION') throw unusableLink();
  const isTakeBack = claims.aud === 'EMAIL_TAKE_BACK';
  const change = isTakeBack ? await changeToTakeBack(server, Number(claims.sub)) : undefined;
  if (isTakeBack && !change) throw unusableLink();
  const user = change
    ? await server.first(users, { where: { id: change.user_id } })
    : await userByEmail(server, claims.sub);
  if (!user) throw notFound('Account');
  // Any new password ends the links that were sent before, so each works once.
  if (!change && claims.pwd !== passwordDigest(user.password_hash)) throw unusableLink();
  const password_hash = await services.passwords.hash(sent.password, siteOf(call.address));
  const outcome = await rejectTakenEmail(() =>
    inUserTransaction(server, call, user, async (scope) => {
      // An attacker who changes the password at the same moment must not prevent it.
      const now = change
        ? await takeBackChange(scope, await scope.first(users, { where: { id: user.id } }), change)
        : await userUnlessPasswordChanged(scope, user);
      if (!now || (!change && now.email !== user.email)) throw unusableLink();
      await withdrawPendingChange(scope.server, user.id);
      await revokeTokens(services.endSessions, scope, user.id);
      await services.gardens.endDelegatedAccess(scope.server, user.id, services.device.notify);
      const changed = await changeUser(scope, now, { password_hash });
      await rememberNetwork(scope.server, user.id, call);
      // Returned, not thrown, which would roll the new password back. [rule A21]
      return (
        verificationFailure(services.rules, changed) ??
        termsFailure(services.rules, changed) ??
        openSession(services, scope, {
          ...requestOf(services, call),
          user: changed,
          aud: 'unknown',
          signedInAt: currentTimestamp(scope.clock),
        })
      );
    }),
  );
  if (outcome instanceof Failure) throw outcome;
  return outcome;
}
