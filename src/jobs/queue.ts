import { isDeepStrictEqual } from 'node:util';
import type { Timestamp } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import { UniqueViolation } from '../db/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import type { JobPayload, JobRow } from './job-rows.ts';
import { jobs } from './job-rows.ts';

export interface JobOptions {
  /** Earliest time to run. Default: now. */
  readonly runAt?: Timestamp;
  /** Attempts until the job fails permanently. */
  readonly maxAttempts?: number;
  /** The device that the job is about. */
  readonly deviceId?: number;
  /** The person whose jobs take turns with other persons', if the kind has a limit for each. Default: none; the job waits for no turn. */
  readonly turnOf?: number | null | undefined;
  /** See {@link JobQueue.enqueueSerial}. */
  readonly serialKey?: string;
}

/** Of the one job with a key: of all that were enqueued with it, one runs at a time, in all processes. */
type SerialOptions = JobOptions & { readonly serialKey: string };

const defaultMaxAttempts = 4;

/** Enqueues jobs as rows of the caller's transaction. */
export class JobQueue {
  readonly #listeners = new Set<() => void>();
  readonly #surviving = new Set<string>();

  /** Enqueues a job. The payload must not contain secrets; tokens are generated when the job runs. */
  async enqueue(scope: ServerScope, kind: string, payload: JobPayload, options: JobOptions = {}): Promise<JobRow> {
    const row = await scope.insert(jobs, {
      kind,
      payload,
      run_at: options.runAt ?? currentTimestamp(scope.clock),
      attempts: 0,
      max_attempts: options.maxAttempts ?? defaultMaxAttempts,
      device_id: options.deviceId ?? null,
      turn_of: options.turnOf ?? null,
      serial_key: options.serialKey ?? null,
    });
    this.notify(scope);
    return row;
  }

  /**
   * Has the one job with a serial key run at this time or before: it is inserted, moved to the earlier time, or runs once more
   * if it is running or failed permanently. Its former kind and payload are replaced.
   * A run that is interrupted is repeated at the new time.
   */
  async enqueueSerial(scope: ServerScope, kind: string, payload: JobPayload, options: SerialOptions): Promise<void> {
    const asked = options.runAt ?? currentTimestamp(scope.clock);
    for (;;) {
      const row = await scope.first(jobs, { where: { serial_key: options.serialKey } });
      try {
        if (!row) return void (await scope.transaction((inner) => this.enqueue(inner, kind, payload, options)));
      } catch (error) {
        if (error instanceof UniqueViolation) continue;
        throw error;
      }
      const { id, locked_until, attempts, failed_at } = row;
      const isWaiting = failed_at === null && (locked_until === null || attempts === 0);
      const run_at = isWaiting && row.run_at < asked ? row.run_at : asked;
      if (isWaiting && run_at === row.run_at && kind === row.kind) return;
      const again = isWaiting ? {} : { attempts: 0, failed_at: null, paused_since: null };
      const changes = { kind, payload, run_at, turn_of: options.turnOf ?? null, ...again };
      // It may have started or ended since it was read.
      const changed = await scope.update(jobs, changes, { where: { id, attempts, failed_at } });
      if (changed.length > 0) return this.notify(scope);
    }
  }

  /**
   * Enqueues a job unless one with the same kind, device and payload waits; one scheduled for later is moved to the earlier
   * time. Running jobs do not count, since they may have started too early. Concurrent callers may enqueue two, unless they
   * are in the device's transaction.
   */
  async enqueueOnce(scope: ServerScope, kind: string, payload: JobPayload, options: JobOptions = {}): Promise<void> {
    const run_at = options.runAt ?? currentTimestamp(scope.clock);
    const rows = await scope.rows(jobs, {
      where: { kind, device_id: options.deviceId ?? null, failed_at: null, locked_until: null },
    });
    const waiting = rows.find((row) => isDeepStrictEqual(row.payload, payload));
    if (waiting && waiting.run_at <= run_at) return;
    if (waiting) {
      // It may have started since it was read.
      const moved = await scope.update(jobs, { run_at }, { where: { id: waiting.id, locked_until: null } });
      if (moved.length > 0) return this.notify(scope);
    }
    await this.enqueue(scope, kind, payload, { ...options, runAt: run_at });
  }

  /** Returns the jobs of a kind and of some devices that wait or run. */
  pending(scope: ServerScope, kind: string, deviceIds: readonly number[]): Promise<JobRow[]> {
    return scope.rows(jobs, { where: { kind, device_id: deviceIds, failed_at: null } });
  }

  /** Excludes a kind from {@link deleteForDevice}. */
  keepAfterDeviceDeletion(kind: string): void {
    this.#surviving.add(kind);
  }

  /** Deletes the jobs of a deleted device in any state, inside a transaction, except kinds that survive it and jobs that `isKept`. */
  async deleteForDevice(scope: ServerScope, deviceId: number, isKept: (job: JobRow) => boolean): Promise<void> {
    const rows = await scope.rows(jobs, { where: { device_id: deviceId } });
    const ids = rows.filter((row) => !this.#surviving.has(row.kind) && !isKept(row)).map(({ id }) => id);
    if (ids.length > 0) await scope.delete(jobs, { where: { id: ids } });
  }

  /** Calls `listener` after each commit that enqueued a job. Returns a function to unsubscribe. */
  onEnqueued(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Notifies the runner after the commit that jobs may be due. */
  notify(scope: ServerScope): void {
    scope.afterCommit(() => {
      for (const listener of this.#listeners) listener();
    });
  }
}
