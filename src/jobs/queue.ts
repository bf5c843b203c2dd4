import { isDeepStrictEqual } from 'node:util';
import type { Timestamp } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
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
  readonly #outliving = new Set<string>();

  /** Puts a job in the queue. The payload holds no secrets: tokens are made when the job runs. */
  async enqueue(scope: ServerScope, kind: string, payload: JobPayload, options: JobOptions = {}): Promise<JobRow> {
    const row = await scope.insert(jobs, {
      kind,
      payload,
      run_at: options.runAt ?? currentTimestamp(scope.clock),
      attempts: 0,
      max_attempts: options.maxAttempts ?? usualAttempts,
      device_id: options.deviceId ?? null,
    });
    this.#wake(scope);
    return row;
  }

  /**
   * Puts a job in the queue unless the same one waits there already: same kind, same device, same payload. One that waits for
   * a later time is moved to this one's. A job that runs does not count, as it may have begun too early. For work that does
   * what was asked for several times in one go; there is one at most where the caller holds the device's transaction.
   */
  async enqueueOnce(scope: ServerScope, kind: string, payload: JobPayload, options: JobOptions = {}): Promise<void> {
    const run_at = options.runAt ?? currentTimestamp(scope.clock);
    const rows = await scope.rows(jobs, {
      where: { kind, device_id: options.deviceId ?? null, failed_at: null, locked_until: null },
    });
    const waiting = rows.find((row) => isDeepStrictEqual(row.payload, payload));
    if (waiting && waiting.run_at <= run_at) return;
    if (waiting) {
      // It may have begun since it was read.
      const moved = await scope.update(jobs, { run_at }, { where: { id: waiting.id, locked_until: null } });
      if (moved.length > 0) return this.#wake(scope);
    }
    await this.enqueue(scope, kind, payload, { ...options, runAt: run_at });
  }

  /** Has jobs of this kind stay in the queue when {@link deleteForDevice} empties it. */
  keepAfterDeviceDeletion(kind: string): void {
    this.#outliving.add(kind);
  }

  /** Drops what waits, runs or was given up for a device that is deleted, inside a transaction, but for what must still be done then and for what `isKept`. */
  async deleteForDevice(scope: ServerScope, deviceId: number, isKept: (job: JobRow) => boolean): Promise<void> {
    const rows = await scope.rows(jobs, { where: { device_id: deviceId } });
    const ids = rows.filter((row) => !this.#outliving.has(row.kind) && !isKept(row)).map(({ id }) => id);
    if (ids.length > 0) await scope.delete(jobs, { where: { id: ids } });
  }

  /** Calls `wake` after each commit that brought a job. Gives the function that ends it. */
  onEnqueued(wake: () => void): () => void {
    this.#listeners.add(wake);
    return () => this.#listeners.delete(wake);
  }

  /** After the commit. */
  #wake(scope: ServerScope): void {
    scope.afterCommit(() => {
      for (const wake of this.#listeners) wake();
    });
  }
}
