import { LRUCache } from 'lru-cache';
import { maxEntries } from '../../core/cache-limits.ts';
import type { Clock } from '../../core/clock.ts';

/** How long after its last message a robot counts as connected, in ms: its state, which has its uptime in minutes, changes each minute. */
export const presenceTime = 70_000;
/** Robots in memory. */
const maxRobots = 100_000;

/** The robots that are connected to RabbitMQ, judged by their messages. */
export class RobotPresence {
  readonly #clock: Clock;
  readonly #robots = new LRUCache<number, { since: number; last: number }>(maxEntries(maxRobots));

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records a message of a device's robot. */
  record(deviceId: number): void {
    const now = this.#clock.now();
    const known = this.#robots.get(deviceId);
    if (known && now - known.last < presenceTime) known.last = now;
    else this.#robots.set(deviceId, { since: now, last: now });
  }

  /** Returns the time of the last message of a device's robot, in ms since the epoch; undefined: none was seen. */
  lastSeen(deviceId: number): number | undefined {
    return this.#robots.get(deviceId)?.last;
  }

  /** Returns the times of the first and the last message of a device's robot without a longer pause, in ms since the epoch; null: it sent none in the last 70 s. */
  find(deviceId: number): { readonly since: number; readonly last: number } | null {
    const known = this.#robots.get(deviceId);
    return known && this.#clock.now() - known.last < presenceTime ? known : null;
  }
}
