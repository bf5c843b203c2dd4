import { currentTimestamp } from '../core/clock.ts';
import { invalid, notFound } from '../core/errors.ts';
import { column } from '../db/columns.ts';
import type { ServerScope } from '../db/scope.ts';
import { table } from '../db/table.ts';
import { failureSchema, fieldFailuresSchema } from '../engine/failure-schemas.ts';
import { Type } from '../engine/json-schema.ts';
import { idSchema, timeSchema } from '../engine/kinds.ts';
import type { DeviceRoute } from '../engine/route.ts';
import { loadSingleton } from '../engine/singleton.ts';
import { ownDevice, updateDeviceSilently } from './devices.ts';
import { fbosConfig, updateChannels } from './fbos-config.ts';
import { say } from './messages.ts';

/** Versions of the robot's operating system that this server offers. [rule D27] */
export const releases = table(
  'releases',
  {
    image_url: column.text(),
    version: column.text(),
    platform: column.text(),
    channel: column.text(),
    dot_img_url: column.text().nullable(),
  },
  { reach: 'server', unique: [['version', 'platform', 'channel']], indexes: [['platform', 'channel', 'created_at']] },
);

/** Computers of robots. [rule D27] */
export const platforms = ['rpi', 'rpi3', 'rpi4'] as const;

const release = Type.Object(
  {
    id: idSchema,
    created_at: timeSchema,
    updated_at: timeSchema,
    image_url: Type.String(),
    version: Type.String(),
    platform: Type.OneOf(platforms),
    channel: Type.OneOf(updateChannels),
    dot_img_url: Type.Nullable(Type.String()),
  },
  {
    $id: 'Release',
    examples: [
      {
        id: 1,
        created_at: '2026-04-01T08:00:00.000Z',
        updated_at: '2026-04-01T08:00:00.000Z',
        image_url: 'https://releases.example/rpi3-15.4.7.fw',
        version: '15.4.7',
        platform: 'rpi3',
        channel: 'stable',
        dot_img_url: null,
      },
    ],
  },
);

/** Returns a robot's version as releases spell it; older servers stored `17.1.2.pre.RC3` for `17.1.2-rc3`. */
const normalizeVersion = (version: string | null): string => (version ?? '').toLowerCase().replace('.pre.', '-');

/** Returns the newest release by date, not by number: operators withdraw a release by publishing an older one. */
const newestRelease = (server: ServerScope, platform: string, channel: string) =>
  server.first(releases, {
    where: { platform, channel },
    order: [
      ['created_at', 'desc'],
      ['id', 'desc'],
    ],
  });

/** `GET /api/releases`. [rule D28] */
export const showRelease: DeviceRoute = {
  access: 'token',
  tag: 'Device',
  method: 'GET',
  path: '/api/releases',
  summary: 'Show the release that the robot should install',
  description:
    "Returns the newest release for the robot's computer. 404 if the operator offers none, 422 if the robot has it already.",
  query: Type.Object({
    platform: Type.OneOf(platforms),
    channel: Type.Optional(Type.OneOf(updateChannels, { description: 'Default: the setting of the robot.' })),
  }),
  replies: { 200: release, 404: failureSchema, 422: fieldFailuresSchema },
  async handle(scope, call) {
    const platform = platforms.find((name) => name === call.query.platform);
    if (!platform) throw invalid({ platform: say.platform(platforms.join(', ')) });
    const channel =
      updateChannels.find((name) => name === call.query.channel) ??
      (await loadSingleton(scope, fbosConfig)).update_channel;
    const found = await newestRelease(scope.server, platform, channel);
    if (!found) throw notFound('A release');
    const device = await ownDevice(scope);
    if (normalizeVersion(device.fbos_version) === found.version)
      throw invalid({ version: say.installed(found.version) });
    await updateDeviceSilently(scope.detached(), device, { last_ota_attempt_at: currentTimestamp(scope.clock) });
    return found;
  },
};

/** Returns `<platform>_release_url` and `<platform>_release_tag` of the newest stable image for each platform; null where there is none. [rule D29] */
export async function latestImages(server: ServerScope): Promise<Record<string, string | null>> {
  const images: Record<string, string | null> = {};
  for (const platform of platforms) {
    const release = await newestRelease(server, platform, 'stable');
    images[`${platform}_release_url`] = release?.dot_img_url ?? null;
    images[`${platform}_release_tag`] = release?.version ?? null;
  }
  return images;
}
