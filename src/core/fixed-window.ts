import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { maxEntries } from './cache-limits.ts';

/** Maximum number of keys of a window; beyond it the keys that were not used lately are dropped, to bound memory. */
export const maxKeys = 100_000;

/** A fixed-window rate limiter: counts hits per key in windows aligned to the epoch. [rule V4] */
export class FixedWindow {
  readonly #limit: number;
  readonly #period: number;
  #window = -1;
  readonly #counts = new LRUCache<string, number>(maxEntries(maxKeys));

  /** Allows `limit` hits per key and `period` (ms). */
  constructor(limit: number, period: number) {
    this.#limit = limit;
    this.#period = period;
  }

  /** Counts hits at `now` (ms since the epoch); returns false if they exceed the limit. */
  consume(key: string, now: number, hits = 1): boolean {
    const window = Math.floor(now / this.#period);
    if (window !== this.#window) {
      this.#window = window;
      this.#counts.clear();
    }
    const count = (this.#counts.get(key) ?? 0) + hits;
    this.#counts.set(key, count);
    return count <= this.#limit;
  }

  /** Returns the time until the next window, in ms. */
  wait(now: number): number {
    return this.#period - (now % this.#period);
  }

  /** Number of keys in the current window. */
  get size(): number {
    return this.#counts.size;
  }
}

/** A {@link FixedWindow} for personal keys, such as e-mail addresses: keeps only their keyed hashes. */
export class HashedFixedWindow extends FixedWindow {
  readonly #secret = randomBytes(32);

  override consume(key: string, now: number, hits?: number): boolean {
    return super.consume(createHmac('sha256', this.#secret).update(key).digest('base64'), now, hits);
  }
}
