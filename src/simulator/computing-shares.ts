import { setTimeout as sleep } from 'node:timers/promises';
import { FairSemaphore } from '../core/fair-semaphore.ts';
import { robotShares } from '../core/robot-shares.ts';
import type { ComputingTurns } from '../robot/lua/lua-thread.ts';

/** Whose script computes. */
interface Computing {
  readonly garden: number;
  readonly person: number;
}

/** The time by which computing is measured. */
interface ComputingTime {
  /** In ms. */
  now(): number;
  /** Rejects if the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const systemTime: ComputingTime = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

const { limit, period } = robotShares.computing;

/** Lets one script of all virtual robots of this process compute at a time. Persons take turns, and each garden has a budget per minute. [ADR 90] */
export class ComputingShares {
  // Each robot has one script at a time.
  readonly #semaphore = new FairSemaphore(1, Number.POSITIVE_INFINITY);
  readonly #time: ComputingTime;
  #window = -1;
  /** What gardens computed in the window, in ms. */
  readonly #used = new Map<number, number>();

  constructor(time = systemTime) {
    this.#time = time;
  }

  /** Returns the turns of a robot. */
  turnsOf({ garden, person }: Computing): ComputingTurns {
    return async (begin, signal) => {
      for (let wait = this.#wait(garden); wait > 0; wait = this.#wait(garden)) await this.#time.sleep(wait, signal);
      const stretch = async () => {
        const began = this.#time.now();
        await begin();
        const took = this.#time.now() - began;
        this.#used.set(garden, (this.#used.get(garden) ?? 0) + Math.max(took, robotShares.minComputing));
      };
      await this.#semaphore.run(String(person), stretch, signal);
    };
  }

  /** Returns how long a garden has to wait for its next budget, in ms. */
  #wait(garden: number): number {
    const now = this.#time.now();
    const window = Math.floor(now / period);
    if (window !== this.#window) this.#used.clear();
    this.#window = window;
    return (this.#used.get(garden) ?? 0) < limit ? 0 : Math.ceil((window + 1) * period - now);
  }
}
