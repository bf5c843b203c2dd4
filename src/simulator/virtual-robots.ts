import type { AccountsOffer } from '../accounts/offer.ts';
import type { Clock } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { Message } from '../core/message.ts';
import { Lease } from '../db/lease.ts';
import type { ServerScope } from '../db/scope.ts';
import { sayOfEnd } from './end-messages.ts';
import type { HostedRobot, Position } from './hosted-robot.ts';
import type { VirtualRobotRow } from './virtual-robot-rows.ts';
import { virtualRobots } from './virtual-robot-rows.ts';

/** Interval in which the rows are compared with the running robots here, in ms. */
const pollInterval = 2_000;
/** After this time other processes run the robots of a process that was killed, in ms. */
const leaseDuration = 8_000;
/** The session of a robot is renewed after this time, in ms; tokens are valid for 60 days. */
const maxSessionAge = 30 * 86_400_000;
/** How long the robot of a demo garden may be idle, in ms. */
const demoIdleTime = 15 * 60_000;

export interface VirtualRobotsOptions {
  readonly server: () => ServerScope;
  readonly clock: Clock;
  readonly log: Logger;
  /** No other process uses the database. */
  readonly ownsDatabase: boolean;
  /** Robots at a time, in all processes; at most half of them of demo gardens. */
  readonly limit: number;
  readonly sessions: AccountsOffer['robotSessions'];
  readonly create: (row: VirtualRobotRow, token: string) => Promise<HostedRobot>;
}

interface Hosted {
  readonly startedAt: number;
  jti: string | null;
  robot: HostedRobot | null;
  endedBecause: string | Message | null;
  isLeft: boolean;
}

/** Runs the virtual robots of all devices, in one process each: a row is leased, and another process takes it over when the lease expires. [ADR 59] */
export class VirtualRobots {
  readonly #options: VirtualRobotsOptions;
  readonly #lease: Lease<VirtualRobotRow>;
  readonly #hosted = new Map<number, Hosted>();
  #timer: NodeJS.Timeout | null = null;
  #work: Promise<void> = Promise.resolve();
  #isFailing = false;

  constructor(options: VirtualRobotsOptions) {
    this.#options = options;
    this.#lease = new Lease(virtualRobots, leaseDuration, options.clock);
  }

  /** Begins to run robots. */
  async start(): Promise<void> {
    const { server, ownsDatabase } = this.#options;
    // Leases of an earlier run.
    if (ownsDatabase) await this.#lease.releaseAll(server());
    this.#timer = setInterval(() => void this.wake(), pollInterval).unref();
    await this.wake();
  }

  /** Whether this process runs robots. */
  get isStarted(): boolean {
    return this.#timer !== null;
  }

  /** Compares the rows with the running robots here. Resolves when that is done; never rejects. */
  wake(): Promise<void> {
    this.#work = this.#work.then(async () => {
      if (!this.#timer) return;
      try {
        await this.#compare();
        this.#isFailing = false;
      } catch (error) {
        if (!this.#isFailing) this.#options.log.warn({ reason: String(error) }, 'virtual robots cannot be managed');
        this.#isFailing = true;
      }
    });
    return this.#work;
  }

