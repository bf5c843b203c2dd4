import type { Clock } from '../core/clock.ts';
import { timestamp } from '../core/clock.ts';
import type { EventListener } from '../core/events.ts';
import type { Logger } from '../core/logger.ts';
import type { EventRow } from './event-rows.ts';
import { eventRows, toEvent } from './event-rows.ts';
import type { Selection, ServerScope, Where } from './scope.ts';

/** How often others' events are looked for, in ms: a command's change is heard about as soon. */
export const pollInterval = 2000;
/**
 * How long the writing process may take to deliver an event, or to say that it still will, before another takes it over,
 * in ms. As long does a device wait for its announcements after a process was killed that had one to tell.
 */
export const claimDuration = 10_000;
/** A robot meets its own new row in the announcement before it has read the answer, unless it waits this long, in ms. [decision 50] */
const robotDelay = 100;
/** The longest an announcement waits for an answer to leave, in ms. */
const answerPatience = 30_000;
/** Pause before a listener that failed is told again, in ms; doubles up to thirty times as much. */
const retryPause = 1000;
/** Pause before it is looked again whether another process has told its older events, in ms. */
const othersPause = 50;
/** Events kept in memory for one device; the rest waits in the table. */
const queuedAtMost = 500;

interface Waiting {
  readonly row: EventRow;
  /** Settles with the time (of `performance.now()`) at which the answer had left. */
  readonly answered: Promise<number> | undefined;
}

/** The events of one device that are still to be told, in commit order. */
interface Queue {
  waiting: Waiting[];
  /** There are more in the table. */
  isOverfull: boolean;
  /** Up to this id the table holds nothing that another process has yet to tell. */
  clearThrough: number;
}

/** Whose an event is, without its body. */
const claimOf: Selection<{ readonly id: number; readonly claimed_until: string }> = {
  key: 'claim',
  expressions: ['"id"', '"claimed_until"'],
  read: ([id, until]) => ({ id: Number(id), claimed_until: String(until) }),
};

/** Hands committed events to the listeners, in commit order per device, after the answer, at least once across a restart. */
export class EventDispatcher {
  readonly #listeners = new Set<EventListener>();
  readonly #queues = new Map<number, Queue>();
  /** Ids of the events in the queues, or told and not yet deleted: they must not be queued again. */
  readonly #known = new Set<number>();
  readonly #clock: Clock;
  #server: (() => ServerScope) | null = null;
  #log: Logger | null = null;
  #told: number[] = [];
  #deleting: Promise<void> | null = null;
  #isStopped = false;
  /** No other process tells events of this database. */
  #isAlone = false;
  /** Somebody else tells the events of this process. */
  #isLeaving = false;
  readonly #leaving = new Set<Promise<void>>();
  /** Devices of which others had left nothing, and what had been committed by others then. Known only where nobody else tells events. */
  readonly #clear = new Set<number>();
  #clearAt: string | null = null;
  /** When the claims of this process were written anew, in ms since the epoch. */
  #renewedAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether changes are recorded at all. */
  get isRecording(): boolean {
    return this.#listeners.size > 0 || this.#isLeaving;
  }

  /** Has changes recorded and left for the process that serves: for commands, which have no listener. [reference 4.6] */
  recordOnly(server: () => ServerScope, log: Logger): void {
    this.#server = server;
    this.#log = log;
    this.#isLeaving = true;
  }

  /** Begins handing events to a listener, first those that an earlier run left. `alone`: no other process uses the database, so all of them. */
  async attach(listener: EventListener, server: () => ServerScope, log: Logger, alone: boolean): Promise<void> {
    this.#server = server;
    this.#log = log;
    this.#isAlone = alone;
    const isFirst = this.#listeners.size === 0;
    this.#listeners.add(listener);
    if (isFirst) await this.#take(server(), alone ? {} : this.#expired());
  }

