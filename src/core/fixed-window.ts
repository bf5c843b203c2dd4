import { createHmac, randomBytes } from 'node:crypto';

/** Maximum number of keys of a window; beyond it the least recently used keys are dropped, to bound memory. */
export const maxKeys = 100_000;

/** A fixed-window rate limiter: counts hits per key in windows aligned to the epoch. [rule V4] */
export class FixedWindow {
  readonly #limit: number;
  readonly #period: number;
  #window = -1;
  // Two generations instead of one ordered map: evicting drops a whole generation in constant time.
  #recent = new Map<string, number>();
  #older = new Map<string, number>();

  /** Allows `limit` hits per key and `period` (ms). */
  constructor(limit: number, period: number) {
    this.#limit = limit;
    this.#period = period;
  }

  /** Counts one hit at `now` (ms since the epoch); returns false if it exceeds the limit. */
  consume(key: string, now: number): boolean {
    const window = Math.floor(now / this.#period);
    if (window !== this.#window) {
      this.#window = window;
      this.#recent = new Map();
      this.#older = new Map();
    }
    const count = this.#countOf(key) + 1;
    this.#recent.set(key, count);
    return count <= this.#limit;
  }

  /** Number of keys in the current window. */
  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  /** Returns the hits so far and makes room for the key in the recent generation. */
  #countOf(key: string): number {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const older = this.#older.get(key) ?? 0;
    this.#older.delete(key);
    if (this.#recent.size >= maxKeys / 2) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    return older;
  }
}

/** A {@link FixedWindow} for personal keys, such as e-mail addresses: keeps only their keyed hashes. */
export class HashedFixedWindow extends FixedWindow {
  readonly #secret = randomBytes(32);

  override consume(key: string, now: number): boolean {
    return super.consume(createHmac('sha256', this.#secret).update(key).digest('base64'), now);
  }
}
