import type { Clock } from '../core/clock.ts';
import type { EventListener } from '../core/events.ts';
import type { Logger } from '../core/logger.ts';
import type { EventClaims } from './event-claims.ts';
import type { EventRow } from './event-rows.ts';
import { toEvent } from './event-rows.ts';
import type { ServerScope } from './scope.ts';

/** Delay after the response to a robot, in ms, so that it reads the response before the announcement. [decision 50] */
const robotDelay = 100;
/** Maximum time an announcement waits for a response to be sent, in ms. */
const responseTimeout = 30_000;
/** Delay before a failed delivery is retried, in ms; doubles up to thirty times as much. */
const retryDelay = 1000;
/** Delay before a failed access to the database is retried, in ms. */
const databaseRetryDelay = 500;
/** How often to check whether another process has delivered its older events, in ms. */
const otherProcessInterval = 20;
/** Delay before the table is read again for events that did not fit into memory, in ms. */
const rereadInterval = 20;
/** Maximum number of events in memory per device; further ones stay in the table. */
const maxQueued = 500;

/** What the queues of a dispatcher share. */
export interface EventQueueContext {
  readonly claims: EventClaims;
  readonly listeners: ReadonlySet<EventListener>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly server: () => ServerScope;
  /** No other process delivers events of this database. */
  readonly isOnlyDispatcher: boolean;
  readonly isStopped: () => boolean;
  /** Resolves when the events of an earlier run may be delivered to a device's clients. */
  readonly untilClientsReturn: (deviceId: number) => Promise<void>;
  /** Takes over the events of processes that ended. */
  readonly takeExpired: () => Promise<void>;
  /** Renews all claims, and has each queue drop the events that this process no longer holds. */
  readonly reclaim: () => Promise<void>;
  readonly onDelivered: (id: number) => void;
  /** Removes a queue that is empty, or stopped. */
  readonly onEnd: (deviceId: number) => void;
}

interface QueuedEvent {
  readonly row: EventRow;
  /** Settles with the time (of `performance.now()`) at which the response was sent; undefined if there was none, or it is unknown. */
  readonly responseSent: Promise<number> | undefined;
  /** Listeners that have not accepted the event yet; undefined before the first attempt. */
  listeners?: EventListener[];
  failures: number;
}

/** Delivers the events of one device in commit order. */
export class EventQueue {
  readonly #deviceId: number;
  readonly #context: EventQueueContext;
  #events: QueuedEvent[] = [];
  /** The table may hold further events of this process. */
  #hasMore = false;
  /** The last response among those of further events. */
  #moreSent: Promise<number> | undefined;
  /** What the events of an earlier run wait for. */
  #clientsReturned: Promise<void> | null = null;
  /** No other process has undelivered events up to this id. */
  #clearThrough = 0;

  constructor(deviceId: number, context: EventQueueContext) {
    this.#deviceId = deviceId;
    this.#context = context;
  }

  /** Adds committed events. If there are too many, they are read from the table later. */
  add(rows: readonly EventRow[], responseSent: Promise<number> | undefined): void {
    if (this.#hasMore || this.#events.length + rows.length > maxQueued) {
      this.#hasMore = true;
      this.#moreSent = responseSent ?? this.#moreSent;
    } else this.#queue(rows, responseSent);
  }

  /** Adds events that another process left: clients that could hear them may not be back yet. */
  addLeft(rows: readonly EventRow[]): void {
    this.#clientsReturned ??= this.#context.untilClientsReturn(this.#deviceId);
    this.add(rows, undefined);
  }

  /** Has the table read for further events of this process. */
  recheck(): void {
    this.#hasMore = true;
  }

  /** Drops the events that this process no longer holds. */
  dropLost(): void {
    this.#events = this.#events.filter(({ row }) => this.#context.claims.isHeld(row.id));
    this.#clearThrough = 0;
  }

