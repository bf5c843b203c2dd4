import type { DeviceScope } from '../db/scope.ts';
import { hasRole } from '../engine/rights.ts';
import { newHostedJti } from './hosted-robots.ts';
import { roleIn } from './members.ts';
import type { SessionServices } from './services.ts';
import { openSession } from './sessions.ts';
import { tokenIssuances } from './token-issuances.ts';
import type { TokenAddresses } from './token-signer.ts';
import { users } from './users.ts';

/** A robot's session. */
export interface RobotSession {
  readonly jti: string;
  /** The encoded token. */
  readonly token: string;
}

/** Opens and ends sessions of robots that the server itself runs. */
export type RobotSessions = ReturnType<typeof robotSessions>;

/** The content of lists of sessions. */
const client = { address: null, userAgent: 'Virtual robot in the server' };

export const robotSessions = (services: SessionServices, addresses: () => TokenAddresses) => ({
  /** Opens a session of a user for the scope's device, inside a transaction. Returns null if the user was deleted or disabled, or may not command the robot any more. */
  async open(scope: DeviceScope, userId: number): Promise<RobotSession | null> {
    const user = await scope.server.first(users, { where: { id: userId } });
    if (!user || user.disabled_at !== null) return null;
    const role = await roleIn(scope.server, user, scope.deviceId);
    if (role === null || !hasRole(role, 'gardener')) return null;
    const { token } = await openSession(services, scope, {
      user,
      aud: 'bot',
      addresses: addresses(),
      signedInAt: null,
      client,
      jti: newHostedJti(),
    });
    return { jti: token.unencoded.jti, token: token.encoded };
  },
  /** Whether a session of the scope's device was neither revoked nor ended. */
  isOpen: async (scope: DeviceScope, jti: string): Promise<boolean> =>
    (await scope.count(tokenIssuances, { where: { jti } })) > 0,
  /** Ends a session of the scope's device, inside a transaction. */
  async end(scope: DeviceScope, jti: string): Promise<void> {
    await scope.delete(tokenIssuances, { where: { jti } });
  },
});
