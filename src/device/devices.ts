import { timestamp } from '../core/clock.ts';
import { Failure, refused } from '../core/errors.ts';
import { column } from '../db/columns.ts';
import type { DeviceScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { table } from '../db/table.ts';
import { parseBody } from '../engine/body.ts';
import type { Fields, FieldValues } from '../engine/fields.ts';
import { changedValues } from '../engine/records.ts';
import { deviceFields } from './device-fields.ts';
import { say } from './messages.ts';
import { utcOffsetHours } from './time-zones.ts';

type ColumnsOf<F extends Fields> = { readonly [K in keyof F]: F[K]['column'] };

const columnsOf = <F extends Fields>(fields: F): ColumnsOf<F> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.column])) as ColumnsOf<F>;

/** Robots. `mounted_tool_id` has no foreign key, since tools refer to devices. */
export const devices = table(
  'devices',
  {
    ...columnsOf(deviceFields),
    /** Logs kept. */
    max_log_count: column.integer(),
    /** Photos listed. */
    max_images_count: column.integer(),
    /** Points, archived ones included; null: the default. */
    max_point_count: column.integer().nullable(),
    first_saw_api: column.time().nullable(),
    last_ota_attempt_at: column.time().nullable(),
    /** When the server last asked the robot to check for updates. */
    update_requested_at: column.time().nullable(),
    last_watchdog: column.time().nullable(),
    mqtt_rate_limit_email_sent_at: column.time().nullable(),
    /** When the owner was last notified that there is no room for photos. */
    photos_full_notified_at: column.time().nullable(),
    /** When a client last signed in at the message broker with the device's name. */
    last_saw_broker: column.time().nullable(),
    /** Committed transactions of the device on PostgreSQL, where its lock counts them. [ADR 73] */
    commits: column.bigint().nullable(),
  },
  { reach: 'both', owner: 'id', unique: [['fb_order_number']] },
);

export type DeviceRow = RowOf<typeof devices>;

/** Returns the scope's device. Throws 401 if it was deleted concurrently. */
export async function ownDevice(scope: DeviceScope): Promise<DeviceRow> {
  const row = await scope.first(devices);
  if (!row) throw new Failure('bad_token');
  return row;
}

/** Returns the name of the scope's device. Throws 401 if it was deleted. */
export const deviceName = async (scope: DeviceScope): Promise<string> => (await ownDevice(scope)).name;

/** Derives the hour of updates, which every save stores. Throws 422 outside 0 to 23. [rule D3] */
export function updateHours(
  row: Pick<DeviceRow, 'ota_hour' | 'timezone'>,
  now: number,
): Pick<DeviceRow, 'ota_hour' | 'ota_hour_utc'> {
  if (row.ota_hour === null || row.timezone === null) return { ota_hour: null, ota_hour_utc: null };
  if (row.ota_hour < 0 || row.ota_hour > 23) throw refused(say.otaHour);
  const hour = (row.ota_hour - utcOffsetHours(row.timezone, now)) % 24;
  return { ota_hour: row.ota_hour, ota_hour_utc: (hour + 24) % 24 };
}

/** Updates the scope's device inside a transaction and announces the change, if any value differs. */
export async function changeDevice(
  scope: DeviceScope,
  before: DeviceRow,
  values: Partial<DeviceRow>,
): Promise<DeviceRow> {
  const changes = changedValues(before, { ...values, ...updateHours({ ...before, ...values }, scope.clock.now()) });
  if (!changes) return before;
  scope.events.was('Device', before.id, deviceJson(before, scope.clock.now()));
  const [row] = await scope.update(devices, changes, {});
  if (!row) throw new Failure('bad_token');
  scope.events.changed('Device', row.id);
  return row;
}

/** Updates columns that clients do not see: without an announcement, keeping `updated_at`. */
export async function updateDeviceSilently(
  scope: DeviceScope,
  row: DeviceRow,
  values: Partial<DeviceRow>,
): Promise<void> {
  await scope.update(devices, { ...values, updated_at: row.updated_at }, {});
}

const shown = Object.entries(deviceFields)
  .filter(([, { traits }]) => traits.isShown)
  .map(([name]) => name as keyof typeof deviceFields);

/** Serializes a device for responses and announcements. `now` (ms) determines the offset of its time zone. */
export function deviceJson(row: DeviceRow, now: number): string {
  const { id, created_at, updated_at } = row;
  const record: Record<string, unknown> = { id, created_at, updated_at };
  for (const name of shown) record[name] = row[name];
  record.tz_offset_hrs = utcOffsetHours(row.timezone, now);
  return JSON.stringify(record);
}

/** Values of a new device. */
export const deviceDefaults = (now: number) => ({
  ...(parseBody(deviceFields, {}, 'create').values as FieldValues<typeof deviceFields>),
  created_at: timestamp(now),
  updated_at: timestamp(now),
  max_log_count: 1000,
  max_images_count: 450,
});
