/** Publishes a changing state at a limited rate, always including the last one. */
export class StatusThrottle {
  readonly #interval: number;
  readonly #publish: () => void;
  #timer: NodeJS.Timeout | null = null;
  #isChanged = false;

  /** `interval`: minimum time between two publications, in ms. */
  constructor(interval: number, publish: () => void) {
    this.#interval = interval;
    this.#publish = publish;
  }

  /** Publishes a changed state now, or at the end of the current interval. */
  changed(): void {
    if (this.#timer) this.#isChanged = true;
    else this.publishNow();
  }

  /** Publishes the state now. */
  publishNow(): void {
    this.stop();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#isChanged) this.publishNow();
    }, this.#interval);
    this.#publish();
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#isChanged = false;
  }
}
