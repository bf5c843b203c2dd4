import type { FetchResult, ServerFetch } from '../engine/server-fetch.ts';
import { FetchFailure } from '../engine/server-fetch.ts';

/** How long one photo may take, in ms: what comes slowly still comes, what hangs soon ends. */
const longestFetch = 20_000;

/** Photos of one host that may come too late, one after the other, before it is not asked any more. */
const mostLate = 2;

/** How long photos are fetched for one import in any case, how much longer for each that arrives, and how long at most, in ms. Other imports wait meanwhile. */
const usualTime = 60_000;
const timePerPhoto = 2_000;
const longestTime = 600_000;

/** Why nothing is fetched any more, in a sentence. */
export class OutOfPatience extends Error {}

export interface PatientFetchOptions {
  readonly fetch: ServerFetch;
  /** Bytes of one photo. */
  readonly maxBytes: number;
  /** A clock that is never set, in ms. */
  readonly now?: () => number;
}

/** Fetches the photos of one import, as long as they arrive: hosts that hang, or tell a byte now and then, hold nobody up for long. */
export class PatientFetch {
  readonly #options: PatientFetchOptions;
  readonly #now: () => number;
  readonly #began: number;
  #arrived = 0;
  /** How many photos of a host came too late since one arrived. */
  readonly #late = new Map<string, number>();

  constructor(options: PatientFetchOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#began = this.#now();
  }

  /** Gets what an address leads to. Rejects with FetchFailure, and with {@link OutOfPatience} without having asked. */
  async get(url: string): Promise<FetchResult> {
    const host = URL.canParse(url) ? new URL(url).host : '';
    if ((this.#late.get(host) ?? 0) >= mostLate) throw new OutOfPatience('Its host did not answer in time for others.');
    const left = Math.min(usualTime + this.#arrived * timePerPhoto, longestTime) - (this.#now() - this.#began);
    if (left <= 0) throw new OutOfPatience('There was no time left to fetch it.');
    const { fetch, maxBytes } = this.#options;
    try {
      const fetched = await fetch(url, { maxBytes, timeout: Math.min(left, longestFetch) });
      this.#late.delete(host);
      // A status without a photo buys no time.
      if (fetched.status >= 200 && fetched.status <= 299) this.#arrived++;
      return fetched;
    } catch (error) {
      if (error instanceof FetchFailure && error.reason === 'timeout')
        this.#late.set(host, (this.#late.get(host) ?? 0) + 1);
      throw error;
    }
  }
}
