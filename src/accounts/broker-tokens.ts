import type { ServerScope } from '../db/scope.ts';
import type { CredentialUses } from './credential-uses.ts';
import { unknownClient } from './credential-uses.ts';
import { roleIn } from './members.ts';
import { isUnexpired, personalTokenId, personalTokenJti, personalTokens } from './personal-tokens.ts';
import { tokenIssuances } from './token-issuances.ts';
import type { TokenResolver } from './token-resolver.ts';
import { users } from './users.ts';

/** The audience of tokens for support staff. [rule A33] */
const staff = 'staff';

const seconds = (server: ServerScope): number => Math.floor(server.clock.now() / 1000);

/** Token lookups for the message broker, which checks neither consent nor verification. [rule A34] */
export const brokerTokens = (holders: TokenResolver, uses: Pick<CredentialUses, 'record'>) => ({
  /** Returns the current device of the token's user; undefined if the token is temporary or not valid. */
  async findHolder(server: ServerScope, token: string) {
    const found = await holders.resolve(server, token, true);
    if (!found || found.session.isTemporary) return undefined;
    uses.record(found, unknownClient);
    const { deviceId, jti, expires, kind, rights } = found.session;
    return { deviceId, jti, expires, rights, isRobot: kind === 'robot' };
  },

  /** Returns the tokens (`jti`) of a device that are still valid; none of users who do not belong to it. */
  async findValidTokens(server: ServerScope, deviceId: number, jtis: readonly string[]): Promise<ReadonlySet<string>> {
    if (jtis.length === 0) return new Set();
    const where = { device_id: deviceId, jti: jtis, exp: { gt: seconds(server) } };
    const issued = await server.rows(tokenIssuances, { where });
    const holders = await server.rows(users, {
      where: { id: issued.map(({ user_id }) => user_id), disabled_at: null },
    });
    const allowed = new Set<number>();
    for (const user of holders) if ((await roleIn(server, user, deviceId)) !== null) allowed.add(user.id);
    const sessions = issued.filter(({ user_id }) => allowed.has(user_id)).map(({ jti }) => jti);
    return new Set([...sessions, ...(await validPersonalTokens(server, deviceId, jtis))]);
  },

  /** Returns whether the device has a valid token for staff. */
  async hasStaffToken(server: ServerScope, deviceId: number): Promise<boolean> {
    const where = { device_id: deviceId, aud: staff, exp: { gt: seconds(server) } };
    return (await server.first(tokenIssuances, { where })) !== undefined;
  },
});

/** Returns the identifiers of personal tokens ({@link personalTokenJti}) that are still valid. */
async function validPersonalTokens(server: ServerScope, deviceId: number, jtis: readonly string[]): Promise<string[]> {
  const ids = jtis.flatMap((jti) => personalTokenId(jti) ?? []);
  if (ids.length === 0) return [];
  const rows = await server.rows(personalTokens, { where: { device_id: deviceId, id: ids } });
  return rows.filter((row) => isUnexpired(row, server.clock.now())).map(personalTokenJti);
}
