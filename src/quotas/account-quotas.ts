import type { QuotaName } from '../core/quotas.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope } from '../db/scope.ts';
import { table } from '../db/table.ts';

/** Limits that an operator set for one account. */
export const accountQuotas = table(
  'account_quotas',
  {
    device_id: column.bigint().references('devices'),
    quota: column.text(),
    value: column.bigint(),
  },
  { reach: 'device', unique: [['device_id', 'quota']] },
);

/** Returns the account's own limit, or undefined. */
export const ownLimit = async (scope: DeviceScope, quota: QuotaName): Promise<number | undefined> =>
  (await scope.first(accountQuotas, { where: { quota } }))?.value;

/** Sets or, with null, removes a limit of the scope's account. */
export function setOwnLimit(scope: DeviceScope, quota: QuotaName, value: number | null): Promise<void> {
  return scope.transaction(async (inner) => {
    await inner.delete(accountQuotas, { where: { quota } });
    if (value !== null) await inner.insert(accountQuotas, { quota, value });
  });
}

/** Copies the limits that were set for an account to a new device of the same user, inside a transaction. */
export async function copyOwnLimits(from: DeviceScope, to: DeviceScope): Promise<void> {
  for (const { quota, value } of await from.rows(accountQuotas)) await to.insert(accountQuotas, { quota, value });
}
