import { LRUCache } from 'lru-cache';
import { maxEntries } from '../core/cache-limits.ts';
import { networkOf } from '../core/ip-addresses.ts';
import { matchesSecret, secretDigest } from '../core/secret.ts';

/** Length of a window, in ms. [rule M3] */
const loginWindow = 5 * 60_000;

/** Maximum number of usernames and addresses in memory. */
const maxClients = 50_000;

/** Counts sign-ins per username or token, in windows that begin with the first one. Rejected sign-ins do not count. [rule M3] */
export class LoginLimiter {
  readonly #counts = new LRUCache<string, { readonly start: number; count: number }>(maxEntries(maxClients));

  /** Counts a sign-in. False: `limit` is reached. `now` in ms. */
  consume(name: string, limit: number, now: number): boolean {
    const window = this.#counts.get(name);
    if (!window || now - window.start >= loginWindow) {
      this.#counts.set(name, { start: now, count: 1 });
      return true;
    }
    if (window.count >= limit) return false;
    window.count++;
    return true;
  }
}

const minute = 60_000;
/** Wrong admin passwords per address and minute. */
const maxWrongPasswords = 10;
/** Minimum length of an admin password, in characters. [rule M11] */
const minPasswordLength = 5;

/** Checks the password of the broker's user `admin`. */
export class AdminPassword {
  readonly #digest: Buffer | null;
  readonly #wrong = new LRUCache<string, number>(maxEntries(maxClients));
  #minute = 0;

  /** With null, or a password that is too short, `admin` cannot sign in. */
  constructor(password: string | null) {
    this.#digest = password !== null && [...password].length >= minPasswordLength ? secretDigest(password) : null;
  }

  /**
   * Returns `blocked` for the rest of the minute after ten wrong passwords from an address. `now` in ms. MQTT clients are counted
   * separately: behind RabbitMQ all have its address, and clients of its MQTT port must not block this server's AMQP connection.
   */
  check(password: string, address: string, now: number, isMqtt = false): 'correct' | 'wrong' | 'blocked' {
    const currentMinute = Math.floor(now / minute);
    if (currentMinute !== this.#minute) {
      this.#minute = currentMinute;
      this.#wrong.clear();
    }
    const client = `${isMqtt ? 'mqtt ' : ''}${networkOf(address)}`;
    const wrong = this.#wrong.get(client) ?? 0;
    if (wrong >= maxWrongPasswords) return 'blocked';
    if (this.#digest !== null && matchesSecret(password, this.#digest)) return 'correct';
    this.#wrong.set(client, wrong + 1);
    return 'wrong';
  }
}
