import type { Clock } from '../core/clock.ts';
import { Failure } from '../core/errors.ts';
import { HashedFixedWindow } from '../core/fixed-window.ts';

const hour = 3_600_000;
/** Mails per key and hour. */
const mailsPerHour = 5;

/** Limits the mails that requests cause, to protect mailboxes of third parties. */
export class MailRateLimit {
  readonly #clock: Clock;
  readonly #mails = new HashedFixedWindow(mailsPerHour, hour);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one mail for each key. Throws 429 if any of them exceeds its limit. */
  consume(...keys: readonly string[]): void {
    const now = this.#clock.now();
    // Every key counts, even after one that is over its limit.
    const exceeded = keys.filter((key) => !this.#mails.consume(key, now));
    if (exceeded.length > 0) throw new Failure('throttled');
  }
}
