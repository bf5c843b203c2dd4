import type { ChangeLog } from '../db/change-log.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { Report } from './deliveries.ts';
import { insertDeliveries, webhookDeliveries } from './deliveries.ts';
import { changeType } from './delivery-report.ts';
import type { WebhookRow } from './webhook-resource.ts';
import { webhooks } from './webhook-resource.ts';

/** Changes that become deliveries at a time; the rest stays in the log. */
const batchSize = 100;

/** The report when the log no longer has all changes since the last delivery. */
const resetReport: Report = { type: 'reset', content: {} };

/**
 * Creates deliveries of the changes that follow the webhook's cursor, of resources that it reports and its creator may read.
 * Returns the new cursor. Requires a transaction. `isReadable` null: none.
 */
export async function collectChanges(
  scope: DeviceScope,
  changes: Pick<ChangeLog, 'read' | 'lastId'>,
  webhook: WebhookRow,
  isReadable: ((resource: string) => boolean) | null,
): Promise<number> {
  const { id, cursor, resources } = webhook;
  const last = await changes.lastId(scope);
  let after = cursor;
  // Many changes may be of other resources.
  while (after < last && isReadable && resources?.length !== 0) {
    const query = { after, limit: batchSize, takes: isReadable, ...(resources && { resources }) };
    const rows = await changes.read(scope, query);
    if (rows === 'reset') return reportReset(scope, changes, webhook);
    after = rows.length < batchSize ? last : (rows.at(-1)?.id ?? last);
    const reports = rows
      .filter(({ resource }) => isReadable(resource))
      .map((change): Report => ({ type: changeType(change), changeId: change.id }));
    if (reports.length === 0) continue;
    await insertDeliveries(scope, id, reports);
    return after;
  }
  return last;
}

/** Reports once that the log no longer has all changes, instead of the waiting ones. Returns the new cursor. Requires a transaction. */
export async function reportReset(
  scope: DeviceScope,
  changes: Pick<ChangeLog, 'lastId'>,
  { id }: WebhookRow,
): Promise<number> {
  await scope.delete(webhookDeliveries, {
    where: { webhook_id: id, status: 'waiting', change_id: { not: null } },
  });
  await insertDeliveries(scope, id, [resetReport]);
  return changes.lastId(scope);
}

/** Returns the id up to which the active webhooks of a device need no changes of the log any more; infinite without any. */
export async function readByWebhooks(scope: DeviceScope): Promise<number> {
  let first = Number.POSITIVE_INFINITY;
  for (const { id, cursor } of await scope.rows(webhooks, { where: { active: true } })) {
    // A waiting change is read from the log when it is posted.
    const where = { webhook_id: id, status: 'waiting', change_id: { not: null } };
    const waiting = await scope.first(webhookDeliveries, { where });
    first = Math.min(first, cursor, (waiting?.change_id ?? cursor + 1) - 1);
  }
  return first;
}
