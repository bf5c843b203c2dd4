import type { EventListener } from '../core/events.ts';
import type { Logger } from '../core/logger.ts';
import type { ChangeClaims } from './change-claims.ts';
import type { Commit } from './change-log.ts';
import type { AnnouncedRow } from './change-rows.ts';
import { announcedRows, isEffective, toEvent } from './change-rows.ts';
import type { ServerScope } from './scope.ts';

/** Delay after the response to a robot, in ms, so that it reads the response before the announcement. [decision 50] */
export const robotDelay = 100;
/** Maximum time after the commit for which an announcement waits until the response is sent, in ms. */
const responseTimeout = 30_000;
/** Delay before a failed delivery is retried, in ms; doubles up to thirty times as much. */
const retryDelay = 1000;
/** Delay before a failed access to the database is retried, in ms. */
const databaseRetryDelay = 500;
/** How often to check whether another process has announced its changes, in ms. */
const otherProcessInterval = 20;
/** How long the changes of another process are left to it, in ms: it knows the times of its responses. */
const otherProcessTime = 1000;
/** Maximum number of changes read at a time. */
const batchSize = 100;
/** Maximum number of commits that wait for their responses; the time of the commit counts for older ones. */
const maxCommits = 1000;

/** A commit whose changes are not announced yet, without their texts: many may wait for a broker. */
interface WaitingCommit extends Pick<Commit, 'first' | 'last'> {
  readonly sentAt: Promise<number> | undefined;
}

/** The shared parts of the deliveries of a dispatcher. */
export interface DeliveryContext {
  readonly claims: ChangeClaims;
  readonly listeners: ReadonlySet<EventListener>;
  readonly log: Logger;
  readonly server: () => ServerScope;
  /** No other process announces changes of this database. */
  readonly isOnlyProcess: boolean;
  readonly isStopped: () => boolean;
  /** Resolves when the changes of an earlier run may be announced to a device's clients. */
  readonly untilClientsReturn: (deviceId: number) => Promise<void>;
  /** Has positions and releases written. */
  readonly onAdvance: () => void;
  /** Removes a delivery that has nothing to do, or was stopped. */
  readonly onEnd: (deviceId: number) => void;
}

/** Announces the changes of one device in the order of the log. */
export class ChangeDelivery {
  readonly #deviceId: number;
  readonly #context: DeliveryContext;
  /** Commits of this process that are not announced yet. */
  #commits: WaitingCommit[] = [];
  /** The log may hold changes that were not read yet. */
  #isPending = true;
  /** The promise that the changes of an earlier run wait for. */
  #clientsReturned: Promise<void> | null = null;

  constructor(deviceId: number, context: DeliveryContext) {
    this.#deviceId = deviceId;
    this.#context = context;
  }

