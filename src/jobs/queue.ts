import { isDeepStrictEqual } from 'node:util';
import type { Timestamp } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import { UniqueViolation } from '../db/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import type { JobPayload, JobRow } from './job-rows.ts';
import { abandoned, jobs } from './job-rows.ts';

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

/** Returns the changes of a job with a serial key that is to run at a time or before; null: it was abandoned. */
function asRequested(
  { run_at, locked_by, failed_at, last_error, again }: JobRow,
  time: Timestamp,
): Partial<JobRow> | null {
  const fresh = { attempts: 0, failed_at: null, paused_since: null, last_error: null };
  if (failed_at !== null) return last_error === abandoned ? null : { ...fresh, run_at: time };
  const isRunning = locked_by !== null;
  if (isRunning && !again) return { again: true, run_at: time };
  const isRetried = !isRunning && last_error !== null;
  return run_at <= time || isRetried ? {} : { run_at: time };
}

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
   * Has the one job with a serial key run: it is inserted, moved to the earlier time, or runs once more if it is running or
   * failed permanently. Its former kind and payload are replaced. A job that waits for its next attempt keeps its time, and
   * an abandoned one stays so: frequent callers must not make it fail, or crash processes, as frequently.
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
      const next = asRequested(row, asked);
      if (!next || (kind === row.kind && Object.keys(next).length === 0)) return;
      const { id, locked_by, attempts, failed_at } = row;
      const changes = { kind, payload, turn_of: options.turnOf ?? null, ...next };
      // It may have started or ended since it was read.
      const changed = await scope.update(jobs, changes, { where: { id, locked_by, attempts, failed_at } });
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
