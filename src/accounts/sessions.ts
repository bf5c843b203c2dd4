import type { Timestamp } from '../core/clock.ts';
import { Failure, refused } from '../core/errors.ts';
import { quotaRefusal } from '../core/quotas.ts';
import type { DeviceScope, Identity, ServerScope } from '../db/scope.ts';
import type { Gardens } from '../device/gardens.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema } from '../engine/kinds.ts';
import type { Call } from '../engine/route.ts';
import { isRecentSignIn } from './confirmation.ts';
import type { CredentialClient } from './credential-uses.ts';
import { clientOf } from './credential-uses.ts';
import { say } from './messages.ts';
import { personalTokens } from './personal-tokens.ts';
import type { AccountRules, AccountServices, EndSessions, SessionServices, UserServices } from './services.ts';
import { notResumable } from './session-resumption.ts';
import type { TokenIssuanceRow } from './token-issuances.ts';
import { sessionIdOf, tokenIssuances } from './token-issuances.ts';
import type { SignedToken, TokenAddresses } from './token-signer.ts';
import type { UserRow } from './users.ts';
import { tokenUser, tokenUserSchema, users } from './users.ts';

/** The response to a sign-in. */
export interface OpenedSession {
  readonly token: SignedToken;
  readonly user: ReturnType<typeof tokenUser>;
}

export const sessionSchema = Type.Object(
  {
    token: Type.Object({
      unencoded: Type.Object({
        aud: Type.String({ examples: ['unknown'] }),
        sub: idSchema,
        iat: Type.Integer({ examples: [1_775_030_400] }),
        jti: Type.String({ examples: ['0b9f3a52-7b0c-4a2e-9a43-5d9f7a0d2c11'] }),
        iss: Type.String({ examples: ['//localhost:3000'] }),
        exp: Type.Integer({ examples: [1_780_214_400] }),
        mqtt: Type.String({ examples: ['localhost'] }),
        bot: Type.String({ examples: ['device_1'] }),
        vhost: Type.String({ examples: ['/'] }),
        mqtt_ws: Type.String({ examples: ['ws://localhost:3000/ws'] }),
      }),
      encoded: Type.String({ examples: ['eyJhbGciOiJSUzI1NiJ9.eyJqdGkiOiIwYjlmM2E1MiJ9.c2lnbmF0dXJl'] }),
    }),
    user: tokenUserSchema,
  },
  { $id: 'Session' },
);

export interface SessionOptions {
  readonly user: UserRow;
  readonly aud: string;
  readonly addresses: TokenAddresses;
  /** Expiry of a token that renews another or is temporary, in seconds since the epoch. */
  readonly exp?: number;
  /** When the user entered the password; null if the session does not begin with one. */
  readonly signedInAt: Timestamp | null;
  /** The issuance of the session with which a temporary token ends. */
  readonly parentId?: number;
  /** The session that the token belongs to, unless it begins one. */
  readonly sessionId?: number;
  /** The receiver of the token. */
  readonly client: CredentialClient;
  /** The id of the token, if its rights follow from it. */
  readonly jti?: string;
}

/** Returns the addresses of the server for a client that asks for a token, and the client's text in the list of sessions. */
export const requestOf = ({ addresses }: AccountServices, call: Call) => ({
  addresses: addresses(call),
  client: clientOf(call),
});

/** Issues a token, inside a transaction, and clears the inactivity warnings of the device's users. Throws 403 for a disabled user. [rule A13] */
export async function openSession(
  services: SessionServices,
  scope: DeviceScope,
  options: SessionOptions,
): Promise<OpenedSession> {
  const { user, aud, addresses, exp, signedInAt, parentId = null, sessionId = null, client } = options;
  if (user.disabled_at !== null) throw new Failure('forbidden', say.disabled);
  const token = services.signer.signSession({
    userId: user.id,
    deviceId: scope.deviceId,
    aud,
    addresses,
    ...(exp === undefined ? {} : { exp }),
    ...(options.jti === undefined ? {} : { jti: options.jti }),
  });
  const { jti, exp: ends } = token.unencoded;
  await scope.insert(tokenIssuances, {
    jti,
    aud,
    exp: ends,
    signed_in_at: signedInAt,
    parent_id: parentId,
    session_id: sessionId,
    user_id: user.id,
    address: client.address,
    user_agent: client.userAgent,
  });
  const warnedUsers = { where: { inactivity_warning_sent_at: { not: null } } };
  const cleared = await scope.update(users, { inactivity_warning_sent_at: null }, warnedUsers);
  return { token, user: tokenUser(services.activity.overlay(cleared.find(({ id }) => id === user.id) ?? user)) };
}

