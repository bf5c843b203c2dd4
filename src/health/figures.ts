import type { Server } from 'node:http';
import { hostname } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock, Timestamp } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { ServerScope } from '../db/scope.ts';
import { countJobs } from '../jobs/job-counts.ts';

/** Seconds from one sample to the next. */
export const sampleInterval = 60;
/** Samples that are kept: a day's. */
export const maxSamples = 1440;
/** How long the database has to count jobs, in ms. */
const countTimeout = 5000;
/** Milliseconds from one measurement of the event loop to the next. */
const loopResolution = 100;

/** The counts of a process in a minute, and its state at the end. */
export interface FigureSample {
  /** The end of the minute. */
  readonly at: Timestamp;
  /** HTTP responses that ended. */
  readonly requests: number;
  /** The requests among them with a status from 500. */
  readonly errors: number;
  /** Resident memory, in bytes. */
  readonly memory: number;
  /** How long a due timer waited, in ms: 99 of 100 waited less. */
  readonly event_loop_delay: number;
  /** Background jobs of all processes that are due and not started; null: the database did not respond. */
  readonly jobs_waiting: number | null;
  readonly http_connections: number;
  /** Null: the broker does not report them, or there is none. */
  readonly broker_connections: number | null;
}

export interface FigureOptions {
  readonly clock: Clock;
  /** Creates a scope. */
  readonly server: () => ServerScope;
  /** Returns the state of the broker; null: there is none. */
  readonly broker: () => { readonly connections: number | null } | null;
  readonly log: Logger;
}

/** Samples of this process, one a minute, of the last day, in memory. [ADR 69] */
export class FigureRecorder {
  readonly #options: FigureOptions;
  readonly #samples: FigureSample[] = [];
  readonly #loop = monitorEventLoopDelay({ resolution: loopResolution });
  #http: Server | null = null;
  #requests = 0;
  #errors = 0;
  #counting: Promise<number | null> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FigureOptions) {
    this.#options = options;
  }

  /** The name of the process, as in lists of processes. */
  readonly process = `${hostname()} ${process.pid}`;

  /** The oldest first. */
  get samples(): readonly FigureSample[] {
    return this.#samples;
  }

  /** Counts the responses of an HTTP server, and takes the first sample. */
  async start(http: Server): Promise<void> {
    this.#http = http;
    http.prependListener('request', (_request, response) => {
      response.once('close', () => {
        this.#requests++;
        if (response.headersSent && response.statusCode >= 500) this.#errors++;
      });
    });
    this.#loop.enable();
    this.#timer = setInterval(() => void this.sample(), sampleInterval * 1000).unref();
    await this.sample();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#loop.disable();
  }

  /** Takes a sample. */
  async sample(): Promise<void> {
    const { clock, broker } = this.#options;
    const [requests, errors] = [this.#requests, this.#errors];
    this.#requests = 0;
    this.#errors = 0;
    const delay = this.#loop.count === 0 ? 0 : this.#loop.percentile(99) / 1e6 - loopResolution;
    this.#loop.reset();
    this.#samples.push({
      at: timestamp(clock.now()),
      requests,
      errors,
      memory: process.memoryUsage.rss(),
      event_loop_delay: Math.max(0, Math.round(delay * 10) / 10),
      jobs_waiting: await this.#waitingJobs(),
      http_connections: await this.#connections(),
      broker_connections: broker()?.connections ?? null,
    });
    if (this.#samples.length > maxSamples) this.#samples.shift();
  }

  /** Asks the database once at a time: it may hang. */
  #waitingJobs(): Promise<number | null> {
    const { server, log } = this.#options;
    this.#counting ??= countJobs(server())
      .then(
        ({ waiting }) => waiting,
        (error: unknown) => {
          log.warn({ reason: String(error) }, 'failed to count jobs');
          return null;
        },
      )
      .finally(() => {
        this.#counting = null;
      });
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, countTimeout, null);
    });
    return Promise.race([this.#counting, timeout]).finally(() => clearTimeout(timer));
  }

  #connections(): Promise<number> {
    return new Promise((resolve) => {
      if (this.#http?.listening) this.#http.getConnections((_error, count) => resolve(count ?? 0));
      else resolve(0);
    });
  }
}
