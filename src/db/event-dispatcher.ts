import type { Clock } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import type { EventListener } from '../core/events.ts';
import type { Logger } from '../core/logger.ts';
import type { EventRow } from './event-rows.ts';
import { eventRows, toEvent } from './event-rows.ts';
import type { Selection, ServerScope, Where } from './scope.ts';

/** How often events of other processes are polled, in ms. */
const pollInterval = 2000;
/**
 * How long a process may take to deliver an event or renew its claim before another process claims it, in ms. After a crash,
 * a device's announcements are delayed by as much.
 */
export const claimDuration = 10_000;
/** Delay after the response to a robot, in ms, so that it reads the response before the announcement. [decision 50] */
const robotDelay = 100;
/** Maximum time an announcement waits for a response to be sent, in ms. */
const responseTimeout = 30_000;
/** Delay before a failed delivery is retried, in ms; doubles up to thirty times as much. */
const retryDelay = 1000;
/** How often to check whether another process has delivered its older events, in ms. */
const otherProcessInterval = 50;
/** Maximum number of events in memory per device; further ones stay in the table. */
const maxQueued = 500;

interface QueuedEvent {
  readonly row: EventRow;
  /** Settles with the time (of `performance.now()`) at which the response was sent. */
  readonly responseSent: Promise<number> | undefined;
}

/** The undelivered events of one device, in commit order. */
interface Queue {
  events: QueuedEvent[];
  /** The table holds further events. */
  hasMore: boolean;
  /** No other process has undelivered events up to this id. */
  clearThrough: number;
}

/** The claim of an event, without its body. */
const claimOf: Selection<{ readonly id: number; readonly claimed_until: string }> = {
  key: 'claim',
  expressions: ['"id"', '"claimed_until"'],
  read: ([id, until]) => ({ id: Number(id), claimed_until: String(until) }),
};

/** Delivers committed events to the listeners: in commit order per device, after the response, at least once even across restarts. */
export class EventDispatcher {
  readonly #listeners = new Set<EventListener>();
  readonly #queues = new Map<number, Queue>();
  /** Ids of events that are queued, or delivered but not yet deleted: they must not be queued again. */
  readonly #known = new Set<number>();
  readonly #clock: Clock;
  #server: (() => ServerScope) | null = null;
  #log: Logger | null = null;
  #delivered: number[] = [];
  #deleting: Promise<void> | null = null;
  #isStopped = false;
  #polling: NodeJS.Timeout | undefined;
  /** No other process delivers events of this database. */
  #isOnlyDispatcher = false;
  /** Another process delivers the events of this one. */
  #isRecordOnly = false;
  readonly #releasing = new Set<Promise<void>>();
  /** Devices without events of other processes, valid while no other process commits. Used by the only dispatcher. */
  readonly #clear = new Set<number>();
  #clearVersion: string | null = null;
  /** When this process last renewed its claims, in ms since the epoch. */
  #renewedAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether changes are recorded as events. */
  get isRecording(): boolean {
    return this.#listeners.size > 0 || this.#isRecordOnly;
  }

  /** Records events without delivering them: commands leave that to the server process. */
  recordOnly(server: () => ServerScope, log: Logger): void {
    this.#server = server;
    this.#log = log;
    this.#isRecordOnly = true;
  }

  /** Starts delivery to a listener, beginning with events left by an earlier run: all of them if this is the only dispatcher, else those with expired claims. */
  async attach(
    listener: EventListener,
    server: () => ServerScope,
    log: Logger,
    isOnlyDispatcher: boolean,
  ): Promise<void> {
    this.#server = server;
    this.#log = log;
    this.#isOnlyDispatcher = isOnlyDispatcher;
    const isFirst = this.#listeners.size === 0;
    this.#listeners.add(listener);
    if (isFirst) await this.#claim(server(), isOnlyDispatcher ? {} : this.#expired());
  }

