import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Vacancy } from './claims.ts';
import { Claims, oldestFirst } from './claims.ts';
import type { JobPayload, JobRow } from './job-rows.ts';
import { jobs } from './job-rows.ts';
import type { JobQueue } from './queue.ts';
import { redactedMessage } from './redacted-errors.ts';
import { Schedules } from './schedules.ts';

/** Does the work of one kind of job. Called at least once per job, so twice must not hurt. Rejects to be tried again. */
export type JobHandler = (server: ServerScope, payload: JobPayload) => Promise<void>;

/** One kind of work, ready to be registered. */
export interface JobDefinition {
  readonly kind: string;
  readonly handle: JobHandler;
  /** Jobs of this kind that one process runs at once at most; kinds that wait for somebody else must leave room for the others. */
  readonly concurrency?: number;
  /** Such a job, with an empty payload, is done every so many ms: once over all processes, the first time after one interval. */
  readonly interval?: number;
  /** Such a job is to be done also when its device is deleted before; others are dropped with it. */
  readonly survivesDeviceDeletion?: true;
  /** Undoes what promised the work when a job is given up, in the transaction that marks it so. `error`: what its last attempt threw; undefined when the process ended. */
  readonly onGiveUp?: (server: ServerScope, payload: JobPayload, error: unknown) => Promise<void>;
}

export interface JobRunnerOptions {
  readonly queue: JobQueue;
  /** A fresh scope per job. */
  readonly scope: () => ServerScope;
  readonly clock: Clock;
  readonly log: Logger;
  /** Jobs that run at once, of all kinds together. */
  readonly concurrency?: number;
  /** How long a claim holds without a sign of life, in ms; renewed three times as often. After a crash others take over then. */
  readonly lease?: number;
}

const usualPlaces = 4;
const usualLease = 60_000;
/** How often the table is looked at without being told, in ms: finds jobs of other processes and jobs whose time came. */
const interval = 2_000;
/** First pause after a failure in ms; each further one is four times as long, less or more by up to a half. */
const firstPause = 10_000;
/** How long a stop waits for jobs that run, in ms: half of what the whole process has. */
const usualPatience = 5_000;

