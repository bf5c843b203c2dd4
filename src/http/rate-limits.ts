import { HashedFixedWindow } from '../core/fixed-window.ts';
import { isLoopback, networkOf } from '../core/ip-addresses.ts';
import { NetworkWindow } from '../core/network-window.ts';
import { rateLimits } from '../core/rate-limit-table.ts';
import type { Route } from '../engine/route.ts';

/** The limits that apply to a route. */
export type LimitKind = NonNullable<Route['rateLimit']> | 'general';

/** Limits per client address, counted in this process. Loopback addresses are not limited. [rule H10, ADR 7] */
export class RateLimits {
  readonly #general = new NetworkWindow(rateLimits.general);
  readonly #sync = new NetworkWindow(rateLimits.sync);
  readonly #reset = new NetworkWindow(rateLimits.reset);
  readonly #demo = new NetworkWindow(rateLimits.demoPages);
  readonly #feed = new NetworkWindow(rateLimits.calendarFeeds);
  readonly #resetRequests = new HashedFixedWindow(rateLimits.resetRequests.limit, rateLimits.resetRequests.period);

  /** Counts a request and returns whether it is allowed. `now` in ms. */
  consume(address: string, kind: LimitKind, now: number): boolean {
    if (kind === 'none' || isLoopback(address)) return true;
    // Every window counts a request that another one refuses.
    const general = this.#general.consume(address, now);
    if (kind === 'sync') return this.#sync.consume(address, now) && general;
    if (kind === 'reset') return this.#reset.consume(address, now) && general;
    if (kind === 'demo') return this.#demo.consume(address, now) && general;
    if (kind === 'feed') return this.#feed.consume(address, now) && general;
    return general;
  }

  /** Counts a password reset for an e-mail address, per network, so that strangers cannot use up the owner's requests. [rule H11] */
  consumeReset(address: string, email: string, now: number): boolean {
    const key = `${networkOf(address)} ${email.trim().toLowerCase()}`;
    return isLoopback(address) || this.#resetRequests.consume(key, now);
  }
}
