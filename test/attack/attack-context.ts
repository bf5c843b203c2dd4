import { expect } from 'vitest';
import type { HttpResponse, RequestOptions } from '../support/http-client.ts';
import type { AttackedServer } from './attacked-server.ts';
import type { HonestUser } from './honest-user.ts';

/** One run of an attempt: counts its tries and the server's answers. */
export class AttackContext {
  readonly server: AttackedServer;
  readonly honest: HonestUser;
  /** The number of tries that the attempt has to make. */
  readonly tries: number;
  /** Whether this is `npm run attack`, which also waits for timeouts. */
  readonly isFull: boolean;
  readonly #start = Date.now();
  readonly #answers = new Map<string, number>();

  constructor(server: AttackedServer, honest: HonestUser, tries: number, isFull: boolean) {
    this.server = server;
    this.honest = honest;
    this.tries = tries;
    this.isFull = isFull;
  }

  /** Counts a try by its answer: a status, or the end of a connection. */
  record(answer: string | number): void {
    const key = String(answer);
    this.#answers.set(key, (this.#answers.get(key) ?? 0) + 1);
  }

  /** Sends a hostile request for a client of an address, and counts it. */
  async attack(from: string, method: string, path: string, options: RequestOptions = {}): Promise<HttpResponse> {
    const response = await this.server.send(from, method, path, options);
    this.record(response.status);
    return response;
  }

  /** Expects that a limit let this number pass; twice as many when its window, which is aligned to the clock, ended in between. */
  expectLimit(passed: number, limit: number, period: number): void {
    if (this.#windows(period) === 1) expect(passed).toBe(limit);
    else this.expectAtMost(passed, limit, period);
  }

  /** Expects that a limit, which others may have used, let no more than this number pass, in each of the windows since the beginning. */
  expectAtMost(passed: number, limit: number, period: number): void {
    expect(passed).toBeLessThanOrEqual(limit * this.#windows(period));
  }

  #windows(period: number): number {
    return 1 + Math.floor(Date.now() / period) - Math.floor(this.#start / period);
  }

  /** Expects that a limit let this number of all tries pass with 200, and refused the others with 429. */
  expectOnly(limit: number, period: number): void {
    this.expectLimit(this.count(200), limit, period);
    expect(this.count(200) + this.count(429)).toBe(this.tries);
  }

  /** How often each answer came: `422 ×10, 429 ×4`. */
  get answers(): ReadonlyMap<string, number> {
    return this.#answers;
  }

  /** How often an answer came. */
  count(answer: string | number): number {
    return this.#answers.get(String(answer)) ?? 0;
  }

  get made(): number {
    return [...this.#answers.values()].reduce((sum, count) => sum + count, 0);
  }
}