  #queue(rows: readonly EventRow[], responseSent: Promise<number> | undefined): void {
    for (const row of rows) {
      this.#context.claims.hold(row);
      this.#events.push({ row, responseSent, failures: 0 });
    }
    // Events claimed from other processes are older than queued ones.
    this.#events.sort((a, b) => a.row.id - b.row.id);
  }

  /** Delivers events until there are none, or the dispatcher stops. */
  async run(): Promise<void> {
    const { claims, isOnlyDispatcher, isStopped, reclaim, onDelivered, onEnd } = this.#context;
    while (!isStopped()) {
      const [next] = this.#events;
      if (!next && !this.#hasMore) break;
      try {
        if (!next) await this.#refill();
        else if (this.#clientsReturned) {
          await this.#clientsReturned;
          this.#clientsReturned = null;
        } else if (await this.#isNextInOrder(next)) {
          await this.#untilDue(next);
          if (this.#events[0] !== next) continue;
          if (!isOnlyDispatcher && claims.mayBeLost(next.row.id)) await reclaim();
          else if (await this.#deliver(next)) {
            // It may be dropped already: another process took it over during the delivery.
            this.#events = this.#events.filter((queued) => queued !== next);
            onDelivered(next.row.id);
          }
        }
      } catch (error) {
        this.#context.log.warn({ reason: String(error) }, 'announcements wait for the database');
        await sleep(databaseRetryDelay);
      }
    }
    onEnd(this.#deviceId);
  }

  /** Returns whether the first event is next in order. If another process has older events of the device, waits for them, or claims them if that process died. */
  async #isNextInOrder({ row }: QueuedEvent): Promise<boolean> {
    if (this.#clearThrough >= row.id) return true;
    const { claims, server, isOnlyDispatcher, takeExpired } = this.#context;
    const last = this.#events.at(-1)?.row.id ?? row.id;
    const other = await claims.firstOther(server(), this.#deviceId, last, isOnlyDispatcher);
    if (!other || other.id > row.id) {
      this.#clearThrough = other ? other.id - 1 : last;
      return true;
    }
    if (other.isOwn) await this.#refill();
    else {
      if (other.isExpired) await takeExpired();
      await sleep(otherProcessInterval);
    }
    return false;
  }

  /** Loads events of this process that are not in memory. */
  async #refill(): Promise<void> {
    const sent = this.#moreSent;
    this.#hasMore = false;
    this.#moreSent = undefined;
    try {
      const { rows, hasMore } = await this.#context.claims.readOwn(this.#context.server(), this.#deviceId, maxQueued);
      this.#queue(rows, sent);
      if (!hasMore) return;
      // Delivered ones may not be deleted yet.
      if (rows.length === 0) await sleep(rereadInterval);
    } catch (error) {
      this.#continueLater(sent);
      throw error;
    }
    this.#continueLater(sent);
  }

  #continueLater(sent: Promise<number> | undefined): void {
    this.#hasMore = true;
    this.#moreSent ??= sent;
  }

  /** Waits until the response was sent, and a moment longer for robots. */
  async #untilDue({ row, responseSent }: QueuedEvent): Promise<void> {
    const sent = await Promise.race([
      responseSent,
      responseSent && sleep(responseTimeout).then(() => performance.now()),
    ]);
    if (row.origin !== 'robot') return;
    // Where the response is unknown, the commit counts: else a process would take over ten events a second.
    const passed =
      sent === undefined ? this.#context.clock.now() - Date.parse(row.created_at) : performance.now() - sent;
    const remaining = Math.min(robotDelay - passed, robotDelay);
    if (remaining > 0) await sleep(remaining);
  }

  /** Passes an event to the listeners. Returns false if one of them failed, after a pause. */
  async #deliver(queued: QueuedEvent): Promise<boolean> {
    queued.listeners ??= [...this.#context.listeners];
    const event = toEvent(queued.row);
    try {
      for (let listener = queued.listeners[0]; listener; listener = queued.listeners[0]) {
        await listener(event);
        queued.listeners.shift();
      }
      return true;
    } catch (error) {
      const what = 'an announcement could not be delivered; it will be retried';
      this.#context.log.warn({ event: event.id, reason: String(error) }, what);
      await sleep(retryDelay * Math.min(2 ** queued.failures, 30));
      queued.failures++;
      return false;
    }
  }
}

const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