/** Sessions that the quota counts: robots keep theirs. [rule A11] */
export const countedSessions = { aud: { not: 'bot' } } as const;

/** Sessions of robots that a user may have in a garden; a robot opens one at each start. */
const maxRobotSessions = 1000;

/** Returns the number of further sessions for this audience that a user may have in the garden, with the condition that finds the present ones. */
async function sessionRoom({ quotas }: SessionServices, scope: DeviceScope, userId: number, aud: string) {
  const isRobot = aud === 'bot';
  const where = { ...(isRobot ? { aud } : countedSessions), user_id: userId };
  const limit = isRobot ? maxRobotSessions : await quotas.limit(scope, 'tokens');
  return { where, limit, left: limit - (await scope.count(tokenIssuances, { where })) };
}

/**
 * Ends the oldest sessions of a user who has as many in the garden as an account may, inside a transaction, a robot's for a robot's only: neither a
 * script that signs in for each run nor an attacker who renews a token may lock the owner out, nor may a member. [ADR 35]
 */
export async function endSurplusSessions(
  services: SessionServices,
  scope: DeviceScope,
  userId: number,
  aud: string,
): Promise<void> {
  const { where, left } = await sessionRoom(services, scope, userId, aud);
  if (left > 0) return;
  const oldest = await scope.rows(tokenIssuances, { where, order: [['id', 'asc']], limit: 1 - left });
  await scope.delete(tokenIssuances, { where: { id: oldest.map(({ id }) => id) } });
  await services.endSessions(scope.server, scope.deviceId);
}

/** Throws 422 if a user has as many sessions in the garden as an account may. */
export async function assertSessionRoom(
  services: SessionServices,
  scope: DeviceScope,
  userId: number,
  aud: string,
): Promise<void> {
  const { limit, left } = await sessionRoom(services, scope, userId, aud);
  if (left <= 0) throw refused(quotaRefusal('tokens', limit));
}

/** Returns the failure (403) of a user whose address is not confirmed, or null. */
export const verificationFailure = (rules: AccountRules, user: UserRow): Failure | null =>
  rules.requiresVerification && user.confirmed_at === null ? new Failure('forbidden', say.unverified) : null;

/** Returns the failure (451) of a user who must agree to the terms of service first, or null. */
export const termsFailure = (rules: AccountRules, user: UserRow): Failure | null =>
  rules.requiresTerms && user.agreed_to_terms_at === null ? new Failure('terms_not_accepted') : null;

/** Whether the session of a request began with the password less than an hour ago. [decision 59] */
export async function hasRecentSignIn({ signer }: SessionServices, scope: DeviceScope, call: Call): Promise<boolean> {
  const claims = call.token ? signer.verifySession(call.token) : null;
  const issuance = claims ? await scope.server.first(tokenIssuances, { where: { jti: claims.jti } }) : undefined;
  return isRecentSignIn(scope, issuance?.signed_in_at ?? null);
}

/** Returns the identity under which a request without a token acts on a device. */
export function identityOf(call: Call, user: UserRow | null): Identity {
  const { label, responseSent, isRobot } = call;
  return {
    label,
    responseSent,
    userId: user?.id ?? null,
    actor: { kind: isRobot ? 'robot' : 'user', user_id: user?.id ?? null, name: user?.name ?? null, via: null },
    origin: isRobot ? 'robot' : 'client',
  };
}

/** Returns the user of a request with a token. Throws 401 if the user was deleted concurrently. */
export async function currentUser(scope: DeviceScope): Promise<UserRow> {
  const row = scope.userId === null ? undefined : await scope.server.first(users, { where: { id: scope.userId } });
  if (!row) throw new Failure('bad_token');
  return row;
}

