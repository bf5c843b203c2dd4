import { timestamp } from '../core/clock.ts';
import { column } from './columns.ts';
import type { DeviceScope } from './scope.ts';
import { table } from './table.ts';

/** Positions of the readers of the change log, per device. A reader that changes of a device must reach has a row. */
export const changeCursors = table(
  'change_cursors',
  {
    device_id: column.bigint().references('devices'),
    /** `announcements`, or another name that no reader shares. */
    reader: column.text(),
    /** The id of the last change that was read. */
    position: column.bigint(),
    /** The process that announced the device's changes last. */
    claimed_by: column.text().nullable(),
    /** Until then only that process announces them. */
    claimed_until: column.time(),
  },
  { reach: 'both', unique: [['device_id', 'reader']] },
);

/** Of a cursor that no process has claimed. */
export const unclaimed = { claimed_until: timestamp(0) };

/** Not readers: their positions are the last change up to which the log was deleted, and the last one that was deleted of kinds of records that it keeps for delivery only. */
export const trimmed = 'trimmed';
export const trimmedDeliveries = 'trimmed deliveries';
export const trimMarks: readonly string[] = [trimmed, trimmedDeliveries];

/** The reader that announces changes to MQTT clients. */
export const announcements = 'announcements';

/** Not a reader either: a change after which the device's robot may lack some. Trimming does not wait for it. */
export const robotReader = 'robot';

/** Records that changes of the scope's device were deleted up to this one, inside a transaction. `mark`: one of {@link trimMarks}. */
export async function recordTrimmed(scope: DeviceScope, position: number, mark: string = trimmed): Promise<void> {
  const where = { reader: mark };
  const row = await scope.first(changeCursors, { where });
  if (!row) await scope.insert(changeCursors, { reader: mark, position, ...unclaimed });
  // A reset, or another process, may have deleted more in the meantime.
  else if (row.position < position) await scope.update(changeCursors, { position }, { where });
}
