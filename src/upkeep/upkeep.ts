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
export interface UpkeepHands {
  readonly accounts: AccountServices;
  readonly deviceActivity: DeviceActivity;
  /** Whether unused accounts are warned and deleted. */
  readonly deletesInactiveAccounts: boolean;
  /** The account that is never deleted for inactivity; null: none. */
  readonly publisher: string | null;
}

/** Opens the upkeep: reset, scheduled cleanups, unused accounts, temporary files. */
export const openUpkeep = ({ queue, mail, dataDir, logger }: Foundation, hands: UpkeepHands): Room => ({
  routes: [deviceResetRoute(hands.accounts)],
  jobs: [
    deviceReset((scope) => schedulePhotoFileDeletion(scope, queue)),
    gardenCleanup,
    endOfLifeVersion,
    ...inactiveAccounts({
      accounts: hands.accounts,
      deviceActivity: hands.deviceActivity,
      mail,
      publisher: hands.publisher,
      isEnabled: hands.deletesInactiveAccounts,
    }),
    { kind: 'temporary_file_sweep', interval: 24 * 3600_000, handle: () => sweepDataFolder(dataDir) },
  ],
  start: () =>
    sweepDataFolder(dataDir).catch((error: unknown) =>
      logger.warn({ reason: String(error) }, 'deleting the temporary files of ended processes failed'),
    ),
});
