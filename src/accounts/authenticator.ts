import { Failure } from '../core/errors.ts';
import type { Eventual } from '../core/eventual.ts';
import { andThen } from '../core/eventual.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Call, Session } from '../engine/route.ts';
import { clientOf } from './credential-uses.ts';
import type { AccountServices } from './services.ts';
import type { Holder } from './token-resolver.ts';
import { TokenResolver } from './token-resolver.ts';

/**
 * Creates the function that authenticates requests, without a promise where the token is remembered. It throws 401 if the token is missing, malformed, forged, expired,
 * revoked or its user was deleted, and 451 if the user has not agreed to the terms. [rule A17]
 */
export function authenticator(
  services: AccountServices,
  resolver: TokenResolver = new TokenResolver(services.signer),
): (scope: ServerScope, call: Call) => Eventual<Session> {
  const { activity, uses, device, rules } = services;

  const admit = (scope: ServerScope, call: Call, found: Holder | undefined): Eventual<Session> => {
    if (!found) throw new Failure('bad_token');
    const { user, session } = found;
    if (rules.requiresTerms && user.agreed_to_terms_at === null) throw new Failure('terms_not_accepted');
    if (!call.isRobot) activity.recordRequest(user, call.address);
    uses.record(found, clientOf(call));
    return andThen(device.activity.recordRequest(scope, call, session.deviceId), () => session);
  };

  return (scope, call) => {
    if (call.headers.authorization === undefined) throw new Failure('unauthenticated');
    const found = call.token === null ? undefined : resolver.resolve(scope, call.token);
    return andThen(found, (holder) => admit(scope, call, holder));
  };
}
