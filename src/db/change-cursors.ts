import { timestamp } from '../core/clock.ts';
import { column } from './columns.ts';
import type { DeviceScope, Selection, ServerScope } from './scope.ts';
import { rawSql } from './sql.ts';
import { table } from './table.ts';

/** How far readers of the change log have come, per device. A reader that changes of a device must reach has a row. */
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

/** Not a reader: its position is the last change that was deleted from the log. */
export const trimmed = 'trimmed';

/** The reader that announces changes to MQTT clients. */
export const announcements = 'announcements';

/** The table of devices, which belongs to a room. */
const deviceIds = table('devices', {}, { reach: 'both', owner: 'id' });

/** Records that the log of the scope's device was deleted up to a change, inside a transaction. */
export async function recordTrimmed(scope: DeviceScope, position: number): Promise<void> {
  const row = await scope.first(changeCursors, { where: { reader: trimmed } });
  if (!row) await scope.insert(changeCursors, { reader: trimmed, position, claimed_until: timestamp(0) });
  // A reset, or another process, may have deleted more in the meantime.
  else if (row.position < position) await scope.update(changeCursors, { position }, { where: { reader: trimmed } });
}

/** How long ago another process may have written its cursor by the clock of its machine, in ms. */
const recentTime = 60_000;

const writtenAt: Selection<readonly [number, string]> = {
  key: 'written at',
  expressions: ['"device_id"', '"updated_at"'],
  read: ([deviceId, at]) => [Number(deviceId), String(at)],
};

/** Returns the devices whose cursors other processes have written lately, and when. */
export const recentlyAnnounced = (server: ServerScope, process: string): Promise<(readonly [number, string])[]> =>
  server.select(changeCursors, writtenAt, {
    where: {
      reader: announcements,
      claimed_by: { not: process },
      updated_at: { gte: timestamp(server.clock.now() - recentTime) },
    },
  });

const unread = `changes.device_id = devices.id and changes.id > coalesce((select position from change_cursors where device_id = devices.id and reader = '${announcements}'), 0)`;

const pendingOf: Selection<{ readonly deviceId: number; readonly count: number }> = {
  key: 'pending changes',
  expressions: ['"id"', `(select count(*) from changes where ${unread})`],
  read: ([id, count]) => ({ deviceId: Number(id), count: Number(count) }),
};

/** Returns the devices with changes that are not announced yet, and how many. One probe of an index per device. */
export const pendingAnnouncements = (
  server: ServerScope,
): Promise<{ readonly deviceId: number; readonly count: number }[]> =>
  server.select(deviceIds, pendingOf, { and: rawSql(`exists (select 1 from changes where ${unread})`) });
