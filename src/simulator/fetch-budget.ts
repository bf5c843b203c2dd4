import type { Clock } from '../core/clock.ts';
import { FixedWindow } from '../core/fixed-window.ts';
import { robotShares } from '../core/robot-shares.ts';
import type { ServerFetch } from '../engine/server-fetch.ts';

const { limit, period } = robotShares.fetches;

/** Limits the requests of each garden's scripts to other servers. */
export class FetchBudget {
  readonly #clock: Clock;
  readonly #window = new FixedWindow(limit, period);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns a fetch for a garden, which throws beyond its budget. */
  limited(garden: number, fetch: ServerFetch): ServerFetch {
    return async (...request) => {
      if (!this.#window.consume(String(garden), this.#clock.now()))
        throw new Error(`a garden may send ${limit} requests per minute to other servers`);
      return fetch(...request);
    };
  }
}
