import { Failure } from './errors.ts';

/** Those who wait for one of a few places, first come, first served. */
export class Semaphore {
  readonly #places: number;
  readonly #mayWait: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** `places`: works that run at once. `mayWait`: those that wait at most. */
  constructor(places: number, mayWait: number) {
    this.#places = places;
    this.#mayWait = mayWait;
  }

  /** Does the work when there is a place for it. Throws 429 when too many wait. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#places) {
      if (this.#waiting.length >= this.#mayWait) throw new Failure('throttled');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running++;
    try {
      return await work();
    } finally {
      // The place is handed on, so that nobody can slip in between.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
