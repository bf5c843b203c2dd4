import { setTimeout as sleep } from 'node:timers/promises';
import type { Actor } from '../core/changes.ts';
import { serverActor } from '../core/changes.ts';
import type { Clock } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import { confirmedNow } from '../core/confirmed-time.ts';
import type { Logger } from '../core/logger.ts';
import { isOutage } from '../core/outage.ts';
import type { ServerScope } from '../db/scope.ts';
import { Claims, oldestFirst } from './claims.ts';
import type { JobPayload, JobRow } from './job-rows.ts';
import type { JobQueue } from './queue.ts';
import { causeOf, redactedMessage } from './redacted-errors.ts';
import { Schedules } from './schedules.ts';
import type { FreeSlots, KindLimits, RunningJob } from './slots.ts';
import { freeSlots } from './slots.ts';

/** The run of a job. */
export interface JobRun {
  /** As the job was enqueued. */
  readonly turnOf: number | null;
  readonly serialKey: string | null;
  /** Renews the lease of the job, perhaps inside a transaction. Returns false if another process runs the job now. */
  readonly hold: (scope: ServerScope) => Promise<boolean>;
}

/** Runs a job. Called at least once per job, so it must be idempotent. Rejects to be retried. */
export type JobHandler = (server: ServerScope, payload: JobPayload, run: JobRun) => Promise<void>;

/** A kind of job. */
export interface JobDefinition extends KindLimits {
  readonly kind: string;
  readonly handle: JobHandler;
  /** Interval in ms at which one process runs such a job, with an empty payload; first after one interval. */
  readonly interval?: number;
  /** Whether jobs of this kind are kept when their device is deleted. */
  readonly survivesDeviceDeletion?: true;
  /** Called when a job fails permanently, in the transaction that marks it. `error`: of its last attempt; undefined if the process ended. */
  readonly onGiveUp?: (server: ServerScope, payload: JobPayload, error: unknown) => Promise<void>;
}

export interface JobRunnerOptions {
  readonly queue: JobQueue;
  /** Creates a scope for each job, whose changes the actor makes. */
  readonly scope: (actor?: Actor) => ServerScope;
  readonly clock: Clock;
  readonly log: Logger;
  /** Maximum number of concurrent jobs of all kinds that wait for no other server. */
  readonly concurrency?: number;
  /** Time after which other processes take over the jobs of a process that ended, in ms. Leases are renewed three times as often. */
  readonly lease?: number;
}

const defaultConcurrency = 4;
const defaultLease = 8_000;
/** Interval in which the table is polled for scheduled jobs and jobs of other processes, in ms. */
const pollInterval = 2_000;
/** Delay before the result of an attempt is stored again, in ms. */
const storeRetryDelay = 1_000;
/** Time that `stop` waits for running jobs, in ms: half of the time that the process has to exit. */
const defaultStopTimeout = 5_000;

