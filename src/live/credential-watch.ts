import type { Logger } from '../core/logger.ts';
import { PollLoop } from '../core/poll-loop.ts';

/** Milliseconds between looks at the version. */
const interval = 500;
/** Part of the time in which checks may run: with many thousands of connections they are rarer. */
const maxShare = 0.2;

export interface CredentialWatchOptions {
  /** Returns a value that changes when tokens, users or members do, in any process; null: not known. */
  readonly version: () => string | null;
  /** Ends everything that depends on ended tokens. False: some of it ends later. */
  readonly check: () => Promise<boolean>;
  readonly log: Logger;
}

/** Has connections checked when the credentials of any may have ended, in another process too. [ADR 89] */
export class CredentialWatch {
  readonly #options: CredentialWatchOptions;
  readonly #loop: PollLoop;
  /** Of the last complete check. */
  #checked: string | null = null;
  /** Of `performance.now()`. */
  #nextAt = 0;

  constructor(options: CredentialWatchOptions) {
    this.#options = options;
    this.#loop = new PollLoop({
      interval,
      work: () => this.#check(),
      // The database is not available at the moment.
      onError: (error) => options.log.debug({ reason: String(error) }, 'the tokens of connections were not checked'),
    });
  }

  start(): void {
    void this.#loop.start();
  }

  /** Resolves when no check runs. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #check(): Promise<void> {
    const { version, check } = this.#options;
    const seen = version();
    const start = performance.now();
    if ((seen !== null && seen === this.#checked) || start < this.#nextAt) return;
    const isComplete = await check();
    this.#checked = isComplete ? seen : null;
    const end = performance.now();
    this.#nextAt = end + (end - start) * (1 / maxShare - 1);
  }
}