  /** Takes the events that others left, and keeps the claim on what waits here. Called at start and every few seconds: it only reads while there is nothing to take. */
  async claimExpired(): Promise<void> {
    const server = this.#server?.();
    if (!server || this.#listeners.size === 0) return;
    await this.#renew(server, this.#clock.now());
    if ((await server.count(eventRows, { where: this.#expired() })) > 0) await this.#take(server, this.#expired());
  }

  #expired(): Where<EventRow> {
    return { claimed_until: { lt: timestamp(this.#clock.now()) } };
  }

  async #take(server: ServerScope, where: Where<EventRow>): Promise<void> {
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

  /** Queues the events of one commit. */
  enqueue(deviceId: number, rows: readonly EventRow[], answered: Promise<void> | undefined): void {
    if (this.#isLeaving) {
      const left = this.#giveUp(rows).finally(() => this.#leaving.delete(left));
      this.#leaving.add(left);
      return;
    }
    const answeredAt = answered?.then(() => performance.now());
    const fresh = rows.filter(({ id }) => !this.#known.has(id)).map((row) => ({ row, answered: answeredAt }));
    if (fresh.length === 0) return;
    let queue = this.#queues.get(deviceId);
    if (!queue) {
      queue = { waiting: [], isOverfull: false, clearThrough: 0 };
      this.#queues.set(deviceId, queue);
      void this.#work(deviceId, queue);
    }
    if (queue.isOverfull || queue.waiting.length + fresh.length > queuedAtMost) queue.isOverfull = true;
    else this.#queue(queue, fresh);
  }

  /** Gives up the claim on events, so that nobody waits until it has run out. */
  async #giveUp(rows: readonly EventRow[]): Promise<void> {
    try {
      const where = { id: rows.map(({ id }) => id) };
      await this.#server?.().update(eventRows, { claimed_until: timestamp(0) }, { where });
    } catch (error) {
      this.#log?.warn({ reason: String(error) }, 'announcements come some seconds late');
    }
  }

  #queue(queue: Queue, fresh: readonly Waiting[]): void {
    for (const { row } of fresh) this.#known.add(row.id);
    queue.waiting.push(...fresh);
    // What is taken over from others is older than what waits here.
    queue.waiting.sort((a, b) => a.row.id - b.row.id);
  }

  async #work(deviceId: number, queue: Queue): Promise<void> {
    // The caller has yet to fill the queue.
    await null;
    while (!this.#isStopped) {
      const [next] = queue.waiting;
      if (!next) {
        if (!queue.isOverfull) break;
        await this.#refill(deviceId, queue);
        continue;
      }
      if (queue.clearThrough < next.row.id && !(await this.#othersAreDone(deviceId, queue))) continue;
      await ready(next);
      if (queue.waiting[0] !== next) continue;
      if (!(await this.#tell(next.row))) break;
      queue.waiting.splice(queue.waiting.indexOf(next), 1);
      this.#told.push(next.row.id);
      this.#deleting ??= this.#deleteTold();
    }
    this.#queues.delete(deviceId);
  }

  /** Looks whether another process has older events of the device still to tell; waits a moment if so, and takes over those of a process that is gone. */
  async #othersAreDone(deviceId: number, queue: Queue): Promise<boolean> {
    const first = queue.waiting[0]?.row.id ?? 0;
    const last = queue.waiting.at(-1)?.row.id ?? first;
    try {
      const server = this.#server?.();
      if (!server || this.#isClear(server, deviceId)) {
        queue.clearThrough = last;
        return true;
      }
      const where = { device_id: deviceId, ...(!this.#isAlone && { id: { lt: last } }) };
      const claims = await server.select(eventRows, claimOf, { where, limit: 1000 });
      const foreign = claims.find(({ id }) => !this.#known.has(id));
      if (!foreign || foreign.id > first) {
        queue.clearThrough = foreign ? foreign.id - 1 : last;
        if (!foreign && this.#isAlone && claims.length < 1000) this.#clear.add(deviceId);
        return true;
      }
      const isAbandoned = foreign.claimed_until < timestamp(this.#clock.now());
      if (isAbandoned) await this.claimExpired();
      else await pause(othersPause);
    } catch (error) {
      this.#log?.warn({ reason: String(error) }, 'waiting announcements could not be read; they are tried again');
      await pause(retryPause);
    }
    return false;
  }

  /** Whether it is known without reading that others, commands, have left nothing of a device. */
  #isClear(server: ServerScope, deviceId: number): boolean {
    if (!this.#isAlone) return false;
    const present = server.version([]);
    if (present !== this.#clearAt) this.#clear.clear();
    this.#clearAt = present;
    return this.#clear.has(deviceId);
  }

  /** Fetches what did not fit into memory. What is committed meanwhile comes after it. */
  async #refill(deviceId: number, queue: Queue): Promise<void> {
    queue.isOverfull = false;
    try {
      // Those told a moment ago are on their way out of the table.
      await this.#deleting;
      const rows =
        (await this.#server?.().rows(eventRows, { where: { device_id: deviceId }, limit: queuedAtMost })) ?? [];
      const fresh = rows.filter(({ id }) => !this.#known.has(id)).map((row) => ({ row, answered: undefined }));
      const meanwhile = queue.waiting;
      queue.waiting = [];
      this.#queue(queue, fresh);
      queue.waiting.push(...meanwhile);
      if (rows.length === queuedAtMost) queue.isOverfull = true;
    } catch (error) {
      queue.isOverfull = true;
      this.#log?.warn({ reason: String(error) }, 'waiting announcements could not be read; they are tried again');
      await pause(retryPause);
    }
  }

  /** False: the dispatcher stopped before every listener had taken it. */
  async #tell(row: EventRow): Promise<boolean> {
    const event = toEvent(row);
    for (const listener of this.#listeners) {
      for (let attempt = 0; ; attempt++) {
        if (this.#isStopped) return false;
        try {
          await listener(event);
          break;
        } catch (error) {
          this.#log?.warn({ event: event.id, reason: String(error) }, 'an announcement was not taken; it comes again');
          await pause(retryPause * Math.min(2 ** attempt, 30));
        }
      }
    }
    return true;
  }

  /** Deletes what was told, many in one transaction; a crash before it only means a second delivery. */
  async #deleteTold(): Promise<void> {
    await pause(20);
    try {
      while (this.#told.length > 0) {
        const ids = this.#told;
        this.#told = [];
        await this.#server?.().delete(eventRows, { where: { id: ids } });
        for (const id of ids) this.#known.delete(id);
      }
    } catch (error) {
      this.#log?.error({ reason: String(error) }, 'told announcements could not be deleted');
    } finally {
      this.#deleting = null;
    }
  }

  /** Waits until nothing is under way (tests, stopping), at most `limit` ms. */
  async whenIdle(limit = 5000): Promise<void> {
    const end = performance.now() + limit;
    while ((this.#queues.size > 0 || this.#deleting) && performance.now() < end) await pause(5);
  }

  /** Tells what is under way for two seconds at most, then stops; what is left stays in the table. */
  async stop(): Promise<void> {
    await this.whenIdle(2000);
    this.#isStopped = true;
    await Promise.all(this.#leaving);
    await this.#deleting;
  }
}

/** Waits until the answer has left, and for robots a moment more. */
async function ready({ row, answered }: Waiting): Promise<void> {
  const at = await Promise.race([answered, answered && pause(answerPatience).then(() => performance.now())]);
  if (row.origin !== 'robot') return;
  const left = (at ?? performance.now()) + robotDelay - performance.now();
  if (left > 0) await pause(left);
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
