/** A limit on a device's messages in one window. */
export interface MessageLimit {
  /** Name of the window, for users: `minute`. */
  readonly window: 'minute' | 'hour' | 'day';
  /** Length of the window, in ms. */
  readonly period: number;
  readonly max: number;
}

/** A limit that a device has exceeded. */
export interface ExceededLimit {
  readonly limit: MessageLimit;
  /** Start of the next window, in ms since the epoch. */
  readonly until: number;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** [rule M19] */
export const logLimits: readonly MessageLimit[] = [
  { window: 'minute', period: minute, max: 250 },
  { window: 'hour', period: hour, max: 5000 },
  { window: 'day', period: day, max: 25_000 },
];

/** Of the important logs beyond these: a fifth. [rule M19] */
export const importantLogLimits: readonly MessageLimit[] = logLimits.map((limit) => ({ ...limit, max: limit.max / 5 }));

/** [rule M22] */
export const telemetryLimits: readonly MessageLimit[] = [
  { window: 'minute', period: minute, max: 25 },
  { window: 'hour', period: hour, max: 250 },
  { window: 'day', period: day, max: 1500 },
];

/** Devices with counts in memory; beyond that the oldest is dropped. */
const maxDevices = 100_000;

/** Counts the messages of each device in fixed windows of the clock (UTC). Each process counts separately. */
export class MessageLimiter {
  readonly #limits: readonly MessageLimit[];
  /** For each limit in turn: number of the current window, and messages in it. */
  readonly #counts = new Map<number, number[]>();
  /** Number of the current window of the last limit, which is the longest. */
  #currentWindow = -1;

  /** `limits`: the shortest period first, each a multiple of the one before. */
  constructor(limits: readonly MessageLimit[]) {
    this.#limits = limits;
  }

  /** Counts a message and returns the longest limit that it exceeds. `now` in ms. */
  count(deviceId: number, now: number): ExceededLimit | null {
    this.#sweep(now);
    let counts = this.#counts.get(deviceId);
    if (!counts) {
      counts = this.#limits.flatMap(() => [-1, 0]);
      const [oldest] = this.#counts.size >= maxDevices ? this.#counts.keys() : [];
      if (oldest !== undefined) this.#counts.delete(oldest);
      this.#counts.set(deviceId, counts);
    }
    let exceeded: ExceededLimit | null = null;
    for (const [index, limit] of this.#limits.entries()) {
      const window = Math.floor(now / limit.period);
      const count = counts[2 * index] === window ? (counts[2 * index + 1] ?? 0) + 1 : 1;
      counts[2 * index] = window;
      counts[2 * index + 1] = count;
      if (count > limit.max) exceeded = { limit, until: (window + 1) * limit.period };
    }
    return exceeded;
  }

  /** Reverts the count of a message that was counted at `at` (ms) and will be sent again. */
  revert(deviceId: number, at: number): void {
    const counts = this.#counts.get(deviceId);
    if (!counts) return;
    for (const [index, { period }] of this.#limits.entries()) {
      const count = counts[2 * index + 1] ?? 0;
      if (counts[2 * index] === Math.floor(at / period)) counts[2 * index + 1] = Math.max(0, count - 1);
    }
  }

  /** Number of devices with counts. */
  get size(): number {
    return this.#counts.size;
  }

  /** Drops all counts at the start of a window of the last limit, which starts all shorter ones, too. */
  #sweep(now: number): void {
    const currentWindow = Math.floor(now / (this.#limits.at(-1)?.period ?? 1));
    if (currentWindow === this.#currentWindow) return;
    this.#currentWindow = currentWindow;
    this.#counts.clear();
  }
}