/** Runs the jobs of the table, in this process; several processes share the work. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #places: number;
  readonly #claims: Claims;
  readonly #kinds = new Map<string, Omit<JobDefinition, 'kind' | 'every' | 'outlivesDevice'>>();
  readonly #schedules: Schedules;
  readonly #running = new Map<number, { readonly kind: string; readonly done: Promise<void> }>();
  #timer: NodeJS.Timeout | null = null;
  #unlisten: (() => void) | null = null;
  #claiming: Promise<void> | null = null;
  #again = false;
  #isStopped = false;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#places = options.concurrency ?? usualPlaces;
    this.#claims = new Claims({
      clock: options.clock,
      lease: options.lease ?? usualLease,
      identity: `${hostname()} ${process.pid} ${randomUUID().slice(0, 8)}`,
      isRunning: (id) => this.#running.has(id),
    });
    this.#schedules = new Schedules(options);
  }

  /** Registers the handler of a kind. Jobs of kinds without one stay for other processes. */
  register(
    kind: string,
    handle: JobHandler,
    { interval, survivesDeviceDeletion, ...limits }: Omit<JobDefinition, 'kind' | 'handle'> = {},
  ): void {
    if (this.#kinds.has(kind)) throw new Error(`two handlers for jobs of the kind ${kind}`);
    this.#kinds.set(kind, { handle, ...limits });
    if (interval !== undefined) this.#schedules.add(kind, interval);
    if (survivesDeviceDeletion) this.#options.queue.keepAfterDeviceDeletion(kind);
  }

  /** Begins to count the intervals of kinds that are done again and again, where nobody did before. */
  planSchedules(): Promise<void> {
    return this.#schedules.plan();
  }

  /** Takes up at once what a process that ended has begun, rather than after its lease. Only where no other server can be at work. */
  releaseLeases(): Promise<void> {
    return this.#claims.releaseAll(this.#options.scope());
  }

  /** Begins to look for jobs. */
  start(): void {
    if (this.#timer) return;
    this.#isStopped = false;
    this.#timer = setInterval(() => this.#look(), interval);
    this.#timer.unref();
    this.#unlisten = this.#options.queue.onEnqueued(() => this.#look());
    this.#look();
  }

  /** Takes no further jobs and waits for those that run, at most `patience` ms; what still runs is taken up again after its lease. */
  async stop(patience = usualPatience): Promise<void> {
    this.#isStopped = true;
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
      await this.#claimInTurn();
      await this.#finished();
      // A started runner may have begun some meanwhile.
    } while (!this.#isStopped && ((await this.#isAnyDue()) || this.#running.size > 0));
  }

  async #idle(): Promise<void> {
    while (this.#claiming) await this.#claiming.catch(() => undefined);
    await this.#finished();
  }

  async #finished(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  #look(): void {
    if (this.#claiming) this.#again = true;
    else
      this.#claimInTurn().catch((error: unknown) =>
        this.#options.log.warn({ error: redactedMessage(error) }, 'jobs cannot be read'),
      );
  }

  /** One claim after the other: each counts the places that the one before has left. */
  async #claimInTurn(): Promise<void> {
    while (this.#claiming) await this.#claiming.catch(() => undefined);
    this.#claiming = this.#claimSome().finally(() => {
      this.#claiming = null;
      const again = this.#again;
      this.#again = false;
      if (again && this.#timer) this.#look();
    });
    await this.#claiming;
  }

  async #claimSome(): Promise<void> {
    if (this.#isStopped) return;
    await this.#schedules.enqueueDue();
    await this.#claims.mendTimes(this.#options.scope());
    // Read outside a transaction first: an idle server writes nothing.
    if (!(await this.#isAnyDue())) return;
    const claimed = await this.#options.scope().transaction((scope) => this.#claim(scope));
    for (const row of claimed) {
      if (row.failed_at !== null)
        this.#options.log.error({ job: row.id, kind: row.kind, error: row.last_error }, 'job was given up');
      else if (!this.#isStopped) this.#begin(row);
      else
        await this.#claims
          .giveBack(this.#options.scope(), row)
          .catch((error: unknown) => this.#warn(row, error, 'a job could not be given back'));
    }
  }

  #begin(row: JobRow): void {
    const done = this.#run(row).finally(() => {
      this.#running.delete(row.id);
      if (this.#timer) this.#look();
    });
    this.#running.set(row.id, { kind: row.kind, done });
  }

  /** What there is room for: kinds with a limit of their own stand alone, the others share. */
  #vacancies(): Vacancy[] {
    const free = this.#places - this.#running.size;
    const shared: string[] = [];
    const alone: Vacancy[] = [];
    for (const [kind, { concurrency }] of this.#kinds) {
      if (concurrency === undefined) shared.push(kind);
      else {
        const running = [...this.#running.values()].filter((one) => one.kind === kind).length;
        alone.push({ kinds: [kind], places: Math.min(free, concurrency - running) });
      }
    }
    return [{ kinds: shared, places: free }, ...alone].filter(({ kinds, places }) => kinds.length > 0 && places > 0);
  }

  async #isAnyDue(): Promise<boolean> {
    const kinds = this.#vacancies().flatMap((vacancy) => vacancy.kinds);
    if (kinds.length === 0) return false;
    return (await this.#claims.due(this.#options.scope(), { kinds, places: 1 }, this.#running.size)).length > 0;
  }

  /** Takes what there is room for; gives the rows as they are now, those with `failed_at` not to be run. */
  async #claim(scope: ServerScope): Promise<JobRow[]> {
    const due: JobRow[] = [];
    for (const vacancy of this.#vacancies()) due.push(...(await this.#claims.due(scope, vacancy, this.#running.size)));
    const claimed: JobRow[] = [];
    // In one order everywhere, so that processes that claim at once do not block each other.
    for (const row of due.sort(oldestFirst).slice(0, this.#places - this.#running.size)) {
      const marked = await this.#claims.take(scope, row);
      for (const one of marked) if (one.failed_at !== null) await this.#giveUp(scope, one, undefined);
      claimed.push(...marked);
    }
    return claimed;
  }

  async #run(row: JobRow): Promise<void> {
    const { log } = this.#options;
    const own = this.#claims.own(row.id);
    const end = this.#claims.renew(this.#options.scope, row.id);
    try {
      const handler = this.#kinds.get(row.kind);
      if (!handler) return;
      await handler.handle(this.#options.scope(), row.payload);
      await this.#options.scope().delete(jobs, own);
    } catch (error) {
      const last_error = redactedMessage(error);
      const isLast = row.attempts >= row.max_attempts;
      const now = this.#options.clock.now();
      log[isLast ? 'error' : 'warn'](
        { job: row.id, kind: row.kind, attempt: row.attempts, error: last_error },
        isLast ? 'job failed for good' : 'job failed and will be tried again',
      );
      const outcome = isLast ? { failed_at: timestamp(now) } : { run_at: timestamp(now + pauseAfter(row.attempts)) };
      await this.#options
        .scope()
        .transaction(async (scope) => {
          const changes = { ...outcome, last_error, locked_until: null, locked_by: null };
          const marked = await scope.update(jobs, changes, own);
          if (isLast && marked.length > 0) await this.#giveUp(scope, row, error);
        })
        .catch((failure: unknown) => this.#warn(row, failure, 'a job could not be marked'));
    } finally {
      end();
    }
  }

  #warn({ id, kind }: JobRow, error: unknown, what: string): void {
    this.#options.log.warn({ job: id, kind, error: redactedMessage(error) }, what);
  }

  /** In a savepoint: a job whose end cannot be told is given up all the same. */
  async #giveUp(scope: ServerScope, { id, kind, payload }: JobRow, error: unknown): Promise<void> {
    const { onGiveUp } = this.#kinds.get(kind) ?? {};
    if (!onGiveUp) return;
    await scope
      .transaction((inner) => onGiveUp(inner, payload, error))
      .catch((failure: unknown) =>
        this.#options.log.error(
          { job: id, kind, error: redactedMessage(failure) },
          'what a job promised could not be undone',
        ),
      );
  }
}

/** How long to wait after so many attempts, in ms. */
export const pauseAfter = (attempts: number): number => firstPause * 4 ** (attempts - 1) * (0.5 + Math.random());
