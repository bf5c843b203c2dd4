import type { ServerScope } from '../db/scope.ts';
import type { CredentialUses } from './credential-uses.ts';
import { unknownClient } from './credential-uses.ts';
import { membershipCheck } from './garden-rights.ts';
import { isUnexpired, personalTokenId, personalTokenJti, personalTokens } from './personal-tokens.ts';
import { tokenIssuances } from './token-issuances.ts';
import type { TokenResolver } from './token-resolver.ts';

/** The audience of tokens for support staff. [rule A33] */
const staff = 'staff';

const seconds = (server: ServerScope): number => Math.floor(server.clock.now() / 1000);

/** Identifiers of tokens (`jti`), by their devices. */
type DeviceTokens = ReadonlyMap<number, ReadonlySet<string>>;

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

  /**
   * Returns those tokens that are still valid, of users who still belong to the device. Lowering a role deletes the tokens, and narrowing
   * a personal one changes its `jti`, so none of them has fewer rights than before.
   */
  async findValidTokens(server: ServerScope, tokens: DeviceTokens): Promise<DeviceTokens> {
    const jtis = [...tokens.values()].flatMap((each) => [...each]);
    if (jtis.length === 0) return new Map();
    const ids = jtis.flatMap((jti) => personalTokenId(jti) ?? []);
    const [issued, personal] = await Promise.all([
      server.rows(tokenIssuances, { where: { jti: jtis, exp: { gt: seconds(server) } } }),
      ids.length === 0 ? [] : server.rows(personalTokens, { where: { id: ids } }),
    ]);
    const found = [
      ...issued,
      ...personal
        .filter((row) => isUnexpired(row, server.clock.now()))
        .map((row) => ({ ...row, jti: personalTokenJti(row) })),
    ].filter(({ device_id, jti }) => tokens.get(device_id)?.has(jti));
    const belongs = await membershipCheck(server, found);
    const valid = new Map<number, Set<string>>();
    for (const { device_id, jti } of found.filter(belongs))
      valid.set(device_id, (valid.get(device_id) ?? new Set()).add(jti));
    return valid;
  },

  /** Returns whether the device has a valid token for staff. */
  async hasStaffToken(server: ServerScope, deviceId: number): Promise<boolean> {
    const where = { device_id: deviceId, aud: staff, exp: { gt: seconds(server) } };
    return (await server.first(tokenIssuances, { where })) !== undefined;
  },
});
