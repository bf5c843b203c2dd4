import { isPrivate } from '../core/ip-addresses.ts';
import type { Logger } from '../core/logger.ts';

/** The part of a request that shows its proxy. */
interface PassedOnRequest {
  readonly unknownProxy: string | null;
}

/** Number of logged addresses of each kind: clients can send the headers of proxies, and must not hide one of the operator. */
const maxLogged = 5;

/** Returns the consequences of a proxy that TRUST_PROXY does not name, and the remedy, in sentences. */
const problemOf = (address: string): string =>
  `A request from ${address} has the headers of a proxy, which TRUST_PROXY does not name: the limits count all of its clients as one. If your reverse proxy has that address, set TRUST_PROXY=${address}`;

/** Returns the addresses that the problems of proxies name. */
export const proxiesIn = (problem: string): string[] =>
  [...problem.matchAll(/A request from (\S+) has the headers of a proxy/g)].flatMap(([, address]) => address ?? []);

/** Logs the first requests that proxies passed on which TRUST_PROXY does not name. */
export class UnknownProxies {
  readonly #log: Logger;
  readonly #private = new Set<string>();
  readonly #public = new Set<string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  check({ unknownProxy: address }: PassedOnRequest): void {
    if (address === null) return;
    const logged = isPrivate(address) ? this.#private : this.#public;
    if (logged.size >= maxLogged || logged.has(address)) return;
    logged.add(address);
    this.#log.warn({ setting: 'TRUST_PROXY', address }, problemOf(address));
  }

  /** The problems of proxies on this machine or in its networks, in sentences; null: none passed a request on. */
  get problem(): string | null {
    return this.#private.size === 0 ? null : [...this.#private].map(problemOf).join('. ');
  }
}
