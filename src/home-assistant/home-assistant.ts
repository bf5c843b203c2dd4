import type { Server } from 'node:http';
import type { DeviceScope } from '../db/scope.ts';
import type { Foundation, Room } from '../foundation.ts';
import type { BridgeOptions } from './bridge.ts';
import { Bridge } from './bridge.ts';
import type { GardenTables } from './garden-reader.ts';
import { readGarden } from './garden-reader.ts';
import type { HomeAssistantRouteOptions } from './home-assistant-routes.ts';
import { homeAssistantRoutes } from './home-assistant-routes.ts';

/** What Home Assistant needs from settings and other rooms. */
export interface HomeAssistantDependencies
  extends Pick<BridgeOptions, 'robotState' | 'send' | 'sendEmergency'>,
    Pick<HomeAssistantRouteOptions, 'isAdministrators' | 'devices'> {
  /** The URL of Home Assistant's broker; null: none. */
  readonly url: string | null;
  readonly tables: GardenTables;
}

/** Opens the connection to Home Assistant. */
export function openHomeAssistant(foundation: Foundation, dependencies: HomeAssistantDependencies): Room {
  const { server, clock, logger: log, ownsDatabase, changes } = foundation;
  const { url, tables } = dependencies;
  const bridge =
    url === null
      ? null
      : new Bridge({
          ...{ ...dependencies, url, server, clock, log, ownsDatabase },
          readGarden: (scope: DeviceScope) => readGarden(scope, tables),
        });
  let unsubscribe: (() => void) | null = null;
  return {
    routes: homeAssistantRoutes({
      ...dependencies,
      isConfigured: bridge !== null,
      wake: async () => bridge?.wake(),
    }),
    jobs: [],
    start(http: Server) {
      if (!bridge) return;
      unsubscribe = changes.onCommit((deviceId) => bridge.onChange(deviceId));
      http.once('listening', () => {
        bridge.start().catch((error: unknown) => log.warn({ reason: String(error) }, 'Home Assistant cannot be used'));
      });
    },
    async stop() {
      unsubscribe?.();
      await bridge?.stop();
    },
  };
}
