import { setTimeout as sleep } from 'node:timers/promises';

/** Maximum pause, in ms. */
const maxPause = 20;

/** Leaves half of the time to requests: waits for as long as a step of other work took, at most 20 ms. `began`: when the step began, by performance.now(). */
export async function pauseForRequests(began: number): Promise<void> {
  await sleep(Math.min(performance.now() - began, maxPause));
}

/** Maximum time between two pauses, in ms. */
const maxSlice = 3;

/** Divides long work into slices, between which requests are served. */
export class Slices {
  #began = performance.now();

  /** Pauses if the slice is over. */
  async pause(): Promise<void> {
    if (performance.now() - this.#began < maxSlice) return;
    await pauseForRequests(this.#began);
    this.#began = performance.now();
  }
}
