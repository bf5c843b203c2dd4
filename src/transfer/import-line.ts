import { Failure } from '../core/errors.ts';
import { atOnce, mayWait } from './import-limits.ts';

/** Those who wait for one of a few places: each import may take much memory. */
export class ImportLine {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** Does the work when there is a place for it. Throws 429 when too many wait. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= atOnce) {
      if (this.#waiting.length >= mayWait) throw new Failure('throttled');
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
