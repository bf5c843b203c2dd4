/** So many messages of a device in one window of the clock, and no more. */
export interface MessageLimit {
  /** How people call the window: `minute`. */
  readonly window: string;
  /** Length of the window in ms. */
  readonly period: number;
  readonly most: number;
}

/** A limit that a device has passed. */
export interface Excess {
  readonly limit: MessageLimit;
  /** When the next window begins, in ms since the epoch. */
  readonly until: number;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** [reference 13.1] */
export const logLimits: readonly MessageLimit[] = [
  { window: 'minute', period: minute, most: 250 },
  { window: 'hour', period: hour, most: 5000 },
  { window: 'day', period: day, most: 25_000 },
];

/** [reference 13.2] */
export const telemetryLimits: readonly MessageLimit[] = [
  { window: 'minute', period: minute, most: 25 },
  { window: 'hour', period: hour, most: 250 },
  { window: 'day', period: day, most: 1500 },
];

/** Devices that are counted at once; beyond them the first one is forgotten. */
const mostDevices = 100_000;

/** Counts what each device sends, in windows that follow the clock (UTC). Each process counts for itself. */
export class MessageCounts {
  readonly #limits: readonly MessageLimit[];
  /** For each limit in turn: the window's number and the messages in it. */
  readonly #counts = new Map<number, number[]>();
  #longest = -1;

  /** `limits`: shortest first, each period a multiple of the one before. */
  constructor(limits: readonly MessageLimit[]) {
    this.#limits = limits;
  }

  /** Counts one message. Gives the longest limit that it passes. `now` in ms. */
  count(deviceId: number, now: number): Excess | null {
    this.#sweep(now);
    let counts = this.#counts.get(deviceId);
    if (!counts) {
      counts = this.#limits.flatMap(() => [-1, 0]);
      const [first] = this.#counts.size >= mostDevices ? this.#counts.keys() : [];
      if (first !== undefined) this.#counts.delete(first);
      this.#counts.set(deviceId, counts);
    }
    let excess: Excess | null = null;
    for (const [index, limit] of this.#limits.entries()) {
      const number = Math.floor(now / limit.period);
      const count = counts[2 * index] === number ? (counts[2 * index + 1] ?? 0) + 1 : 1;
      counts[2 * index] = number;
      counts[2 * index + 1] = count;
      if (count > limit.most) excess = { limit, until: (number + 1) * limit.period };
    }
    return excess;
  }

  /** Takes back a message that was counted at this time (ms) and will come again. */
  takeBack(deviceId: number, at: number): void {
    const counts = this.#counts.get(deviceId);
    if (!counts) return;
    for (const [index, { period }] of this.#limits.entries()) {
      const count = counts[2 * index + 1] ?? 0;
      if (counts[2 * index] === Math.floor(at / period)) counts[2 * index + 1] = Math.max(0, count - 1);
    }
  }

  /** Devices that are counted just now. */
  get size(): number {
    return this.#counts.size;
  }

  /** A new longest window begins all others anew too, so that nothing needs to be kept. */
  #sweep(now: number): void {
    const longest = Math.floor(now / (this.#limits.at(-1)?.period ?? 1));
    if (longest === this.#longest) return;
    this.#longest = longest;
    this.#counts.clear();
  }
}
