import { LRUCache } from 'lru-cache';
import { maxEntries } from '../core/cache-limits.ts';
import type { Selection, ServerScope } from '../db/scope.ts';
import type { Rights } from '../engine/rights.ts';
import type { DeviceTokens, TokenReference } from '../engine/token-reference.ts';
import type { CredentialUses } from './credential-uses.ts';
import { unknownClient } from './credential-uses.ts';
import { placesOf } from './garden-rights.ts';
import { isHostedRobot } from './hosted-robots.ts';
import { isUnexpired, personalTokenId, personalTokenJti, personalTokens } from './personal-tokens.ts';
import { tokenIssuances } from './token-issuances.ts';
import type { TokenResolver } from './token-resolver.ts';

/** The audience of tokens for support staff. [rule A33] */
const staff = 'staff';

const seconds = (server: ServerScope): number => Math.floor(server.clock.now() / 1000);

/** Tokens of connections to RabbitMQ in the cache. */
const cacheSize = 5000;
/** How long a look-up holds, in ms: at most so much later than it expires a token is refused. */
const cacheTime = 10_000;

/** The result of a look-up, at a version of the tables. */
interface KnownToken {
  readonly isValid: boolean;
  /** Null: not known. */
  readonly version: string | null;
  readonly until: number;
}

/** Of hundreds of tokens, for which PostgreSQL's plan for any values takes ten times as long. */
const issuedTokens: Selection<{ readonly jti: string; readonly device_id: number; readonly user_id: number }> = {
  key: 'owners',
  expressions: ['"jti"', '"device_id"', '"user_id"'],
  isLarge: true,
  read: ([jti, device_id, user_id]) => ({
    jti: String(jti),
    device_id: Number(device_id),
    user_id: Number(user_id),
  }),
};

/** Token lookups for the message broker, which checks neither consent nor verification. [rule A34] */
export function brokerTokens(holders: TokenResolver, uses: Pick<CredentialUses, 'record'>) {
  const known = new LRUCache<string, KnownToken>(maxEntries(cacheSize));
  return {
    /** Returns the current device of the token's user; undefined if the token is temporary or not valid. */
    async findHolder(server: ServerScope, token: string) {
      const found = await holders.resolve(server, token, true);
      if (!found || found.session.isTemporary) return undefined;
      uses.record(found, unknownClient);
      const { deviceId, jti, expires, kind, rights } = found.session;
      const reference: TokenReference = { kind: kind === 'personal token' ? 'personal' : 'session', id: found.tokenId };
      const isHosted = isHostedRobot(jti);
      return { deviceId, jti, expires, rights, reference, isRobot: kind === 'robot', isHosted };
    },

    findValidTokens,

    /** Returns whether a token of a device is still valid, with at least these rights. Cached like holders, for some seconds. */
    async isValid(server: ServerScope, deviceId: number, token: TokenReference, rights: Rights): Promise<boolean> {
      const version = holders.version(server);
      const key = keyOf(deviceId, token, rights);
      const now = server.clock.now();
      const before = known.get(key);
      if (version !== null && before?.version === version && before.until > now) return before.isValid;
      const isValid = await findIsValid(server, deviceId, token, rights);
      known.set(key, { isValid, version, until: now + cacheTime });
      return isValid;
    },

    /** Whether a token was not valid when it was last looked up. */
    hadEnded: (deviceId: number, token: TokenReference, rights: Rights): boolean =>
      known.get(keyOf(deviceId, token, rights))?.isValid === false,

    /** Returns whether the device has a valid token for staff. */
    async hasStaffToken(server: ServerScope, deviceId: number): Promise<boolean> {
      const where = { device_id: deviceId, aud: staff, exp: { gt: seconds(server) } };
      return (await server.first(tokenIssuances, { where })) !== undefined;
    },
  };
}

const keyOf = (deviceId: number, { kind, id }: TokenReference, { scopes }: Rights): string =>
  `${kind} ${id} ${deviceId} ${[...(scopes ?? [])]}`;

async function findIsValid(
  server: ServerScope,
  deviceId: number,
  { kind, id }: TokenReference,
  { scopes }: Rights,
): Promise<boolean> {
  const jti =
    kind === 'personal'
      ? personalTokenJti({ id, scopes: [...(scopes ?? [])] })
      : (await server.first(tokenIssuances, { where: { id } }))?.jti;
  return jti !== undefined && (await findValidTokens(server, new Map([[deviceId, new Set([jti])]]))).size > 0;
}

/**
 * Returns the tokens that are still valid and lead to the device. Lowering a role deletes the tokens, and narrowing a
 * personal one changes its `jti`, so none of them has fewer rights than before.
 */
async function findValidTokens(server: ServerScope, tokens: DeviceTokens): Promise<DeviceTokens> {
  const jtis = [...tokens.values()].flatMap((each) => [...each]);
  if (jtis.length === 0) return new Map();
  const ids = jtis.flatMap((jti) => personalTokenId(jti) ?? []);
  const [issued, personal] = await Promise.all([
    server.select(tokenIssuances, issuedTokens, { where: { jti: jtis, exp: { gt: seconds(server) } } }),
    ids.length === 0 ? [] : server.rows(personalTokens, { where: { id: ids } }),
  ]);
  const scripts = personal
    .filter((row) => isUnexpired(row, server.clock.now()))
    .map((row) => ({ ...row, jti: personalTokenJti(row) }));
  const placeOf = await placesOf(server, [...issued, ...scripts]);
  const valid = new Map<number, Set<string>>();
  const add = (deviceId: number | undefined, jti: string): void => {
    if (deviceId === undefined || !tokens.get(deviceId)?.has(jti)) return;
    valid.set(deviceId, (valid.get(deviceId) ?? new Set()).add(jti));
  };
  for (const row of issued) {
    const place = placeOf(row);
    if (place?.isMember) add(row.device_id, row.jti);
    // Tokens of a person lead to the home garden then.
    else if (!isHostedRobot(row.jti)) add(place?.home, row.jti);
  }
  for (const row of scripts) if (placeOf(row)?.isMember) add(row.device_id, row.jti);
  return valid;
}
