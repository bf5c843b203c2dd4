import { Failure } from './errors.ts';

/** A semaphore with a bounded FIFO queue. */
export class Semaphore {
  readonly #permits: number;
  readonly #maxQueued: number;
  #running = 0;
  readonly #queue: (() => void)[] = [];

  /** Allows `permits` concurrent tasks and queues up to `maxQueued` more. */
  constructor(permits: number, maxQueued: number) {
    this.#permits = permits;
    this.#maxQueued = maxQueued;
  }

  /** Runs the task as soon as a permit is free. Throws 429 if the queue is full. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#permits) {
      if (this.#queue.length >= this.#maxQueued) throw new Failure('throttled');
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    } else this.#running++;
    try {
      return await task();
    } finally {
      // The permit passes directly to the next task, so that no other can take it in between.
      const next = this.#queue.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
