import type { Clock } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import type { EventListener } from '../core/events.ts';
import type { Logger } from '../core/logger.ts';
import { EventClaims } from './event-claims.ts';
import type { EventQueueContext } from './event-queue.ts';
import { EventQueue } from './event-queue.ts';
import type { EventRow } from './event-rows.ts';
import type { ServerScope } from './scope.ts';

/** How often events of other processes are polled, in ms. */
const pollInterval = 1000;
/** How long delivered events are collected before they are deleted, in ms. */
const deletionDelay = 20;
/** Delay before a failed deletion is retried, in ms. */
const retryDelay = 500;

/** Delivers committed events to the listeners: in commit order per device, after the response, at least once even across restarts and failures of the database. */
export class EventDispatcher {
  readonly #clock: Clock;
  readonly #claims: EventClaims;
  readonly #listeners = new Set<EventListener>();
  readonly #queues = new Map<number, EventQueue>();
  #context: EventQueueContext | null = null;
  #delivered: number[] = [];
  #deleting: Promise<void> | null = null;
  #claiming: Promise<void> | null = null;
  #isStopped = false;
  #polling: NodeJS.Timeout | undefined;
  /** Another process delivers the events of this one. */
  #isRecordOnly = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#claims = new EventClaims(clock);
  }

  /** Whether changes are recorded as events. */
  get isRecording(): boolean {
    return this.#listeners.size > 0 || this.#isRecordOnly;
  }

  /** Returns the claim of events that are inserted now: this process's, or an expired one if another process delivers them. */
  claim(): Pick<EventRow, 'claimed_by' | 'claimed_until'> {
    return this.#isRecordOnly ? { claimed_by: null, claimed_until: timestamp(0) } : this.#claims.values();
  }

  /** Records events without delivering them: commands leave that to the server process. */
  recordOnly(): void {
    this.#isRecordOnly = true;
  }

  /** Starts delivery to a listener, beginning with events left by an earlier run: all of them if this is the only dispatcher, else those with expired claims. Such events wait for `untilClientsReturn`. */
  async attach(
    listener: EventListener,
    server: () => ServerScope,
    log: Logger,
    isOnlyDispatcher: boolean,
    untilClientsReturn: EventQueueContext['untilClientsReturn'] = async () => undefined,
  ): Promise<void> {
    this.#context ??= {
      claims: this.#claims,
      listeners: this.#listeners,
      clock: this.#clock,
      log,
      server,
      isOnlyDispatcher,
      untilClientsReturn,
      isStopped: () => this.#isStopped,
      takeExpired: () => this.claimExpired(),
      reclaim: () => this.#reclaim(server()),
      onDelivered: (id) => this.#onDelivered(id),
      onEnd: (deviceId) => this.#queues.delete(deviceId),
    };
    const isFirst = this.#listeners.size === 0;
    this.#listeners.add(listener);
    if (!isFirst) return;
    if (isOnlyDispatcher) this.#enqueueTaken(await this.#claims.takeAll(server()));
    else await this.claimExpired();
  }

  /** Claims the abandoned events of other processes and renews the claims of this one. Polled every second; writes only if needed. */
  claimExpired(): Promise<void> {
    this.#claiming ??= this.#claimExpired().finally(() => {
      this.#claiming = null;
    });
    return this.#claiming;
  }

  async #claimExpired(): Promise<void> {
    if (!this.#context) return;
    const server = this.#context.server();
    await this.#claims.renewInTime(server);
    this.#enqueueTaken(await this.#claims.takeExpired(server));
  }

  /** Starts to poll for abandoned events; see {@link claimExpired}. */
  startPolling(): void {
    this.#polling ??= setInterval(() => {
      this.claimExpired().catch((error: unknown) =>
        this.#context?.log.warn({ reason: String(error) }, 'waiting announcements could not be read'),
      );
    }, pollInterval).unref();
  }

  #enqueueTaken(rows: readonly EventRow[]): void {
    for (const row of this.#claims.notHeld(rows)) this.#queueOf(row.device_id)?.addLeft([row]);
  }

  /** Queues the events of one commit for delivery. */
  enqueue(deviceId: number, rows: readonly EventRow[], responseSent: Promise<void> | undefined): void {
    const fresh = this.#claims.notHeld(rows);
    if (fresh.length === 0) return;
    const sentAt = responseSent?.then(() => performance.now());
    this.#queueOf(deviceId)?.add(fresh, sentAt);
  }

  /** Looks for events of a transaction whose commit failed: the database may have committed it before its connection was lost. */
  recheck(deviceId: number): void {
    this.#queueOf(deviceId)?.recheck();
  }

  /** Returns the queue of a device; null if another process delivers the events. */
  #queueOf(deviceId: number): EventQueue | null {
    const existing = this.#queues.get(deviceId);
    if (existing || !this.#context) return existing ?? null;
    const queue = new EventQueue(deviceId, this.#context);
    this.#queues.set(deviceId, queue);
    // The caller fills the queue first.
    queueMicrotask(() => void queue.run());
    return queue;
  }

  async #reclaim(server: ServerScope): Promise<void> {
    await this.#claims.renew(server);
    for (const queue of this.#queues.values()) queue.dropLost();
  }

  #onDelivered(id: number): void {
    this.#delivered.push(id);
    this.#deleting ??= this.#deleteDelivered();
  }

  /** Deletes delivered events in batches, in their order, until the database accepts it. A crash before that causes a second delivery. */
  async #deleteDelivered(): Promise<void> {
    await sleep(deletionDelay);
    while (this.#delivered.length > 0 && this.#context) {
      const { server, log } = this.#context;
      const ids = this.#delivered;
      this.#delivered = [];
      try {
        await this.#claims.delete(server(), ids);
      } catch (error) {
        this.#delivered = [...ids, ...this.#delivered];
        log.warn({ reason: String(error) }, 'delivered announcements could not be deleted; this is retried');
        if (this.#isStopped) break;
        await sleep(retryDelay);
      }
    }
    this.#deleting = null;
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
    await this.#deleting;
  }
}

const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
