import { isPrivate } from '../core/ip-addresses.ts';
import type { Logger } from '../core/logger.ts';

/** A request, as far as its way is of interest. */
interface PassedOnRequest {
  readonly unknownProxy: string | null;
}

/** Returns what follows from a proxy that TRUST_PROXY does not name, and the remedy, in sentences. */
const problemOf = (address: string): string =>
  `A proxy at ${address} passes requests on, and TRUST_PROXY does not name it: the limits count all of its clients as one. If it is yours, set TRUST_PROXY=${address}`;

/** Notices requests that a proxy passed on which TRUST_PROXY does not name, and logs the first. */
export class UnknownProxies {
  readonly #log: Logger;
  /** Strangers can send the same headers: what they send must not hide a proxy of the operator. */
  readonly #found: { private: string | null; public: string | null } = { private: null, public: null };

  constructor(log: Logger) {
    this.#log = log;
  }

  notice({ unknownProxy: address }: PassedOnRequest): void {
    if (address === null) return;
    const kind = isPrivate(address) ? 'private' : 'public';
    if (this.#found[kind] !== null) return;
    this.#found[kind] = address;
    this.#log.warn({ setting: 'TRUST_PROXY', address }, problemOf(address));
  }

  /** What is wrong with a proxy on this machine or in its network, a sentence; null: none was noticed. */
  get problem(): string | null {
    return this.#found.private === null ? null : problemOf(this.#found.private);
  }
}
