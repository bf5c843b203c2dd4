import type { AccountServices } from '../accounts/services.ts';
import type { Foundation, Room } from '../foundation.ts';
import { pointTableRoute } from './tables/point-table-route.ts';
import type { TransferDependencies } from './transfer-operations.ts';
import { accountTransfer } from './transfer-operations.ts';
import { exportMails, exportRoute, importRoute } from './transfer-routes.ts';

/** Opens export and import. */
export function openTransfer(
  foundation: Foundation,
  dependencies: TransferDependencies & { readonly accounts: AccountServices },
): Room {
  const { server, logger, queue, mail, sendsMail } = foundation;
  const { accounts, quotas } = dependencies;
  const { replacedAccounts, ...transfer } = accountTransfer(foundation, dependencies);
  const services = { ...transfer, accounts, queue, quotas, mail, sendsMail };
  return {
    routes: [exportRoute(services), importRoute(services), pointTableRoute],
    jobs: [exportMails(services), ...replacedAccounts.jobs()],
    // The daily job runs in one of several processes, which may have folders of their own.
    start: () =>
      replacedAccounts
        .sweep(server())
        .catch((error: unknown) =>
          logger.warn({ reason: String(error) }, 'deleting the archives of replaced accounts failed'),
        ),
  };
}
