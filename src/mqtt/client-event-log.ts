import type { Clock } from '../core/clock.ts';
import type { Counters } from '../core/counters.ts';
import type { Logger } from '../core/logger.ts';

/** The reason why the server rejects a request of a client. Rejections by the {@link Authenticator} are its own to count. */
export type RequestRejection =
  | 'anonymous'
  | 'client_id'
  | 'too_many_connections'
  | 'not_checked'
  | 'topic_length'
  | 'filter_length'
  | 'topic_levels'
  | 'filter_levels'
  | 'web_socket_path'
  | 'system_topic'
  | 'too_many_filters'
  | 'ended_will';

/** A client, as far as the log describes it. */
export interface LoggedClient {
  readonly address: string;
  readonly identity?: { readonly name: string } | null;
}

const second = 1000;
const maxLinesPerSecond = 20;

/** Counts and logs rejected requests and closed connections. Clients can cause any number of them, so the log is rate limited. */
export class ClientEventLog {
  readonly #counters: Counters;
  readonly #log: Logger;
  readonly #clock: Clock;
  #windowStart = 0;
  #lines = 0;
  #suppressed = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(counters: Counters, log: Logger, clock: Clock) {
    this.#counters = counters;
    this.#log = log;
    this.#clock = clock;
  }

  /** Records a rejected request. `details` must not contain secrets. */
  rejected(reason: RequestRejection, client: LoggedClient | null, details: object = {}): void {
    this.#counters.add('broker_refusals', reason);
    this.#info({ reason, ...described(client), ...details }, 'the message broker refused a client');
  }

  /** Records a connection that the server closes. */
  closed(reason: string, client: LoggedClient): void {
    this.#counters.add('broker_cut', reason);
    this.#info({ reason, ...described(client) }, 'the message broker ended a connection');
  }

  /** Logs the number of suppressed lines so far. */
  stop(): void {
    this.#logSuppressed();
  }

  #info(object: object, message: string): void {
    const now = this.#clock.now();
    if (Math.abs(now - this.#windowStart) >= second) {
      this.#logSuppressed();
      this.#windowStart = now;
      this.#lines = 0;
    }
    this.#lines++;
    if (this.#lines <= maxLinesPerSecond) {
      this.#log.info(object, message);
      return;
    }
    this.#suppressed++;
    this.#timer ??= setTimeout(() => this.#logSuppressed(), second).unref();
  }

  #logSuppressed(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#suppressed > 0)
      this.#log.info({ lines: this.#suppressed }, 'further lines of the message broker were suppressed');
    this.#suppressed = 0;
  }
}

const described = (client: LoggedClient | null): object => ({
  address: client?.address,
  ...(client?.identity && { username: client.identity.name }),
});
