import { createHmac, randomBytes } from 'node:crypto';

/** Keys counted per window; beyond that the oldest are forgotten, so that memory stays bounded. */
const mostKeys = 100_000;

const minute = 60_000;
const hour = 60 * minute;

/** Counts hits per key in windows aligned to the clock (epoch ÷ period). */
export class FixedWindow {
  readonly #limit: number;
  readonly #period: number;
  #number = -1;
  #counts = new Map<string, number>();

  /** `period` in milliseconds. */
  constructor(limit: number, period: number) {
    this.#limit = limit;
    this.#period = period;
  }

  /** Counts one hit; false when it is one too many. */
  admits(key: string, now: number): boolean {
    const number = Math.floor(now / this.#period);
    if (number !== this.#number) {
      this.#number = number;
      this.#counts.clear();
    }
    const count = (this.#counts.get(key) ?? 0) + 1;
    if (count === 1 && this.#counts.size >= mostKeys) {
      const oldest = this.#counts.keys().next();
      if (!oldest.done) this.#counts.delete(oldest.value);
    }
    this.#counts.set(key, count);
    return count <= this.#limit;
  }

  /** Keys counted in the present window. */
  get size(): number {
    return this.#counts.size;
  }
}

/** Which limits a path falls under. */
export type LimitKind = 'none' | 'general' | 'sync' | 'reset';

/** The kind of a route's path. [reference 1.9] */
export function limitKind(path: string): LimitKind {
  if (path.startsWith('/api/rmq/')) return 'none';
  if (path.startsWith('/api/device/sync')) return 'sync';
  if (/^\/api\/password_resets(?:\/|$)/.test(path)) return 'reset';
  return 'general';
}

const isLoopback = (address: string): boolean => address === '127.0.0.1' || address === '::1';

/** The server's limits per client address, counted in this process. Addresses of the machine itself are never limited. [reference 1.9] */
export class RateLimits {
  readonly #general = new FixedWindow(1000, minute);
  readonly #sync = new FixedWindow(15, minute);
  readonly #reset = new FixedWindow(30, hour);
  readonly #resetOfAddress = new FixedWindow(3, hour);
  readonly #key = randomBytes(32);

  /** Counts a request; false when it must be refused. `now` in milliseconds. */
  admits(address: string, kind: LimitKind, now: number): boolean {
    if (kind === 'none' || isLoopback(address)) return true;
    // Every window counts, also when an earlier one refuses.
    const general = this.#general.admits(address, now);
    if (kind === 'sync') return this.#sync.admits(address, now) && general;
    if (kind === 'reset') return this.#reset.admits(address, now) && general;
    return general;
  }

  /** Counts a password reset for an e-mail address, across all clients. Only a keyed hash of it is kept. */
  admitsReset(address: string, email: string, now: number): boolean {
    if (isLoopback(address)) return true;
    const key = createHmac('sha256', this.#key).update(email.trim().toLowerCase()).digest('base64');
    return this.#resetOfAddress.admits(key, now);
  }
}
