import { timestamp } from '../core/clock.ts';
import type { Message } from '../core/message-outlet.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Sql } from '../db/sql.ts';
import { joinSql, sql } from '../db/sql.ts';
import type { DeviceRow } from '../device/devices.ts';
import { devices, updateDeviceSilently } from '../device/devices.ts';
import { updateChannels } from '../device/fbos-config.ts';
import { releases } from '../device/releases.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import { deviceTopic } from '../live/topics.ts';

const hour = 3_600_000;
/** Maximum time since a robot was last seen, in ms. [rule S17] */
const maxAbsence = 3 * 24 * hour;
/** Maximum number of robots per run, since each may download hundreds of megabytes. [rule S17] */
const maxPerRun = 50;

/** Returns the message that makes a robot check for updates. [rule S17] */
const updateRequest = (deviceId: number): Message => ({
  topic: deviceTopic(deviceId, 'from_clients'),
  payload: JSON.stringify({
    kind: 'rpc_request',
    args: { label: 'FROM_API', priority: 500 },
    body: [{ kind: 'check_updates', args: { package: 'farmbot_os' } }],
  }),
});

/** Returns the newest version of each channel that has releases. */
async function newestVersions(server: ServerScope): Promise<{ channel: string; version: string }[]> {
  const found = [];
  for (const channel of updateChannels) {
    const newest = await server.first(releases, {
      where: { channel },
      order: [
        ['created_at', 'desc'],
        ['id', 'desc'],
      ],
    });
    if (newest) found.push({ channel, version: newest.version });
  }
  return found;
}

/** Returns the condition for devices with automatic updates at this hour and another version than the newest of their channel. */
function isBehind(newest: readonly { channel: string; version: string }[], hourOfDay: number): Sql {
  const others = newest.map(
    ({ channel, version }) =>
      // Older servers stored 17.1.2.pre.RC3 for 17.1.2-rc3.
      sql`(coalesce(c.update_channel, 'stable') = ${channel} and replace(lower(devices.fbos_version), '.pre.', '-') <> ${version})`,
  );
  return sql`(devices.ota_hour_utc is null or devices.ota_hour_utc = ${hourOfDay}) and exists (select 1 from fbos_configs c
    where c.device_id = devices.id and c.os_auto_update and (${joinSql(others, ' or ')}))`;
}

/** Returns at most {@link maxPerRun} devices: devices without an earlier request first, then by the time of the last request. */
async function candidates(server: ServerScope): Promise<DeviceRow[]> {
  const newest = await newestVersions(server);
  if (newest.length === 0) return [];
  const now = server.clock.now();
  const currentHour = Math.floor(now / hour);
  const where = { fbos_version: { not: null }, last_saw_api: { gte: timestamp(now - maxAbsence) } };
  const and = isBehind(newest, currentHour % 24);
  const neverNotified = await server.rows(devices, {
    where: { ...where, update_requested_at: null },
    and,
    limit: maxPerRun,
  });
  if (neverNotified.length === maxPerRun) return neverNotified;
  // At most once a day, even if the job runs at an earlier minute than the day before.
  const requestedBefore = { lt: timestamp((currentHour - 23) * hour) };
  const due = await server.rows(devices, {
    where: { ...where, update_requested_at: requestedBefore },
    and,
    order: [['update_requested_at', 'asc']],
    limit: maxPerRun - neverNotified.length,
  });
  return [...neverNotified, ...due];
}

/** Records the request of a device. Returns false if another process recorded it first, or if the device was deleted. */
const claim = (server: ServerScope, { id, update_requested_at }: DeviceRow): Promise<boolean> =>
  server.device(id).transaction(async (scope) => {
    const row = await scope.first(devices);
    if (!row || row.update_requested_at !== update_requested_at) return false;
    await updateDeviceSilently(scope, row, { update_requested_at: timestamp(scope.clock.now()) });
    return true;
  });

/**
 * The hourly job that asks robots to check for updates, each at its update hour and at most once a day. A request is stored before
 * it is sent, so a request lost in a crash is repeated the next day. [rule S17]
 */
export const updateRequests = (publish: (message: Message) => Promise<void>): JobDefinition => ({
  kind: 'request_updates',
  interval: hour,
  waitsFor: 'broker',
  concurrency: 1,
  async handle(server) {
    for (const device of await candidates(server))
      if (await claim(server, device)) await publish(updateRequest(device.id));
  },
});
