import { HashedFixedWindow } from '../core/fixed-window.ts';
import { networkOf } from '../core/ip-addresses.ts';
import { NetworkWindow } from '../core/network-window.ts';
import { rateLimits } from '../core/rate-limit-table.ts';
import type { OwnClient } from '../engine/own-connections.ts';
import type { Call, Route } from '../engine/route.ts';

/** The limits that apply to a route. */
export type LimitKind = NonNullable<Route['rateLimit']> | 'general';

/** The client of a request. */
export interface LimitedClient extends Pick<Call, 'address' | 'isLocal'> {
  readonly ownClient?: Pick<OwnClient, 'isCounted'> | null;
}

const isUnlimited = ({ isLocal, ownClient }: LimitedClient): boolean => isLocal || ownClient?.isCounted === false;

const waitIn = (window: NetworkWindow, address: string, now: number): number =>
  window.consume(address, now) ? 0 : window.wait(now);

/** Limits per client address, counted in this process. Requests of this machine are not limited. [rule H10, ADR 7] */
export class RateLimits {
  readonly #general = new NetworkWindow(rateLimits.general);
  readonly #robotReads = new NetworkWindow(rateLimits.robotReads);
  readonly #byKind = {
    sync: new NetworkWindow(rateLimits.sync),
    reset: new NetworkWindow(rateLimits.reset),
    demo: new NetworkWindow(rateLimits.demoPages),
    feed: new NetworkWindow(rateLimits.calendarFeeds),
  } as const;
  readonly #resetRequests = new HashedFixedWindow(rateLimits.resetRequests.limit, rateLimits.resetRequests.period);

  /** Counts a request. Returns the time that the client must wait, in ms; 0: it is allowed. `now` in ms. */
  consume(client: LimitedClient, kind: LimitKind, now: number): number {
    if (kind === 'none' || isUnlimited(client)) return 0;
    const { address } = client;
    // Every window counts a request that another one refuses.
    const general = waitIn(this.#general, address, now);
    return kind === 'general' ? general : Math.max(general, waitIn(this.#byKind[kind], address, now));
  }

  /** Counts a read of one record by a robot, which synchronizes a full garden with more requests than others may send. Returns the same as {@link consume}. [rule H10] */
  consumeRobotRead(client: LimitedClient, now: number): number {
    return isUnlimited(client) ? 0 : waitIn(this.#robotReads, client.address, now);
  }

  /** Counts a password reset for an e-mail address, per network, so that strangers cannot use up the owner's requests. Returns the same as {@link consume}. [rule H11] */
  consumeReset({ address, isLocal }: LimitedClient, email: string, now: number): number {
    const key = `${networkOf(address)} ${email.trim().toLowerCase()}`;
    return isLocal || this.#resetRequests.consume(key, now) ? 0 : this.#resetRequests.wait(now);
  }
}
