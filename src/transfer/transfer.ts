import type { AccountServices } from '../accounts/services.ts';
import type { Foundation, Room } from '../foundation.ts';
import type { Quotas } from '../quotas/quotas.ts';
import type { TransferDependencies } from './transfer-operations.ts';
import { accountTransfer } from './transfer-operations.ts';
import { exportMails, exportRoute, importRoute } from './transfer-routes.ts';

/** Opens export and import. */
export function openTransfer(
  foundation: Foundation,
  dependencies: TransferDependencies & {
    readonly accounts: Pick<AccountServices, 'passwords' | 'limits'>;
    readonly quotas: Pick<Quotas, 'hold' | 'consume'>;
  },
): Room {
  const { queue, mail, sendsMail } = foundation;
  const { accounts, quotas } = dependencies;
  const services = { ...accountTransfer(foundation, dependencies), accounts, queue, quotas, mail, sendsMail };
  return { routes: [exportRoute(services), importRoute(services)], jobs: [exportMails(services)] };
}
