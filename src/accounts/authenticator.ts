import { LRUCache } from 'lru-cache';
import { Failure } from '../core/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Call, Session } from '../engine/route.ts';
import type { AccountServices } from './services.ts';
import { tokenIssuances } from './token-issuances.ts';
import type { SessionClaims } from './token-signer.ts';
import { deviceOf } from './token-signer.ts';
import type { UserRow } from './users.ts';
import { users } from './users.ts';

/** Tokens whose holder is kept in memory. */
const remembered = 5000;

type Parts = Pick<AccountServices, 'signer' | 'traffic' | 'seen'> & {
  readonly rules: Pick<AccountServices['rules'], 'enforcesTerms'>;
};

/**
 * Gives the function that says who a request comes from. It throws 401 without a token and for one that is malformed,
 * forged, expired, revoked or whose user is gone, and 451 where the user has yet to agree to the terms.
 */
export function authenticator(parts: Parts): (scope: ServerScope, call: Call) => Promise<Session> {
  const { signer, traffic, seen, rules } = parts;
  const known = new LRUCache<string, Holder & { readonly version: string }>({ max: remembered });

  /** Whose token it is: kept until users or tokens change, where the database can tell that they have not. */
  async function holder(scope: ServerScope, token: string): Promise<Holder | undefined> {
    const version = scope.version([users, tokenIssuances]);
    const before = version === null ? undefined : known.get(token);
    if (before && before.version === version && before.expires > scope.clock.now()) return before;
    const claims = signer.verifySession(token);
    const found = claims ? await holderOf(scope, claims) : undefined;
    if (found && version !== null) known.set(token, { ...found, version });
    return found;
  }

  return async (scope, call) => {
    if (call.headers.authorization === undefined) throw new Failure('unauthenticated');
    const found = call.token === null ? undefined : await holder(scope, call.token);
    if (!found) throw new Failure('bad_token');
    const { user, jti } = found;
    if (rules.enforcesTerms && user.agreed_to_terms_at === null) throw new Failure('terms_not_accepted');
    if (!call.isRobot) traffic.note(user, call.address);
    await seen(scope, call, user.id, user.device_id);
    return { userId: user.id, deviceId: user.device_id, jti };
  };
}

interface Holder {
  readonly user: UserRow;
  readonly jti: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/** The user of a verified token, if the token was not revoked. Two prepared look-ups. */
async function holderOf(scope: ServerScope, claims: SessionClaims): Promise<Holder | undefined> {
  const device_id = deviceOf(claims);
  if (device_id === null) return undefined;
  const { jti, sub } = claims;
  const now = Math.floor(scope.clock.now() / 1000);
  const issuance = await scope.first(tokenIssuances, { where: { jti, device_id, exp: { gt: now } } });
  const user = issuance && (await scope.first(users, { where: { id: sub } }));
  return user && { user, jti, expires: issuance.exp * 1000 };
}
