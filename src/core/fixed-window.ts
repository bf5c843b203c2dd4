import { createHmac, randomBytes } from 'node:crypto';

/** Keys that one window counts at most: beyond that those are forgotten that came least lately, so that memory stays bounded. */
export const maxKeys = 100_000;

/** Counts hits per key in windows aligned to the clock (epoch ÷ period). [reference 1.9] */
export class FixedWindow {
  readonly #limit: number;
  readonly #period: number;
  #number = -1;
  // Two halves instead of one map with an order: forgetting drops one as a whole, whatever the number of keys.
  #recent = new Map<string, number>();
  #older = new Map<string, number>();

  /** `period` in milliseconds. */
  constructor(limit: number, period: number) {
    this.#limit = limit;
    this.#period = period;
  }

  /** Counts one hit; false when it is one too many. `now` in milliseconds. */
  consume(key: string, now: number): boolean {
    const number = Math.floor(now / this.#period);
    if (number !== this.#number) {
      this.#number = number;
      this.#recent = new Map();
      this.#older = new Map();
    }
    const count = this.#counted(key) + 1;
    this.#recent.set(key, count);
    return count <= this.#limit;
  }

  /** Keys counted in the present window. */
  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  /** The hits so far; makes room for the key among the recent ones. */
  #counted(key: string): number {
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

/** The same for keys that tell who somebody is: only a keyed hash of them is kept. */
export class HashedFixedWindow extends FixedWindow {
  readonly #secret = randomBytes(32);

  override consume(key: string, now: number): boolean {
    return super.consume(createHmac('sha256', this.#secret).update(key).digest('base64'), now);
  }
}