  /** Claims the abandoned events of other processes and renews the claims of queued ones. Polled every few seconds; writes only if needed. */
  async claimExpired(): Promise<void> {
    const server = this.#server?.();
    if (!server || this.#listeners.size === 0) return;
    await this.#renew(server, this.#clock.now());
    if ((await server.count(eventRows, { where: this.#expired() })) > 0) await this.#claim(server, this.#expired());
  }

  /** Starts to poll for abandoned events; see {@link claimExpired}. */
  startPolling(): void {
    this.#polling ??= setInterval(() => {
      this.claimExpired().catch((error: unknown) =>
        this.#log?.warn({ reason: String(error) }, 'waiting events could not be read'),
      );
    }, pollInterval).unref();
  }

  #expired(): Where<EventRow> {
    return { claimed_until: { lt: timestamp(this.#clock.now()) } };
  }

  async #claim(server: ServerScope, where: Where<EventRow>): Promise<void> {
    const claimed_until = timestamp(this.#clock.now() + claimDuration);
    const rows = await server.update(eventRows, { claimed_until }, { where });
    for (const row of rows) this.enqueue(row.device_id, [row], undefined);
  }

  async #renew(server: ServerScope, now: number): Promise<void> {
    if (this.#known.size === 0 || now < this.#renewedAt + claimDuration / 2) return;
    this.#renewedAt = now;
    await server.update(
      eventRows,
      { claimed_until: timestamp(now + claimDuration) },
      { where: { id: [...this.#known] } },
    );
  }

  /** Queues the events of one commit for delivery. */
  enqueue(deviceId: number, rows: readonly EventRow[], responseSent: Promise<void> | undefined): void {
    if (this.#isRecordOnly) {
      const released = this.#release(rows).finally(() => this.#releasing.delete(released));
      this.#releasing.add(released);
      return;
    }
    const sentAt = responseSent?.then(() => performance.now());
    const fresh = rows.filter(({ id }) => !this.#known.has(id)).map((row) => ({ row, responseSent: sentAt }));
    if (fresh.length === 0) return;
    let queue = this.#queues.get(deviceId);
    if (!queue) {
      queue = { events: [], hasMore: false, clearThrough: 0 };
      this.#queues.set(deviceId, queue);
      void this.#run(deviceId, queue);
    }
    if (queue.hasMore || queue.events.length + fresh.length > maxQueued) queue.hasMore = true;
    else this.#queue(queue, fresh);
  }

  /** Expires the claims of events immediately, so that another process need not wait. */
  async #release(rows: readonly EventRow[]): Promise<void> {
    try {
      const where = { id: rows.map(({ id }) => id) };
      await this.#server?.().update(eventRows, { claimed_until: timestamp(0) }, { where });
    } catch (error) {
      this.#log?.warn({ reason: String(error) }, 'announcements are delayed by some seconds');
    }
  }

  #queue(queue: Queue, fresh: readonly QueuedEvent[]): void {
    for (const { row } of fresh) this.#known.add(row.id);
    queue.events.push(...fresh);
    // Events claimed from other processes are older than queued ones.
    queue.events.sort((a, b) => a.row.id - b.row.id);
  }

  async #run(deviceId: number, queue: Queue): Promise<void> {
    // The caller fills the queue after this call.
    await null;
    while (!this.#isStopped) {
      const [next] = queue.events;
      if (!next) {
        if (!queue.hasMore) break;
        await this.#refill(deviceId, queue);
        continue;
      }
      if (queue.clearThrough < next.row.id && !(await this.#isNextInOrder(deviceId, queue))) continue;
      await untilDue(next);
      if (queue.events[0] !== next) continue;
      if (!(await this.#deliver(next.row))) break;
      queue.events.splice(queue.events.indexOf(next), 1);
      this.#delivered.push(next.row.id);
      this.#deleting ??= this.#deleteDelivered();
    }
    this.#queues.delete(deviceId);
  }

  /** Returns whether the first event is next in order. If another process has older events of the device, waits for them, or claims them if that process died. */
  async #isNextInOrder(deviceId: number, queue: Queue): Promise<boolean> {
    const first = queue.events[0]?.row.id ?? 0;
    const last = queue.events.at(-1)?.row.id ?? first;
    try {
      const server = this.#server?.();
      if (!server || this.#isClear(server, deviceId)) {
        queue.clearThrough = last;
        return true;
      }
      const where = { device_id: deviceId, ...(!this.#isOnlyDispatcher && { id: { lt: last } }) };
      const claims = await server.select(eventRows, claimOf, { where, limit: 1000 });
      const other = claims.find(({ id }) => !this.#known.has(id));
      if (!other || other.id > first) {
        queue.clearThrough = other ? other.id - 1 : last;
        if (!other && this.#isOnlyDispatcher && claims.length < 1000) this.#clear.add(deviceId);
        return true;
      }
      const isAbandoned = other.claimed_until < timestamp(this.#clock.now());
      if (isAbandoned) await this.claimExpired();
      else await sleep(otherProcessInterval);
    } catch (error) {
      this.#log?.warn({ reason: String(error) }, 'waiting announcements could not be read; they are tried again');
      await sleep(retryDelay);
    }
    return false;
  }

  /** Returns whether the device is known, without a query, to have no events of other processes (commands). */
  #isClear(server: ServerScope, deviceId: number): boolean {
    if (!this.#isOnlyDispatcher) return false;
    const version = server.version([]);
    if (version !== this.#clearVersion) this.#clear.clear();
    this.#clearVersion = version;
    return this.#clear.has(deviceId);
  }

  /** Loads events that did not fit into memory. Events committed concurrently follow them. */
  async #refill(deviceId: number, queue: Queue): Promise<void> {
    queue.hasMore = false;
    try {
      // Delivered events may not be deleted yet.
      await this.#deleting;
      const rows = (await this.#server?.().rows(eventRows, { where: { device_id: deviceId }, limit: maxQueued })) ?? [];
      const fresh = rows.filter(({ id }) => !this.#known.has(id)).map((row) => ({ row, responseSent: undefined }));
      const meanwhile = queue.events;
      queue.events = [];
      this.#queue(queue, fresh);
      queue.events.push(...meanwhile);
      if (rows.length === maxQueued) queue.hasMore = true;
    } catch (error) {
      queue.hasMore = true;
      this.#log?.warn({ reason: String(error) }, 'waiting announcements could not be read; they are tried again');
      await sleep(retryDelay);
    }
  }

  /** Returns false if the dispatcher stopped before every listener accepted the event. */
  async #deliver(row: EventRow): Promise<boolean> {
    const event = toEvent(row);
    for (const listener of this.#listeners) {
      for (let attempt = 0; ; attempt++) {
        if (this.#isStopped) return false;
        try {
          await listener(event);
          break;
        } catch (error) {
          this.#log?.warn(
            { event: event.id, reason: String(error) },
            'an announcement could not be delivered; it will be retried',
          );
          await sleep(retryDelay * Math.min(2 ** attempt, 30));
        }
      }
    }
    return true;
  }

  /** Deletes delivered events in batches. A crash before that causes a second delivery. */
  async #deleteDelivered(): Promise<void> {
    await sleep(20);
    try {
      while (this.#delivered.length > 0) {
        const ids = this.#delivered;
        this.#delivered = [];
        await this.#server?.().delete(eventRows, { where: { id: ids } });
        for (const id of ids) this.#known.delete(id);
      }
    } catch (error) {
      this.#log?.error({ reason: String(error) }, 'delivered announcements could not be deleted');
    } finally {
      this.#deleting = null;
    }
  }

  /** Waits until all events are delivered, at most `timeout` ms. */
  async whenIdle(timeout = 5000): Promise<void> {
    const end = performance.now() + timeout;
    while ((this.#queues.size > 0 || this.#deleting) && performance.now() < end) await sleep(5);
  }

  /** Delivers queued events for at most two seconds, then stops. The rest stays in the table. */
  async stop(): Promise<void> {
    clearInterval(this.#polling);
    await this.whenIdle(2000);
    this.#isStopped = true;
    await Promise.all(this.#releasing);
    await this.#deleting;
  }
}

/** Waits until the response was sent, and a moment longer for robots. */
async function untilDue({ row, responseSent }: QueuedEvent): Promise<void> {
  const at = await Promise.race([responseSent, responseSent && sleep(responseTimeout).then(() => performance.now())]);
  if (row.origin !== 'robot') return;
  const remaining = (at ?? performance.now()) + robotDelay - performance.now();
  if (remaining > 0) await sleep(remaining);
}

const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
