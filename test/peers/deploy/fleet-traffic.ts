import { setTimeout as sleep } from 'node:timers/promises';
import type { ProxyServer } from './proxy-server.ts';

/** A response or an error that a client did not expect. */
export interface FailedRequest {
  /** Time of the response, of `performance.now()`. */
  readonly at: number;
  readonly what: string;
}

/** Clients of a fleet's proxy that create tools and read, without repeating anything, until they are stopped. */
export class FleetTraffic {
  /** Names of the tools whose creation was acknowledged. */
  readonly stored: string[] = [];
  readonly failed: FailedRequest[] = [];
  /** Requests with the expected response. */
  answered = 0;
  readonly #caddy: ProxyServer;
  readonly #token: string;
  readonly #pause: number;
  readonly #clients: Promise<void>[];
  #isOver = false;

  /** `pause`: ms between two pairs of requests of a client. */
  constructor(caddy: ProxyServer, token: string, pause = 100, clients = 6) {
    this.#caddy = caddy;
    this.#token = token;
    this.#pause = pause;
    this.#clients = Array.from({ length: clients }, (_, index) => this.#run(index + 1));
  }

  /** Resolves when the last requests have their responses. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
  }

  async #run(number: number): Promise<void> {
    // An address for each, so that processes share the clients.
    const options = { address: `127.0.1.${number}`, headers: { authorization: this.#token } };
    for (let count = 0; !this.#isOver; count++) {
      const name = `Rake ${number}-${count}`;
      if (await this.#isAnswered('/api/tools', { ...options, method: 'POST', body: JSON.stringify({ name }) }))
        this.stored.push(name);
      await this.#isAnswered('/api/device', options);
      await sleep(this.#pause);
    }
  }

  async #isAnswered(path: string, options: Parameters<ProxyServer['send']>[1]): Promise<boolean> {
    const what = await this.#caddy.send(path, options).then(
      ({ status, text }) => (status === 200 ? null : `${status} ${text}`),
      (error: unknown) => String(error),
    );
    if (what === null) this.answered++;
    else this.failed.push({ at: performance.now(), what: `${options?.method ?? 'GET'} ${path}: ${what}` });
    return what === null;
  }
}
