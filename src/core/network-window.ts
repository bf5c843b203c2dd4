import { FixedWindow } from './fixed-window.ts';
import { networkOf, siteOf } from './ip-addresses.ts';
import type { RateLimit } from './rate-limit-table.ts';
import { siteFactor } from './rate-limit-table.ts';

/** A {@link FixedWindow} for addresses: counts per network, and per IPv6 site up to {@link siteFactor} times as much. [ADR 40] */
export class NetworkWindow {
  readonly #networks: FixedWindow;
  readonly #sites: FixedWindow;

  constructor({ limit, period }: RateLimit) {
    this.#networks = new FixedWindow(limit, period);
    this.#sites = new FixedWindow(limit * siteFactor, period);
  }

  /** Counts a request of an address at `now` (ms since the epoch); returns whether it is allowed. */
  consume(address: string, now: number): boolean {
    const network = networkOf(address);
    // Requests beyond the limit of a network do not count for the others of its site.
    if (!this.#networks.consume(network, now)) return false;
    const site = siteOf(address);
    return site === network || this.#sites.consume(site, now);
  }

  /** Returns the time until the next window, in ms. */
  wait(now: number): number {
    return this.#networks.wait(now);
  }
}
