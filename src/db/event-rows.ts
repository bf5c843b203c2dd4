import type { Origin } from '../core/events.ts';
import { column } from './columns.ts';
import type { RowOf } from './table.ts';
import { table } from './table.ts';

/** Events that are not delivered yet (an outbox): inserted in the transaction of the change, deleted after delivery. */
export const eventRows = table(
  'events',
  {
    device_id: column.bigint().references('devices'),
    resource: column.text(),
    record_id: column.bigint(),
    label: column.text(),
    origin: column.text(),
    body: column.text().nullable(),
    /** The process that delivers the event; null: any process. */
    claimed_by: column.text().nullable(),
    /** Until then only that process delivers the event, later any process. */
    claimed_until: column.time(),
  },
  { reach: 'both', indexes: [['device_id'], ['claimed_until']] },
);

export type EventRow = RowOf<typeof eventRows>;

/** Converts a row to the event that listeners receive. */
export const toEvent = (row: EventRow) => ({
  id: row.id,
  deviceId: row.device_id,
  resource: row.resource,
  recordId: row.record_id,
  label: row.label,
  origin: row.origin as Origin,
  body: row.body,
});
