import type { Clock } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import type { EventListener } from '../core/events.ts';
import type { Logger } from '../core/logger.ts';
import type { EventRow } from './event-rows.ts';
import { eventOf, eventRows } from './event-rows.ts';
import type { ServerScope } from './scope.ts';

/** How long the writing process may take to deliver an event before another takes it over, in ms. */
export const claimTime = 60_000;
/** A robot meets its own new row in the announcement before it has read the answer, unless it waits this long, in ms. [decision 50] */
const robotDelay = 100;
/** The longest an announcement waits for an answer to leave, in ms. */
const answerPatience = 30_000;
/** Pause before a listener that failed is told again, in ms; doubles up to thirty times as much. */
const retryPause = 1000;

interface Batch {
  readonly rows: readonly EventRow[];
  readonly answered: Promise<void> | undefined;
}

/** Hands committed events to the listeners, in commit order per device, after the answer, at least once across a restart. */
export class EventDispatcher {
  readonly #listeners = new Set<EventListener>();
  readonly #queues = new Map<number, Batch[]>();
  /** Ids of the events in the queues: taking over must not queue them again. */
  readonly #queued = new Set<number>();
  readonly #clock: Clock;
  #server: (() => ServerScope) | null = null;
  #log: Logger | null = null;
  #delivered: number[] = [];
  #deleting: Promise<void> | null = null;
  #stopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether changes are recorded at all. */
  get isAttached(): boolean {
    return this.#listeners.size > 0;
  }

  /** Begins handing events to a listener, first those that an earlier run left. `alone`: no other process uses the database, so all of them. */
  async attach(listener: EventListener, server: () => ServerScope, log: Logger, alone: boolean): Promise<void> {
    this.#server = server;
    this.#log = log;
    const isFirst = this.#listeners.size === 0;
    this.#listeners.add(listener);
    if (isFirst) await this.takeOver(alone);
  }

  /** Takes the events whose process is gone. Called at start and from time to time. */
  async takeOver(alone = false): Promise<void> {
    const server = this.#server?.();
    if (!server || !this.isAttached) return;
    const now = this.#clock.now();
    const rows = await server.update(
      eventRows,
      { claimed_until: timestamp(now + claimTime) },
      { where: alone ? {} : { claimed_until: { lt: timestamp(now) } } },
    );
    // What waits here still had its claim renewed just now.
    for (const row of rows.sort((a, b) => a.id - b.id))
      if (!this.#queued.has(row.id)) this.deliver(row.device_id, [row], undefined);
  }

  /** Queues the events of one commit. */
  deliver(deviceId: number, rows: readonly EventRow[], answered: Promise<void> | undefined): void {
    for (const { id } of rows) this.#queued.add(id);
    const queue = this.#queues.get(deviceId);
    if (queue) queue.push({ rows, answered });
    else {
      this.#queues.set(deviceId, [{ rows, answered }]);
      void this.#work(deviceId);
    }
  }

  async #work(deviceId: number): Promise<void> {
    const queue = this.#queues.get(deviceId);
    for (let batch = queue?.[0]; batch && !this.#stopped; batch = queue?.[0]) {
      if (batch.answered) await Promise.race([batch.answered, pause(answerPatience)]);
      if (batch.rows[0]?.origin === 'robot') await pause(robotDelay);
      for (const row of batch.rows) {
        await this.#tell(row);
        this.#delivered.push(row.id);
      }
      queue?.shift();
      this.#deleting ??= this.#deleteDelivered();
    }
    this.#queues.delete(deviceId);
  }

  async #tell(row: EventRow): Promise<void> {
    const event = eventOf(row);
    for (const listener of this.#listeners) {
      for (let attempt = 0; !this.#stopped; attempt++) {
        try {
          await listener(event);
          break;
        } catch (error) {
          this.#log?.warn({ event: event.id, reason: String(error) }, 'an announcement was not taken; it comes again');
          await pause(retryPause * Math.min(2 ** attempt, 30));
        }
      }
    }
  }

  /** Deletes what was delivered, many in one transaction; a crash before it only means a second delivery. */
  async #deleteDelivered(): Promise<void> {
    await pause(20);
    try {
      while (this.#delivered.length > 0) {
        const ids = this.#delivered;
        this.#delivered = [];
        await this.#server?.().remove(eventRows, { where: { id: ids } });
        for (const id of ids) this.#queued.delete(id);
      }
    } catch (error) {
      this.#log?.error({ reason: String(error) }, 'delivered announcements could not be deleted');
    } finally {
      this.#deleting = null;
    }
  }

  /** Waits until nothing is under way (tests, stopping), at most `limit` ms. */
  async settle(limit = 5000): Promise<void> {
    const end = performance.now() + limit;
    while ((this.#queues.size > 0 || this.#deleting) && performance.now() < end) await pause(5);
  }

  /** Delivers what is under way, then stops; what is left stays in the table. */
  async stop(): Promise<void> {
    await this.settle(2000);
    this.#stopped = true;
    await this.#deleting;
  }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
