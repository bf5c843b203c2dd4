import { currentTimestamp } from '../core/clock.ts';
import { Failure, invalid } from '../core/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Body } from '../engine/body.ts';
import { failureSchema } from '../engine/failure-schemas.ts';
import { boolean } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import { booleanKind } from '../engine/kinds.ts';
import type { Call, Route } from '../engine/route.ts';
import { jsonContentType, Reply } from '../engine/route.ts';
import { inputSchema } from '../engine/schemas.ts';
import { normalizeEmail, parseCreate, robotSignInFields, signInBody, signInFields } from './account-fields.ts';
import type { Credentials } from './credentials.ts';
import { decryptedCredentials } from './credentials.ts';
import { rememberNetwork } from './known-networks.ts';
import { verifyPassword } from './password-verification.ts';
import type { AccountServices } from './services.ts';
import type { OpenedSession } from './sessions.ts';
import {
  currentUser,
  inUserTransaction,
  openSession,
  sessionSchema,
  termsFailure,
  userUnlessPasswordChanged,
  verificationFailure,
} from './sessions.ts';
import { enqueueExpiredDeletion, tokenIssuances } from './token-issuances.ts';
import type { SessionClaims } from './token-signer.ts';
import type { UserRow } from './users.ts';
import { changeUser, userByEmail } from './users.ts';

/** Robots compare this text. [rule A9, decision 43] */
const wrongCredentials = (): Failure => invalid({ auth: 'Bad email or password.' });

const unreadableCredentials = (): Failure =>
  invalid({ auth: 'These credentials were not encrypted for this server. Set up the robot again.' });

/** `/api/tokens`: sign in, renew, sign out. [rule A10, decision 21] */
export function tokenRoutes(services: AccountServices): Route[] {
  const { signer, jobs, addresses, endSessions } = services;
  const common = { path: '/api/tokens', tag: 'tokens' } as const;
  return [
    {
      ...common,
      method: 'POST',
      access: 'public',
      transaction: false,
      acceptsAnyVersion: true,
      summary: 'Sign in with e-mail address and password, or with encrypted credentials',
      body: { rule: 'object', schema: Type.Object({ user: Type.Union([passwordSchema, robotSchema]) }) },
      replies: { 200: sessionSchema, 403: failureSchema, 451: failureSchema },
      handle: (server, call) => signIn(services, server, call),
    },
    {
      ...common,
      method: 'GET',
      access: 'token',
      acceptsAnyVersion: true,
      summary: 'Get another token with the same expiry',
      replies: { 200: sessionSchema, 422: failureSchema },
      handle: (scope, call) => {
        const { aud, exp, jti } = claimsOf(call);
        return scope.transaction(async (inner) => {
          const user = await currentUser(inner);
          // A token that was revoked concurrently must not be renewed.
          const issuance = await inner.server.first(tokenIssuances, { where: { jti } });
          if (!issuance) throw new Failure('bad_token');
          if (aud !== 'bot') await services.quotas.assertRoom(inner, 'tokens');
          const session = await openSession(services, inner, {
            ...{ user, aud, exp, addresses: addresses(call), signedInAt: issuance.signed_in_at },
          });
          await enqueueExpiredDeletion(inner.server, jobs);
          return session;
        });
      },
    },
    {
      ...common,
      method: 'DELETE',
      access: 'token',
      summary: 'Sign out: revoke the token of this request',
      replies: { 204: 'empty' },
      handle: async (scope, call) => {
        // Not through the scope's device: the token may be from before the user moved to another device.
        const { jti } = claimsOf(call);
        const revoked = await scope.server.delete(tokenIssuances, { where: { jti } });
        for (const { device_id } of revoked) await endSessions(scope.server, device_id);
        await enqueueExpiredDeletion(scope.server, jobs);
        return new Reply('', jsonContentType, 204);
      },
    },
  ];

  function claimsOf(call: Call): SessionClaims {
    const claims = call.token ? signer.verifySession(call.token) : null;
    if (!claims) throw new Failure('bad_token');
    return claims;
  }
}

