import type { Clock } from '../core/clock.ts';
import { Failure } from '../core/errors.ts';
import { HashedFixedWindow } from '../core/fixed-window.ts';

const hour = 3_600_000;
/** Mails for one reason in an hour; the reference has no limit. */
const mailsPerHour = 5;

/** Limits how often requests may have mail sent, so that nobody floods a stranger's mailbox with it. */
export class MailRateLimit {
  readonly #clock: Clock;
  readonly #mails = new HashedFixedWindow(mailsPerHour, hour);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one mail for each of these reasons. Throws 429 when it is one too many for any of them. */
  consume(...reasons: readonly string[]): void {
    const now = this.#clock.now();
    // Each counts, also when an earlier one refuses.
    const refused = reasons.filter((reason) => !this.#mails.consume(reason, now));
    if (refused.length > 0) throw new Failure('throttled');
  }
}
