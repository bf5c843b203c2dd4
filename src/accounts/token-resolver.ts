import { LRUCache } from 'lru-cache';
import type { ServerScope } from '../db/scope.ts';
import { tokenIssuances } from './token-issuances.ts';
import type { SessionClaims, TokenSigner } from './token-signer.ts';
import { deviceOf } from './token-signer.ts';
import type { UserRow } from './users.ts';
import { users } from './users.ts';

/** Tokens whose holder is kept in memory. */
const remembered = 5000;

/** Whose token it is. */
export interface Holder {
  readonly user: UserRow;
  readonly jti: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/** Says whose a token is, for requests and for the message broker. */
export class TokenResolver {
  readonly #signer: Pick<TokenSigner, 'verifySession'>;
  readonly #known = new LRUCache<string, Holder & { readonly version: string }>({ max: remembered });

  constructor(signer: Pick<TokenSigner, 'verifySession'>) {
    this.#signer = signer;
  }

  /** Undefined for a token that is malformed, forged, expired, revoked or whose user is gone. Kept until users or tokens change, where the database can tell that they have not. */
  async resolve(scope: ServerScope, token: string): Promise<Holder | undefined> {
    const version = scope.version([users, tokenIssuances]);
    const before = version === null ? undefined : this.#known.get(token);
    if (before && before.version === version && before.expires > scope.clock.now()) return before;
    const claims = this.#signer.verifySession(token);
    const found = claims ? await holderOf(scope, claims) : undefined;
    if (found && version !== null) this.#known.set(token, { ...found, version });
    return found;
  }
}

/** The user of a verified token, if the token was not revoked. Two prepared look-ups. */
async function holderOf(scope: ServerScope, claims: SessionClaims): Promise<Holder | undefined> {
  const device_id = deviceOf(claims);
  if (device_id === null) return undefined;
  const { jti, sub } = claims;
  const now = Math.floor(scope.clock.now() / 1000);
  const issuance = await scope.first(tokenIssuances, { where: { jti, device_id, exp: { gt: now } } });
  const user = issuance && (await scope.first(users, { where: { id: sub } }));
  return user && { user, jti, expires: issuance.exp * 1000 };
}
