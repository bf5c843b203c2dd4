import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { maxEntries } from './cache-limits.ts';
import { maxKeys } from './fixed-window.ts';
import type { PasswordPause } from './rate-limit-table.ts';

interface Failures {
  /** Failures that have not expired yet, at the time `at`. */
  readonly count: number;
  readonly at: number;
  /** The end of the pause. */
  readonly until: number;
}

/** Pauses per key that grow with the number of failures. Keeps keyed hashes of its keys only, because they are personal. Times in ms. */
export class GrowingPauses {
  readonly #options: PasswordPause;
  readonly #failures = new LRUCache<string, Failures>(maxEntries(maxKeys));
  readonly #secret = randomBytes(32);

  constructor(options: PasswordPause) {
    this.#options = options;
  }

  /** Returns the rest of the pause of a key; 0: there is none. */
  wait(key: string, now: number): number {
    return Math.max(0, (this.#failures.get(this.#hash(key))?.until ?? 0) - now);
  }

  /** Counts a failure, before its outcome is known: otherwise many concurrent attempts would pass. Returns the end of its pause. */
  add(key: string, now: number): number {
    const { free, first, max } = this.#options;
    const count = this.#countOf(key, now) + 1;
    const pause = count > free ? Math.min(max, first * 2 ** (Math.ceil(count - free) - 1)) : 0;
    const until = now + pause;
    this.#failures.set(this.#hash(key), { count, at: now, until });
    return until;
  }

  /** Removes a failure that was counted in advance, and its pause. `until`: the result of {@link add}; the pause of a later failure continues. */
  remove(key: string, now: number, until: number): void {
    const last = this.#failures.get(this.#hash(key))?.until ?? 0;
    const count = Math.max(0, this.#countOf(key, now) - 1);
    this.#failures.set(this.#hash(key), { count, at: now, until: last > until ? last : 0 });
  }

  #countOf(key: string, now: number): number {
    const found = this.#failures.get(this.#hash(key));
    return found ? Math.max(0, found.count - (now - found.at) / this.#options.decayTime) : 0;
  }

  #hash(key: string): string {
    return createHmac('sha256', this.#secret).update(key).digest('base64');
  }
}
