import type { AddressInfo } from 'node:net';
import type { EventListener } from './core/events.ts';
import type { Foundation } from './foundation.ts';
import type { createHttp } from './http/http.ts';
import type { ServerUrls } from './http/server-urls.ts';
import type { Operations } from './operations.ts';
import type { Rooms } from './rooms.ts';
import type { Settings } from './settings/settings.ts';

/** The parts that start and stop. */
interface ServerParts {
  readonly settings: Settings;
  readonly foundation: Foundation;
  readonly rooms: Rooms;
  readonly http: ReturnType<typeof createHttp>;
  readonly urls: ServerUrls;
  readonly operations: Operations;
}

/** How long a stop waits for requests in progress before the broker stops too, in ms; they are completed all the same. */
const drainTime = 1000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** Returns the functions that start and stop a composed server. */
export function createLifecycle({ settings, foundation, rooms, http, urls, operations }: ServerParts) {
  const { announcements, runner, server, ownsDatabase } = foundation;
  const { live } = rooms;
  const announce = (): Promise<void> =>
    announcements.start({
      server,
      log: foundation.logger,
      isOnlyProcess: ownsDatabase,
      untilClientsReturn: live.untilClientsReturn,
    });
  return {
    /** Delivers every announced change to a listener, beginning with the rest of an earlier run. */
    async attach(listener: EventListener): Promise<void> {
      announcements.addListener(listener);
      await announce();
    },
    /** Begins to serve. `robotAddress` is the address to enter into a robot; null: only the operator knows it. */
    async listen() {
      for (const room of rooms.all) if (room !== live) await room.start?.(http.server);
      await http.listen(settings.HOST, settings.PORT);
      urls.port = (http.server.address() as AddressInfo).port;
      // RabbitMQ asks the HTTP server about the rights of clients.
      await live.start?.(http.server);
      if (live.eventListener) announcements.addListener(live.eventListener);
      await announce();
      announcements.startPolling();
      if (ownsDatabase) await runner.releaseLeases();
      runner.start();
      return { address: `http://${settings.HOST}:${urls.port}`, robotAddress: urls.forRobots(), port: urls.port };
    },
    /** Finishes requests and jobs in progress, and writes the buffers in memory. */
    async close(): Promise<void> {
      http.drain();
      if (settings.STOP_DELAY > 0) await pause(settings.STOP_DELAY * 1000);
      for (const room of rooms.all) room.drain?.();
      // WebSockets keep the HTTP server open until the broker ends them, after it has announced the changes in progress.
      const closed = http.close();
      await Promise.race([closed, pause(drainTime)]);
      await runner.stop();
      await announcements.stop();
      await live.stop?.();
      await closed;
      for (const room of rooms.all.toReversed()) if (room !== live) await room.stop?.();
      await operations.close();
      await foundation.close();
    },
  };
}
