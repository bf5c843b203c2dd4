/** Pseudorandom numbers that a seed repeats (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number from 0 up to, not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Returns an element of a list. Throws if it is empty. */
  pick<T>(list: readonly T[]): T {
    const found = list[this.integer(0, list.length - 1)];
    if (found === undefined) throw new Error('nothing to choose from');
    return found;
  }

  /** Returns the elements in random order. */
  shuffled<T>(list: readonly T[]): T[] {
    return list
      .map((element) => ({ element, place: this.next() }))
      .sort((one, other) => one.place - other.place)
      .map(({ element }) => element);
  }

  /** Returns an independent sequence of numbers, so that actors do not depend on each other's speed. */
  fork(): Random {
    return new Random(this.integer(0, 2 ** 32 - 1));
  }
}
