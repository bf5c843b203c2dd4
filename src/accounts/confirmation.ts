import type { Timestamp } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import { Failure, invalid } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import type { Call } from '../engine/route.ts';
import { say } from './messages.ts';
import { verifyPassword } from './password-verification.ts';
import type { AccountServices } from './services.ts';
import { tokenIssuances } from './token-issuances.ts';
import { users } from './users.ts';

/** How long after the password was entered a session may be used for actions that need it, in ms. [decision 59] */
const recentSignIn = 3_600_000;

/** Whether a password was entered less than an hour ago. [decision 59] */
export const isRecentSignIn = (scope: Pick<ServerScope, 'clock'>, signedInAt: Timestamp | null): boolean =>
  signedInAt !== null && signedInAt > timestamp(scope.clock.now() - recentSignIn);

/** Checks again, inside the transaction, that the confirmed state still holds. */
export type Recheck = (scope: DeviceScope) => Promise<void>;

const wrongPassword = () => invalid({ password: say.wrongPassword });

/**
 * Creates the function that checks that the caller has the user's password, sent in the body, or entered it less than an hour ago.
 * It throws 403 without either, 422 for a wrong password, 429. [ADR 49]
 */
export const confirmation =
  (services: AccountServices) =>
  async (server: ServerScope, call: Call): Promise<Recheck> => {
    const { userId, jti, signedInAt } = call.session;
    // A concurrent change of the password, removal or demotion ends the session.
    const assertSession: Recheck = async (scope) => {
      if (!(await scope.server.first(tokenIssuances, { where: { jti } }))) throw new Failure('bad_token');
    };
    const password: unknown = isObject(call.body) ? call.body.password : undefined;
    if (password === undefined) {
      if (!isRecentSignIn(server, signedInAt))
        throw new Failure('forbidden', say.confirmPassword, { places: { password: say.confirmPassword } });
      return assertSession;
    }
    const user = await server.first(users, { where: { id: userId } });
    if (!user || typeof password !== 'string') throw wrongPassword();
    if (!(await verifyPassword(services, server, call, { user, email: user.email, password }))) throw wrongPassword();
    return async (scope) => {
      await assertSession(scope);
      const now = await scope.server.first(users, { where: { id: userId } });
      if (now?.password_hash !== user.password_hash) throw wrongPassword();
    };
  };
