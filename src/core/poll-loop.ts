export interface PollLoopOptions {
  /** In ms. */
  readonly interval: number;
  readonly work: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Runs work at an interval and on request, never twice at the same time. */
export class PollLoop {
  readonly #options: PollLoopOptions;
  #timer: NodeJS.Timeout | null = null;
  #last: Promise<void> = Promise.resolve();
  /** The run that has not begun. */
  #queued: Promise<void> | null = null;

  constructor(options: PollLoopOptions) {
    this.#options = options;
  }

  /** Resolves after the first run. */
  start(): Promise<void> {
    this.#timer = setInterval(() => void this.wake(), this.#options.interval).unref();
    return this.wake();
  }

  /** Runs the work, which then sees all commits before the call. Resolves when it is done; never rejects. */
  wake(): Promise<void> {
    if (!this.#timer) return this.#last;
    this.#queued ??= this.#last = this.#last.then(async () => {
      this.#queued = null;
      if (!this.#timer) return;
      try {
        await this.#options.work();
      } catch (error) {
        this.#options.onError(error);
      }
    });
    return this.#queued;
  }

  /** Resolves when no work runs. */
  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    await this.#last;
  }
}
