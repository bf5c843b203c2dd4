import type { Server } from 'node:http';
import type { ServerScope } from '../db/scope.ts';
import type { OwnConnections } from '../engine/own-connections.ts';
import type { Foundation, Room } from '../foundation.ts';
import { ComputingShares } from './computing-shares.ts';
import { sayOfEnd } from './end-messages.ts';
import { FetchBudget } from './fetch-budget.ts';
import type { HostAddresses } from './hosted-robot.ts';
import { createRobot } from './hosted-robot.ts';
import type { SimulatorRouteOptions } from './simulator-routes.ts';
import { simulatorRoutes } from './simulator-routes.ts';
import { virtualRobots } from './virtual-robot-rows.ts';
import { VirtualRobots } from './virtual-robots.ts';

/** The settings and rooms that virtual robots depend on. */
export interface SimulatorDependencies extends Omit<SimulatorRouteOptions, 'robots'> {
  readonly addresses: () => HostAddresses;
  readonly connections: OwnConnections;
}

/** Opens the virtual robots that the server runs. */
export function openSimulator(foundation: Foundation, dependencies: SimulatorDependencies): Room {
  const { server, clock, logger: log, fetch } = foundation;
  const { limit, hasBroker, addresses, connections, accounts, live } = dependencies;
  const shares = new ComputingShares();
  const budget = new FetchBudget(clock);
  const robots = new VirtualRobots({
    ...foundation,
    log,
    limit,
    sessions: accounts.robotSessions,
    create: ({ device_id, user_id, is_demo, x, y, z }, token) =>
      createRobot({
        deviceId: device_id,
        addresses: addresses(),
        connections,
        token,
        position: { x, y, z },
        clock,
        // As for farmware: nothing is fetched for demo accounts.
        fetch: is_demo || !fetch ? null : budget.limited(device_id, fetch),
        // Scripts read all of a response.
        opens: () => accounts.opensFor(server().device(device_id)),
        scheduler: shares.schedulerOf({ garden: device_id, person: user_id, isDemo: is_demo }),
        log: (line) => log.debug({ device: device_id, line }, 'a virtual robot reports'),
      }),
  });

  /** The version of the table at which no virtual robot was to run. */
  let emptyVersion: string | null = null;

  /** Ends the virtual robot of a device when another robot has signed in. */
  const yieldTo = async (scope: ServerScope, deviceId: number, jti: string): Promise<void> => {
    const version = scope.version([virtualRobots]);
    // Thousands of robots connect after a restart.
    if (version !== null && version === emptyVersion) return;
    const running = { where: { is_running: true } };
    if (version !== null && (await scope.count(virtualRobots, running)) === 0) {
      emptyVersion = version;
      return;
    }
    const row = await scope.device(deviceId).first(virtualRobots, running);
    if (!row || row.jti === jti) return;
    await robots.end(row, sayOfEnd.realRobot);
    await robots.wake();
  };
  live.onRobotConnect((deviceId, jti) => {
    yieldTo(server(), deviceId, jti).catch((error: unknown) =>
      log.warn({ device: deviceId, reason: String(error) }, 'a virtual robot could not be ended'),
    );
  });

  return {
    routes: simulatorRoutes({ ...dependencies, robots }),
    jobs: [],
    start(http: Server) {
      if (!hasBroker) return;
      // Robots connect to the server's own port.
      http.once('listening', () => {
        robots.start().catch((error: unknown) => log.warn({ reason: String(error) }, 'virtual robots cannot start'));
      });
    },
    stop: () => robots.stop(),
  };
}
