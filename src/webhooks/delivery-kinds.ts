import type { DeviceScope } from '../db/scope.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import type { DeliveryRow } from './deliveries.ts';
import { webhookDeliveries } from './deliveries.ts';
import type { WebhookRow } from './webhook-resource.ts';

/** Deliver waiting changes in order; the second kind is for webhooks whose address failed or responded slowly, so that those take few slots. */
export const deliveryJob = 'webhook_delivery';
export const retryJob = 'webhook_retry';

export type DeliveryKind = typeof deliveryJob | typeof retryJob;

export const deliveryKinds: Readonly<Record<DeliveryKind, Omit<JobDefinition, 'handle'>>> = {
  // As many as a garden has by default.
  [deliveryJob]: { kind: deliveryJob, waitsFor: 'webhooks', perPerson: 10 },
  [retryJob]: { kind: retryJob, waitsFor: 'webhooks', concurrency: 10, perPerson: 3 },
};

/** After this time, in ms, an address has responded slowly. */
const slowTime = 1_000;

/** Whether an attempt took long. */
export const isSlow = ({ duration }: Pick<DeliveryRow, 'duration'>): boolean => (duration ?? 0) > slowTime;

/** Returns the job that delivers waiting changes: by the last response of the address. */
export async function kindFor(
  scope: DeviceScope,
  { id, failing_since }: Pick<WebhookRow, 'id' | 'failing_since'>,
): Promise<DeliveryKind> {
  if (failing_since !== null) return retryJob;
  const [last] = await scope.rows(webhookDeliveries, {
    where: { webhook_id: id, status: 'delivered' },
    order: [['id', 'desc']],
    limit: 1,
  });
  return last && isSlow(last) ? retryJob : deliveryJob;
}
