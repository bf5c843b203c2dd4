import { createHmac, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { isPrivate } from '../core/ip-addresses.ts';
import type { Call } from '../engine/route.ts';
import type { KeyPair } from './key-pair.ts';

/** The host in an origin or a `Host` header, without the port. */
const hostnameOf = (text: unknown): string =>
  /^(?:https?:\/\/)?(\[[^\]]*\]|[^:/]+)/.exec(String(text).toLowerCase())?.[1] ?? '';

/** The settings that limit the trust in the address of a request. */
export interface AddressTrust {
  /** Clients from anywhere may have private addresses, as in a container. */
  readonly hidesAddresses: boolean;
  /** The host name of `PUBLIC_URL`; null: it is not set. */
  readonly publicHost: string | null;
}

/**
 * Returns whether no other site can use a name: it is an address, a name of this machine or of mDNS, or the host of `PUBLIC_URL`. A site under
 * any other name could change its address to this server's, and its pages would be of the same origin. (DNS rebinding)
 */
const isOwnName = (name: string, publicHost: string | null): boolean =>
  isIP(name.replace(/^\[|\]$/g, '')) !== 0 || /(?:^|\.)(?:localhost|local)\.?$/.test(name) || name === publicHost;

/** Returns a function that says whether a request comes from this machine or a private network, and not from a page of another site. [ADR 50] */
export const privateCalls =
  ({ hidesAddresses, publicHost }: AddressTrust) =>
  (call: Call): boolean => {
    const { origin, host, 'x-forwarded-host': forwarded = host } = call.headers;
    const names = [call.host, host, forwarded].map(hostnameOf);
    const isOwnPage =
      (origin === undefined || names.includes(hostnameOf(origin))) &&
      names.every((name) => isOwnName(name, publicHost));
    return !hidesAddresses && isOwnPage && isPrivate(call.address) && !call.hidesClient;
  };

/** Without letters that are easily confused. (Crockford's Base32) */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Returns the code with which the first account of a database becomes an administrator from anywhere: the same in all processes
 * and after restarts, since it follows from the key, and worthless once there is an account. 80 bits.
 */
export function firstAccountCode({ privatePem }: Pick<KeyPair, 'privatePem'>): string {
  const bytes = createHmac('sha256', privatePem).update('first account').digest().subarray(0, 16);
  const characters = Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('');
  return characters.replace(/.{4}(?=.)/g, '$&-');
}

/** Compares a code in constant time, without regard to case, hyphens and spaces. */
export function isFirstAccountCode(keyPair: Pick<KeyPair, 'privatePem'>, sent: string): boolean {
  const bytesOf = (code: string): Buffer => Buffer.from(code.toLowerCase().replaceAll(/[\s-]/g, ''));
  const [expected, actual] = [bytesOf(firstAccountCode(keyPair)), bytesOf(sent)];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
