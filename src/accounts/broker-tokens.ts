import type { ServerScope } from '../db/scope.ts';
import { tokenIssuances } from './token-issuances.ts';
import type { TokenResolver } from './token-resolver.ts';
import { users } from './users.ts';

/** The audience of tokens for support staff. [rule A33] */
const staff = 'staff';

const seconds = (server: ServerScope): number => Math.floor(server.clock.now() / 1000);

/** Token lookups for the message broker, which checks neither consent nor verification. [rule A34] */
export const brokerTokens = (holders: TokenResolver) => ({
  /** Returns the current device of the token's user; undefined if the token is not valid. */
  async findHolder(server: ServerScope, token: string) {
    const found = await holders.resolve(server, token);
    return found && { deviceId: found.user.device_id, jti: found.jti, expires: found.expires };
  },

  /** Returns the tokens (`jti`) of a device that are still valid; none if the device has no users. */
  async findValidTokens(server: ServerScope, deviceId: number, jtis: readonly string[]): Promise<ReadonlySet<string>> {
    if (jtis.length === 0 || !(await server.first(users, { where: { device_id: deviceId } }))) return new Set();
    const where = { device_id: deviceId, jti: jtis, exp: { gt: seconds(server) } };
    return new Set((await server.rows(tokenIssuances, { where })).map(({ jti }) => jti));
  },

  /** Returns whether the device has a valid token for staff. */
  async hasStaffToken(server: ServerScope, deviceId: number): Promise<boolean> {
    const where = { device_id: deviceId, aud: staff, exp: { gt: seconds(server) } };
    return (await server.first(tokenIssuances, { where })) !== undefined;
  },
});
