import { randomUUID } from 'node:crypto';
import type { Change } from '../../core/changes.ts';
import { timestamp } from '../../core/clock.ts';
import type { Event } from '../../core/events.ts';
import { FairSemaphore } from '../../core/fair-semaphore.ts';
import type { Logger } from '../../core/logger.ts';
import type { ChangeLog } from '../../db/change-log.ts';
import type { DeviceScope, ServerScope } from '../../db/scope.ts';
import { announcementOf } from '../announcement.ts';
import type { Broker } from '../broker.ts';
import { deviceTopic } from '../topics.ts';
import type { RobotCursors } from './robot-cursors.ts';

/** Changes that are read at a time, and their bytes if there is more than one. */
const pageSize = 100;
const pageBytes = 256 * 1024;
/** Robots to which is announced at the same time: after an outage all of them come back. */
const maxConcurrent = 4;
/** Silence of a connection after which nothing was lost, in ms: its client ended it. */
const negligibleSilence = 1000;
/** Records and bytes that are announced again; a robot that lacks more is asked to synchronize. */
const maxRecords = 1000;
const maxBytes = 1024 * 1024;

export interface MissedChangesOptions {
  readonly cursors: RobotCursors;
  readonly changes: Pick<ChangeLog, 'read' | 'lastId' | 'deliveredOnly'>;
  readonly server: () => ServerScope;
  readonly broker: Pick<Broker, 'hasRobot' | 'toRobots' | 'subscribeTime' | 'missedSince'>;
  /** Whether the broker's clients get no announcements of a resource. */
  readonly isHidden: (event: Pick<Event, 'deviceId' | 'resource'>) => Promise<boolean>;
  readonly log: Logger;
}

/** The newest change of each record, and the last change that was read. */
interface Missed {
  readonly records: ReadonlyMap<string, Change>;
  readonly last: number;
}

/** Announces missed changes to a robot again, since robot OS synchronizes only when it starts. [rule M25, ADR 104] */
export class MissedChanges {
  readonly #options: MissedChangesOptions;
  readonly #timers = new Map<number, NodeJS.Timeout>();
  readonly #permits = new FairSemaphore(maxConcurrent, Number.POSITIVE_INFINITY);
  /** The announcements in progress. */
  readonly #running = new Set<Promise<void>>();
  #isStopped = false;

  constructor(options: MissedChangesOptions) {
    this.#options = options;
  }

  /** Publishes an announcement, and records the change if a robot may not get it. */
  async around({ id, deviceId }: Event, publish: () => Promise<void>): Promise<void> {
    const { broker, cursors, server } = this.#options;
    const lacks = () => cursors.lacks(server().device(deviceId), id - 1);
    const isThere = await broker.hasRobot(deviceId);
    // Before it is published: a robot that subscribes at that moment must find it.
    if (!isThere) await lacks();
    await publish();
    if (isThere && !(await broker.hasRobot(deviceId))) await lacks();
  }

  /** Records the end of a robot's connection, which was silent for so many ms: messages to it in that time may be lost. */
  connectionEnded(deviceId: number, silence: number): void {
    if (this.#isStopped || silence < negligibleSilence) return;
    const { cursors, server } = this.#options;
    const time = timestamp(server().clock.now() - silence);
    this.#run(deviceId, () => cursors.lacksSince(server().device(deviceId), time));
  }

  /** Announces missed changes to a robot once it has subscribed. */
  subscribed(deviceId: number): void {
    const { broker } = this.#options;
    if (this.#isStopped || this.#timers.has(deviceId)) return;
    const since = broker.missedSince(deviceId);
    const timer = setTimeout(() => {
      this.#timers.delete(deviceId);
      this.#run(deviceId, () => this.#announce(deviceId, since));
    }, broker.subscribeTime).unref();
    this.#timers.set(deviceId, timer);
  }

  /** Begins nothing more, and resolves when the announcements in progress have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    await Promise.all(this.#running);
  }

  #run(device: number, work: () => Promise<void>): void {
    const running: Promise<void> = this.#permits
      .run(String(device), async () => (this.#isStopped ? undefined : work()))
      // The missed changes stay recorded until the robot's next connection.
      .catch((error: unknown) => this.#options.log.warn({ device, reason: String(error) }, 'a robot may lack changes'))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #announce(deviceId: number, since: number | null): Promise<void> {
    const { cursors, changes, server } = this.#options;
    const scope = server().device(deviceId);
    let after = await cursors.find(scope, since === null ? null : timestamp(since));
    if (after === null) return;
    const announced = new Set<string>();
    for (;;) {
      const missed = await this.#read(scope, after);
      if (missed === null) {
        if (!(await this.#askForSync(deviceId))) return;
        after = await changes.lastId(scope);
        break;
      }
      after = missed.last;
      const isFirst = announced.size === 0;
      // A record that was changed in between must not stay as it was read.
      const due = [...missed.records].filter(([key]) => isFirst || announced.has(key));
      if (due.length === 0) break;
      for (const [key, change] of due) {
        if (this.#isStopped || !(await this.#announceAgain(change))) return;
        announced.add(key);
      }
    }
    await cursors.reached(scope, after);
  }

  /** Reads the changes after one; null if the log does not have them all, or they are too many. */
  async #read(scope: DeviceScope, after: number): Promise<Missed | null> {
    const records = new Map<string, Change>();
    let [last, bytes] = [after, 0];
    const { changes } = this.#options;
    // Readings and telemetry, which a robot sends and does not read.
    const takes = (resource: string): boolean => !changes.deliveredOnly.includes(resource);
    for (;;) {
      const page = await changes.read(scope, { after: last, limit: pageSize, maxBytes: pageBytes, takes });
      if (page === 'reset') return null;
      if (page.length === 0) return { records, last };
      for (const change of page) {
        last = change.id;
        if (!takes(change.resource)) continue;
        const key = `${change.resource} ${change.recordId}`;
        bytes += (change.after?.length ?? 0) - (records.get(key)?.after?.length ?? 0);
        records.delete(key);
        records.set(key, change);
      }
      if (records.size > maxRecords || bytes > maxBytes) return null;
    }
  }

  /** Returns false if the robot is no longer there. */
  async #announceAgain(change: Change): Promise<boolean> {
    const { broker, isHidden } = this.#options;
    const { deviceId, resource, recordId, after } = change;
    if (await isHidden(change)) return true;
    return broker.toRobots(deviceId, announcementOf({ deviceId, resource, recordId, body: after }, randomUUID()));
  }

  #askForSync(deviceId: number): Promise<boolean> {
    const args = { label: randomUUID(), priority: 500 };
    const request = { kind: 'rpc_request', args, body: [{ kind: 'sync', args: {} }] };
    const topic = deviceTopic(deviceId, 'from_clients');
    return this.#options.broker.toRobots(deviceId, { topic, payload: JSON.stringify(request) });
  }
}
