import { column } from '../db/columns.ts';
import type { ServerScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import type { JobQueue } from '../jobs/queue.ts';

/** Session tokens that count: a token without its row here is refused, whatever its signature says. */
export const tokenIssuances = table(
  'token_issuances',
  {
    device_id: column.bigint().references('devices'),
    jti: column.text(),
    aud: column.text(),
    /** Seconds since the epoch; may be earlier than the token's own. */
    exp: column.bigint(),
  },
  { reach: 'both', unique: [['jti', 'device_id']], indexes: [['device_id'], ['exp']] },
);

export type TokenIssuanceRow = RowOf<typeof tokenIssuances>;

/** Reset tokens that were used, until they expire: each works once. [decision 39] */
export const usedResetTokens = table(
  'used_reset_tokens',
  { jti: column.text(), exp: column.bigint() },
  { reach: 'server', unique: [['jti']], indexes: [['exp']] },
);

/** The kind of the job that {@link deleteExpired} does. */
export const expiredTokensJob = 'delete_expired_tokens';

/** How often expired tokens are looked for, whether somebody signs in or not, in ms. */
export const expiredTokensInterval = 86_400_000;

/** Rows that one transaction deletes at most: others wait for it. */
const rowsAtOnce = 500;

const seconds = (scope: ServerScope): number => Math.floor(scope.clock.now() / 1000);

/** Has expired rows deleted in the background, if there are any. */
export async function sweepExpired(scope: ServerScope, jobs: JobQueue): Promise<void> {
  // Ordered by what the index holds, so that the first entry answers it.
  const expired = await scope.first(tokenIssuances, {
    where: { exp: { lte: seconds(scope) } },
    order: [['exp', 'asc']],
  });
  if (expired) await jobs.enqueueOnce(scope, expiredTokensJob, {});
}

/** Deletes what expired, a part at a time; such tokens are refused anyway. Outside a transaction. */
export async function deleteExpired(server: ServerScope): Promise<void> {
  for (const table of [tokenIssuances, usedResetTokens]) {
    let removed: number;
    do {
      const query = { where: { exp: { lte: seconds(server) } }, limit: rowsAtOnce };
      const ids = (await server.rows(table, query)).map(({ id }) => id);
      removed = ids.length;
      if (removed > 0) await server.delete(table, { where: { id: ids } });
    } while (removed === rowsAtOnce);
  }
}
