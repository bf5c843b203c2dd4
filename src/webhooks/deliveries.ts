import { randomBytes } from 'node:crypto';
import { refused } from '../core/errors.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema, timeSchema } from '../engine/kinds.ts';
import { deliveryMessage, sayOfDelivery } from './delivery-messages.ts';
import { say } from './messages.ts';
import { webhooks } from './webhook-resource.ts';

/** `waiting`: for its turn or its next attempt; `sending`: for a single attempt out of order. */
const states = ['waiting', 'sending', 'delivered', 'failed'] as const;

type DeliveryState = (typeof states)[number];

/** The pending and last deliveries of a webhook. Deliveries of changes contain no record: it is read from the change log. */
export const webhookDeliveries = table(
  'webhook_deliveries',
  {
    device_id: column.bigint().references('devices'),
    webhook_id: column.bigint().references(webhooks.name),
    /** The same for every attempt: receivers recognize repetitions by it. */
    message_id: column.text(),
    type: column.text(),
    /** The change that it reports; null: it reports {@link content}. */
    change_id: column.bigint().nullable(),
    /** JSON text of its report, if that is not a change. */
    content: column.text().nullable(),
    status: column.text(),
    attempts: column.integer(),
    attempted_at: column.time().nullable(),
    /** Duration of the last attempt, in ms. */
    duration: column.integer().nullable(),
    response_status: column.integer().nullable(),
    response_body: column.text().nullable(),
    error: column.text().nullable(),
  },
  {
    reach: 'device',
    indexes: [
      ['webhook_id', 'status', 'id'],
      ['device_id', 'webhook_id', 'status', 'id'],
    ],
  },
);

export type DeliveryRow = RowOf<typeof webhookDeliveries>;

/** Number of finished deliveries of a webhook that are kept and listed. */
const keptDeliveries = 100;

/** A robot that never stops sending must not fill the database while an address is down. */
export const maxWaiting = 1000;

/** Single attempts of a device at the same time: an address that does not respond takes ten seconds for each. */
const maxSending = 10;

/** Throws 422 if too many single attempts of the device are in progress. */
export async function assertRoomToSend(scope: DeviceScope): Promise<void> {
  if ((await scope.count(webhookDeliveries, { where: { status: 'sending' } })) >= maxSending)
    throw refused(say.sending(maxSending));
}

/** The report of a delivery: a change of the log, or content of its own. `id`: the message's; a new one by default. */
export type Report =
  | { readonly type: string; readonly changeId: number }
  | { readonly type: string; readonly content: object; readonly id?: string };

/** Stores deliveries in the order of the reports. Returns their rows. */
export function insertDeliveries(
  scope: DeviceScope,
  webhookId: number,
  reports: readonly Report[],
  status: DeliveryState = 'waiting',
): Promise<DeliveryRow[]> {
  const rows = reports.map((report) => ({
    webhook_id: webhookId,
    message_id: ('id' in report ? report.id : undefined) ?? `msg_${randomBytes(18).toString('base64url')}`,
    type: report.type,
    change_id: 'changeId' in report ? report.changeId : null,
    content: 'content' in report ? JSON.stringify(report.content) : null,
    status,
    attempts: 0,
  }));
  return scope.insertAll(webhookDeliveries, rows);
}

/** Deletes the finished deliveries of a webhook beyond the kept ones. */
export async function trimDeliveries(scope: DeviceScope, webhookId: number): Promise<void> {
  const finished = { webhook_id: webhookId, status: ['delivered', 'failed'] };
  const [oldest] = await scope.rows(webhookDeliveries, {
    where: finished,
    order: [['id', 'desc']],
    limit: 1,
    offset: keptDeliveries - 1,
  });
  if (oldest) await scope.delete(webhookDeliveries, { where: { ...finished, id: { lt: oldest.id } } });
}

/** Ends the deliveries of a webhook that wait, because it was switched off. */
export async function abandonDeliveries(scope: DeviceScope, webhookId: number): Promise<void> {
  const where = { webhook_id: webhookId, status: 'waiting' };
  await scope.update(webhookDeliveries, { status: 'failed', error: String(sayOfDelivery.switchedOff) }, { where });
}

/** Returns the JSON of a delivery: the columns that {@link deliverySchema} has. */
export function deliveryRecord({ updated_at, device_id, webhook_id, change_id, content, ...shown }: DeliveryRow) {
  return { ...shown, error: shown.error && (deliveryMessage(shown.error) ?? shown.error) };
}

export const deliverySchema = Type.Object(
  {
    id: idSchema,
    created_at: timeSchema,
    message_id: Type.String({ description: 'The header `webhook-id` of every attempt.' }),
    type: Type.String({ description: '`Point.created`, `robot.connected`, `test`, …' }),
    status: Type.OneOf(states),
    attempts: Type.Integer(),
    attempted_at: Type.Nullable(timeSchema),
    duration: Type.Nullable(Type.Integer({ description: 'Of the last attempt, in milliseconds.' })),
    response_status: Type.Nullable(Type.Integer({ description: 'The status of the last response.' })),
    response_body: Type.Nullable(
      Type.String({
        description: 'The first KiB of the last response; null if the address is not on the public internet.',
      }),
    ),
    error: Type.Nullable(Type.String({ description: 'Why the last attempt failed.' })),
  },
  {
    $id: 'WebhookDelivery',
    examples: [
      {
        id: 12,
        created_at: '2026-04-01T08:00:00.000Z',
        message_id: 'msg_0ujsszwN8NRY24YaXiTIE2VW',
        type: 'Point.created',
        status: 'delivered',
        attempts: 1,
        attempted_at: '2026-04-01T08:00:00.050Z',
        duration: 84,
        response_status: 204,
        response_body: '',
        error: null,
      },
    ],
  },
);