  /** Ends a robot for good. `reason`: a sentence; null if it was asked for. */
  async end(row: VirtualRobotRow, reason: string | Message | null): Promise<void> {
    const ended_because = reason && String(reason);
    const changes = { is_running: false, ended_at: currentTimestamp(this.#options.clock), ended_because };
    await this.#options.server().update(virtualRobots, changes, { where: { id: row.id, is_running: true } });
  }

  /** Stops the robots of this process; another one, or the next, runs them. */
  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    await this.#work;
    await Promise.allSettled([...this.#hosted].map(([deviceId, hosted]) => this.#leave(deviceId, hosted)));
    const { server, ownsDatabase, log } = this.#options;
    if (ownsDatabase) return;
    // The leases of robots that could not be left, or whose lease was not confirmed.
    await this.#lease
      .release(server())
      .catch((error: unknown) => log.warn({ reason: String(error) }, 'virtual robots could not be released'));
  }

  async #compare(): Promise<void> {
    const { server, ownsDatabase } = this.#options;
    await this.#lease.repair(server());
    if (!ownsDatabase && this.#hosted.size > 0) await this.#lease.renew(server());
    const order = [
      ['started_at', 'asc'],
      ['id', 'asc'],
    ] as const;
    const rows = await this.#withinLimits(await server().rows(virtualRobots, { where: { is_running: true }, order }));
    const own = new Set(rows.filter((row) => this.#lease.isOwn(row)).map(({ device_id }) => device_id));
    for (const [deviceId, hosted] of this.#hosted) if (!own.has(deviceId)) await this.#leave(deviceId, hosted);
    for (const row of rows) {
      const hosted = this.#hosted.get(row.device_id);
      if (hosted) await this.#check(row, hosted);
      else if (await this.#lease.claim(server(), row, { is_running: true })) this.#host(row);
    }
  }

  /** Ends robots beyond the limits, the newest ones, and returns the others. */
  async #withinLimits(rows: readonly VirtualRobotRow[]): Promise<VirtualRobotRow[]> {
    const { limit } = this.#options;
    const kept: VirtualRobotRow[] = [];
    let demos = 0;
    for (const row of rows) {
      const fits = kept.length < limit && (!row.is_demo || demos < Math.floor(limit / 2));
      if (fits) kept.push(row);
      else await this.end(row, sayOfEnd.limit);
      if (fits && row.is_demo) demos++;
    }
    return kept;
  }

  /** Ends a robot that has ended or is idle, renews an old session, or stores a changed state. */
  async #check(row: VirtualRobotRow, hosted: Hosted): Promise<void> {
    const { server, clock } = this.#options;
    const { robot } = hosted;
    const now = clock.now();
    const isIdle = row.is_demo && robot !== null && now - robot.activeAt > demoIdleTime;
    const reason = hosted.endedBecause ?? (isIdle ? sayOfEnd.idle : null);
    if (reason !== null) await this.end(row, reason);
    if (reason !== null || now - hosted.startedAt > maxSessionAge) await this.#leave(row.device_id, hosted);
    else if (robot) {
      const { x, y, z } = robot.position;
      if (x !== row.x || y !== row.y || z !== row.z)
        await server().update(virtualRobots, { x, y, z }, { where: this.#lease.own({ id: row.id }) });
    }
  }

  #host(row: VirtualRobotRow): void {
    const hosted: Hosted = {
      startedAt: this.#options.clock.now(),
      jti: null,
      robot: null,
      endedBecause: null,
      isLeft: false,
    };
    this.#hosted.set(row.device_id, hosted);
    this.#run(row, hosted).catch(async (error: unknown) => {
      this.#options.log.warn({ device: row.device_id, reason: String(error) }, 'a virtual robot could not be started');
      // The next comparison starts it again.
      if (!hosted.isLeft) await this.#leave(row.device_id, hosted).catch(() => undefined);
    });
  }

  async #run(row: VirtualRobotRow, hosted: Hosted): Promise<void> {
    const { server, sessions, create } = this.#options;
    const session = await server()
      .device(row.device_id)
      .transaction(async (scope) => {
        if (row.jti !== null) await sessions.end(scope, row.jti);
        const opened = await sessions.open(scope, row.user_id);
        await scope.update(virtualRobots, { jti: opened?.jti ?? null }, { where: { id: row.id } });
        return opened;
      });
    if (!session) {
      hosted.endedBecause = sayOfEnd.noUser;
      return;
    }
    hosted.jti = session.jti;
    const robot = await create(row, session.token);
    hosted.robot = robot;
    if (hosted.isLeft) return robot.stop();
    void robot.ended.then(async (reason) => {
      // A change of the password revokes the session and then resets the robot, which knows only the latter.
      const isOpen = await sessions.isOpen(server().device(row.device_id), session.jti).catch(() => true);
      if (hosted.isLeft) return;
      hosted.endedBecause = isOpen ? reason : sayOfEnd.sessionRevoked;
      void this.wake();
    });
    await robot.start();
  }

  /** Stops a robot of this process, stores its position, ends its session and releases its row. */
  async #leave(deviceId: number, hosted: Hosted): Promise<void> {
    const { server, sessions } = this.#options;
    hosted.isLeft = true;
    if (this.#hosted.get(deviceId) === hosted) this.#hosted.delete(deviceId);
    const { robot, jti } = hosted;
    await robot?.stop();
    await server()
      .device(deviceId)
      .transaction(async (scope) => {
        if (jti !== null) await sessions.end(scope, jti);
        const position: Partial<Position> = robot?.position ?? {};
        await this.#lease.release(scope.server, { device_id: deviceId }, position);
      });
  }
}
