import type { Timestamp } from '../core/clock.ts';
import { present } from '../core/clock.ts';
import type { ServerScope } from '../db/scope.ts';
import type { JobPayload, JobRow } from './job-rows.ts';
import { jobs } from './job-rows.ts';

export interface JobOptions {
  /** Not before this time; at once if left out. */
  readonly runAt?: Timestamp;
  /** Attempts before the job is given up. */
  readonly maxAttempts?: number;
  /** The device that the job is about. */
  readonly deviceId?: number;
}

const usualAttempts = 4;

/** Takes jobs in. The row is part of the caller's transaction: no commit, no job. */
export class JobQueue {
  readonly #listeners = new Set<() => void>();

  /** Puts a job in the queue. The payload holds no secrets: tokens are made when the job runs. */
  async enqueue(scope: ServerScope, kind: string, payload: JobPayload, options: JobOptions = {}): Promise<JobRow> {
    const row = await scope.insert(jobs, {
      kind,
      payload,
      run_at: options.runAt ?? present(scope.clock),
      attempts: 0,
      max_attempts: options.maxAttempts ?? usualAttempts,
      device_id: options.deviceId ?? null,
    });
    scope.afterCommit(() => {
      for (const wake of this.#listeners) wake();
    });
    return row;
  }

  /** Puts a job in the queue unless one of its kind waits there already. For sweeps, where one does the work of several. */
  async enqueueOnce(scope: ServerScope, kind: string, payload: JobPayload): Promise<void> {
    const waiting = await scope.first(jobs, { where: { kind, failed_at: null, locked_until: null } });
    if (!waiting) await this.enqueue(scope, kind, payload);
  }

  /** Calls `wake` after each commit that brought a job. Gives the function that ends it. */
  onEnqueued(wake: () => void): () => void {
    this.#listeners.add(wake);
    return () => this.#listeners.delete(wake);
  }
}
