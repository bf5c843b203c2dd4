import { timestamp } from '../core/clock.ts';
import { confirmedNow } from '../core/confirmed-time.ts';
import type { ServerScope } from '../db/scope.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import type { AccountServices } from './services.ts';
import { tokenIssuances } from './token-issuances.ts';
import { destroyAccount } from './user-deletion.ts';
import { users } from './users.ts';

const day = 86_400_000;
/** How long an account may stay without a confirmed address, in ms. */
const maxAge = 7 * day;
/** Accounts that are read at a time. */
const batchSize = 100;

const unverifiedAccountsJob = 'delete_unverified_accounts';

/** Deletes accounts daily whose address was not confirmed within a week and that were never used, as they could be while verification was off. */
export const unverifiedAccounts = (services: AccountServices): JobDefinition => ({
  kind: unverifiedAccountsJob,
  interval: day,
  async handle(server) {
    if (!services.rules.requiresVerification) return;
    const unconfirmed = {
      confirmed_at: null,
      sign_in_count: 0,
      created_at: { lt: timestamp(confirmedNow(server.clock) - maxAge) },
    };
    let last = 0;
    let count: number;
    do {
      const found = await server.rows(users, { where: { ...unconfirmed, id: { gt: last } }, limit: batchSize });
      count = found.length;
      for (const { id, device_id } of found) {
        last = id;
        await deleteUnused(services, server, id, device_id);
      }
    } while (count === batchSize);
  },
});

/** Checks again inside the transaction: the address may be confirmed at this moment. */
const deleteUnused = (services: AccountServices, server: ServerScope, id: number, deviceId: number): Promise<void> =>
  server.device(deviceId).transaction(async (scope) => {
    const user = await scope.first(users, { where: { id, confirmed_at: null } });
    if (!user || (await scope.count(tokenIssuances)) > 0) return;
    await destroyAccount(services, scope, user);
    scope.log.info({ user: id, device: deviceId }, 'an unverified account was deleted');
  });
