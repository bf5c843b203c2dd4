import { setTimeout as pause } from 'node:timers/promises';
import type { EventListener } from '../core/events.ts';
import type { Logger } from '../core/logger.ts';
import { AnnouncementSearch } from './announcement-search.ts';
import { ChangeClaims } from './change-claims.ts';
import type { DeliveryContext } from './change-delivery.ts';
import { ChangeDelivery } from './change-delivery.ts';
import type { ChangeLog } from './change-log.ts';
import type { ServerScope } from './scope.ts';

/** How often changes of other processes are looked for, in ms. */
const pollInterval = 500;
/**
 * How long positions are collected before they are written, in ms: other processes wait for them. After a crash, the changes of that
 * time are announced again.
 */
const saveDelays = { only: 200, shared: 20 };
/** Delay before failed writing is retried, in ms. */
const retryDelay = 500;
/** How long a stop waits for claims to be released, in ms: the others expire soon. */
const releaseTimeout = 2000;

export interface DispatcherOptions {
  readonly server: () => ServerScope;
  readonly log: Logger;
  /** No other process announces changes of this database. */
  readonly isOnlyProcess: boolean;
  /** See {@link DeliveryContext.untilClientsReturn}. */
  readonly untilClientsReturn?: DeliveryContext['untilClientsReturn'];
}

/** Announces logged changes to the listeners: in commit order per device, after the response, at least once even across restarts and failures of the database. [ADR 48] */
export class ChangeDispatcher {
  readonly #changes: ChangeLog;
  readonly #listeners = new Set<EventListener>();
  readonly #deliveries = new Map<number, ChangeDelivery>();
  #context: DeliveryContext | null = null;
  #unsubscribe: (() => void) | null = null;
  #saving: Promise<void> | null = null;
  #polling: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #version: string | null = null;
  #search: AnnouncementSearch | null = null;
  #isStopped = false;

  constructor(changes: ChangeLog) {
    this.#changes = changes;
  }

  /** Starts to announce changes, beginning with the rest of an earlier run, which waits for `untilClientsReturn`. */
  async start({ server, log, isOnlyProcess, untilClientsReturn }: DispatcherOptions): Promise<void> {
    if (this.#context) return;
    const isFollowed = (deviceId: number): boolean => this.#changes.isFollowed(deviceId);
    const search = new AnnouncementSearch({ isFollowed, isOnlyProcess });
    this.#search = search;
    this.#context = {
      claims: new ChangeClaims(server().clock, server, isOnlyProcess),
      listeners: this.#listeners,
      log,
      server,
      isOnlyProcess,
      isStopped: () => this.#isStopped,
      untilClientsReturn: untilClientsReturn ?? (async () => undefined),
      onAdvance: () => {
        this.#saving ??= this.#save();
      },
      onEnd: (deviceId) => this.#deliveries.delete(deviceId),
      characters: 0,
    };
    this.#unsubscribe = this.#changes.onCommit((deviceId, source) => {
      // Changes of other processes are polled.
      if (source === 'other process') return;
      if (source === 'unconfirmed') return this.#deliveryOf(deviceId)?.check();
      search.addOwn(deviceId, source.last);
      this.#deliveryOf(deviceId)?.add(source);
    });
    await this.#wakePending(search, server());
  }

  /** Adds a listener. Changes wait until it accepts them. */
  addListener(listener: EventListener): void {
    this.#listeners.add(listener);
  }

  /** Starts to look for the changes of other processes, and to renew claims. Writes only if needed. */
  startPolling(): void {
    this.#timer ??= setInterval(() => {
      this.poll().catch((error: unknown) =>
        this.#context?.log.warn({ reason: String(error) }, 'waiting announcements could not be read'),
      );
    }, pollInterval).unref();
  }

  /** Announces the changes that other processes left, and notifies the readers of the log of their commits. */
  poll(): Promise<void> {
    this.#polling ??= this.#poll().finally(() => {
      this.#polling = null;
    });
    return this.#polling;
  }

  async #poll(): Promise<void> {
    const search = this.#search;
    if (!this.#context || !search) return;
    const { claims, server, isOnlyProcess } = this.#context;
    const version = isOnlyProcess ? server().version([]) : null;
    if (isOnlyProcess && version === this.#version) return search.recordIdle();
    await claims.renew();
    // Readers of the log need not wait until a broker accepts the announcements.
    for (const deviceId of await this.#wakePending(search, server()))
      this.#changes.committed(deviceId, 'other process');
    this.#version = version;
  }

  /** Has changes announced that no delivery has read, and returns the devices of which another process may have committed some. */
  async #wakePending(search: AnnouncementSearch, server: ServerScope): Promise<readonly number[]> {
    const unsaved = this.#context?.claims.unsaved ?? new Set();
    const before = new Set(unsaved);
    const { committed, pending } = await search.run(server);
    // The log does not show yet how far this process has come with the others: the next search does.
    const known = pending.filter((deviceId) => !before.has(deviceId) && !unsaved.has(deviceId));
    for (const deviceId of known) this.#deliveryOf(deviceId)?.wake();
    return committed;
  }

  /** Returns the delivery of a device; null if this process announces nothing. */
  #deliveryOf(deviceId: number): ChangeDelivery | null {
    const existing = this.#deliveries.get(deviceId);
    if (existing || !this.#context || this.#isStopped) return existing ?? null;
    const delivery = new ChangeDelivery(deviceId, this.#context);
    this.#deliveries.set(deviceId, delivery);
    // The caller adds the commit first.
    queueMicrotask(() => void delivery.run());
    return delivery;
  }

  /** Writes positions until the database accepts them. */
  async #save(): Promise<void> {
    const saveDelay = this.#context?.isOnlyProcess ? saveDelays.only : saveDelays.shared;
    await sleep(saveDelay);
    while (this.#context && this.#context.claims.unsaved.size > 0) {
      try {
        await this.#context.claims.save();
        await sleep(saveDelay);
      } catch (error) {
        this.#context.log.warn({ reason: String(error) }, 'announced changes could not be recorded; this is retried');
        if (this.#isStopped) break;
        await sleep(retryDelay);
      }
    }
    this.#saving = null;
  }

  /** Waits until all changes of this process are announced, at most `timeout` ms. */
  whenIdle(timeout = 5000): Promise<void> {
    return this.#until(() => this.#deliveries.size === 0, timeout);
  }

  async #until(isDelivered: () => boolean, timeout: number): Promise<void> {
    const end = performance.now() + timeout;
    while (!(isDelivered() && this.#saving === null) && performance.now() < end) await sleep(5);
  }

  /** Announces for at most two seconds, then stops and leaves the rest to other processes, or to the next start. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#until(() => [...this.#deliveries.values()].every((each) => each.isWaitingForClients), 2000);
    this.#isStopped = true;
    this.#unsubscribe?.();
    const problem = await Promise.race([
      this.#release().then(() => null, String),
      pause(releaseTimeout, 'the database did not respond in time', { ref: false }),
    ]);
    if (problem !== null)
      this.#context?.log.warn({ reason: problem }, 'claims could not be released; they expire soon');
  }

  async #release(): Promise<void> {
    await this.#polling?.catch(() => undefined);
    await this.#saving;
    await this.#context?.claims.close();
  }
}

/** Keeps the process alive: a stop waits for it, when nothing else may be left. */
const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
