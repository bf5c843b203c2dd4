import type { Route } from '../engine/route.ts';
import type { StaleHandler } from '../engine/singleton-routes.ts';
import { singletonRoutes } from '../engine/singleton-routes.ts';
import type { SyncSource } from '../engine/sync-source.ts';
import { createAiFeedback } from './ai-feedbacks.ts';
import type { DeviceActivity } from './device-activity.ts';
import type { DestroyDevice } from './device-routes.ts';
import { deviceOwnRoutes } from './device-routes.ts';
import { fbosConfig } from './fbos-config.ts';
import { firmwareConfig } from './firmware-config.ts';
import { showGlobalBulletin } from './global-bulletins.ts';
import { logRoutes } from './log-routes.ts';
import type { LogStore } from './log-store.ts';
import type { Notices } from './notices.ts';
import type { Owners } from './owners.ts';
import { showRelease } from './releases.ts';
import { syncRoute } from './sync.ts';
import { deleteTelemetries } from './telemetries.ts';
import { webAppConfig } from './web-app-config.ts';

/** What the device's routes need from elsewhere. */
export interface DeviceServices {
  readonly traffic: DeviceActivity;
  readonly notices: Notices;
  readonly logs: LogStore;
  readonly owners: Owners;
  readonly destroyDevice: DestroyDevice;
  /** The keys of `device/sync`, in order. */
  readonly sync: readonly SyncSource[];
  /** `DELETE /api/logs/:id` deletes all of them. [decision 11] */
  readonly deletesAllLogs: boolean;
  /** The language model in use, if any. */
  readonly aiModel: string | null;
}

/** Returns the routes of the device that resources do not declare. */
export function deviceRoutes(services: DeviceServices): Route[] {
  const { traffic, notices, logs, owners, destroyDevice, sync, deletesAllLogs, aiModel } = services;
  const tellStale: StaleHandler = (scope, id) =>
    notices.notify(scope, {
      message: `A change was discarded because it came from an old copy (record ${id}).`,
      type: 'warn',
      channels: ['error'],
    });
  return [
    ...deviceOwnRoutes({ traffic, owners, destroyDevice }),
    syncRoute(sync, traffic),
    ...singletonRoutes(fbosConfig, tellStale),
    ...singletonRoutes(firmwareConfig, tellStale),
    ...singletonRoutes(webAppConfig),
    ...logRoutes(logs, deletesAllLogs),
    deleteTelemetries,
    createAiFeedback(aiModel),
    showGlobalBulletin,
    showRelease,
  ];
}
