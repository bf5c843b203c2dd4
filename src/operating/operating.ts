import type { AccountsOffer } from '../accounts/offer.ts';
import type { Foundation, Room } from '../foundation.ts';
import type { LiveOffer } from '../live/offer.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { adminBackupRoutes } from './admin-backup-routes.ts';
import { adminServerRoutes } from './admin-server-routes.ts';
import { adminUserRoutes } from './admin-user-routes.ts';
import { feedbackMails, feedbackRoute } from './feedback.ts';
import { reloadAnnouncement } from './reload-announcement.ts';
import type { BackupFolder } from './server-backups.ts';
import { serverBackups } from './server-backups.ts';
import { updateRequests } from './update-requests.ts';

/** The settings and rooms that operators' tasks depend on. */
export interface OperatingDependencies {
  readonly accounts: AccountsOffer;
  readonly quotas: Quotas;
  readonly live: LiveOffer;
  /** The address that gets the feedback of users; null: it is only stored. */
  readonly operator: string | null;
  /** Loads the module that creates backups. */
  backupFolder(): Promise<BackupFolder>;
}

/** Opens the operators' tasks: administration over HTTP, the feedback of users, and the jobs that follow from releases and from commands. */
export function openOperating(foundation: Foundation, dependencies: OperatingDependencies): Room {
  const { messages, queue, mail } = foundation;
  const { accounts, quotas, live } = dependencies;
  const feedback = { queue, mail, operator: dependencies.operator };
  const backups = serverBackups(foundation, () => dependencies.backupFolder());
  return {
    routes: [
      feedbackRoute(feedback),
      ...adminUserRoutes(accounts.services, quotas),
      ...adminServerRoutes({ foundation, accounts: accounts.services, live }),
      ...adminBackupRoutes(backups),
    ],
    jobs: [
      updateRequests((message) => messages.publish(message)),
      reloadAnnouncement((message) => messages.publish(message)),
      feedbackMails(feedback),
      backups.job,
    ],
  };
}
