import type { Server } from 'node:http';
import type { AccountsOffer } from '../accounts/offer.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Foundation, Room } from '../foundation.ts';
import type { LiveOffer } from '../live/offer.ts';
import type { Bridge, BridgeOptions } from './bridge.ts';
import { EmbeddedBridge } from './embedded-bridge.ts';
import { ExternalBridge } from './external-bridge.ts';
import type { ShownRooms } from './garden-reader.ts';
import { readGarden } from './garden-reader.ts';
import { homeAssistantRoutes } from './home-assistant-routes.ts';

/** The settings and rooms that Home Assistant depends on. */
export interface HomeAssistantDependencies extends ShownRooms {
  /** The URL of Home Assistant's broker; `on`: it uses the built-in one; null: none. */
  readonly broker: string | null;
  readonly accounts: AccountsOffer;
  readonly live: LiveOffer;
}

/** Opens the connection to Home Assistant. */
export function openHomeAssistant(foundation: Foundation, dependencies: HomeAssistantDependencies): Room {
  const { changes, logger: log } = foundation;
  const { broker, live } = dependencies;
  const bridge = createBridge(foundation, dependencies);
  let unsubscribe: (() => void) | null = null;
  return {
    routes: homeAssistantRoutes({
      ...dependencies,
      broker: broker === 'on' ? live.gardens && 'built-in' : broker === null ? null : 'external',
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

function createBridge(foundation: Foundation, { broker, ...dependencies }: HomeAssistantDependencies): Bridge | null {
  const { logger: log, ownsDatabase, messages } = foundation;
  const options: BridgeOptions = {
    ...foundation,
    ...dependencies,
    log,
    readGarden: (scope: DeviceScope) => readGarden(scope, dependencies),
  };
  if (broker !== 'on') return broker === null ? null : new ExternalBridge({ ...options, url: broker, ownsDatabase });
  const connections = dependencies.live.gardens;
  if (!connections) return null;
  return new EmbeddedBridge({
    ...options,
    connections,
    publishMessage: (message) => messages.publish(message),
  });
}
