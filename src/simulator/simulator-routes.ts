import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountsOffer } from '../accounts/offer.ts';
import type { Timestamp } from '../core/clock.ts';
import { currentTimestamp } from '../core/clock.ts';
import { Failure, refused } from '../core/errors.ts';
import { robotShares } from '../core/robot-shares.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Gardens } from '../device/gardens.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { untagged } from '../engine/entity-tag.ts';
import { fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { boolean } from '../engine/fields.ts';
import { Type } from '../engine/json-schema.ts';
import { timeSchema } from '../engine/kinds.ts';
import { objectBody } from '../engine/resource-routes.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { deviceRoutes } from '../engine/route.ts';
import type { LiveOffer } from '../live/offer.ts';
import { endMessage } from './end-messages.ts';
import { say } from './messages.ts';
import type { VirtualRobotRow } from './virtual-robot-rows.ts';
import { virtualRobots } from './virtual-robot-rows.ts';
import type { VirtualRobots } from './virtual-robots.ts';

export interface SimulatorRouteOptions {
  readonly robots: VirtualRobots;
  /** See {@link VirtualRobotsOptions.limit}. */
  readonly limit: number;
  readonly hasBroker: boolean;
  readonly accounts: AccountsOffer;
  readonly gardens: Gardens;
  readonly live: LiveOffer;
}

/** How long a request to start waits for the connection, and how often it looks for it, in ms. */
const [startTimeout, startInterval] = [10_000, 50];

const fields = { running: boolean().required().notNull().describe('Whether it should run.') };

const stateSchema = Type.Object(
  {
    running: Type.Boolean({ description: 'Whether it should run.' }),
    connected: Type.Boolean({ description: 'Whether it is connected to the message broker.' }),
    started_at: Type.Nullable(timeSchema),
    ended_at: Type.Nullable(timeSchema),
    ended_because: Type.Nullable(Type.String({ description: 'Why it ended by itself.' })),
    position: Type.Object({ x: Type.Number(), y: Type.Number(), z: Type.Number() }, { description: 'In millimeters.' }),
  },
  {
    $id: 'VirtualRobot',
    examples: [
      {
        running: true,
        connected: true,
        started_at: '2026-04-01T08:00:00.000Z',
        ended_at: null,
        ended_because: null,
        position: { x: 100, y: 200, z: 0 },
      },
    ],
  },
);

const conflictSchema = Type.Object({ error: Type.String() }, { examples: [{ error: String(say.realRobot) }] });

const requestSchema = Type.Object(
  { running: Type.Boolean({ description: 'Whether it should run.' }) },
  { $id: 'VirtualRobotInput', examples: [{ running: true }] },
);

type ConnectedRobot = ReturnType<LiveOffer['directory']['robots']>[number];

/** Whether the broker knows the virtual robot of a row; RabbitMQ does not distinguish it from others. */
const isConnected = (row: VirtualRobotRow | undefined, live: LiveOffer): boolean =>
  row?.is_running === true &&
  row.jti !== null &&
  live.directory.robots(row.device_id).some(({ jti }) => jti === null || jti === row.jti);

/** Waits until the virtual robot is connected or has ended, for at most 10 s. */
async function untilConnected(scope: DeviceScope, live: LiveOffer): Promise<void> {
  const end = performance.now() + startTimeout;
  while (performance.now() < end) {
    const row = await scope.first(virtualRobots);
    if (!row?.is_running || isConnected(row, live)) return;
    await sleep(startInterval);
  }
}

async function shownState(scope: DeviceScope, live: LiveOffer): Promise<object> {
  const row = await scope.first(virtualRobots);
  const ended = row?.ended_because ?? null;
  return {
    running: row?.is_running ?? false,
    connected: isConnected(row, live),
    started_at: row?.started_at ?? null,
    ended_at: row?.ended_at ?? null,
    ended_because: ended && (endMessage(ended) ?? ended),
    position: { x: row?.x ?? 0, y: row?.y ?? 0, z: row?.z ?? 0 },
  };
}

/** How long a message of the virtual robot may be under way, in ms. */
const deliveryTime = 3_000;

/** Whether a connected robot is another one than the virtual robot of a row, which does not run. */
function isReal({ jti, lastSeen }: ConnectedRobot, row: VirtualRobotRow | undefined): boolean {
  if (jti !== null || lastSeen === undefined) return jti !== row?.jti;
  const endedAt: Timestamp | null = row?.ended_at ?? null;
  return endedAt === null || lastSeen > Date.parse(endedAt) + deliveryTime;
}

const { robotsPerPerson } = robotShares;

/** Throws 422 if the acting user started `max` running robots, in all gardens. Robots that ran before there was a limit continue. */
async function assertShare({ server, userId }: DeviceScope, max: number): Promise<void> {
  const own = await server.count(virtualRobots, { where: { is_running: true, user_id: userId ?? 0 } });
  if (own >= max) throw refused(say.share(robotsPerPerson));
}

/** Starts the robot unless it runs. Throws 409, 422. */
async function start(scope: DeviceScope, options: SimulatorRouteOptions): Promise<void> {
  const isStarted = await scope.transaction((inner) => requestStart(inner, options));
  if (!isStarted) return;
  // Other processes start robots at the same time, and none sees uncommitted rows of the others.
  await assertShare(scope, robotsPerPerson + 1).catch(async (error: unknown) => {
    await requestEnd(scope);
    throw error;
  });
}

/** Returns whether it was started: false if it runs. Throws 409, 422. */
async function requestStart(scope: DeviceScope, options: SimulatorRouteOptions): Promise<boolean> {
  const { limit, hasBroker, gardens, live } = options;
  const row = await scope.first(virtualRobots);
  if (row?.is_running) return false;
  if (limit === 0) throw refused(say.noRobots);
  if (!hasBroker) throw refused(say.noBroker);
  if (live.directory.robots(scope.deviceId).some((robot) => isReal(robot, row)))
    throw new Failure('conflict', say.realRobot);
  await assertShare(scope, robotsPerPerson);
  const is_demo = await gardens.isDemo(scope);
  const running = await scope.server.count(virtualRobots, { where: { is_running: true } });
  const demos = is_demo ? await scope.server.count(virtualRobots, { where: { is_running: true, is_demo: true } }) : 0;
  if (running >= limit || demos >= Math.floor(limit / 2) + (is_demo ? 0 : 1)) throw refused(say.full);
  const state = {
    is_running: true,
    is_demo,
    ended_at: null,
    ended_because: null,
    user_id: scope.userId ?? 0,
    started_at: currentTimestamp(scope.clock),
  };
  if (row) await scope.update(virtualRobots, state, { where: { id: row.id } });
  else await scope.insert(virtualRobots, { ...state, x: 0, y: 0, z: 0 });
  return true;
}

async function requestEnd(scope: DeviceScope): Promise<void> {
  const changes = { is_running: false, ended_at: currentTimestamp(scope.clock), ended_because: null };
  await scope.update(virtualRobots, changes, { where: { is_running: true } });
}

/** The routes of the device's virtual robot. */
export function simulatorRoutes(options: SimulatorRouteOptions): DeviceRoute[] {
  const { live, robots } = options;
  return deviceRoutes({ tag: 'Control', path: '/api/virtual_robot', addition: true }, [
    {
      method: 'GET',
      summary: 'See whether the virtual robot runs',
      description: 'Returns whether the server runs a virtual robot for this garden, its position, and why it ended.',
      replies: { 200: stateSchema },
      handle: (scope) => shownState(scope, live),
      untagged: untagged.momentary,
    },
    {
      method: 'PUT',
      summary: 'Start or stop the virtual robot',
      description:
        'Runs a simulated robot for this garden in the server, with a session of its own, until it is stopped. It is refused while a real robot is connected (409) or the server, or the person, runs as many as they may (422), ends when a real robot connects, and survives restarts of the server. Waits for at most ten seconds until it is connected.',
      needsSession: true,
      transaction: false,
      body: { rule: 'object', schema: requestSchema },
      replies: { 200: stateSchema, 409: conflictSchema, 422: fieldFailuresSchema },
      async handle(scope, call) {
        const parsed = parseBody(fields, objectBody(call), 'create');
        assertValid(parsed);
        const { running } = parsed.values as { readonly running: boolean };
        await (running ? start(scope, options) : scope.transaction(requestEnd));
        await robots.wake();
        if (running && robots.isStarted) await untilConnected(scope, live);
        return shownState(scope, live);
      },
    },
  ]);
}
