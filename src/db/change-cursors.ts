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

/** Not a reader: its position is the last change that was deleted from the log. */
export const trimmed = 'trimmed';

/** The reader that announces changes to MQTT clients. */
export const announcements = 'announcements';

/** Records that the log of the scope's device was deleted up to a change, inside a transaction. */
export async function recordTrimmed(scope: DeviceScope, position: number): Promise<void> {
  const row = await scope.first(changeCursors, { where: { reader: trimmed } });
  if (!row) await scope.insert(changeCursors, { reader: trimmed, position, ...unclaimed });
  // A reset, or another process, may have deleted more in the meantime.
  else if (row.position < position) await scope.update(changeCursors, { position }, { where: { reader: trimmed } });
}
