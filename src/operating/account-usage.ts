import { personalTokens } from '../accounts/personal-tokens.ts';
import { countedSessions } from '../accounts/sessions.ts';
import { tokenIssuances } from '../accounts/token-issuances.ts';
import { accountOf, isOfDemoAccount, userByEmail } from '../accounts/users.ts';
import type { QuotaLimits, QuotaName } from '../core/quotas.ts';
import { quotaNames, quotas } from '../core/quotas.ts';
import { changeSizes } from '../db/change-rows.ts';
import { idOf } from '../db/row-ids.ts';
import type { DeviceScope, ServerScope } from '../db/scope.ts';
import { devices } from '../device/devices.ts';
import { photoMeters } from '../photos/photo-quota.ts';
import { publishedBytes } from '../programs/published-versions.ts';
import { setOwnLimit } from '../quotas/account-quotas.ts';
import { Quotas } from '../quotas/quotas.ts';
import { webhooks } from '../webhooks/webhook-resource.ts';

/** Creates the quotas of all accounts. */
export const createQuotas = (limits: QuotaLimits): Quotas =>
  new Quotas({
    limits,
    meters: {
      ...photoMeters,
      tokens: (scope) => scope.count(tokenIssuances, { where: countedSessions }),
      history_bytes: (scope) => scope.sum(changeSizes, 'byte_size'),
      published_bytes: publishedBytes,
      webhooks: (scope) => scope.count(webhooks),
      personal_tokens: (scope) => scope.count(personalTokens),
    },
    isDemo: isOfDemoAccount,
    accountOf,
  });

/** The operations of the command line on quotas. */
export const quotaOperations = (server: () => ServerScope, limits: QuotaLimits) => ({
  /** Changes limits of an account; null removes one, so that the general limit applies. Returns its usage; null if there is no such account. */
  async change(email: string, changes: Readonly<Partial<Record<QuotaName, number | null>>>) {
    const user = await userByEmail(server(), email);
    if (!user) return null;
    const scope = server().device(user.device_id);
    for (const name of quotaNames) {
      const { [name]: value } = changes;
      if (value !== undefined) await setOwnLimit(scope, name, value);
    }
    return createQuotas(limits).usage(scope);
  },
});

/** Share of a quota from which an account is near its limit. */
const nearLimit = 0.9;

async function isNearLimit(meters: Quotas, scope: DeviceScope): Promise<boolean> {
  for (const name of quotaNames) {
    // A history at its limit is trimmed.
    if (quotas[name].kind === 'trimmed') continue;
    const used = await meters.used(scope, name);
    if (used > 0 && used >= (await meters.limit(scope, name)) * nearLimit) return true;
  }
  return false;
}

/** Returns the number of accounts that use 90 % of a stored quota, or more. */
export async function countNearLimits(server: ServerScope, limits: QuotaLimits): Promise<number> {
  const meters = createQuotas(limits);
  let count = 0;
  for (const id of await server.select(devices, idOf)) if (await isNearLimit(meters, server.device(id))) count++;
  return count;
}
