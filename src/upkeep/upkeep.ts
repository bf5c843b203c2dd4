import type { AccountsOffer } from '../accounts/offer.ts';
import { sweepDataFolder } from '../core/temporary-files.ts';
import type { Foundation, Room } from '../foundation.ts';
import { schedulePhotoFileDeletion } from '../photos/photo-removal.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { ChangeTrimming } from './change-trimming.ts';
import { deviceReset, deviceResetRoute } from './device-reset.ts';
import { endOfLifeVersion } from './end-of-life-version.ts';
import { gardenCleanup } from './garden-cleanup.ts';
import { inactiveAccounts } from './inactive-accounts.ts';

/** The settings and rooms that upkeep depends on. */
export interface UpkeepDependencies {
  readonly accounts: AccountsOffer;
  /** Whether unused accounts are warned and deleted. */
  readonly deletesInactiveAccounts: boolean;
  /** The account that is never deleted for inactivity; null: none. */
  readonly publisher: string | null;
  readonly quotas: Quotas;
  /** How long changes are kept, in days. */
  readonly historyDays: number;
}

/** Opens the upkeep: reset, scheduled cleanups, the change log, unused accounts, temporary files. */
export function openUpkeep(
  { queue, mail, dataDir, logger, server, changes }: Foundation,
  { accounts: { services: accounts }, publisher, deletesInactiveAccounts, quotas, historyDays }: UpkeepDependencies,
): Room {
  const trimming = new ChangeTrimming({ server, changes, quotas, historyDays });
  return {
    routes: [deviceResetRoute(accounts)],
    jobs: [
      deviceReset((scope) => schedulePhotoFileDeletion(scope, queue)),
      gardenCleanup,
      endOfLifeVersion,
      ...inactiveAccounts({ accounts, mail, publisher, isEnabled: deletesInactiveAccounts }),
      { kind: 'temporary_file_sweep', interval: 24 * 3600_000, handle: () => sweepDataFolder(dataDir) },
      { kind: 'change_trimming', interval: 3600_000, handle: (scope) => trimming.trimAll(scope) },
    ],
    async start() {
      trimming.start();
      await sweepDataFolder(dataDir).catch((error: unknown) =>
        logger.warn({ reason: String(error) }, 'deleting the temporary files of ended processes failed'),
      );
    },
    stop: () => trimming.stop(),
  };
}