/** Returns the user of a request about the account. Throws 403 for a session of another garden than the user's home garden. */
export async function homeUser(scope: DeviceScope): Promise<UserRow> {
  const user = await currentUser(scope);
  if (user.device_id !== scope.deviceId) throw new Failure('forbidden', say.otherGarden);
  return user;
}

/**
 * Reads the user again, inside a transaction; undefined if the user was deleted or the password changed. While a request
 * waits for a hash, another one may change the password and revoke all tokens, which invalidates the verification.
 * Throws 503 if the user has another device now.
 */
export async function userUnlessPasswordChanged(scope: DeviceScope, before: UserRow): Promise<UserRow | undefined> {
  const now = await scope.server.first(users, { where: { id: before.id } });
  if (!now || now.password_hash !== before.password_hash) return undefined;
  if (now.device_id !== before.device_id) throw new Failure('unavailable');
  return now;
}

/** Revokes the tokens of a user of the scope's device, personal ones and of other gardens, too, except one session's if given, and closes the connections that use them. */
export async function revokeTokens(
  endSessions: EndSessions,
  scope: DeviceScope,
  userId: number,
  how: { readonly except?: string | undefined; readonly resetsRobot?: boolean } = {},
): Promise<void> {
  const { except, resetsRobot = false } = how;
  const devices = await deleteUserTokens(scope.server, userId, except);
  await endSessions(scope.server, scope.deviceId, { resetsRobot });
  for (const id of devices) if (id !== scope.deviceId) await endSessions(scope.server, id);
}

/** Deletes the tokens of a user, of every garden and personal ones, except one session's if given. Returns the devices that they were of. */
async function deleteUserTokens(server: ServerScope, userId: number, except?: string): Promise<ReadonlySet<number>> {
  const where = { user_id: userId, ...(except === undefined ? {} : { jti: { not: except } }) };
  const ended = await server.delete(tokenIssuances, { where });
  // The browser of the session that stays gets another key.
  if (except !== undefined) await server.update(tokenIssuances, notResumable, { where: { user_id: userId } });
  const personal = await server.delete(personalTokens, { where: { user_id: userId } });
  return new Set([...ended, ...personal].map(({ device_id }) => device_id));
}

/** Ends the session of a token with all tokens that were refreshed from it, of every garden, inside a transaction. */
export async function endSession(
  endSessions: EndSessions,
  server: ServerScope,
  row: Pick<TokenIssuanceRow, 'id' | 'session_id' | 'user_id'>,
): Promise<void> {
  const { user_id } = row;
  const refreshed = await server.delete(tokenIssuances, { where: { user_id, session_id: sessionIdOf(row) } });
  const first = await server.delete(tokenIssuances, { where: { user_id, id: sessionIdOf(row) } });
  for (const deviceId of new Set([...refreshed, ...first].map(({ device_id }) => device_id)))
    await endSessions(server, deviceId);
}

/** Ends all sessions of a user, of every garden, inside a transaction. */
export async function endUserSessions(endSessions: EndSessions, server: ServerScope, userId: number): Promise<void> {
  for (const deviceId of await deleteUserTokens(server, userId)) await endSessions(server, deviceId);
}

/** Ends the sessions of a user in the scope's garden, and everything else that works in the user's name there, inside a transaction. */
export async function endGardenSessions(
  { endSessions, gardens }: UserServices,
  scope: DeviceScope,
  userId: number,
): Promise<void> {
  await scope.delete(tokenIssuances, { where: { user_id: userId } });
  await endGardenCredentials(gardens, scope, userId);
  await endSessions(scope.server, scope.deviceId);
}

/** Revokes the personal tokens and other credentials that would be valid again if the user rejoined the scope's garden, inside a transaction. */
export async function endGardenCredentials(gardens: Gardens, scope: DeviceScope, userId: number): Promise<void> {
  await scope.delete(personalTokens, { where: { user_id: userId } });
  await gardens.endFeed(scope, userId);
}

/** Runs work in a transaction of the user's device, for requests without a token. */
export const inUserTransaction = <T>(
  scope: ServerScope,
  call: Call,
  user: UserRow,
  work: (scope: DeviceScope) => Promise<T>,
): Promise<T> => scope.device(user.device_id, identityOf(call, user)).transaction(work);
