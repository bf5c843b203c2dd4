import type { Route } from '../engine/route.ts';
import type { StaleHandler } from '../engine/singleton-routes.ts';
import { singletonRoutes } from '../engine/singleton-routes.ts';
import type { SyncSource } from '../engine/sync-source.ts';
import { createAiFeedback } from './ai-feedbacks.ts';
import type { DeviceActivity } from './device-activity.ts';
import type { DestroyDevice } from './device-routes.ts';
import { deviceOwnRoutes } from './device-routes.ts';
import type { Owners } from './devices.ts';
import { fbosConfig } from './fbos-config.ts';
import { firmwareConfig } from './firmware-config.ts';
import { showGlobalBulletin } from './global-bulletins.ts';
import { logRoutes } from './log-routes.ts';
import type { LogStore } from './log-store.ts';
import type { Notices } from './notices.ts';
import { showRelease } from './releases.ts';
import { syncRoute } from './sync.ts';
import { deleteTelemetries } from './telemetries.ts';
import { webAppConfig } from './web-app-config.ts';

/** Dependencies of the device's routes. */
export interface DeviceServices {
  readonly activity: DeviceActivity;
  readonly notices: Notices;
  readonly logs: LogStore;
  readonly owners: Owners;
  readonly destroyDevice: DestroyDevice;
  /** Keys of `device/sync`, in order. */
  readonly sync: readonly SyncSource[];
  /** `DELETE /api/logs/:id` deletes all logs. [decision 11] */
  readonly deletesAllLogs: boolean;
  /** Name of the language model in use, if any. */
  readonly aiModel: string | null;
}

/** Returns the routes of the device that resources do not declare. */
export function deviceRoutes(services: DeviceServices): Route[] {
  const { activity, notices, logs, owners, destroyDevice, sync, deletesAllLogs, aiModel } = services;
  const notifyStale: StaleHandler = (scope, id) =>
    notices.notify(scope, {
      message: `A change was discarded because it was based on an outdated copy (record ${id}).`,
      type: 'warn',
      channels: ['error'],
    });
  return [
    ...deviceOwnRoutes({ activity, owners, destroyDevice }),
    syncRoute(sync, activity),
    ...singletonRoutes(fbosConfig, notifyStale),
    ...singletonRoutes(firmwareConfig, notifyStale),
    ...singletonRoutes(webAppConfig),
    ...logRoutes(logs, deletesAllLogs),
    deleteTelemetries,
    createAiFeedback(aiModel),
    showGlobalBulletin,
    showRelease,
  ];
}
