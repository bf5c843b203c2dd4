import type { Timestamp } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import { Failure } from '../core/errors.ts';
import type { DeviceScope, Identity, ServerScope } from '../db/scope.ts';
import { Type } from '../engine/json-schema.ts';
import type { Call } from '../engine/route.ts';
import type { AccountServices } from './services.ts';
import { tokenIssuances } from './token-issuances.ts';
import type { SignedToken, TokenAddresses } from './token-signer.ts';
import type { UserRow } from './users.ts';
import { tokenUser, tokenUserSchema, users } from './users.ts';

/** Answer to a sign-in. */
export interface OpenedSession {
  readonly token: SignedToken;
  readonly user: ReturnType<typeof tokenUser>;
}

export const sessionSchema = Type.Object(
  {
    token: Type.Object(
      {
        unencoded: Type.Object(
          {
            aud: Type.String(),
            sub: Type.Integer(),
            iat: Type.Integer(),
            jti: Type.String(),
            iss: Type.String(),
            exp: Type.Integer(),
            mqtt: Type.String(),
            bot: Type.String(),
            vhost: Type.String(),
            mqtt_ws: Type.String(),
          },
          { additionalProperties: false },
        ),
        encoded: Type.String(),
      },
      { additionalProperties: false },
    ),
    user: tokenUserSchema,
  },
  { additionalProperties: false, title: 'Token' },
);

export interface SessionOptions {
  readonly user: UserRow;
  readonly aud: string;
  readonly addresses: TokenAddresses;
  /** Expiry of the token that this one renews. */
  readonly exp?: number;
  /** When the user entered the password; null if the session does not begin with one. */
  readonly signedInAt: Timestamp | null;
}

/** Issues a token, inside a transaction, and clears the inactivity warnings of the device's users. [rule A13] */
export async function openSession(
  services: AccountServices,
  scope: DeviceScope,
  options: SessionOptions,
): Promise<OpenedSession> {
  const { user, aud, addresses, exp, signedInAt } = options;
  const token = services.signer.signSession({
    userId: user.id,
    deviceId: scope.deviceId,
    aud,
    addresses,
    ...(exp === undefined ? {} : { exp }),
  });
  const { jti, exp: ends } = token.unencoded;
  await scope.insert(tokenIssuances, { jti, aud, exp: ends, signed_in_at: signedInAt });
  const warnedUsers = { where: { inactivity_warning_sent_at: { not: null } } };
  const cleared = await scope.update(users, { inactivity_warning_sent_at: null }, warnedUsers);
  return { token, user: tokenUser(services.activity.overlay(cleared.find(({ id }) => id === user.id) ?? user)) };
}

/** Returns the failure (403) of a user whose address is not confirmed, or null. */
export const verificationFailure = ({ rules }: AccountServices, user: UserRow): Failure | null =>
  rules.requiresVerification && user.confirmed_at === null
    ? new Failure('forbidden', 'Please confirm your e-mail address first: open the link in the mail that we sent you.')
    : null;

/** Returns the failure (451) of a user who must agree to the terms of service first, or null. */
export const termsFailure = ({ rules }: AccountServices, user: UserRow): Failure | null =>
  rules.requiresTerms && user.agreed_to_terms_at === null ? new Failure('terms_not_accepted') : null;

/** How long after the password was entered a session may change what recovers the account, in ms. [decision 59] */
const recentSignIn = 3_600_000;

/** Whether the session of a request began with the password less than an hour ago. [decision 59] */
export async function hasRecentSignIn(
  { signer }: Pick<AccountServices, 'signer'>,
  scope: DeviceScope,
  call: Call,
): Promise<boolean> {
  const claims = call.token ? signer.verifySession(call.token) : null;
  const issuance = claims ? await scope.server.first(tokenIssuances, { where: { jti: claims.jti } }) : undefined;
  const earliest = timestamp(scope.clock.now() - recentSignIn);
  return issuance?.signed_in_at != null && issuance.signed_in_at > earliest;
}

/** Returns the identity under which a request without a token acts on a device. */
export function identityOf(call: Call, userId: number | null): Identity {
  const { label, responseSent } = call;
  return { userId, label, responseSent, origin: call.isRobot ? 'robot' : 'client' };
}

/** Returns the user of a request with a token. Throws 401 if the user was deleted concurrently. */
export async function currentUser(scope: DeviceScope): Promise<UserRow> {
  const row = scope.userId === null ? undefined : await scope.first(users, { where: { id: scope.userId } });
  if (!row) throw new Failure('bad_token');
  return row;
}

/**
 * Reads the user again, inside a transaction; undefined if the user was deleted or the password changed. While a request
 * waits for a hash, another one may change the password and revoke all tokens, which invalidates what was verified.
 * Throws 503 if the user has another device now.
 */
export async function userUnlessPasswordChanged(scope: DeviceScope, before: UserRow): Promise<UserRow | undefined> {
  const now = await scope.server.first(users, { where: { id: before.id } });
  if (!now || now.password_hash !== before.password_hash) return undefined;
  if (now.device_id !== scope.deviceId) throw new Failure('unavailable');
  return now;
}

/** Revokes the tokens of the scope's device, except one if given, and closes the connections that use them. */
export async function revokeTokens(
  { endSessions }: Pick<AccountServices, 'endSessions'>,
  scope: DeviceScope,
  how: { readonly except?: string | undefined; readonly resetsRobot?: boolean } = {},
): Promise<void> {
  const { except, resetsRobot = false } = how;
  await scope.delete(tokenIssuances, except === undefined ? {} : { where: { jti: { not: except } } });
  await endSessions(scope.server, scope.deviceId, { resetsRobot });
}

/** Runs work in a transaction of the user's device, for requests without a token. */
export const inUserTransaction = <T>(
  scope: ServerScope,
  call: Call,
  user: UserRow,
  work: (scope: DeviceScope) => Promise<T>,
): Promise<T> => scope.device(user.device_id, identityOf(call, user.id)).transaction(work);
