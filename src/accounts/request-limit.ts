import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { Failure } from '../core/errors.ts';

/** Keys counted at once; beyond them the oldest windows are forgotten. */
const countedAtMost = 50_000;

/** Counts requests in windows that begin at whole multiples of their length. [reference] */
export class RequestLimit {
  readonly #clock: Clock;
  readonly #counts = new Map<string, { readonly ends: number; count: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one request. Throws 429 when more than `limit` with this key came within the window (ms). */
  take(key: string, limit: number, window: number): void {
    const now = this.#clock.now();
    // Only a digest is kept: keys hold addresses of people.
    const digest = createHash('sha256').update(key).digest('base64');
    let entry = this.#counts.get(digest);
    if (!entry || entry.ends <= now) {
      this.#counts.delete(digest);
      this.#forget(now);
      entry = { ends: (Math.floor(now / window) + 1) * window, count: 0 };
      this.#counts.set(digest, entry);
    }
    if (++entry.count > limit) throw new Failure('throttled');
  }

  #forget(now: number): void {
    if (this.#counts.size < countedAtMost) return;
    for (const [key, { ends }] of this.#counts) if (ends <= now) this.#counts.delete(key);
    for (const key of this.#counts.keys()) {
      if (this.#counts.size < countedAtMost) return;
      this.#counts.delete(key);
    }
  }
}

/** Requests from this machine itself are never limited. [reference] */
export const isLocal = (address: string): boolean => /^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/.test(address);
