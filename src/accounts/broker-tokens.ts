import type { ServerScope } from '../db/scope.ts';
import { tokenIssuances } from './token-issuances.ts';
import type { TokenResolver } from './token-resolver.ts';
import { users } from './users.ts';

/** The audience of tokens for support staff. [reference 4.6] */
const staff = 'staff';

const seconds = (server: ServerScope): number => Math.floor(server.clock.now() / 1000);

/** What the message broker asks about tokens. Neither consent nor verification nor audience matter there. [reference 12.2] */
export const brokerTokens = (holders: TokenResolver) => ({
  /** Whose token it is, if it is valid now; the device is the user's present one. */
  async holder(server: ServerScope, token: string) {
    const found = await holders.resolve(server, token);
    return found && { deviceId: found.user.device_id, jti: found.jti, expires: found.expires };
  },

  /** Of these tokens (`jti`) of a device, those that are still valid; none when nobody has the device any more. */
  async alive(server: ServerScope, deviceId: number, jtis: readonly string[]): Promise<ReadonlySet<string>> {
    if (jtis.length === 0 || !(await server.first(users, { where: { device_id: deviceId } }))) return new Set();
    const where = { device_id: deviceId, jti: jtis, exp: { gt: seconds(server) } };
    return new Set((await server.rows(tokenIssuances, { where })).map(({ jti }) => jti));
  },

  /** Whether a token for staff was issued for the device and is valid. */
  async hasStaff(server: ServerScope, deviceId: number): Promise<boolean> {
    const where = { device_id: deviceId, aud: staff, exp: { gt: seconds(server) } };
    return (await server.first(tokenIssuances, { where })) !== undefined;
  },
});
