import type { Clock } from '../../core/clock.ts';
import type { Logger } from '../../core/logger.ts';

const second = 1000;
/** Lines in a second. */
const most = 20;

/** Lines about clients, which may cause as many as they like: a few in a second, then one with the number of those left out. */
export class LimitedLog {
  readonly #log: Logger;
  readonly #clock: Clock;
  #since = 0;
  #lines = 0;
  #leftOut = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  info(object: object, message: string): void {
    const now = this.#clock.now();
    if (Math.abs(now - this.#since) >= second) {
      this.#tellLeftOut();
      this.#since = now;
      this.#lines = 0;
    }
    this.#lines++;
    if (this.#lines <= most) {
      this.#log.info(object, message);
      return;
    }
    this.#leftOut++;
    this.#timer ??= setTimeout(() => this.#tellLeftOut(), second).unref();
  }

  /** Tells of what was left out. */
  stop(): void {
    this.#tellLeftOut();
  }

  #tellLeftOut(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#leftOut > 0)
      this.#log.info({ lines: this.#leftOut }, 'the message broker refused more clients than are told here');
    this.#leftOut = 0;
  }
}
