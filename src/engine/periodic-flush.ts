/** Writes what is kept in memory from time to time, when asked, and once more at the end; never twice at once. */
export class PeriodicFlush {
  readonly #write: () => Promise<void>;
  readonly #interval: number;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;

  /** `write` sees to its failures itself and never rejects. `interval` in ms. */
  constructor(write: () => Promise<void>, interval: number) {
    this.#write = write;
    this.#interval = interval;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.flush(), this.#interval).unref();
  }

  /** Writes what is left and ends. */
  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    await this.flush();
  }

  /** Writes now, after a writing that is under way: that one may have missed what came since. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
    this.#writing = this.#write().finally(() => {
      this.#writing = null;
    });
    await this.#writing;
  }
}
