import { Failure } from '../core/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Call, Session } from '../engine/route.ts';
import type { AccountServices } from './services.ts';
import { TokenResolver } from './token-resolver.ts';

type Parts = Pick<AccountServices, 'signer' | 'activity' | 'recordActivity'> & {
  readonly rules: Pick<AccountServices['rules'], 'requiresTerms'>;
};

/**
 * Gives the function that says who a request comes from. It throws 401 without a token and for one that is malformed,
 * forged, expired, revoked or whose user is gone, and 451 where the user has yet to agree to the terms.
 */
export function authenticator(
  parts: Parts,
  holders: TokenResolver = new TokenResolver(parts.signer),
): (scope: ServerScope, call: Call) => Promise<Session> {
  const { activity, recordActivity, rules } = parts;

  return async (scope, call) => {
    if (call.headers.authorization === undefined) throw new Failure('unauthenticated');
    const found = call.token === null ? undefined : await holders.resolve(scope, call.token);
    if (!found) throw new Failure('bad_token');
    const { user, jti } = found;
    if (rules.requiresTerms && user.agreed_to_terms_at === null) throw new Failure('terms_not_accepted');
    if (!call.isRobot) activity.recordRequest(user, call.address);
    await recordActivity(scope, call, user.id, user.device_id);
    return { userId: user.id, deviceId: user.device_id, jti };
  };
}
