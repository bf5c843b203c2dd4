import { turnTime } from './import-limits.ts';

/** Long work in small pieces: between them everybody else has a turn. */
export class Turns {
  #began = performance.now();

  /** To be awaited between two pieces: lets others go first when this work has kept the event loop long enough. */
  async next(): Promise<void> {
    if (performance.now() - this.#began < turnTime) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#began = performance.now();
  }
}