  /** Has the log read, after a commit of this process. */
  add({ first, last, responseSent }: Commit): void {
    this.#isPending = true;
    if (this.#commits.length === maxCommits) this.#commits.shift();
    this.#commits.push({ first, last, sentAt: responseSent && timeOf(responseSent) });
  }

  /** Has the log read, after a commit of this process that may have failed. */
  check(): void {
    this.#isPending = true;
  }

  /** Has the log read for changes that another process left: clients that should receive them may not have reconnected yet. */
  wake(): void {
    this.#isPending = true;
    if (this.#commits.length === 0) this.#clientsReturned ??= this.#context.untilClientsReturn(this.#deviceId);
  }

  /** Whether no client may receive its changes yet. */
  get isWaitingForClients(): boolean {
    return this.#clientsReturned !== null;
  }

  /** Announces changes until there are none, or the dispatcher stops. */
  async run(): Promise<void> {
    const { claims, log, isStopped, onAdvance, onEnd } = this.#context;
    while (this.#isPending && !isStopped()) {
      this.#isPending = false;
      try {
        await this.#clientsReturned;
        this.#clientsReturned = null;
        if (!isStopped()) await this.#announceAll();
      } catch (error) {
        this.#isPending = true;
        log.warn({ reason: String(error) }, 'announcements wait for the database');
        await sleep(databaseRetryDelay);
      }
    }
    claims.release(this.#deviceId);
    onAdvance();
    onEnd(this.#deviceId);
  }

  /** Announces the changes in the log. */
  async #announceAll(): Promise<void> {
    const { claims, server, isStopped, onAdvance } = this.#context;
    const position = await claims.take(this.#deviceId);
    if (position === null) return this.#leave();
    this.#dropCommits(position);
    const where = { device_id: this.#deviceId, id: { gt: position } };
    const rows = await server().rows(announcedRows, { where, limit: batchSize });
    for (const row of rows) {
      if (this.#isOfOtherProcess(row)) return this.#leave();
      await this.#untilDue(row);
      if (isStopped()) return;
      if (!(await claims.hold(this.#deviceId)) || !(await this.#deliver(row))) {
        this.#isPending = true;
        return;
      }
      claims.advance(this.#deviceId, row.id);
      onAdvance();
      this.#dropCommits(row.id);
    }
    if (rows.length === batchSize) this.#isPending = true;
    // Their rows were deleted: the garden was reset.
    else if (!this.#isPending) this.#commits = [];
  }

  /** Leaves the next change to another process. If this one has later changes, it waits for it. */
  async #leave(): Promise<void> {
    const { claims, onAdvance } = this.#context;
    claims.release(this.#deviceId);
    onAdvance();
    if (this.#commits.length === 0) return;
    this.#isPending = true;
    await sleep(otherProcessInterval);
  }

  #dropCommits(position: number): void {
    while (this.#commits[0] && this.#commits[0].last <= position) this.#commits.shift();
  }

  #commitOf({ id }: AnnouncedRow) {
    return this.#commits.find(({ first, last }) => first <= id && id <= last);
  }

  /** Whether another process has just committed the change. */
  #isOfOtherProcess(row: AnnouncedRow): boolean {
    const { isOnlyProcess, server } = this.#context;
    if (isOnlyProcess || this.#commitOf(row)) return false;
    return server().clock.now() - Date.parse(row.created_at) < otherProcessTime;
  }

  /** Waits until the response was sent, and a moment longer for robots. */
  async #untilDue(row: AnnouncedRow): Promise<void> {
    const sent = await this.#commitOf(row)?.sentAt;
    if (row.origin !== 'robot') return;
    // Where the response is unknown, the commit counts: else ten changes a second would be announced.
    const now = this.#context.server().clock.now();
    const passed = sent === undefined ? now - Date.parse(row.created_at) : performance.now() - sent;
    const remaining = Math.min(robotDelay - passed, robotDelay);
    if (remaining > 0) await sleep(remaining);
  }

  /** Passes a change to the listeners, until each accepts it. Returns false if another process announces it instead, or the dispatcher stops. */
  async #deliver(row: AnnouncedRow): Promise<boolean> {
    const { claims, listeners, log, isStopped } = this.#context;
    const event = toEvent(row);
    const waiting = isEffective(row) ? [...listeners] : [];
    for (let failures = 0; ; failures++) {
      try {
        for (let listener = waiting[0]; listener; listener = waiting[0]) {
          await listener(event);
          waiting.shift();
        }
        return true;
      } catch (error) {
        const what = 'an announcement could not be delivered; it will be retried';
        log.warn({ event: event.id, reason: String(error) }, what);
        await sleep(retryDelay * Math.min(2 ** failures, 30));
        if (isStopped() || !(await claims.hold(this.#deviceId))) return false;
      }
    }
  }
}

/** Returns the time at which a response was sent, or at which the wait for it ended. */
function timeOf(responseSent: Promise<void>): Promise<number> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(performance.now()), responseTimeout).unref();
    void responseSent.then(() => {
      clearTimeout(timer);
      resolve(performance.now());
    });
  });
}

const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
