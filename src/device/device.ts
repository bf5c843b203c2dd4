import { catalogIn } from '../core/catalog.ts';
import type { Event } from '../core/events.ts';
import { show } from '../engine/records.ts';
import type { StaleHandler } from '../engine/singleton-routes.ts';
import { singletonRoutes } from '../engine/singleton-routes.ts';
import type { SyncSource } from '../engine/sync-source.ts';
import type { Foundation, Room } from '../foundation.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { createAiFeedback } from './ai-feedbacks.ts';
import { alertByBulletin } from './bulletin-alerts.ts';
import type { DeviceActivity } from './device-activity.ts';
import { deviceOwnRoutes } from './device-routes.ts';
import { fbosConfig } from './fbos-config.ts';
import { firmwareConfig } from './firmware-config.ts';
import type { Gardens } from './gardens.ts';
import { showGlobalBulletin } from './global-bulletins.ts';
import { logMailJobs } from './log-mails.ts';
import { logRoutes } from './log-routes.ts';
import { LogStore } from './log-store.ts';
import type { PublishLog } from './notices.ts';
import { logNotices } from './notices.ts';
import type { DeviceOffer } from './offer.ts';
import { postedLogReader } from './posted-logs.ts';
import { latestImages, showRelease } from './releases.ts';
import type { RobotSyncListener } from './sync.ts';
import { syncRoute } from './sync.ts';
import { deleteTelemetries } from './telemetries.ts';
import { telemetryStore } from './telemetry-store.ts';
import { localTime } from './time-zones.ts';
import { usageRoute } from './usage-route.ts';
import { webAppConfig } from './web-app-config.ts';

/** The settings and rooms that the device depends on. */
export interface DeviceDependencies {
  readonly activity: DeviceActivity;
  readonly gardens: Gardens;
  readonly quotas: Quotas;
  /** The keys of `device/sync`, in order. */
  readonly sync: readonly SyncSource[];
  /** `DELETE /api/logs/:id` deletes all of them. [decision 11] */
  readonly deletesAllLogs: boolean;
  /** The name of the configured language model, or null. */
  readonly aiModel: string | null;
  /** Publishes a log that the server wrote. */
  readonly publishLog: PublishLog;
  /** Called when a robot begins to synchronize. */
  readonly robotSyncs: RobotSyncListener;
  /** Announces a record once more after a response, as `read` returns it then. Not awaited; must not throw. */
  readonly announceAgain: (
    record: Pick<Event, 'deviceId' | 'resource' | 'recordId'>,
    responseSent: Promise<void>,
    read: () => Promise<string>,
  ) => void;
}

const staleIn = catalogIn({
  en: {
    discarded: (id: number) => `A change was discarded because it was based on an outdated copy (record ${id}).`,
  },
  fr: {
    discarded: (id) => `Un changement a été ignoré, car il partait d’une copie dépassée (enregistrement ${id}).`,
  },
});

/** Opens the device and its configs, logs, telemetry, alerts and `device/sync`. Its routes are the ones that resources do not declare. */
export function openDevice({ queue, mail, server }: Foundation, dependencies: DeviceDependencies): Room & DeviceOffer {
  const { activity, gardens, quotas, sync, deletesAllLogs, aiModel, publishLog, announceAgain, robotSyncs } =
    dependencies;
  const logs = new LogStore(queue);
  const notify = logNotices(logs, publishLog, gardens.languageOf);
  const notifyStale: StaleHandler = async (scope, one, recordId, { responseSent }) => {
    await notify(scope, {
      message: (language) => staleIn(language).discarded(recordId),
      type: 'warn',
      channels: ['error'],
    });
    const { changeLogName: resource } = one.options;
    if (!scope.isOfRobot || resource === null) return;
    // The robot keeps its copy, whose time is newer, and would never read the record again. [rule M24]
    const later = scope.detached();
    announceAgain({ deviceId: scope.deviceId, resource, recordId }, responseSent, () => show(later, one, recordId));
  };
  return {
    activity,
    logs,
    notify,
    alert: alertByBulletin,
    postedLogs: postedLogReader,
    telemetries: telemetryStore,
    latestImages,
    localTime,
    routes: [
      ...deviceOwnRoutes(activity, gardens),
      syncRoute(sync, activity, robotSyncs),
      ...singletonRoutes(fbosConfig, notifyStale),
      ...singletonRoutes(firmwareConfig, notifyStale),
      ...singletonRoutes(webAppConfig),
      ...logRoutes(logs, deletesAllLogs),
      deleteTelemetries,
      createAiFeedback(aiModel),
      showGlobalBulletin,
      showRelease,
      usageRoute(quotas),
    ],
    jobs: logMailJobs({ queue, gardens, mail }),
    start: () => activity.start(server),
    stop: () => activity.stop(),
  };
}
