import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../core/clock.ts';
import { present, timestamp } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { ServerScope } from '../db/scope.ts';
import type { JobPayload, JobRow } from './job-rows.ts';
import { jobs } from './job-rows.ts';
import type { JobQueue } from './queue.ts';
import { Schedules } from './schedules.ts';

/** Does the work of one kind of job. Called at least once per job, so twice must not hurt. Rejects to be tried again. */
export type JobHandler = (server: ServerScope, payload: JobPayload) => Promise<void>;

/** One kind of work, ready to be registered. */
export interface JobKind {
  readonly kind: string;
  readonly handle: JobHandler;
  /** Jobs of this kind that one process runs at once at most; kinds that wait for somebody else must leave room for the others. */
  readonly atOnce?: number;
  /** Such a job, with an empty payload, is done every so many ms: once over all processes, the first time after one interval. */
  readonly every?: number;
  /** Undoes what promised the work when a job is given up, in the transaction that marks it so. `error`: what its last attempt threw; undefined when the process ended. */
  readonly givenUp?: (server: ServerScope, payload: JobPayload, error: unknown) => Promise<void>;
}

export interface JobRunnerOptions {
  readonly queue: JobQueue;
  /** A fresh scope per job. */
  readonly scope: () => ServerScope;
  readonly clock: Clock;
  readonly log: Logger;
  /** Jobs that run at once, of all kinds together. */
  readonly atOnce?: number;
  /** How long a claim holds without a sign of life, in ms; renewed three times as often. After a crash others take over then. */
  readonly lease?: number;
}

const usualPlaces = 4;
const usualLease = 60_000;
/** How often the table is looked at without being told, in ms: finds jobs of other processes and jobs whose time came. */
const interval = 2_000;
/** First pause after a failure in ms; each further one is four times as long, less or more by up to a half. */
const firstPause = 10_000;
const longestError = 500;
/** How long a stop waits for jobs that run, in ms: half of what the whole process has. */
const usualPatience = 5_000;

/** Kinds that share places, and how many of these are free. */
interface Vacancy {
  readonly kinds: readonly string[];
  readonly places: number;
}

const oldestFirst = (a: JobRow, b: JobRow): number => a.run_at.localeCompare(b.run_at) || a.id - b.id;

