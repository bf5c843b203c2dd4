import { LRUCache } from 'lru-cache';
import type { ServerScope } from '../db/scope.ts';
import { tokenIssuances } from './token-issuances.ts';
import type { SessionClaims, TokenSigner } from './token-signer.ts';
import { deviceIdOf } from './token-signer.ts';
import type { UserRow } from './users.ts';
import { users } from './users.ts';

/** Tokens in the cache. */
const cacheSize = 5000;

/** A user with a valid token. */
export interface Holder {
  readonly user: UserRow;
  readonly jti: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/** Finds the user of a token, for requests and for the message broker. */
export class TokenResolver {
  readonly #signer: Pick<TokenSigner, 'verifySession'>;
  readonly #cache = new LRUCache<string, Holder & { readonly version: string }>({ max: cacheSize });

  constructor(signer: Pick<TokenSigner, 'verifySession'>) {
    this.#signer = signer;
  }

  /** Returns undefined if the token is malformed, forged, expired, revoked or its user was deleted. Cached until users or tokens change, where the database reports that. [ADR 11] */
  async resolve(scope: ServerScope, token: string): Promise<Holder | undefined> {
    const version = scope.version([users, tokenIssuances]);
    const before = version === null ? undefined : this.#cache.get(token);
    if (before && before.version === version && before.expires > scope.clock.now()) return before;
    const claims = this.#signer.verifySession(token);
    const found = claims ? await holderOf(scope, claims) : undefined;
    if (found && version !== null) this.#cache.set(token, { ...found, version });
    return found;
  }
}

/** Returns the user of a verified token, unless the token was revoked. */
async function holderOf(scope: ServerScope, claims: SessionClaims): Promise<Holder | undefined> {
  const device_id = deviceIdOf(claims);
  if (device_id === null) return undefined;
  const { jti, sub } = claims;
  const now = Math.floor(scope.clock.now() / 1000);
  const issuance = await scope.first(tokenIssuances, { where: { jti, device_id, exp: { gt: now } } });
  const user = issuance && (await scope.first(users, { where: { id: sub } }));
  return user && { user, jti, expires: issuance.exp * 1000 };
}
