import { randomUUID } from 'node:crypto';
import { createSigner, createVerifier, TokenError } from 'fast-jwt';
import { LRUCache } from 'lru-cache';
import { maxEntries } from '../core/cache-limits.ts';
import type { Clock } from '../core/clock.ts';
import { isObject } from '../core/json.ts';
import { sessionDays } from '../core/session-lifetime.ts';
import type { KeyPair } from './key-pair.ts';

/** Addresses in a token, as its client reaches them. `iss` is `//host:port`, always with the port. [rule A14] */
export interface TokenAddresses {
  readonly iss: string;
  /** Host name of the broker. */
  readonly mqtt: string;
  /** WebSocket URL of the broker. */
  readonly mqttWs: string;
}

/** Claims of a session token, in this order. */
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

/** The audiences of tokens in links of mails. */
const linkPurposes = ['PASSWORD_RESETER', 'EMAIL_CONFIRMATION', 'EMAIL_TAKE_BACK'] as const;

export type LinkPurpose = (typeof linkPurposes)[number];

/** Claims of a token in a link. */
export interface LinkClaims {
  readonly aud: LinkPurpose;
  /** The e-mail address of a password reset, else the id of a change of address. */
  readonly sub: string;
  readonly iat: number;
  readonly jti: string;
  readonly iss: string;
  readonly exp: number;
  /** The digest of the password hash that the token replaces. */
  readonly pwd?: string;
}

/** Contents of a token for a link. */
export interface LinkRequest extends Pick<LinkClaims, 'aud' | 'sub' | 'iss' | 'pwd'> {
  /** When it expires, in ms since the epoch. */
  readonly expires: number;
}

/** A token as sent to clients. */
export interface SignedToken {
  readonly unencoded: SessionClaims;
  readonly encoded: string;
}

/** Contents of a session token to sign; `exp` only if it is not a new session's. */
export interface SessionRequest {
  readonly userId: number;
  readonly deviceId: number;
  readonly aud: string;
  readonly addresses: TokenAddresses;
  readonly exp?: number;
  /** The id of the token (`jti`); random by default. */
  readonly jti?: string;
}

/** Lifetime of a session token, in seconds. [rule A15] */
export const sessionLifetime = sessionDays * 24 * 3600;
/** Lifetime of a temporary token, in seconds. [ADR 41] */
export const temporaryLifetime = 15 * 60;
/** Lifetime of a password-reset token, in ms. [rule A19] */
export const resetLifetime = 24 * 3_600_000;

/** Tokens whose verified signature is cached, about 2 KiB each. Verifying takes 60 µs. */
const cacheSize = 5000;

/** Characters that base64url can encode with `-` or `_`, where clients expect plain Base64. [rule A16] */
const unsafeForClients = /[^\x20-\x7e]|[?>~]/;

const forgeries: ReadonlySet<string> = new Set([
  TokenError.codes.invalidAlgorithm,
  TokenError.codes.invalidKey,
  TokenError.codes.invalidSignature,
  TokenError.codes.missingSignature,
]);

/** Signs and verifies tokens with the server's key (RS256). */
export class TokenSigner {
  readonly #sign: (payload: Record<string, unknown>) => string;
  readonly #verify: (token: string) => unknown;
  readonly #clock: Clock;
  readonly #vhost: string;
  readonly #sessions = new LRUCache<string, SessionClaims>(maxEntries(cacheSize));

  /** `vhost`: the virtual host of the message broker, a claim of tokens. */
  constructor(keyPair: KeyPair, clock: Clock, vhost = '/') {
    this.#sign = createSigner({ algorithm: 'RS256', key: keyPair.privatePem });
    // The signature is verified once, expiry at each use.
    this.#verify = createVerifier({
      algorithms: ['RS256'],
      key: keyPair.publicPem,
      ignoreExpiration: true,
      ignoreNotBefore: true,
    });
    this.#clock = clock;
    this.#vhost = vhost;
  }

  /** Signs a session token. Throws an Error if a claim has characters that clients cannot decode. */
  signSession({ userId, deviceId, aud, addresses, exp, jti }: SessionRequest): SignedToken {
    const iat = this.#seconds();
    const claims: SessionClaims = {
      aud,
      sub: userId,
      iat,
      jti: jti ?? randomUUID(),
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

  /** Returns the claims of a session token, or null if it is malformed, forged or of another kind. Does not check whether it was revoked or has ended. */
  verifySession(token: string): SessionClaims | null {
    let claims = this.#sessions.get(token);
    if (!claims) {
      const payload = this.#payload(token);
      if (!isSession(payload)) return null;
      claims = payload;
      this.#sessions.set(token, claims);
    }
    return claims;
  }

  /** Signs a token for a link in a mail. */
  signLink({ expires, ...contents }: LinkRequest): string {
    const exp = Math.floor(expires / 1000);
    return this.#sign({ ...contents, iat: this.#seconds(), jti: randomUUID(), exp } satisfies LinkClaims);
  }

  /** Returns the claims of a link's token; `forged` if signed with another key, `unusable` if malformed, expired or of another kind. [decision 39] */
  verifyLink(token: string): LinkClaims | 'forged' | 'unusable' {
    const payload = this.#payload(token);
    if (payload === 'forged') return 'forged';
    return isLink(payload) && payload.exp > this.#seconds() ? payload : 'unusable';
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

/** Returns the device id in the `bot` claim, or null. */
export function claimedDeviceId(claims: SessionClaims): number | null {
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

function isLink(payload: unknown): payload is LinkClaims {
  return (
    isObject(payload) &&
    linkPurposes.some((purpose) => purpose === payload.aud) &&
    typeof payload.sub === 'string' &&
    typeof payload.jti === 'string' &&
    Number.isSafeInteger(payload.exp)
  );
}
