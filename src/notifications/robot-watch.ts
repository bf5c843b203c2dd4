import { LRUCache } from 'lru-cache';
import { maxEntries } from '../core/cache-limits.ts';
import { timestamp } from '../core/clock.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { devices } from '../device/devices.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import type { LiveOffer } from '../live/offer.ts';
import type { ProgramsOffer } from '../programs/offer.ts';
import { notifications } from './notification-resource.ts';
import type { Happened } from './recorder.ts';
import { recordNotification } from './recorder.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
/** How long a robot is away before it is reported, in ms: many reconnect soon. */
const awayTime = 5 * minute;
const checkInterval = 30_000;
/** Robots whose last message is known. */
const maxRobots = 20_000;

/** The job that finds runs that were due while the robot was offline. */
const missedRunsJob = 'missed_runs';
/** Its interval, in ms. A run is looked for as long after it was due, so that a robot may reconnect. */
const missedRunsInterval = 5 * minute;
/** Maximum absence of a robot, in ms: one that is away for longer was put away. */
const maxAbsence = 30 * day;
/** Runs of a garden that are looked at. */
const maxRuns = 100;

export interface RobotWatchOptions {
  readonly live: LiveOffer;
  readonly programs: Pick<ProgramsOffer, 'dueRuns'>;
  readonly queue: JobQueue;
  readonly server: () => ServerScope;
}

/** Notices that robots are offline, and what was due meanwhile. */
export class RobotWatch {
  readonly #options: RobotWatchOptions;
  /** When robots were last heard, in ms, and whether it was reported that they are offline. */
  readonly #heard = new LRUCache<number, { readonly at: number; isReported: boolean }>(maxEntries(maxRobots));
  #unsubscribe: (() => void) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #checking: Promise<void> = Promise.resolve();

  constructor(options: RobotWatchOptions) {
    this.#options = options;
  }

  start(): void {
    const { live, server } = this.#options;
    const { clock } = server();
    this.#unsubscribe = live.robotMessages.observe(({ deviceId, channel }) => {
      if (channel !== 'from_clients') this.#hear(deviceId, clock.now());
    });
    this.#timer = setInterval(() => {
      this.#checking = this.#checking.then(() => this.check());
    }, checkInterval);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    if (this.#timer) clearInterval(this.#timer);
    await this.#checking;
  }

  /** Reports robots that have been away for a while. */
  async check(): Promise<void> {
    const { live, server } = this.#options;
    const { clock, log } = server();
    for (const [deviceId, heard] of [...this.#heard.entries()]) {
      if (live.directory.robots(deviceId).length > 0) this.#hear(deviceId, clock.now());
      else if (!heard.isReported && clock.now() - heard.at >= awayTime) {
        heard.isReported = true;
        await this.#reportAway(server().device(deviceId), heard.at).catch((error: unknown) =>
          log.warn({ device: deviceId, reason: String(error) }, 'a robot that is offline could not be reported'),
        );
      }
    }
  }

  #hear(deviceId: number, at: number): void {
    this.#heard.set(deviceId, { at, isReported: false });
  }

  #reportAway(scope: DeviceScope, at: number): Promise<void> {
    return scope.transaction(async (inner) => {
      if (!(await inner.first(devices))) return;
      // Other processes notice it at the same time.
      const where = { kind: 'offline' as const, at: { gte: timestamp(at - awayTime) } };
      if ((await inner.count(notifications, { where })) > 0) return;
      await recordNotification(inner, this.#options.queue, { kind: 'offline', message: '', at });
    });
  }

  get jobs(): readonly JobDefinition[] {
    return [{ kind: missedRunsJob, interval: missedRunsInterval, handle: (server) => this.#findMissedRuns(server) }];
  }

  async #findMissedRuns(server: ServerScope): Promise<void> {
    const { live } = this.#options;
    const now = server.clock.now();
    const known = await server.rows(devices, { where: { last_saw_broker: { gte: timestamp(now - maxAbsence) } } });
    // A job may be late: what was reported is not reported again.
    const [from, to] = [now - 3 * missedRunsInterval, now - missedRunsInterval];
    for (const { id } of known) {
      if (live.directory.robots(id).length > 0) continue;
      const scope = server.device(id);
      const heard = this.#heard.get(id)?.at ?? 0;
      const missed = (await this.#options.programs.dueRuns(scope, from, to, maxRuns)).filter(({ at }) => at > heard);
      if (missed.length > 0) await scope.transaction((inner) => this.#reportMissed(inner, missed));
    }
  }

  async #reportMissed(scope: DeviceScope, missed: readonly { readonly name: string; readonly at: number }[]) {
    for (const { name, at } of missed) {
      const happened: Happened = { kind: 'missed_run', message: name, at };
      const where = { kind: happened.kind, message: name, at: timestamp(at) };
      if ((await scope.count(notifications, { where })) === 0)
        await recordNotification(scope, this.#options.queue, happened);
    }
  }
}