const passwordSchema = inputSchema({ ...signInFields, agree_to_terms: boolean() }, 'create', 'Sign-in');
const robotSchema = inputSchema(robotSignInFields, 'create', 'Sign-in of a robot');

interface VerifiedUser {
  readonly user: UserRow;
  readonly agreesToTerms: boolean;
}

async function signIn(services: AccountServices, server: ServerScope, call: Call): Promise<OpenedSession> {
  const sent = signInBody(call.body);
  const isEncrypted = Boolean(sent.credentials);
  const { user, agreesToTerms } = await (isEncrypted ? byCredentials : byPassword)(services, server, call, sent);
  const session = await inUserTransaction(server, call, user, async (scope) => {
    const now = await userUnlessPasswordChanged(scope, user);
    if (!now) throw wrongCredentials();
    const agreed = agreesToTerms
      ? await changeUser(scope, now, { agreed_to_terms_at: currentTimestamp(scope.clock) })
      : now;
    const aud = isEncrypted || call.isRobot ? 'bot' : audienceOf(call);
    // Robots keep their credentials; a client without a User-Agent may be a person's. [decision 59]
    const isRobotOs = isEncrypted || (call.isRobot && call.userAgent !== '');
    const signedInAt = isRobotOs ? null : currentTimestamp(scope.clock);
    if (aud !== 'bot') await services.quotas.assertRoom(scope, 'tokens');
    const opened = await openSession(services, scope, {
      ...{ user: agreed, aud, addresses: services.addresses(call), signedInAt },
    });
    await rememberNetwork(scope.server, user.id, call.address);
    await enqueueExpiredDeletion(scope.server, services.jobs);
    return opened;
  });
  await services.recordActivity(server, call, user.id, user.device_id);
  return session;
}

async function byPassword(
  services: AccountServices,
  server: ServerScope,
  call: Call,
  sent: Body,
): Promise<VerifiedUser> {
  // Before the password is checked or found missing. [rule A8]
  const named = typeof sent.email === 'string' ? await userByEmail(server, sent.email) : undefined;
  const unverified = named ? verificationFailure(services, named) : null;
  if (unverified) {
    services.limits.countUnverified(call);
    throw unverified;
  }
  const { email, password } = parseCreate<typeof signInFields, 'email' | 'password'>(signInFields, sent);
  const user = await verifiedUser(services, server, call, { email, password });
  // [decision 57]
  const agreesToTerms = booleanKind.parse(sent.agree_to_terms, 'agree_to_terms') === true;
  if (!agreesToTerms) throwIfFailed(termsFailure(services, user));
  return { user, agreesToTerms };
}

async function byCredentials(
  services: AccountServices,
  server: ServerScope,
  call: Call,
  sent: Body,
): Promise<VerifiedUser> {
  const { credentials: secret } = parseCreate<typeof robotSignInFields, 'credentials'>(robotSignInFields, sent);
  const credentials = decryptedCredentials(services.keyPair.privateKey, secret);
  if (!credentials) throw unreadableCredentials();
  const user = await verifiedUser(services, server, call, credentials);
  throwIfFailed(termsFailure(services, user) ?? verificationFailure(services, user));
  return { user, agreesToTerms: false };
}

function throwIfFailed(failure: Failure | null): void {
  if (failure) throw failure;
}

async function verifiedUser(
  services: AccountServices,
  server: ServerScope,
  call: Call,
  { email, password }: Credentials,
): Promise<UserRow> {
  const user = await userByEmail(server, email);
  const isRight = await verifyPassword(services, server, call, { user, email: normalizeEmail(email), password });
  if (!user || !isRight) throw wrongCredentials();
  return user;
}

/** Returns the audience for a client that is not a robot. [rule A11] */
function audienceOf(call: Call): string {
  const requestedWith = call.headers['x-requested-with'];
  return requestedWith === 'XMLHttpRequest' ? 'human' : 'unknown';
}
