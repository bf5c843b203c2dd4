import { timestamp } from '../core/clock.ts';
import type { ServerScope } from '../db/scope.ts';
import type { Sql } from '../db/sql.ts';
import { joinSql, sql } from '../db/sql.ts';
import type { DeviceRow } from '../device/devices.ts';
import { devices, updateDeviceSilently } from '../device/devices.ts';
import { updateChannels } from '../device/fbos-config.ts';
import { releases } from '../device/releases.ts';
import type { JobDefinition } from '../jobs/runner.ts';
import type { Message } from '../live/broker.ts';
import { deviceTopic } from '../live/topics.ts';

const hour = 3_600_000;
/** How long ago a robot may have been seen to be asked, in ms. [reference 10] */
const seenWithin = 3 * 24 * hour;
/** Robots that one run asks: each of them may load hundreds of megabytes next. [reference 10] */
const perRun = 50;

/** Has a robot look for an update. [reference 10] */
const updateRequest = (deviceId: number): Message => ({
  topic: deviceTopic(deviceId, 'from_clients'),
  payload: JSON.stringify({
    kind: 'rpc_request',
    args: { label: 'FROM_API', priority: 500 },
    body: [{ kind: 'check_updates', args: { package: 'farmbot_os' } }],
  }),
});

/** The newest version of each channel that has releases. */
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

/** Devices that update by themselves, whose hour it is, and that have another version than the newest of their channel. */
function isBehind(newest: readonly { channel: string; version: string }[], hourOfDay: number): Sql {
  const others = newest.map(
    ({ channel, version }) =>
      // Older servers stored 17.1.2.pre.RC3 for 17.1.2-rc3.
      sql`(coalesce(c.update_channel, 'stable') = ${channel} and replace(lower(devices.fbos_version), '.pre.', '-') <> ${version})`,
  );
  return sql`(devices.ota_hour_utc is null or devices.ota_hour_utc = ${hourOfDay}) and exists (select 1 from fbos_configs c
    where c.device_id = devices.id and c.os_auto_update and (${joinSql(others, ' or ')}))`;
}

/** Those whose turn it is, at most {@link perRun}: who was never asked first, then who was asked longest ago. */
async function candidates(server: ServerScope): Promise<DeviceRow[]> {
  const newest = await newestVersions(server);
  if (newest.length === 0) return [];
  const now = server.clock.now();
  const present = Math.floor(now / hour);
  const where = { fbos_version: { not: null }, last_saw_api: { gte: timestamp(now - seenWithin) } };
  const and = isBehind(newest, present % 24);
  const fresh = await server.rows(devices, { where: { ...where, update_requested_at: null }, and, limit: perRun });
  if (fresh.length === perRun) return fresh;
  // The same hour of the next day at the earliest, whenever within the hour the job runs.
  const asked = { lt: timestamp((present - 23) * hour) };
  const again = await server.rows(devices, {
    where: { ...where, update_requested_at: asked },
    and,
    order: [['update_requested_at', 'asc']],
    limit: perRun - fresh.length,
  });
  return [...fresh, ...again];
}

/** Notes that a device is asked now. False: somebody else was faster, or it is gone. */
const claim = (server: ServerScope, { id, update_requested_at }: DeviceRow): Promise<boolean> =>
  server.device(id).transaction(async (scope) => {
    const row = await scope.first(devices);
    if (!row || row.update_requested_at !== update_requested_at) return false;
    await updateDeviceSilently(scope, row, { update_requested_at: timestamp(scope.clock.now()) });
    return true;
  });

/**
 * The job that asks robots once an hour to look for updates: those that want that, at their hour, at most once a day each.
 * A request is noted before it is sent, so one that is lost in a crash waits for the next day. [reference 10]
 */
export const updateRequests = (publish: (message: Message) => Promise<void>): JobDefinition => ({
  kind: 'request_updates',
  interval: hour,
  concurrency: 1,
  async handle(server) {
    for (const device of await candidates(server))
      if (await claim(server, device)) await publish(updateRequest(device.id));
  },
});
