import type { Clock } from '../../core/clock.ts';
import type { BrokerLimits } from './broker-limits.ts';

/** How many messages a client may still send: a bucket that fills with time. Only who emptied it has to wait. */
export class MessageAllowance {
  readonly #limits: BrokerLimits;
  readonly #clock: Clock;
  #left: number;
  #at: number;

  constructor(limits: BrokerLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#left = limits.burst;
    this.#at = clock.now();
  }

  /** Takes what a packet costs. False: the client has to wait. A large packet may be taken on credit. */
  takes(cost: number): boolean {
    if (this.#left <= 0) {
      this.#fill();
      if (this.#left <= 0) return false;
    }
    this.#left -= cost;
    return true;
  }

  /** Milliseconds until the next packet may come. */
  wait(): number {
    this.#fill();
    return this.#left > 0 ? 0 : Math.ceil(((1 - this.#left) / this.#limits.perSecond) * 1000);
  }

  #fill(): void {
    const now = this.#clock.now();
    const gained = (Math.max(0, now - this.#at) / 1000) * this.#limits.perSecond;
    this.#at = now;
    this.#left = Math.min(this.#limits.burst, this.#left + gained);
  }
}
