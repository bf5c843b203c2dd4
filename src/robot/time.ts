import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../core/clock.ts';
import { systemClock } from '../core/clock.ts';

/** A clock that can also be waited for. */
export interface PausableClock extends Clock {
  /** Rejects when the signal ends the wait. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

/** The machine's own time. */
export const systemTime: PausableClock = {
  now: systemClock.now,
  pause: (ms, signal) => sleep(ms, undefined, { signal }),
};