/** Runs jobs of the table. Several processes may do so concurrently. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #slots: number;
  readonly #claims: Claims;
  readonly #kinds = new Map<string, Omit<JobDefinition, 'kind' | 'interval' | 'survivesDeviceDeletion'>>();
  readonly #schedules: Schedules;
  readonly #running = new Map<number, RunningJob & { readonly done: Promise<void> }>();
  #timer: NodeJS.Timeout | null = null;
  #unsubscribe: (() => void) | null = null;
  #claiming: Promise<void> | null = null;
  #isPollPending = false;
  #isStopped = false;
  /** Whether the last poll could read jobs. */
  #isReadable = true;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#slots = options.concurrency ?? defaultConcurrency;
    this.#claims = new Claims(options.clock, options.lease ?? defaultLease, this.#running);
    this.#schedules = new Schedules(options);
  }

  /** Registers the handler of a kind. Jobs of other kinds are left to other processes. */
  register(
    kind: string,
    handle: JobHandler,
    { interval, survivesDeviceDeletion, ...limits }: Omit<JobDefinition, 'kind' | 'handle'> = {},
  ): void {
    if (this.#kinds.has(kind)) throw new Error(`a handler for jobs of kind ${kind} is registered already`);
    this.#kinds.set(kind, { handle, ...limits });
    if (interval !== undefined) this.#schedules.add(kind, interval);
    if (survivesDeviceDeletion) this.#options.queue.keepAfterDeviceDeletion(kind);
  }

  /** Schedules the periodic kinds that have no schedule yet. */
  planSchedules(): Promise<void> {
    return this.#schedules.plan();
  }

  /** Releases jobs of a process that ended before their leases expire. Only for a single process. */
  releaseLeases(): Promise<void> {
    return this.#claims.lease.releaseAll(this.#options.scope(), { run_at: currentTimestamp(this.#options.clock) });
  }

  /** Starts polling for jobs. */
  start(): void {
    if (this.#timer) return;
    this.#isStopped = false;
    this.#timer = setInterval(() => this.#poll(), pollInterval);
    this.#timer.unref();
    this.#unsubscribe = this.#options.queue.onEnqueued(() => this.#poll());
    this.#poll();
  }

  /** Stops claiming jobs and waits up to `timeout` ms for running ones; the others run again after their leases. */
  async stop(timeout = defaultStopTimeout): Promise<void> {
    this.#isStopped = true;
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    this.#unsubscribe?.();
    this.#unsubscribe = null;
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeout);
    });
    await Promise.race([this.#whenIdle(), timedOut]);
    clearTimeout(timer);
  }

  /** Runs jobs until none is due, for tests and commands. */
  async runDue(): Promise<void> {
    do {
      await this.#claimNext();
      await this.#whenIdle();
    } while (!this.#isStopped && (await this.#hasWork()));
  }

  /** Whether a job is due or running. A job that a poll has claimed is neither until the poll has started it. */
  async #hasWork(): Promise<boolean> {
    const isAnyDue = await this.#isAnyDue();
    await this.#whenClaimed();
    return isAnyDue || this.#running.size > 0;
  }

  async #whenIdle(): Promise<void> {
    await this.#whenClaimed();
    await this.#whenFinished();
  }

  async #whenClaimed(): Promise<void> {
    while (this.#claiming) await this.#claiming.catch(() => undefined);
  }

  async #whenFinished(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  #poll(): void {
    if (this.#claiming) this.#isPollPending = true;
    else
      this.#claimNext().then(
        () => this.#reportReadable(null),
        (error: unknown) => this.#reportReadable(error),
      );
  }

  /** Logs the beginning and the end of a time in which jobs cannot be read. */
  #reportReadable(error: unknown): void {
    const { log } = this.#options;
    if (error !== null && this.#isReadable)
      log.warn({ error: redactedMessage(causeOf(error)) }, 'background jobs cannot be read; the server tries again');
    if (error === null && !this.#isReadable) log.info({}, 'background jobs can be read again');
    this.#isReadable = error === null;
  }

  /** Claims are serialized, since each counts the free slots. */
  async #claimNext(): Promise<void> {
    // Not by `whenClaimed`: another caller could claim between its end and the assignment.
    while (this.#claiming) await this.#claiming.catch(() => undefined);
    this.#claiming = this.#claimSome().finally(() => {
      this.#claiming = null;
      const again = this.#isPollPending;
      this.#isPollPending = false;
      if (again && this.#timer) this.#poll();
    });
    await this.#claiming;
  }

  async #claimSome(): Promise<void> {
    if (this.#isStopped) return;
    // Observes the clock, so that jobs recognize a jump.
    confirmedNow(this.#options.clock);
    await this.#schedules.enqueueDue();
    await this.#claims.repairTimes(this.#options.scope());
    // Checked outside a transaction first, so that an idle server writes nothing.
    if (!(await this.#isAnyDue())) return;
    const claimed = await this.#options.scope().transaction((scope) => this.#claim(scope));
    for (const row of claimed) {
      if (row.failed_at !== null)
        this.#options.log.error(
          { job: row.id, kind: row.kind, error: row.last_error },
          'a background job failed permanently',
        );
      else if (!this.#isStopped) this.#start(row);
      else
        await this.#claims.lease
          .release(this.#options.scope(), { id: row.id }, { attempts: row.attempts - 1 })
          .catch((error: unknown) => this.#warn(row, error, 'a background job could not be released'));
    }
  }

  #start(row: JobRow): void {
    const done = this.#run(row).finally(() => {
      this.#running.delete(row.id);
      if (this.#timer) this.#poll();
    });
    this.#running.set(row.id, { kind: row.kind, turn_of: row.turn_of, done });
  }

  #freeSlots(): FreeSlots[] {
    return freeSlots(this.#kinds, [...this.#running.values()], this.#slots);
  }

  async #isAnyDue(): Promise<boolean> {
    const kinds = this.#freeSlots().flatMap(({ capacities }) => capacities.flatMap((capacity) => capacity.kinds));
    if (kinds.length === 0) return false;
    return (await this.#claims.due(this.#options.scope(), { kinds, slots: 1 })).length > 0;
  }

  /** Claims due jobs for the free slots; returns the updated rows. Rows with `failed_at` must not run. */
  async #claim(scope: ServerScope): Promise<JobRow[]> {
    const due: JobRow[] = [];
    for (const { slots, capacities } of this.#freeSlots()) {
      const found: JobRow[] = [];
      for (const capacity of capacities) found.push(...(await this.#claims.due(scope, capacity)));
      due.push(...found.sort(oldestFirst).slice(0, slots));
    }
    const claimed: JobRow[] = [];
    // In the same order in all processes, to prevent deadlocks.
    for (const row of due.sort(oldestFirst)) {
      const marked = await this.#claims.claim(scope, row);
      for (const one of marked) if (one.failed_at !== null) await this.#giveUp(scope, one, undefined);
      claimed.push(...marked);
    }
    return claimed;
  }

  async #run(row: JobRow): Promise<void> {
    const { log } = this.#options;
    const end = this.#claims.renew(this.#options.scope, row.id);
    try {
      const handler = this.#kinds.get(row.kind);
      if (!handler) return;
      const scope = this.#options.scope({ ...serverActor, kind: 'job', via: row.kind });
      const hold = async (held: ServerScope): Promise<boolean> =>
        (await this.#claims.lease.renew(held, { id: row.id })).length > 0;
      await handler.handle(scope, row.payload, { turnOf: row.turn_of, serialKey: row.serial_key, hold });
      await this.#claims.finish(this.#options.scope(), row);
    } catch (error) {
      const isLast = await this.#untilStored(row, () =>
        this.#options.scope().transaction(async (scope) => {
          const [ended] = await this.#claims.fail(scope, row, error);
          if (!ended?.failed_at) return false;
          await this.#giveUp(scope, row, error);
          return true;
        }),
      );
      log[isLast ? 'error' : 'warn'](
        { job: row.id, kind: row.kind, attempt: row.attempts, error: redactedMessage(error) },
        isLast ? 'a background job failed permanently' : 'a background job failed and will be retried',
      );
    } finally {
      end();
    }
  }

  /** Stores the result of an attempt, also when the database is available again only later: the attempt would count otherwise. Returns it; false if it could not be stored. */
  async #untilStored(row: JobRow, store: () => Promise<boolean>): Promise<boolean> {
    for (;;) {
      try {
        return await store();
      } catch (error) {
        this.#warn(row, error, 'the result of a background job could not be stored');
        if (this.#isStopped || !isOutage(error)) return false;
        await sleep(storeRetryDelay);
      }
    }
  }

  #warn({ id, kind }: JobRow, error: unknown, what: string): void {
    this.#options.log.warn({ job: id, kind, error: redactedMessage(error) }, what);
  }

  /** Calls `onGiveUp` in a savepoint: the job is marked as failed even if it throws. */
  async #giveUp(scope: ServerScope, { id, kind, payload }: JobRow, error: unknown): Promise<void> {
    const { onGiveUp } = this.#kinds.get(kind) ?? {};
    if (!onGiveUp) return;
    await scope
      .transaction((inner) => onGiveUp(inner, payload, error))
      .catch((failure: unknown) =>
        this.#options.log.error(
          { job: id, kind, error: redactedMessage(failure) },
          'the end of a failed background job could not be recorded',
        ),
      );
  }
}
