import { currentTimestamp, timestamp } from '../core/clock.ts';
import type { ServerScope } from '../db/scope.ts';
import type { JobPayload } from '../jobs/job-rows.ts';
import { jobs } from '../jobs/job-rows.ts';
import type { JobQueue } from '../jobs/queue.ts';

/** When a job that waits for its turn runs although nobody called it, in ms: whoever would have done so may have ended. */
const longestWait = 120_000;

/** A job that may have to wait for its turn. */
export interface Turn {
  readonly kind: string;
  readonly deviceId: number;
  readonly payload: JobPayload;
}

/**
 * One job of a kind at a time for each device, in this process: nobody's slow hosts take all places. Those that come
 * meanwhile go back to the queue, and each that ends calls the oldest of them.
 */
export class FetchQueue {
  readonly #queue: JobQueue;
  /** Jobs of the kind that wait for a time of their own have at most this far to go, in ms. */
  readonly #longestPause: number;
  readonly #busy = new Set<number>();

  constructor(queue: JobQueue, longestPause: number) {
    this.#queue = queue;
    this.#longestPause = longestPause;
  }

  /** Does the work, or puts its job back. */
  async take(server: ServerScope, turn: Turn, work: () => Promise<void>): Promise<void> {
    const { kind, deviceId, payload } = turn;
    if (this.#busy.has(deviceId)) {
      const runAt = timestamp(server.clock.now() + longestWait);
      await this.#queue.enqueue(server, kind, payload, { deviceId, runAt });
      // The one that was waited for may have ended before there was anybody to call.
      if (!this.#busy.has(deviceId)) await this.#callNext(server, turn);
      return;
    }
    this.#busy.add(deviceId);
    try {
      await work();
    } finally {
      this.#busy.delete(deviceId);
      await this.#callNext(server, turn);
    }
  }

  async #callNext(server: ServerScope, { kind, deviceId }: Turn): Promise<void> {
    const after = timestamp(server.clock.now() + this.#longestPause);
    const next = await server.first(jobs, {
      where: { kind, device_id: deviceId, attempts: 0, locked_until: null, failed_at: null, run_at: { gt: after } },
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
