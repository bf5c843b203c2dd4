import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../core/clock.ts';
import { present, timestamp } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { ServerScope } from '../db/scope.ts';
import type { JobPayload, JobRow } from './job-rows.ts';
import { jobs } from './job-rows.ts';
import type { JobQueue } from './queue.ts';

/** Does the work of one kind of job. Called at least once per job, so twice must not hurt. Rejects to be tried again. */
export type JobHandler = (server: ServerScope, payload: JobPayload) => Promise<void>;

export interface JobRunnerOptions {
  readonly queue: JobQueue;
  /** A fresh scope per job. */
  readonly scope: () => ServerScope;
  readonly clock: Clock;
  readonly log: Logger;
  /** Jobs that run at once. */
  readonly atOnce?: number;
}

/** How long a claim holds without a sign of life, in ms; renewed three times as often. After a crash others take over then. */
const lease = 60_000;
/** How often the table is looked at without being told, in ms: finds jobs of other processes and jobs whose time came. */
const interval = 2_000;
/** First pause after a failure in ms; each further one is four times as long, less or more by up to a half. */
const firstPause = 10_000;
const longestError = 500;

/** Runs the jobs of the table, in this process; several processes share the work. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #handlers = new Map<string, JobHandler>();
  readonly #running = new Set<Promise<void>>();
  readonly #identity = `${hostname()} ${process.pid} ${randomUUID().slice(0, 8)}`;
  #timer: NodeJS.Timeout | null = null;
  #unlisten: (() => void) | null = null;
  #claiming: Promise<void> | null = null;
  #again = false;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
  }

  /** Registers the handler of a kind. Jobs of kinds without one stay for other processes. */
  handle(kind: string, handler: JobHandler): void {
    if (this.#handlers.has(kind)) throw new Error(`two handlers for jobs of the kind ${kind}`);
    this.#handlers.set(kind, handler);
  }

  /** Begins to look for jobs. */
  start(): void {
    if (this.#timer) return;
    this.#timer = setInterval(() => this.#look(), interval);
    this.#timer.unref();
    this.#unlisten = this.#options.queue.onEnqueued(() => this.#look());
    this.#look();
  }

  /** Takes no further jobs and waits for those that run, at most `patience` ms; what still runs is taken up again after its lease. */
  async stop(patience = 10_000): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    this.#unlisten?.();
    this.#unlisten = null;
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patience);
    });
    await Promise.race([this.#idle(), enough]);
    clearTimeout(timer);
  }

  /** Runs every job that is due, until none is left that is. For tests and commands; a started runner does this by itself. */
  async runDue(): Promise<void> {
    do {
      await this.#claimSome();
      await Promise.all(this.#running);
    } while ((await this.#due(this.#options.scope(), 1)).length > 0);
  }

  async #idle(): Promise<void> {
    await this.#claiming;
    await Promise.all(this.#running);
  }

  #look(): void {
    if (this.#claiming) {
      this.#again = true;
      return;
    }
    this.#claiming = this.#claimSome()
      .catch((error: unknown) => this.#options.log.warn({ error: told(error) }, 'jobs cannot be read'))
      .finally(() => {
        this.#claiming = null;
        const again = this.#again;
        this.#again = false;
        if (again && this.#timer) this.#look();
      });
  }

  async #claimSome(): Promise<void> {
    const places = (this.#options.atOnce ?? 4) - this.#running.size;
    if (places <= 0 || this.#handlers.size === 0) return;
    // Read outside a transaction first: an idle server writes nothing.
    if ((await this.#due(this.#options.scope(), 1)).length === 0) return;
    const claimed = await this.#options.scope().transaction((scope) => this.#claim(scope, places));
    for (const row of claimed) {
      const run = this.#run(row).finally(() => {
        this.#running.delete(run);
        if (this.#timer) this.#look();
      });
      this.#running.add(run);
    }
  }

  /** Jobs whose time has come and that nobody works on, the oldest first. */
  async #due(scope: ServerScope, limit: number): Promise<JobRow[]> {
    const now = present(this.#options.clock);
    const kind = [...this.#handlers.keys()];
    const order = [['run_at', 'asc'] as const];
    const waiting = await scope.rows(jobs, {
      where: { kind, failed_at: null, locked_until: null, run_at: { lte: now } },
      order,
      limit,
    });
    if (waiting.length >= limit) return waiting;
    const abandoned = await scope.rows(jobs, {
      where: { kind, failed_at: null, locked_until: { lt: now } },
      order,
      limit,
    });
    return [...waiting, ...abandoned].slice(0, limit);
  }

  async #claim(scope: ServerScope, limit: number): Promise<JobRow[]> {
    const now = this.#options.clock.now();
    const mine: JobRow[] = [];
    for (const row of await this.#due(scope, limit)) {
      // The lease that was read must still be there: another process may have been faster.
      const query = { where: { id: row.id, locked_until: row.locked_until, failed_at: null } };
      // Counted before the work: a job that ends the process is given up in time, too.
      const changes =
        row.attempts >= row.max_attempts
          ? {
              failed_at: timestamp(now),
              locked_until: null,
              locked_by: null,
              last_error: row.last_error ?? 'abandoned',
            }
          : { attempts: row.attempts + 1, locked_until: timestamp(now + lease), locked_by: this.#identity };
      const [claimed] = await scope.update(jobs, changes, query);
      if (claimed && claimed.failed_at === null) mine.push(claimed);
    }
    return mine;
  }

  async #run(row: JobRow): Promise<void> {
    const { log } = this.#options;
    const own = { where: { id: row.id, locked_by: this.#identity } };
    const renewal = setInterval(() => {
      const locked_until = timestamp(this.#options.clock.now() + lease);
      this.#options
        .scope()
        .update(jobs, { locked_until }, own)
        .catch(() => undefined);
    }, lease / 3);
    renewal.unref();
    try {
      const handler = this.#handlers.get(row.kind);
      if (!handler) return;
      await handler(this.#options.scope(), row.payload);
      await this.#options.scope().remove(jobs, own);
    } catch (error) {
      const last_error = told(error).slice(0, longestError);
      const isLast = row.attempts >= row.max_attempts;
      const now = this.#options.clock.now();
      log[isLast ? 'error' : 'warn'](
        { job: row.id, kind: row.kind, attempt: row.attempts, error: last_error },
        isLast ? 'job failed for good' : 'job failed and will be tried again',
      );
      const outcome = isLast ? { failed_at: timestamp(now) } : { run_at: timestamp(now + pauseAfter(row.attempts)) };
      await this.#options
        .scope()
        .update(jobs, { ...outcome, last_error, locked_until: null, locked_by: null }, own)
        .catch((failure: unknown) => log.warn({ job: row.id, error: told(failure) }, 'a job could not be marked'));
    } finally {
      clearInterval(renewal);
    }
  }
}

/** How long to wait after so many attempts, in ms. */
export const pauseAfter = (attempts: number): number => firstPause * 4 ** (attempts - 1) * (0.5 + Math.random());

const told = (error: unknown): string => (error instanceof Error ? error.message : String(error));
