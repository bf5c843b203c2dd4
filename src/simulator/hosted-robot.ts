import type { Clock } from '../core/clock.ts';
import type { OwnClient, OwnConnections } from '../engine/own-connections.ts';
import { maxOwnResponse } from '../engine/own-connections.ts';
import type { FetchRequest, ServerFetch } from '../engine/server-fetch.ts';
import type { ScriptScheduler } from '../robot/lua/lua-thread.ts';

/** A position, in mm. */
export interface Position {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** A running robot, as far as the server knows it. */
export interface HostedRobot {
  readonly position: Position;
  /** When it last worked, in ms since the epoch. */
  readonly activeAt: number;
  /** Resolves with the reason, a sentence, when it has ended. */
  readonly ended: Promise<string>;
  /** Resolves when it is connected to the broker. Rejects if it cannot fetch its account's data. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The addresses at which a robot inside the server reaches it. */
export interface HostAddresses {
  /** `http://host:port` of this process. */
  readonly server: string;
  /** Whether the broker is reached at the WebSocket URL of the token. */
  readonly webSocket: boolean;
}

export interface HostedRobotOptions {
  readonly deviceId: number;
  readonly addresses: HostAddresses;
  readonly connections: OwnConnections;
  readonly token: string;
  readonly position: Position;
  readonly clock: Clock;
  /** Fetches addresses for scripts; null: they reach no other servers. */
  readonly fetch: ServerFetch | null;
  /** Returns the addresses that the settings open to these fetches. */
  readonly opens: () => Promise<FetchRequest['opens']>;
  readonly scheduler: ScriptScheduler;
  readonly log: (line: string) => void;
}

/** Limits of a fetch of a script, in bytes and ms. */
const fetchLimits = { maxBytes: 64 * 1024, timeout: 10_000 };

/** Pauses between connection attempts, in ms. */
const backOff = { first: 500, max: 30_000 };

/** Creates a virtual robot. Its code is loaded only then. */
export async function createRobot(options: HostedRobotOptions): Promise<HostedRobot> {
  const { deviceId, addresses, connections, fetch, opens } = options;
  const client: OwnClient = { deviceId, isCounted: false };
  const [{ VirtualRobot }, { RobotError }, { systemTime }] = await Promise.all([
    import('../robot/virtual-robot.ts'),
    import('../robot/robot-api.ts'),
    import('../robot/machine.ts'),
  ]);
  return new VirtualRobot({
    ...addresses,
    transport: async (url, request) => {
      const { isTruncated, ...response } = await connections.send(client, url, request);
      if (isTruncated)
        throw new RobotError(`${url} returned more than ${maxOwnResponse / 1024 / 1024} MiB.`, response.status);
      return { ...response, url };
    },
    synced: () => {
      client.isCounted = true;
    },
    credentials: { token: options.token },
    position: options.position,
    time: { ...systemTime, now: () => options.clock.now() },
    log: options.log,
    scheduler: options.scheduler,
    backOff,
    fetch: fetch
      ? async (url) => {
          const { status, body, type, isTruncated } = await fetch(url, fetchLimits, {
            body: null,
            headers: {},
            opens: await opens(),
          });
          if (isTruncated) throw new Error(`The response is longer than ${fetchLimits.maxBytes / 1024} KiB.`);
          return { status, body: body.toString('utf8'), headers: type === null ? {} : { 'Content-Type': type } };
        }
      : undefined,
  });
}
