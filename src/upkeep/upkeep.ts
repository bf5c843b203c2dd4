import type { AccountServices } from '../accounts/services.ts';
import { sweepDataFolder } from '../core/temporary-files.ts';
import type { DeviceActivity } from '../device/device-activity.ts';
import type { Foundation, Room } from '../foundation.ts';
import { schedulePhotoFileDeletion } from '../photos/photo-removal.ts';
import { deviceReset, deviceResetRoute } from './device-reset.ts';
import { endOfLifeVersion } from './end-of-life-version.ts';
import { gardenCleanup } from './garden-cleanup.ts';
import { inactiveAccounts } from './inactive-accounts.ts';

/** What upkeep needs from settings and other rooms. */
export interface UpkeepDependencies {
  readonly accounts: AccountServices;
  readonly deviceActivity: DeviceActivity;
  /** Whether unused accounts are warned and deleted. */
  readonly deletesInactiveAccounts: boolean;
  /** The account that is never deleted for inactivity; null: none. */
  readonly publisher: string | null;
}

/** Opens the upkeep: reset, scheduled cleanups, unused accounts, temporary files. */
export const openUpkeep = ({ queue, mail, dataDir, logger }: Foundation, dependencies: UpkeepDependencies): Room => ({
  routes: [deviceResetRoute(dependencies.accounts)],
  jobs: [
    deviceReset((scope) => schedulePhotoFileDeletion(scope, queue)),
    gardenCleanup,
    endOfLifeVersion,
    ...inactiveAccounts({
      accounts: dependencies.accounts,
      deviceActivity: dependencies.deviceActivity,
      mail,
      publisher: dependencies.publisher,
      isEnabled: dependencies.deletesInactiveAccounts,
    }),
    { kind: 'temporary_file_sweep', interval: 24 * 3600_000, handle: () => sweepDataFolder(dataDir) },
  ],
  start: () =>
    sweepDataFolder(dataDir).catch((error: unknown) =>
      logger.warn({ reason: String(error) }, 'deleting the temporary files of ended processes failed'),
    ),
});
