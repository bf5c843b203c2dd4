import { currentTimestamp, timestamp } from '../core/clock.ts';
import type { ServerScope } from '../db/scope.ts';
import type { JobPayload } from './job-rows.ts';
import { jobs } from './job-rows.ts';
import type { JobQueue } from './queue.ts';

/** A postponed job runs after this time in ms even if it is not resumed: the process that would do so may have ended. */
const maxDelay = 120_000;

/** A job that may be postponed. */
export interface FetchJob {
  readonly kind: string;
  readonly deviceId: number;
  readonly payload: JobPayload;
}

/**
 * Runs one job of a kind at a time for each device in this process, so that slow hosts of one device do not occupy all
 * workers. Further jobs are postponed; each job that ends resumes the oldest of them.
 */
export class FetchQueue {
  readonly #queue: JobQueue;
  /** Jobs scheduled further ahead than this, in ms, are postponed ones. */
  readonly #maxRetryDelay: number;
  readonly #busy = new Set<number>();

  constructor(queue: JobQueue, maxRetryDelay: number) {
    this.#queue = queue;
    this.#maxRetryDelay = maxRetryDelay;
  }

  /** Runs the work, or postpones its job. */
  async run(server: ServerScope, job: FetchJob, work: () => Promise<void>): Promise<void> {
    const { kind, deviceId, payload } = job;
    if (this.#busy.has(deviceId)) {
      const runAt = timestamp(server.clock.now() + maxDelay);
      await this.#queue.enqueue(server, kind, payload, { deviceId, runAt });
      // The running job may have ended before this one was postponed.
      if (!this.#busy.has(deviceId)) await this.#resumeNext(server, job);
      return;
    }
    this.#busy.add(deviceId);
    try {
      await work();
    } finally {
      this.#busy.delete(deviceId);
      await this.#resumeNext(server, job);
    }
  }

  async #resumeNext(server: ServerScope, { kind, deviceId }: FetchJob): Promise<void> {
    const after = timestamp(server.clock.now() + this.#maxRetryDelay);
    // A job that pauses during an outage would otherwise be resumed by the next one, and that by the first, without end.
    const isWaiting = { attempts: 0, paused_since: null, locked_until: null, failed_at: null };
    const next = await server.first(jobs, {
      where: { kind, device_id: deviceId, ...isWaiting, run_at: { gt: after } },
      order: [
        ['run_at', 'asc'],
        ['id', 'asc'],
      ],
    });
    if (!next) return;
    const { id } = next;
    await server.update(jobs, { run_at: currentTimestamp(server.clock) }, { where: { id, locked_until: null } });
  }
}
