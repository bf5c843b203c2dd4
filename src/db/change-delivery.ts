import type { EventListener } from '../core/events.ts';
import type { Logger } from '../core/logger.ts';
import type { ChangeClaims } from './change-claims.ts';
import type { Commit, CommittedChanges } from './change-log.ts';
import type { AnnouncedChange } from './change-rows.ts';
import { announcedRows, isEffective, toAnnounced, toEvent } from './change-rows.ts';
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

/** Maximum number of characters of the changes in memory, of all devices: many may wait for a broker. The log has the others. */
const maxCharacters = 4 * 1024 * 1024;

/** A commit whose changes are not announced yet. */
interface WaitingCommit extends Pick<Commit, 'first' | 'last'> {
  readonly sentAt: Promise<number> | undefined;
  /** Its changes, unless they must be read from the log. */
  readonly changes: CommittedChanges | null;
  /** The number of their characters. */
  readonly characters: number;
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
  /** The number of characters of the changes in memory. */
  characters: number;
}

/** Announces the changes of one device in the order of the log. */
export class ChangeDelivery {
  readonly #deviceId: number;
  readonly #context: DeliveryContext;
  /** Commits of this process that are not announced yet. */
  #commits: WaitingCommit[] = [];
  /** There may be changes that are not announced. */
  #isPending = true;
  /** The number of reasons for which some of them may be of a commit that this process does not know, since the log was last read. */
  #doubts = 0;
  /** The promise that the changes of an earlier run wait for. */
  #clientsReturned: Promise<void> | null = null;

  constructor(deviceId: number, context: DeliveryContext) {
    this.#deviceId = deviceId;
    this.#context = context;
  }

  /** Has the changes of a commit of this process announced. */
  add({ first, last, responseSent, changes }: Commit): void {
    this.#isPending = true;
    if (this.#commits.length === maxCommits) this.#dropCommits(this.#commits[0]?.last ?? 0);
    const characters = charactersOf(changes);
    const isKept = this.#context.characters + characters <= maxCharacters;
    this.#commits.push({
      first,
      last,
      sentAt: responseSent && timeOf(responseSent),
      changes: isKept ? changes : null,
      characters: isKept ? characters : 0,
    });
    if (isKept) this.#context.characters += characters;
  }

  /** Has the log read, after a commit of this process that may have failed. */
  check(): void {
    this.#isPending = true;
    this.#doubts++;
  }

  /** Has the log read for changes that another process left: clients that should receive them may not have reconnected yet. */
  wake(): void {
    this.check();
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

  /** Announces the changes of a commit in memory, or else those in the log. */
  async #announceAll(): Promise<void> {
    const { claims, isStopped } = this.#context;
    const position = await claims.take(this.#deviceId);
    if (position === null) return this.#leave();
    this.#dropCommits(position);
    const doubts = this.#doubts;
    const commit = doubts === 0 ? this.#commits[0] : undefined;
    // Between its changes and the announced ones, there may be some of another process.
    const committed = commit?.changes && commit.changes.previous <= position ? commit.changes : null;
    const changes = committed ? committed.list : await this.#read(position);
    for (const change of changes) {
      if (this.#isOfOtherProcess(change)) return this.#leave();
      await this.#untilDue(change);
      if (isStopped()) return;
      if (!(await claims.hold(this.#deviceId)) || !(await this.#deliver(change))) {
        this.#isPending = true;
        return;
      }
      this.#advance(change.id);
    }
    if (commit && committed) {
      this.#advance(commit.last);
      this.#isPending ||= this.#commits.length > 0;
    } else if (changes.length === batchSize) this.#isPending = true;
    else {
      this.#doubts -= doubts;
      // Their rows were deleted: the garden was reset.
      if (!this.#isPending) this.#dropCommits(Number.POSITIVE_INFINITY);
    }
  }

  async #read(position: number): Promise<readonly AnnouncedChange[]> {
    const where = { device_id: this.#deviceId, id: { gt: position } };
    return (await this.#context.server().rows(announcedRows, { where, limit: batchSize })).map(toAnnounced);
  }

  #advance(position: number): void {
    const { claims, onAdvance } = this.#context;
    claims.advance(this.#deviceId, position);
    onAdvance();
    this.#dropCommits(position);
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
    for (let [commit] = this.#commits; commit && commit.last <= position; [commit] = this.#commits) {
      this.#context.characters -= commit.characters;
      this.#commits.shift();
    }
  }

  #commitOf({ id }: AnnouncedChange) {
    return this.#commits.find(({ first, last }) => first <= id && id <= last);
  }

  /** Whether another process has just committed the change. */
  #isOfOtherProcess(change: AnnouncedChange): boolean {
    const { isOnlyProcess, server } = this.#context;
    if (isOnlyProcess || this.#commitOf(change)) return false;
    return server().clock.now() - Date.parse(change.at) < otherProcessTime;
  }

  /** Waits until the response was sent, and a moment longer for robots. */
  async #untilDue(change: AnnouncedChange): Promise<void> {
    const sent = await this.#commitOf(change)?.sentAt;
    if (change.origin !== 'robot') return;
    // Where the response is unknown, the commit counts: else ten changes a second would be announced.
    const now = this.#context.server().clock.now();
    const passed = sent === undefined ? now - Date.parse(change.at) : performance.now() - sent;
    const remaining = Math.min(robotDelay - passed, robotDelay);
    if (remaining > 0) await sleep(remaining);
  }

  /** Passes a change to the listeners, until each accepts it. Returns false if another process announces it instead, or the dispatcher stops. */
  async #deliver(change: AnnouncedChange): Promise<boolean> {
    const { claims, listeners, log, isStopped } = this.#context;
    const event = toEvent(change);
    const waiting = isEffective(change) ? [...listeners] : [];
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

const charactersOf = (changes: CommittedChanges | null): number =>
  (changes?.list ?? []).reduce((sum, { before, after }) => sum + (before?.length ?? 0) + (after?.length ?? 0), 0);

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
