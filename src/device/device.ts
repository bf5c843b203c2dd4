import { catalogIn } from '../core/catalog.ts';
import type { QuotaName, QuotaUsage } from '../core/quotas.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { StaleHandler } from '../engine/singleton-routes.ts';
import { singletonRoutes } from '../engine/singleton-routes.ts';
import type { SyncSource } from '../engine/sync-source.ts';
import type { Foundation, Room } from '../foundation.ts';
import { createAiFeedback } from './ai-feedbacks.ts';
import { type Alert, alertByBulletin } from './bulletin-alerts.ts';
import type { DeviceActivity } from './device-activity.ts';
import type { CreateDevice } from './device-creation.ts';
import type { CopyLimits, DestroyDevice, EmptyDevice } from './device-routes.ts';
import { deviceOwnRoutes } from './device-routes.ts';
import type { Owners } from './devices.ts';
import { fbosConfig } from './fbos-config.ts';
import { firmwareConfig } from './firmware-config.ts';
import { showGlobalBulletin } from './global-bulletins.ts';
import { logMailJobs } from './log-mails.ts';
import { logRoutes } from './log-routes.ts';
import type { LogStore } from './log-store.ts';
import type { Notify } from './notices.ts';
import { postedLogReader } from './posted-logs.ts';
import { showRelease } from './releases.ts';
import { syncRoute } from './sync.ts';
import { deleteTelemetries } from './telemetries.ts';
import { usageRoute } from './usage-route.ts';
import { webAppConfig } from './web-app-config.ts';

/** Dependencies of the device: settings and other rooms. */
export interface DeviceDependencies {
  readonly activity: DeviceActivity;
  readonly owners: Owners;
  readonly createDevice: CreateDevice;
  readonly emptyDevice: EmptyDevice;
  readonly destroyDevice: DestroyDevice;
  readonly copyLimits: CopyLimits;
  /** The keys of `device/sync`, in order. */
  readonly sync: readonly SyncSource[];
  /** `DELETE /api/logs/:id` deletes all of them. [decision 11] */
  readonly deletesAllLogs: boolean;
  /** The name of the configured language model, or null. */
  readonly aiModel: string | null;
  readonly logs: LogStore;
  readonly notify: Notify;
  /** What an account uses of its quotas. */
  readonly usage: (scope: DeviceScope) => Promise<Readonly<Record<QuotaName, QuotaUsage>>>;
}

/** The device and its configs, logs, telemetry, alerts and `device/sync`. */
export interface DeviceRoom extends Room {
  /** Logs that did not come from the broker. */
  readonly postedLogs: typeof postedLogReader;
  readonly alert: Alert;
}

const staleIn = catalogIn({
  en: {
    discarded: (id: number) => `A change was discarded because it was based on an outdated copy (record ${id}).`,
  },
  fr: {
    discarded: (id) => `Un changement a été ignoré, car il partait d’une copie dépassée (enregistrement ${id}).`,
  },
});

/** Opens the room. Its routes are those that resources do not declare. */
export function openDevice({ queue, mail, server }: Foundation, dependencies: DeviceDependencies): DeviceRoom {
  const { activity, owners, sync, deletesAllLogs, aiModel, logs, notify, usage } = dependencies;
  const notifyStale: StaleHandler = (scope, id) =>
    notify(scope, {
      message: (language) => staleIn(language).discarded(id),
      type: 'warn',
      channels: ['error'],
    });
  return {
    postedLogs: postedLogReader,
    alert: alertByBulletin,
    routes: [
      ...deviceOwnRoutes(dependencies),
      syncRoute(sync, activity),
      ...singletonRoutes(fbosConfig, notifyStale),
      ...singletonRoutes(firmwareConfig, notifyStale),
      ...singletonRoutes(webAppConfig),
      ...logRoutes(logs, deletesAllLogs),
      deleteTelemetries,
      createAiFeedback(aiModel),
      showGlobalBulletin,
      showRelease,
      usageRoute(usage),
    ],
    jobs: logMailJobs({ queue, owners, mail }),
    start: () => activity.start(server),
    stop: () => activity.stop(),
  };
}
