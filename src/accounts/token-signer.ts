import { randomUUID } from 'node:crypto';
import { createSigner, createVerifier, TokenError } from 'fast-jwt';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';
import { isObject } from '../core/json.ts';
import type { KeyPair } from './key-pair.ts';

/** Addresses in a token, as the client that asked for it reaches them. `iss` is `//host:port`, always with the port. [client PY, client web app] */
export interface TokenAddresses {
  readonly iss: string;
  /** The broker's bare host name. */
  readonly mqtt: string;
  /** The broker's WebSocket address. */
  readonly mqttWs: string;
}

/** What a session token says, in the order of its claims. */
export interface SessionClaims {
  readonly aud: string;
  readonly sub: number;
  readonly iat: number;
  readonly jti: string;
  readonly iss: string;
  readonly exp: number;
  readonly mqtt: string;
  readonly bot: string;
  readonly vhost: string;
  readonly mqtt_ws: string;
}

/** What a password-reset token says: `sub` is the e-mail address. */
export interface ResetClaims {
  readonly aud: 'PASSWORD_RESETER';
  readonly sub: string;
  readonly iat: number;
  readonly jti: string;
  readonly iss: string;
  readonly exp: number;
}

/** A token as sent to clients. */
export interface SignedToken {
  readonly unencoded: SessionClaims;
  readonly encoded: string;
}

/** For whom a session token is, and how long; `exp` only where it is kept from an earlier token. */
export interface SessionRequest {
  readonly userId: number;
  readonly deviceId: number;
  readonly aud: string;
  readonly addresses: TokenAddresses;
  readonly exp?: number;
}

/** Seconds that a session lasts. [reference] */
export const sessionLifetime = 60 * 24 * 3600;
/** Seconds that a link for a new password works. [reference] */
export const resetLifetime = 24 * 3600;

/** Tokens whose signature was checked already and is not checked again: a check takes 60 µs, a look-up none. About 2 KiB each. */
const remembered = 5000;

/** What would give `-` or `_` in base64url, where clients expect plain Base64. [client JS, client FBOS] */
const unsafeForClients = /[^\x20-\x7e]|[?>~]/;

const forgeries: ReadonlySet<string> = new Set([
  TokenError.codes.invalidAlgorithm,
  TokenError.codes.invalidKey,
  TokenError.codes.invalidSignature,
  TokenError.codes.missingSignature,
]);

/** Signs and verifies tokens (RS256, this server's key and no other). */
export class TokenSigner {
  readonly #sign: (payload: Record<string, unknown>) => string;
  readonly #verify: (token: string) => unknown;
  readonly #clock: Clock;
  readonly #vhost: string;
  readonly #sessions = new LRUCache<string, SessionClaims>({ max: remembered });

  /** `vhost`: the virtual host of the message broker, which tokens name. */
  constructor(keyPair: KeyPair, clock: Clock, vhost = '/') {
    this.#sign = createSigner({ algorithm: 'RS256', key: keyPair.privatePem });
    // Times are checked here against the clock, each time; the signature once.
    this.#verify = createVerifier({
      algorithms: ['RS256'],
      key: keyPair.publicPem,
      ignoreExpiration: true,
      ignoreNotBefore: true,
    });
    this.#clock = clock;
    this.#vhost = vhost;
  }

  /** A new session token. Throws an Error if an address has characters that clients cannot decode. */
  signSession({ userId, deviceId, aud, addresses, exp }: SessionRequest): SignedToken {
    const iat = this.#seconds();
    const claims: SessionClaims = {
      aud,
      sub: userId,
      iat,
      jti: randomUUID(),
      iss: addresses.iss,
      exp: exp ?? iat + sessionLifetime,
      mqtt: addresses.mqtt,
      bot: `device_${deviceId}`,
      vhost: this.#vhost,
      mqtt_ws: addresses.mqttWs,
    };
    for (const [name, value] of Object.entries(claims))
      if (unsafeForClients.test(String(value)))
        throw new Error(`the claim ${name} has characters that clients cannot decode`);
    return { unencoded: claims, encoded: this.#sign({ ...claims }) };
  }

  /** The claims of a session token, or null: malformed, forged, expired, or another kind of token. Revocation is not looked at. */
  verifySession(token: string): SessionClaims | null {
    let claims = this.#sessions.get(token);
    if (!claims) {
      const payload = this.#payload(token);
      if (!isSession(payload)) return null;
      claims = payload;
      this.#sessions.set(token, claims);
    }
    return claims.exp > this.#seconds() ? claims : null;
  }

  /** A token that lets its holder set a new password for the account with this e-mail address. */
  signReset(email: string, iss: string): string {
    const iat = this.#seconds();
    const claims: ResetClaims = {
      aud: 'PASSWORD_RESETER',
      sub: email,
      iat,
      jti: randomUUID(),
      iss,
      exp: iat + resetLifetime,
    };
    return this.#sign({ ...claims });
  }

  /** The claims of a reset token; `forged` if another key signed it, `unusable` if it is malformed, expired or of another kind. [decision 39] */
  verifyReset(token: string): ResetClaims | 'forged' | 'unusable' {
    const payload = this.#payload(token);
    if (payload === 'forged') return 'forged';
    return isReset(payload) && payload.exp > this.#seconds() ? payload : 'unusable';
  }

  #payload(token: string): unknown {
    try {
      return this.#verify(token);
    } catch (error) {
      return error instanceof TokenError && forgeries.has(error.code) ? 'forged' : undefined;
    }
  }

  #seconds(): number {
    return Math.floor(this.#clock.now() / 1000);
  }
}

/** The device in a token's `bot` claim, or null. */
export function deviceOf(claims: SessionClaims): number | null {
  const digits = /^device_(\d{1,15})$/.exec(claims.bot)?.[1];
  return digits === undefined ? null : Number(digits);
}

function isSession(payload: unknown): payload is SessionClaims {
  return (
    isObject(payload) &&
    Number.isSafeInteger(payload.sub) &&
    Number.isSafeInteger(payload.exp) &&
    typeof payload.jti === 'string' &&
    typeof payload.aud === 'string' &&
    typeof payload.bot === 'string'
  );
}

function isReset(payload: unknown): payload is ResetClaims {
  return (
    isObject(payload) &&
    payload.aud === 'PASSWORD_RESETER' &&
    typeof payload.sub === 'string' &&
    typeof payload.jti === 'string' &&
    Number.isSafeInteger(payload.exp)
  );
}
