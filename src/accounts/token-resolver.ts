import { LRUCache } from 'lru-cache';
import { maxEntries } from '../core/cache-limits.ts';
import type { Eventual } from '../core/eventual.ts';
import type { ServerScope } from '../db/scope.ts';
import { robotRights } from '../engine/rights.ts';
import type { Session } from '../engine/route.ts';
import { isHostedRobot } from './hosted-robots.ts';
import { members, roleIn } from './members.ts';
import {
  holderOfPersonalToken,
  isPersonalToken,
  personalTokenHolder,
  personalTokenId,
  personalTokens,
} from './personal-tokens.ts';
import { isRobotSession, sessionIdOf, tokenIssuances } from './token-issuances.ts';
import type { TokenSigner } from './token-signer.ts';
import { claimedDeviceId, sessionLifetime } from './token-signer.ts';
import type { UserRow } from './users.ts';
import { users } from './users.ts';

/** The tables from which a holder follows. */
const remembered = [users, tokenIssuances, members, personalTokens];
/** Tokens in the cache. */
const cacheSize = 5000;
/** Characters at the end of a token by which it is looked up: comparing the rest costs less than hashing it. */
const keyLength = 40;

const keyOf = (token: string): string => token.slice(-keyLength);

/** A user with a valid token. */
export interface Holder {
  readonly user: UserRow;
  readonly session: Session;
  /** Row of the token. */
  readonly tokenId: number;
}

/** The result of looking up a token, at a version of the tables. */
interface Remembered {
  readonly token: string;
  readonly version: string;
  readonly holder: Holder;
}

/** Finds the user of a token, for requests and for the message broker. */
export class TokenResolver {
  readonly #signer: Pick<TokenSigner, 'verifySession'>;
  readonly #cache = new LRUCache<string, Remembered>(maxEntries(cacheSize));

  constructor(signer: Pick<TokenSigner, 'verifySession'>) {
    this.#signer = signer;
  }

  /**
   * Returns undefined if the token is malformed, forged, expired, revoked or its user was deleted or disabled. Cached until users,
   * tokens or members change, which other processes learn moments later on PostgreSQL; with `atOnce`, the database is asked
   * instead, for connections, which outlive these moments. [ADR 11, ADR 76]
   */
  resolve(scope: ServerScope, token: string, atOnce = false): Eventual<Holder | undefined> {
    const version = scope.version(remembered, atOnce);
    const before = version === null ? undefined : this.#cache.get(keyOf(token));
    if (before?.token === token && before.version === version && before.holder.session.expires > scope.clock.now())
      return before.holder;
    return this.#findAndRemember(scope, token, version);
  }

  async #findAndRemember(scope: ServerScope, token: string, version: string | null): Promise<Holder | undefined> {
    const holder = await this.#find(scope, token);
    if (holder && version !== null) this.#cache.set(keyOf(token), { token, version, holder });
    return holder;
  }

  /** Whether a token that was found lately is a robot session's, even if it has ended since. */
  isRobots(token: string): boolean {
    const known = this.#cache.peek(keyOf(token));
    return known?.token === token && known.holder.session.kind === 'robot';
  }

  /** Returns a value that changes when users, tokens or members do; null: not known. [ADR 76] */
  version(scope: ServerScope): string | null {
    return scope.version(remembered);
  }

  /** Returns the session of a token that was verified before, as it is now; undefined if it ended. */
  async current(scope: ServerScope, token: VerifiedToken): Promise<Session | undefined> {
    const found =
      personalTokenId(token.jti) === null
        ? await holderOf(scope, token)
        : await holderOfPersonalToken(scope, token.jti);
    return found?.session;
  }

  async #find(scope: ServerScope, token: string): Promise<Holder | undefined> {
    if (isPersonalToken(token)) return personalTokenHolder(scope, token);
    const claims = this.#signer.verifySession(token);
    const deviceId = claims && claimedDeviceId(claims);
    if (!claims || deviceId === null) return undefined;
    const { jti, sub: userId, iat, exp } = claims;
    const holder = await holderOf(scope, { jti, userId, deviceId });
    if (exp * 1000 > scope.clock.now()) return holder;
    // The end was moved when the clock was set ahead. [ADR 114]
    const isMoved = exp === iat + sessionLifetime && (holder?.session.expires ?? 0) > exp * 1000;
    return isMoved ? holder : undefined;
  }
}

/** The claims of a verified token. */
type VerifiedToken = Pick<Session, 'jti' | 'userId' | 'deviceId'>;

/** Returns the user of a verified token, unless the token was revoked. */
async function holderOf(
  scope: ServerScope,
  { jti, userId, deviceId: device_id }: VerifiedToken,
): Promise<Holder | undefined> {
  const now = Math.floor(scope.clock.now() / 1000);
  const [issuance, user] = await Promise.all([
    scope.first(tokenIssuances, { where: { jti, device_id, exp: { gt: now } } }),
    scope.first(users, { where: { id: userId } }),
  ]);
  if (!issuance || !user || user.disabled_at !== null) return undefined;
  // A token of a garden of which its user is not a member, such as one that the user has left for a new device, leads to the user's home garden.
  const role = await roleIn(scope, user, device_id);
  if (role === null && isHostedRobot(jti)) return undefined;
  const { signed_in_at: signedInAt, parent_id, exp } = issuance;
  const isRobot = isRobotSession(issuance);
  const isTemporary = parent_id !== null;
  const granted = role ?? 'owner';
  const session: Session = {
    userId: user.id,
    userName: user.name,
    deviceId: role === null ? user.device_id : device_id,
    id: sessionIdOf(issuance),
    jti,
    kind: isRobot ? 'robot' : 'person',
    credential: null,
    rights: isRobot ? robotRights(granted) : { role: granted, scopes: null },
    isTemporary,
    isAdministrator: user.admin && !isRobot && !isTemporary,
    signedInAt,
    expires: exp * 1000,
  };
  return { user, session, tokenId: issuance.id };
}
