/** Runs a write periodically, on request and when it stops; never concurrently. */
export class PeriodicFlush {
  readonly #write: () => Promise<void>;
  readonly #interval: number;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;

  /** `write` must not reject. `interval` in ms. */
  constructor(write: () => Promise<void>, interval: number) {
    this.#write = write;
    this.#interval = interval;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.flush(), this.#interval).unref();
  }

  /** Stops after a last write. */
  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    await this.flush();
  }

  /** Writes now. Waits for a write in progress first, which may have missed the latest changes. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
    this.#writing = this.#write().finally(() => {
      this.#writing = null;
    });
    await this.#writing;
  }
}
