import { setTimeout as sleep } from 'node:timers/promises';

/** Maximum pause, in ms. */
const maxPause = 20;

/** Leaves half of the time to requests: waits for as long as a step of other work took, at most 20 ms. `began`: when the step began, by performance.now(). */
export async function pauseForRequests(began: number): Promise<void> {
  await sleep(Math.min(performance.now() - began, maxPause));
}

/** Serves the requests that have arrived, also within a transaction. */
export const yieldToRequests = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Does work on parts of a list, of at most `size` elements, and serves requests between them. */
export async function inParts<T>(
  list: readonly T[],
  size: number,
  work: (part: readonly T[]) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < list.length; from += size) {
    if (from > 0) await yieldToRequests();
    await work(list.slice(from, from + size));
  }
}

/** Maximum time between two pauses, in ms. */
const maxSlice = 3;

/** Divides long work into slices, between which requests are served. */
export class Slices {
  readonly #rest: (began: number) => Promise<void>;
  #began = performance.now();

  /** `rest`: the time between two slices; {@link yieldToRequests} in a transaction, for whose end others wait. */
  constructor(rest = pauseForRequests) {
    this.#rest = rest;
  }

  /** Pauses if the slice is over. */
  async pause(): Promise<void> {
    if (performance.now() - this.#began < maxSlice) return;
    await this.#rest(this.#began);
    this.#began = performance.now();
  }
}
