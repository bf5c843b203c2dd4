import { LRUCache } from 'lru-cache';
import { networkOf } from '../core/network.ts';
import { matchesSecret, secretDigest } from '../core/secret.ts';

/** Milliseconds that logins are counted, from the first one on. [reference 12.2] */
const loginWindow = 5 * 60_000;

/** Names and addresses that are remembered at most. */
const mostRemembered = 50_000;

/** Counts the logins of each name in windows that begin with the first one; a refused one does not count. [reference 12.2] */
export class LoginLimit {
  readonly #counts = new LRUCache<string, { readonly since: number; count: number }>({ max: mostRemembered });

  /** Counts a login; false when `most` were counted already. `now` in milliseconds. */
  admits(name: string, most: number, now: number): boolean {
    const counted = this.#counts.get(name);
    if (!counted || now - counted.since >= loginWindow) {
      this.#counts.set(name, { since: now, count: 1 });
      return true;
    }
    if (counted.count >= most) return false;
    counted.count++;
    return true;
  }
}

const minute = 60_000;
/** Wrong admin passwords in a minute, after which an address has to wait for the next one. */
const wrongPasswords = 10;
/** A shorter admin password lets nobody in. [reference 14] */
const shortestPassword = 5;

/** Checks the password of the broker's `admin`. */
export class AdminPassword {
  readonly #digest: Buffer | null;
  readonly #wrong = new LRUCache<string, number>({ max: mostRemembered });
  #minute = 0;

  /** Null, or shorter than 5 characters: no password is right. */
  constructor(password: string | null) {
    this.#digest = password !== null && [...password].length >= shortestPassword ? secretDigest(password) : null;
  }

  /**
   * `blocked` after ten wrong ones from that address in the minute, right or wrong. `now` in milliseconds. Those of MQTT clients count apart:
   * through RabbitMQ all come from its address, and strangers on its MQTT port must not keep this server out of its AMQP port.
   */
  check(password: string, address: string, now: number, isMqtt = false): 'right' | 'wrong' | 'blocked' {
    const present = Math.floor(now / minute);
    if (present !== this.#minute) {
      this.#minute = present;
      this.#wrong.clear();
    }
    const client = `${isMqtt ? 'mqtt ' : ''}${networkOf(address)}`;
    const wrong = this.#wrong.get(client) ?? 0;
    if (wrong >= wrongPasswords) return 'blocked';
    if (this.#digest !== null && matchesSecret(password, this.#digest)) return 'right';
    this.#wrong.set(client, wrong + 1);
    return 'wrong';
  }
}
