import type { Clock } from '../core/clock.ts';
import { throttled } from '../core/errors.ts';
import { FixedWindow } from '../core/fixed-window.ts';
import { messagesIn } from '../core/message.ts';
import { robotShares } from '../core/robot-shares.ts';
import type { DeviceScope } from '../db/scope.ts';

const say = messagesIn({
  en: {
    tooMany: (count: number) =>
      `A garden may have ${count} photos and manifests fetched from other servers per minute.`,
  },
  fr: {
    tooMany: (count) => `Un jardin peut faire charger ${count} photos et descriptions d’autres serveurs par minute.`,
  },
});

const { limit, period } = robotShares.requestedFetches;

/** Limits each garden's fetches by the server from other servers: photos by address, and manifests. [ADR 90] */
export class RequestedFetches {
  readonly #clock: Clock;
  readonly #window = new FixedWindow(limit, period);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a fetch. Throws 429 beyond the limit. */
  consume({ deviceId }: DeviceScope): void {
    const now = this.#clock.now();
    if (this.#window.consume(String(deviceId), now)) return;
    throw throttled(this.#window.wait(now), say.tooMany(limit));
  }
}
