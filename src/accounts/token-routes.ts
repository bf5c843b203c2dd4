import { currentTimestamp } from '../core/clock.ts';
import { Failure, invalid } from '../core/errors.ts';
import { labels } from '../core/field-labels.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { Body } from '../engine/body.ts';
import { untagged } from '../engine/entity-tag.ts';
import { failureSchema, fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { boolean } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import { booleanKind } from '../engine/kinds.ts';
import type { Call, Route } from '../engine/route.ts';
import { jsonContentType, Reply } from '../engine/route.ts';
import { inputSchema, withExample } from '../engine/schemas.ts';
import { normalizeEmail, parseFields, robotSignInFields, signInBody, signInFields } from './account-fields.ts';
import type { Credentials } from './credentials.ts';
import { decryptedCredentials } from './credentials.ts';
import { currentGardenPassword, gardenPasswordOf } from './garden-passwords.ts';
import { rememberNetwork } from './known-networks.ts';
import { say } from './messages.ts';
import { verifyPassword } from './password-verification.ts';
import { personalTokenId, personalTokens } from './personal-tokens.ts';
import type { AccountServices } from './services.ts';
import { resumableOf, withoutCookie } from './session-resumption.ts';
import type { OpenedSession } from './sessions.ts';
import {
  assertSessionRoom,
  currentUser,
  endSession,
  endSurplusSessions,
  identityOf,
  openSession,
  requestOf,
  sessionSchema,
  termsFailure,
  userUnlessPasswordChanged,
  verificationFailure,
} from './sessions.ts';
import type { TokenIssuanceRow } from './token-issuances.ts';
import { enqueueExpiredDeletion, sessionIdOf, tokenIssuances } from './token-issuances.ts';
import type { SessionClaims } from './token-signer.ts';
import { temporaryLifetime } from './token-signer.ts';
import type { UserRow } from './users.ts';
import { changeUser, userByEmail } from './users.ts';

/** Robots compare this text. [rule A9, decision 43] */
const wrongCredentials = (): Failure => invalid({ auth: say.wrongCredentials });

const unreadableCredentials = (): Failure => invalid({ auth: say.unreadableCredentials });

/** `/api/tokens`: sign in, renew, sign out. [rule A10, decision 21] */
export function tokenRoutes(services: AccountServices): Route[] {
  const { signer, jobs, endSessions } = services;
  const common = { path: '/api/tokens', tag: 'Sign in' } as const;
  return [
    {
      ...common,
      method: 'POST',
      access: 'public',
      transaction: false,
      acceptsAnyVersion: true,
      summary: 'Sign in with e-mail address and password, or with encrypted credentials',
      description:
        "Returns a token, which other requests carry in the header `Authorization`, and its user. The claims in `unencoded` name the message broker and the name of the robot's channels (`bot`). Robots send their address and password encrypted, as `credentials`.",
      body: { rule: 'object', schema: signInSchema },
      replies: { 200: sessionSchema, 403: failureSchema, 451: failureSchema },
      handle: (server, call) => signIn(services, server, call),
    },
    {
      ...common,
      method: 'GET',
      access: 'token',
      needsSession: true,
      acceptsAnyVersion: true,
      summary: 'Get another token with the same expiry',
      description: 'Returns a new token of the same session, which expires at the same time. Both are valid.',
      replies: { 200: sessionSchema, 422: fieldFailuresSchema },
      untagged: untagged.issued,
      handle: (scope, call) => {
        const { aud, exp } = claimsOf(call);
        return scope.transaction(async (inner) => {
          const user = await currentUser(inner);
          const issuance = await issuanceOf(inner, call);
          await assertSessionRoom(services, inner, user.id, aud);
          const session = await openSession(services, inner, {
            ...requestOf(services, call),
            user,
            aud,
            exp,
            signedInAt: issuance.signed_in_at,
            sessionId: sessionIdOf(issuance),
          });
          await enqueueExpiredDeletion(inner.server, jobs);
          return session;
        });
      },
    },
    {
      ...common,
      path: '/api/tokens/temporary',
      method: 'POST',
      access: 'token',
      needsSession: true,
      addition: true,
      summary:
        'Get a token for 15 minutes that ends with this session and cannot change the account, for tools that you do not trust with it',
      description:
        'Returns a token with the rights on the garden only: it issues no tokens, ends no sessions and cannot change who can sign in.',
      replies: { 200: sessionSchema, 422: fieldFailuresSchema },
      handle: async (scope, call) => {
        const user = await currentUser(scope);
        services.limits.countTemporaryToken(call, user.id);
        const parent = await issuanceOf(scope, call);
        const { id: parentId, exp: end } = parent;
        await assertSessionRoom(services, scope, user.id, 'temporary');
        const exp = Math.min(end, Math.floor(scope.clock.now() / 1000) + temporaryLifetime);
        const session = await openSession(services, scope, {
          ...requestOf(services, call),
          user,
          aud: 'temporary',
          exp,
          signedInAt: null,
          parentId,
          sessionId: sessionIdOf(parent),
        });
        await enqueueExpiredDeletion(scope.server, jobs);
        return session;
      },
    },
    {
      ...common,
      method: 'DELETE',
      access: 'token',
      scope: 'any',
      summary: 'Sign out: revoke the token of this request',
      description:
        'Revokes the token, and ends the connections of the device to the message broker. Where a browser can resume the session, the whole session ends.',
      replies: { 204: 'empty' },
      handle: async (scope, call) => {
        const { jti } = call.session;
        const personal = personalTokenId(jti);
        // Not through the scope's device: the token may be from before the user moved to another device.
        const issued = personal === null ? await scope.server.delete(tokenIssuances, { where: { jti } }) : [];
        const revoked =
          personal === null ? issued : await scope.server.delete(personalTokens, { where: { id: personal } });
        for (const { device_id } of revoked) await endSessions(scope.server, device_id);
        const resumable = await resumableOf(scope.server, issued);
        // All tabs of the browser use this session.
        if (resumable) await endSession(endSessions, scope.server, resumable);
        await enqueueExpiredDeletion(scope.server, jobs);
        return new Reply('', jsonContentType, 204, resumable ? withoutCookie(call, resumable) : {});
      },
    },
  ];

  function claimsOf(call: Call): SessionClaims {
    const claims = call.token ? signer.verifySession(call.token) : null;
    if (!claims) throw new Failure('bad_token');
    return claims;
  }

  /** Returns the issuance of the request's token, inside a transaction. Throws 401 if it was revoked concurrently. */
  async function issuanceOf(scope: DeviceScope, call: Call): Promise<TokenIssuanceRow> {
    const issuance = await scope.server.first(tokenIssuances, { where: { jti: claimsOf(call).jti } });
    if (!issuance) throw new Failure('bad_token');
    return issuance;
  }
}

const passwordSchema = inputSchema(
  { ...signInFields, agree_to_terms: boolean().label(labels.terms) },
  'create',
  'PasswordSignIn',
);
const robotSchema = inputSchema(robotSignInFields, 'create', 'RobotSignIn');
const signInSchema = withExample(
  Type.Object({ user: Type.Union([passwordSchema, robotSchema]) }, { $id: 'SignInInput' }),
  { user: { email: 'anna@example.com', password: 'correct horse' } },
);

interface VerifiedUser {
  readonly user: UserRow;
  /** The password of the robot of a further garden that was sent; null: it was the user's. */
  readonly garden: Awaited<ReturnType<typeof gardenPasswordOf>>;
  readonly agreesToTerms: boolean;
}

async function signIn(services: AccountServices, server: ServerScope, call: Call): Promise<OpenedSession> {
  const sent = signInBody(call.body);
  const isEncrypted = Boolean(sent.credentials);
  const { user, garden, agreesToTerms } = await (isEncrypted ? byCredentials : byPassword)(
    services,
    server,
    call,
    sent,
  );
  const deviceId = garden?.device_id ?? user.device_id;
  const session = await server.device(deviceId, identityOf(call, user)).transaction(async (scope) => {
    // The password may be renewed, or the owner removed, concurrently.
    if (garden && !(await currentGardenPassword(scope.server, user.id, garden.hash))) throw wrongCredentials();
    const now = await userUnlessPasswordChanged(scope, user);
    if (!now) throw wrongCredentials();
    const agreed = agreesToTerms
      ? await changeUser(scope, now, { agreed_to_terms_at: currentTimestamp(scope.clock) })
      : now;
    const isOfRobot = isEncrypted || garden !== null;
    const aud = isOfRobot || call.isRobot ? 'bot' : audienceOf(call);
    // Robots keep their credentials; a client without a User-Agent may be a person's. [decision 59]
    const isRobotOs = isOfRobot || (call.isRobot && call.userAgent !== '');
    const signedInAt = isRobotOs ? null : currentTimestamp(scope.clock);
    await endSurplusSessions(services, scope, user.id, aud);
    const request = requestOf(services, call);
    const opened = await openSession(services, scope, { ...request, user: agreed, aud, signedInAt });
    await rememberNetwork(scope.server, user.id, call);
    await enqueueExpiredDeletion(scope.server, services.jobs);
    return opened;
  });
  if (session.token.unencoded.aud === 'bot' && call.robotVersion !== null)
    server.log.info({ device: deviceId, version: call.robotVersion }, 'a robot signed in');
  await services.device.activity.recordRequest(server, call, deviceId);
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
  const unverified = named ? verificationFailure(services.rules, named) : null;
  if (unverified) {
    services.limits.countUnverified(call);
    throw unverified;
  }
  const { email, password } = parseFields<typeof signInFields, 'email' | 'password'>(signInFields, sent);
  const { user, garden } = await verifiedUser(services, server, call, { email, password });
  // [decision 57]
  const agreesToTerms = booleanKind.parse(sent.agree_to_terms, 'agree_to_terms') === true;
  if (!agreesToTerms) throwIfFailed(termsFailure(services.rules, user));
  return { user, garden, agreesToTerms };
}

async function byCredentials(
  services: AccountServices,
  server: ServerScope,
  call: Call,
  sent: Body,
): Promise<VerifiedUser> {
  const { credentials: secret } = parseFields<typeof robotSignInFields, 'credentials'>(robotSignInFields, sent);
  const credentials = decryptedCredentials(services.keyPair.privateKey, secret);
  if (!credentials) throw unreadableCredentials();
  const { user, garden } = await verifiedUser(services, server, call, credentials);
  throwIfFailed(termsFailure(services.rules, user) ?? verificationFailure(services.rules, user));
  return { user, garden, agreesToTerms: false };
}

function throwIfFailed(failure: Failure | null): void {
  if (failure) throw failure;
}

async function verifiedUser(
  services: AccountServices,
  server: ServerScope,
  call: Call,
  { email, password }: Credentials,
): Promise<Omit<VerifiedUser, 'agreesToTerms'>> {
  const user = await userByEmail(server, email);
  const garden = user ? await gardenPasswordOf(server, user.id, password) : null;
  if (user && garden) return { user, garden };
  const isRight = await verifyPassword(services, server, call, { user, email: normalizeEmail(email), password });
  if (!user || !isRight) throw wrongCredentials();
  return { user, garden: null };
}

/** Returns the audience for a client that is not a robot. [rule A11] */
function audienceOf(call: Call): string {
  const requestedWith = call.headers['x-requested-with'];
  return requestedWith === 'XMLHttpRequest' ? 'human' : 'unknown';
}
