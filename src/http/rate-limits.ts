import { FixedWindow, HashedFixedWindow } from '../core/fixed-window.ts';
import { isLoopback, networkOf } from '../core/ip-addresses.ts';
import type { Route } from '../engine/route.ts';

const minute = 60_000;
const hour = 60 * minute;

/** The limits that apply to a route. */
export type LimitKind = NonNullable<Route['rateLimit']> | 'general';

/** Limits per client address, counted in this process. Loopback addresses are not limited. [rule H10, ADR 7] */
export class RateLimits {
  readonly #general = new FixedWindow(1000, minute);
  readonly #sync = new FixedWindow(15, minute);
  readonly #reset = new FixedWindow(30, hour);
  readonly #demo = new FixedWindow(50, hour);
  readonly #resetByEmail = new HashedFixedWindow(3, hour);

  /** Counts a request and returns whether it is allowed. `now` in ms. */
  consume(address: string, kind: LimitKind, now: number): boolean {
    if (kind === 'none' || isLoopback(address)) return true;
    const client = networkOf(address);
    // Every window counts a request that another one refuses.
    const general = this.#general.consume(client, now);
    if (kind === 'sync') return this.#sync.consume(client, now) && general;
    if (kind === 'reset') return this.#reset.consume(client, now) && general;
    if (kind === 'demo') return this.#demo.consume(client, now) && general;
    return general;
  }

  /** Counts a password reset for an e-mail address, across all clients, and returns whether it is allowed. [rule H11] */
  consumeReset(address: string, email: string, now: number): boolean {
    return isLoopback(address) || this.#resetByEmail.consume(email.trim().toLowerCase(), now);
  }
}
