import type { FetchResult, ServerFetch } from '../engine/server-fetch.ts';
import { FetchFailure } from '../engine/server-fetch.ts';

/** Timeout of one photo, in ms. */
const photoTimeout = 20_000;

/** Consecutive timeouts after which a host is not contacted again. */
const maxHostTimeouts = 2;

/** Total time of an import's fetches, in ms: initially, for each fetched photo, and at most. Other imports are waiting. */
const initialBudget = 60_000;
const budgetPerPhoto = 2_000;
const maxBudget = 600_000;

/** A photo that was not requested. The message says why. */
export class SkippedFetchError extends Error {}

export interface PhotoFetcherOptions {
  readonly fetch: ServerFetch;
  /** Maximum size of a photo, in bytes. */
  readonly maxBytes: number;
  /** A monotonic clock, in ms. */
  readonly now?: () => number;
}

/** Fetches the photos of an import with a total time budget, and a circuit breaker for each host. */
export class PhotoFetcher {
  readonly #options: PhotoFetcherOptions;
  readonly #now: () => number;
  readonly #startedAt: number;
  #fetched = 0;
  /** The number of timeouts since the last response, by host. */
  readonly #timeouts = new Map<string, number>();

  constructor(options: PhotoFetcherOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#startedAt = this.#now();
  }

  /** Fetches a URL. Rejects with FetchFailure, or with {@link SkippedFetchError} without a request. */
  async fetch(url: string): Promise<FetchResult> {
    const host = URL.canParse(url) ? new URL(url).host : '';
    const timeouts = this.#timeouts.get(host) ?? 0;
    if (timeouts >= maxHostTimeouts) throw new SkippedFetchError('Its host did not respond in time before.');
    const budget = Math.min(initialBudget + this.#fetched * budgetPerPhoto, maxBudget);
    const remaining = budget - (this.#now() - this.#startedAt);
    if (remaining <= 0) throw new SkippedFetchError('There was no time left to fetch it.');
    const { fetch, maxBytes } = this.#options;
    try {
      const result = await fetch(url, { maxBytes, timeout: Math.min(remaining, photoTimeout) });
      this.#timeouts.delete(host);
      // Only a photo extends the budget.
      if (result.status >= 200 && result.status <= 299) this.#fetched++;
      return result;
    } catch (error) {
      if (error instanceof FetchFailure && error.reason === 'timeout') this.#timeouts.set(host, timeouts + 1);
      throw error;
    }
  }
}
