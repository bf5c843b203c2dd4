import type { EndSessions } from '../accounts/services.ts';
import { endGardenCredentials } from '../accounts/sessions.ts';
import { deviceOwners, gardenLanguage, isOfDemoAccount } from '../accounts/users.ts';
import type { ServerScope } from '../db/scope.ts';
import { destroyDevice, deviceCreator } from '../device/device-creation.ts';
import type { Gardens } from '../device/gardens.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { awayWays, notificationRules } from '../notifications/notification-rules.ts';
import { scheduleDeviceFileDeletion, schedulePhotoFileDeletion } from '../photos/photo-removal.ts';
import { deleteFeed } from '../programs/calendar-feeds.ts';
import { removePublications } from '../programs/published-versions.ts';
import { anonymizeAuthor } from '../programs/publishing.ts';
import { endDelegatedAccess } from './delegated-access.ts';
import { emptyDevice } from './device-emptying.ts';
import { deleteGarden, prepareAccountDeletion } from './garden-deletion.ts';

export interface GardenOptions {
  readonly queue: JobQueue;
  /** New devices get an alert for the set-up wizard of the web app. [decision 65] */
  readonly needsSeedAlert: boolean;
  readonly endSessions: EndSessions;
  readonly copyLimits: Gardens['copyLimits'];
  /** Schedules the deletion of the archives that imports left of a device. */
  readonly deleteArchives: (server: ServerScope, queue: JobQueue, deviceId: number) => Promise<void>;
}

/** Implements {@link Gardens} with the rooms that have a part in it. */
export function openGardens({
  queue,
  needsSeedAlert,
  endSessions,
  copyLimits,
  deleteArchives,
}: GardenOptions): Gardens {
  const gardens: Gardens = {
    ...deviceOwners(async (scope, userId) => {
      await endGardenCredentials(gardens, scope, userId);
      await endSessions(scope.server, scope.deviceId);
    }),
    create: deviceCreator(needsSeedAlert),
    empty: emptyDevice,
    clear: (scope) => deleteGarden(scope, (each) => schedulePhotoFileDeletion(each, queue)),
    async destroy(server, deviceId) {
      await scheduleDeviceFileDeletion(server, queue, deviceId);
      await deleteArchives(server, queue, deviceId);
      await removePublications(server.device(deviceId));
      await destroyDevice(server, deviceId);
    },
    prepareDeletion: prepareAccountDeletion,
    copyLimits,
    isDemo: isOfDemoAccount,
    languageOf: gardenLanguage,
    anonymizeAuthor,
    async endFeed(scope, userId) {
      await deleteFeed(scope, userId);
      await scope.delete(notificationRules, { where: { user_id: userId, way: [...awayWays] } });
    },
    endDelegatedAccess,
  };
  return gardens;
}
