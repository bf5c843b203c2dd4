import { setTimeout as sleep } from 'node:timers/promises';
import { robotShares } from '../core/robot-shares.ts';
import type { ScriptScheduler } from '../robot/lua/lua-thread.ts';

/** The garden and person whose scripts compute. */
interface Computing {
  readonly garden: number;
  readonly person: number;
  readonly isDemo: boolean;
}

/** The keys by which computing is counted. */
interface Keys {
  readonly garden: string;
  readonly person: string;
}

interface Waiting {
  readonly keys: Keys;
  readonly start: () => void;
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

const { computing, demoComputing, minComputing, longStretch } = robotShares;

/** All demo gardens share as one person: they need no account. */
const demos = 'demos';

/** Lets one script of all virtual robots of this process compute at a time: of the person who computed least in this minute, within the budgets per minute. [ADR 90] */
export class ComputingShares {
  readonly #time: ComputingTime;
  #window = -1;
  /** The computing time of gardens and people in the window, in ms. */
  readonly #used = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #isComputing = false;

  constructor(time = systemTime) {
    this.#time = time;
  }

  /** Returns the scheduler of a garden's scripts. */
  schedulerOf({ garden, person, isDemo }: Computing): ScriptScheduler {
    const keys: Keys = { garden: `garden ${garden}`, person: isDemo ? demos : `person ${person}` };
    return async (begin, signal, onWait) => {
      for (;;) {
        for (let reason = this.#exhausted(keys); reason !== null; reason = this.#exhausted(keys)) {
          onWait(reason);
          await this.#time.sleep(Math.ceil((this.#window + 1) * computing.period - this.#time.now()), signal);
        }
        await this.#acquire(keys, signal);
        if (this.#exhausted(keys) === null) break;
        this.#release();
      }
      const began = this.#time.now();
      try {
        await begin();
      } finally {
        this.#count(keys, this.#time.now() - began);
        this.#release();
      }
    };
  }

  /** Returns the used-up budget, as the end of a sentence; null if none. */
  #exhausted({ garden, person }: Keys): string | null {
    if (this.#usedBy(garden) >= computing.limit)
      return `this garden computed for ${computing.limit / 1000} s in this minute`;
    return person === demos && this.#usedBy(demos) >= demoComputing.limit
      ? `demo gardens computed for ${demoComputing.limit / 1000} s in this minute`
      : null;
  }

  #usedBy(key: string): number {
    const window = Math.floor(this.#time.now() / computing.period);
    if (window !== this.#window) this.#used.clear();
    this.#window = window;
    return this.#used.get(key) ?? 0;
  }

  #count({ garden, person }: Keys, took: number): void {
    const excess = Math.max(0, took - longStretch.after);
    const counted = Math.max(took, minComputing) + excess * (longStretch.factor - 1);
    for (const key of [garden, person]) this.#used.set(key, this.#usedBy(key) + counted);
  }

  async #acquire(keys: Keys, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#isComputing) {
      this.#isComputing = true;
      return;
    }
    await new Promise<void>((start, reject) => {
      const waiting = { keys, start };
      this.#waiting.add(waiting);
      const abandon = () => {
        if (this.#waiting.delete(waiting)) reject(signal.reason);
      };
      signal.addEventListener('abort', abandon, { once: true });
    });
  }

  /** Passes the permit on directly, so that no other script can take it in between. */
  #release(): void {
    let next: Waiting | null = null;
    for (const waiting of this.#waiting) if (next === null || this.#isBefore(waiting.keys, next.keys)) next = waiting;
    this.#isComputing = next !== null;
    if (next === null) return;
    this.#waiting.delete(next);
    next.start();
  }

  #isBefore(a: Keys, b: Keys): boolean {
    const difference = this.#usedBy(a.person) - this.#usedBy(b.person);
    return difference < 0 || (difference === 0 && this.#usedBy(a.garden) < this.#usedBy(b.garden));
  }
}