/** Runs the jobs of the table, in this process; several processes share the work. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #places: number;
  readonly #lease: number;
  readonly #kinds = new Map<string, Omit<JobKind, 'kind' | 'every'>>();
  readonly #schedules: Schedules;
  readonly #running = new Map<number, { readonly kind: string; readonly done: Promise<void> }>();
  readonly #identity = `${hostname()} ${process.pid} ${randomUUID().slice(0, 8)}`;
  #timer: NodeJS.Timeout | null = null;
  #unlisten: (() => void) | null = null;
  #claiming: Promise<void> | null = null;
  #again = false;
  #isStopped = false;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#places = options.atOnce ?? usualPlaces;
    this.#lease = options.lease ?? usualLease;
    this.#schedules = new Schedules(options);
  }

  /** Registers the handler of a kind. Jobs of kinds without one stay for other processes. */
  handle(kind: string, handle: JobHandler, { every, ...limits }: Omit<JobKind, 'kind' | 'handle'> = {}): void {
    if (this.#kinds.has(kind)) throw new Error(`two handlers for jobs of the kind ${kind}`);
    this.#kinds.set(kind, { handle, ...limits });
    if (every !== undefined) this.#schedules.add(kind, every);
  }

  /** Begins to count the intervals of kinds that are done again and again, where nobody did before. */
  plan(): Promise<void> {
    return this.#schedules.plan();
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
    } while (!this.#isStopped && (await this.#isAnyDue()));
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
        this.#options.log.warn({ error: told(error) }, 'jobs cannot be read'),
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
    // Read outside a transaction first: an idle server writes nothing.
    if (!(await this.#isAnyDue())) return;
    const claimed = await this.#options.scope().transaction((scope) => this.#claim(scope));
    for (const row of claimed) {
      if (row.failed_at !== null)
        this.#options.log.error({ job: row.id, kind: row.kind, error: row.last_error }, 'job was given up');
      else if (this.#isStopped) await this.#giveBack(row);
      else this.#begin(row);
    }
  }

  #begin(row: JobRow): void {
    const done = this.#run(row).finally(() => {
      this.#running.delete(row.id);
      if (this.#timer) this.#look();
    });
    this.#running.set(row.id, { kind: row.kind, done });
  }

  /** Undoes a claim that a stop overtook: nobody need wait for its lease. */
  async #giveBack({ id, attempts }: JobRow): Promise<void> {
    const changes = { attempts: attempts - 1, locked_until: null, locked_by: null };
    await this.#options
      .scope()
      .update(jobs, changes, { where: { id, locked_by: this.#identity } })
      .catch((error: unknown) =>
        this.#options.log.warn({ job: id, error: told(error) }, 'a job could not be given back'),
      );
  }

  /** What there is room for: kinds with a limit of their own stand alone, the others share. */
  #vacancies(): Vacancy[] {
    const free = this.#places - this.#running.size;
    const shared: string[] = [];
    const alone: Vacancy[] = [];
    for (const [kind, { atOnce }] of this.#kinds) {
      if (atOnce === undefined) shared.push(kind);
      else {
        const running = [...this.#running.values()].filter((one) => one.kind === kind).length;
        alone.push({ kinds: [kind], places: Math.min(free, atOnce - running) });
      }
    }
    return [{ kinds: shared, places: free }, ...alone].filter(({ kinds, places }) => kinds.length > 0 && places > 0);
  }

  async #isAnyDue(): Promise<boolean> {
    const kinds = this.#vacancies().flatMap((vacancy) => vacancy.kinds);
    return kinds.length > 0 && (await this.#due(this.#options.scope(), { kinds, places: 1 })).length > 0;
  }

  /** Jobs whose time has come and that nobody works on, the oldest first. */
  async #due(scope: ServerScope, { kinds, places }: Vacancy): Promise<JobRow[]> {
    const now = present(this.#options.clock);
    const open = { kind: kinds, failed_at: null };
    const order = [
      ['run_at', 'asc'],
      ['id', 'asc'],
    ] as const;
    const waiting = await scope.rows(jobs, {
      where: { ...open, locked_until: null, run_at: { lte: now } },
      order,
      limit: places,
    });
    const abandoned = await scope.rows(jobs, {
      where: { ...open, locked_until: { lt: now } },
      order,
      limit: places + this.#running.size,
    });
    // After a machine has slept its own leases look abandoned, too, while their jobs go on.
    const orphans = abandoned.filter(({ id }) => !this.#running.has(id));
    return [...waiting, ...orphans].sort(oldestFirst).slice(0, places);
  }

  /** Takes what there is room for; gives the rows as they are now, those with `failed_at` not to be run. */
  async #claim(scope: ServerScope): Promise<JobRow[]> {
    const now = this.#options.clock.now();
    const due: JobRow[] = [];
    for (const vacancy of this.#vacancies()) due.push(...(await this.#due(scope, vacancy)));
    const claimed: JobRow[] = [];
    // In one order everywhere, so that processes that claim at once do not block each other.
    for (const row of due.sort(oldestFirst).slice(0, this.#places - this.#running.size)) {
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
          : { attempts: row.attempts + 1, locked_until: timestamp(now + this.#lease), locked_by: this.#identity };
      const marked = await scope.update(jobs, changes, query);
      for (const one of marked) if (one.failed_at !== null) await this.#giveUp(scope, one, undefined);
      claimed.push(...marked);
    }
    return claimed;
  }

  async #run(row: JobRow): Promise<void> {
    const { log } = this.#options;
    const own = { where: { id: row.id, locked_by: this.#identity } };
    const renewal = setInterval(() => {
      const locked_until = timestamp(this.#options.clock.now() + this.#lease);
      this.#options
        .scope()
        .update(jobs, { locked_until }, own)
        .catch(() => undefined);
    }, this.#lease / 3);
    renewal.unref();
    try {
      const handler = this.#kinds.get(row.kind);
      if (!handler) return;
      await handler.handle(this.#options.scope(), row.payload);
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
        .transaction(async (scope) => {
          const changes = { ...outcome, last_error, locked_until: null, locked_by: null };
          const marked = await scope.update(jobs, changes, own);
          if (isLast && marked.length > 0) await this.#giveUp(scope, row, error);
        })
        .catch((failure: unknown) => log.warn({ job: row.id, error: told(failure) }, 'a job could not be marked'));
    } finally {
      clearInterval(renewal);
    }
  }

  /** In a savepoint: a job whose end cannot be told is given up all the same. */
  async #giveUp(scope: ServerScope, { id, kind, payload }: JobRow, error: unknown): Promise<void> {
    const { givenUp } = this.#kinds.get(kind) ?? {};
    if (!givenUp) return;
    await scope
      .transaction((inner) => givenUp(inner, payload, error))
      .catch((failure: unknown) =>
        this.#options.log.error({ job: id, kind, error: told(failure) }, 'what a job promised could not be undone'),
      );
  }
}

/** How long to wait after so many attempts, in ms. */
export const pauseAfter = (attempts: number): number => firstPause * 4 ** (attempts - 1) * (0.5 + Math.random());

const told = (error: unknown): string => (error instanceof Error ? error.message : String(error));
