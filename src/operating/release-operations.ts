import { invalid } from '../core/errors.ts';
import { verbatim } from '../core/message.ts';
import type { ServerScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { updateChannels } from '../device/fbos-config.ts';
import { platforms, releases } from '../device/releases.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { oneOf, text } from '../engine/fields.ts';
import { fieldProblem } from '../engine/kinds.ts';

type ReleaseRow = RowOf<typeof releases>;

/** Maximum length of an image's URL, in characters. */
const maxUrlLength = 2000;

/** The URL of an image for robots. */
const imageUrl = () =>
  text()
    .max(maxUrlLength, 'field')
    .check((url, name) => {
      const isWeb = URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
      return isWeb && !/\s/.test(url)
        ? null
        : fieldProblem(name, (field) => verbatim(`${field} must be a URL that begins with http:// or https://.`));
    });

const fields = {
  version: text()
    .required()
    .check((version, name) =>
      /^\d{1,4}\.\d{1,4}\.\d{1,4}(-rc\d{1,4})?$/.test(version)
        ? null
        : fieldProblem(name, (field) =>
            verbatim(`${field} must be like 15.4.6, or 15.4.6-rc1 for a release candidate.`),
          ),
    ),
  platform: oneOf(...platforms).required(),
  channel: oneOf(...updateChannels).required(),
  image_url: imageUrl().required(),
  dot_img_url: imageUrl().nullByDefault(),
};

/** The order of lists. */
const channels: readonly string[] = updateChannels;
const computers: readonly string[] = platforms;

const newestFirst = [
  ['created_at', 'desc'],
  ['id', 'desc'],
] as const;

/**
 * Operations on releases of the robot's operating system. Robots are offered the newest row of their platform and channel. Unlike the
 * original service, they do not change the channel that robots are set to. [rule S16]
 */
export function releaseOperations({ server }: { readonly server: () => ServerScope }) {
  return {
    /** Adds a release. `body`: version, platform, channel, image_url, optional dot_img_url. Throws 422 with the failing fields. */
    add: (body: Body) => server().transaction((scope) => addRelease(scope, body)),
    /** Lists all releases; the offered one of each platform and channel comes first. */
    async list() {
      const rows = await server().rows(releases, { order: newestFirst });
      const place = ({ channel, platform }: ReleaseRow) => 10 * channels.indexOf(channel) + computers.indexOf(platform);
      const offered = new Set<number>();
      // A stable sort: within a platform and channel the newest stays first.
      return rows
        .toSorted((a, b) => place(a) - place(b))
        .map((row) => {
          const isOffered = !offered.has(place(row));
          offered.add(place(row));
          return { ...row, isOffered };
        });
    },
    /** Removes a release, so that the previous one is offered again. Null if there is no such release. */
    async remove(id: number): Promise<ReleaseRow | null> {
      const [removed] = await server().delete(releases, { where: { id } });
      return removed ?? null;
    },
  };
}

/** The outcome `known`: it was already the offered one; `again`: it existed and is now the newest again. */
async function addRelease(scope: ServerScope, body: Body) {
  // Tags look like v15.4.6-RC1.
  const version = typeof body.version === 'string' ? body.version.trim().toLowerCase().replace(/^v/, '') : body.version;
  const parsed = parseBody(fields, { ...body, version }, 'create');
  assertValid(parsed);
  const values = parsed.values as Omit<ReleaseRow, 'id' | 'created_at' | 'updated_at'>;
  const { platform, channel } = values;
  if (channel === 'stable' && values.version.includes('-'))
    throw invalid({ channel: verbatim('Channel must not be stable: this is a release candidate.') });
  const rows = await scope.rows(releases, { where: { platform, channel }, order: newestFirst });
  const same = rows.find((row) => row.version === values.version);
  if (same && (same.image_url !== values.image_url || same.dot_img_url !== values.dot_img_url))
    throw invalid({
      version: verbatim(`Version exists with different URLs: release ${same.id}. Remove that one first.`),
    });
  if (same && same === rows[0]) return { id: same.id, version: same.version, outcome: 'known' } as const;
  // Rows are immutable, and the newest one is offered. [rule S16]
  if (same) await scope.delete(releases, { where: { id: same.id } });
  const { id } = await scope.insert(releases, values);
  return { id, version: values.version, outcome: same ? 'again' : 'new' } as const;
}
