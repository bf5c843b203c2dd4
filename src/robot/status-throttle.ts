/** Publishes the state when it changed, at most once in a while, and always the last state. */
export class StatusThrottle {
  readonly #interval: number;
  readonly #publish: () => void;
  #timer: NodeJS.Timeout | null = null;
  #isChanged = false;

  /** `interval`: the least milliseconds between two. */
  constructor(interval: number, publish: () => void) {
    this.#interval = interval;
    this.#publish = publish;
  }

  /** The state is another one: it leaves now, or when its time has come. */
  changed(): void {
    if (this.#timer) this.#isChanged = true;
    else this.publishNow();
  }

  /** It leaves now. */
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
