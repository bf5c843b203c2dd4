import { setTimeout as sleep } from 'node:timers/promises';
import { HttpClient, type HttpResponse, type RequestOptions } from '../support/http-client.ts';
import { isObject, type Json, type JsonObject } from '../support/json.ts';
import type { Random } from './random.ts';
import type { SoakReport } from './soak-report.ts';

/** The knowledge of a client after a request: `unknown` may have happened, `refused` and `unsent` have not. */
export type Outcome =
  | { readonly kind: 'acknowledged'; readonly response: HttpResponse }
  | { readonly kind: 'refused'; readonly response: HttpResponse }
  | { readonly kind: 'unknown' | 'unsent' };

/** Connections of all actors to one server. */
const connectionsPerServer = 100;
/** How long a read is repeated while the installation is unavailable, in ms. */
const readTimeout = 60_000;

/** Sends requests to the servers of an installation, each to any of them, and counts their outcomes. */
export class Api {
  readonly #clients: readonly HttpClient[];
  readonly #report: SoakReport;

  constructor(bases: readonly string[], report: SoakReport) {
    this.#clients = bases.map((base) => new HttpClient(base, connectionsPerServer));
    this.#report = report;
  }

  get servers(): readonly HttpClient[] {
    return this.#clients;
  }

  /** Sends a request. A 500, a 507 and other unexpected responses are violations. */
  async send(random: Random, method: string, path: string, options: RequestOptions = {}): Promise<Outcome> {
    const kind = `${method} ${path
      .split('?')[0]
      ?.replace(/\/[\d,]+$/, '/:id')
      .replace(/\/verify\/.*|\/photos\/.*/, (part) => `/${part.split('/')[1]}/…`)}`;
    const counts = this.#report.request(kind);
    try {
      const response = await random.pick(this.#clients).send(method, path, options);
      if (response.status < 300) {
        counts.acknowledged++;
        return { kind: 'acknowledged', response };
      }
      if (response.status < 500) {
        this.#report.refused(kind, response.status);
        return { kind: 'refused', response };
      }
      if (response.status === 503) counts.unavailable++;
      else this.#report.violation(`${method} ${path}: ${response.status} ${response.text.slice(0, 300)}`);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED') {
        counts.unsent++;
        await sleep(100);
        return { kind: 'unsent' };
      }
      counts.unknown++;
    }
    // A commit whose confirmation was lost also has the status 503.
    return { kind: 'unknown' };
  }

  /** Like {@link send}, for requests that are valid: a refusal is a violation. */
  async sendValid(random: Random, method: string, path: string, options: RequestOptions = {}): Promise<Outcome> {
    const outcome = await this.send(random, method, path, options);
    if (outcome.kind === 'refused')
      this.#report.violation(
        `${method} ${path} was refused: ${outcome.response.status} ${outcome.response.text.slice(0, 300)}`,
      );
    return outcome;
  }

  /** Repeats a request until it is acknowledged. Throws after a minute. */
  async sendUntilAcknowledged(
    random: Random,
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<HttpResponse> {
    for (const end = performance.now() + readTimeout; ; ) {
      const outcome = await this.send(random, method, path, options);
      if (outcome.kind === 'acknowledged') return outcome.response;
      if (outcome.kind === 'refused')
        throw new Error(`${method} ${path}: ${outcome.response.status} ${outcome.response.text}`);
      if (performance.now() > end) throw new Error(`${method} ${path} did not succeed within a minute`);
      await sleep(100);
    }
  }

  /** Reads a list, repeatedly until it succeeds. */
  async list(random: Random, collection: string, token: string): Promise<JsonObject[]> {
    return objectsOf((await this.sendUntilAcknowledged(random, 'GET', `/api/${collection}`, { token })).json);
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }
}

/** Returns the objects of a list. */
export const objectsOf = (json: Json): JsonObject[] => (Array.isArray(json) ? json.filter(isObject) : []);
