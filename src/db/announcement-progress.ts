import { setImmediate } from 'node:timers/promises';
import { announcements } from './change-cursors.ts';
import { changeRows } from './change-rows.ts';
import type { Query, Selection, ServerScope } from './scope.ts';
import type { StandardColumns } from './table.ts';
import { table } from './table.ts';

/** The last change of a device, and the position of its announcements in the log. */
export interface AnnouncementProgress {
  readonly deviceId: number;
  /** The id of the device's last change; 0: there is none. */
  readonly last: number;
  /** The id of the last announced one. */
  readonly position: number;
}

/** The ids of devices: the table and its columns are declared in a room, which this layer does not import. */
const deviceIds = table('devices', {}, { reach: 'both', owner: 'id' });

/** Selected, not a condition: PostgreSQL would compare every change of the log instead of the last one of each device. */
const progress: Selection<AnnouncementProgress> = {
  key: 'progress of announcements',
  expressions: [
    '"id"',
    '(select max(id) from changes where device_id = devices.id)',
    `(select position from change_cursors where device_id = devices.id and reader = '${announcements}')`,
  ],
  read: ([id, last, position]) => ({ deviceId: Number(id), last: Number(last), position: Number(position) }),
};

/** Maximum number of devices that are looked at by one statement: it takes a millisecond. */
const maxDevices = 100;

export const isPending = ({ last, position }: AnnouncementProgress): boolean => last > position;

/** Returns the progress of these devices. */
export const progressOf = (
  server: ServerScope,
  query: Pick<Query<StandardColumns>, 'where' | 'limit'>,
): Promise<AnnouncementProgress[]> => server.select(deviceIds, progress, query);

/** Returns the progress of the next devices by id, and the last of them; `end`: 0 after the last device of all. */
export async function progressAfter(
  server: ServerScope,
  deviceId: number,
  limit = maxDevices,
): Promise<{ readonly devices: readonly AnnouncementProgress[]; readonly end: number }> {
  const devices = await progressOf(server, { where: { id: { gt: deviceId } }, limit });
  return { devices, end: devices.length < limit ? 0 : (devices.at(-1)?.deviceId ?? 0) };
}

/** Returns the devices with changes that are not announced yet. Looks at every device, in small steps. */
export async function pendingAnnouncements(server: ServerScope): Promise<AnnouncementProgress[]> {
  const pending: AnnouncementProgress[] = [];
  let after = 0;
  do {
    const { devices, end } = await progressAfter(server, after);
    pending.push(...devices.filter(isPending));
    after = end;
    // Requests that have arrived come first.
    if (after > 0) await setImmediate();
  } while (after > 0);
  return pending;
}

/** Returns the number of changes that are not announced yet. */
export async function countPending(server: ServerScope): Promise<number> {
  let count = 0;
  for (const { deviceId: device_id, position } of await pendingAnnouncements(server))
    count += await server.count(changeRows, { where: { device_id, id: { gt: position } } });
  return count;
}
