import { invalid } from '../core/errors.ts';
import type { ServerScope } from '../db/scope.ts';
import type { RowOf } from '../db/table.ts';
import { updateChannels } from '../device/fbos-config.ts';
import { platforms, releases } from '../device/releases.ts';
import type { Body } from '../engine/body.ts';
import { assertValid, parseBody } from '../engine/body.ts';
import { oneOf, text } from '../engine/fields.ts';
import { fieldProblem } from '../engine/kinds.ts';

type ReleaseRow = RowOf<typeof releases>;

/** Characters of the address of an image. */
const longestAddress = 2000;

/** An address that robots can load an image from. */
const address = () =>
  text()
    .max(longestAddress, 'field')
    .check((url, name) => {
      const isWeb = URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
      return isWeb && !/\s/.test(url)
        ? null
        : fieldProblem(name, 'must be an address that begins with http:// or https://');
    });

const fields = {
  version: text()
    .required()
    .check((version, name) =>
      /^\d{1,4}\.\d{1,4}\.\d{1,4}(-rc\d{1,4})?$/.test(version)
        ? null
        : fieldProblem(name, 'must be like 15.4.6, or 15.4.6-rc1 for a release candidate'),
    ),
  platform: oneOf(...platforms).required(),
  channel: oneOf(...updateChannels).required(),
  image_url: address().required(),
  dot_img_url: address().nullByDefault(),
};

/** What became of a release that was to be added. */
export interface AddedRelease {
  readonly id: number;
  readonly version: string;
  /** `known`: it is offered already; `again`: it was known, and is the newest once more. */
  readonly outcome: 'new' | 'known' | 'again';
}

/** What an operator can do about releases of the robot's operating system. Robots are offered the newest row of their platform and channel. */
export interface ReleaseOperations {
  /** Offers a release from now on. `wish`: version, platform, channel, image_url, perhaps dot_img_url. Throws 422 with the failing fields. */
  add(wish: Body): Promise<AddedRelease>;
  /** All releases; of each platform and channel the one that is offered comes first. */
  list(): Promise<readonly (ReleaseRow & { readonly isOffered: boolean })[]>;
  /** Withdraws a release, so that the one before it is offered again. Null: there is no such release. */
  remove(id: number): Promise<ReleaseRow | null>;
}

/** In the order of lists. */
const channels: readonly string[] = updateChannels;
const computers: readonly string[] = platforms;

const newestFirst = [
  ['created_at', 'desc'],
  ['id', 'desc'],
] as const;

/** Makes the operations. Nothing here touches what robots and their owners have set, the channel least of all. [reference 10] */
export function releaseOperations({ server }: { readonly server: () => ServerScope }): ReleaseOperations {
  return {
    add: (wish) => server().transaction((scope) => addRelease(scope, wish)),
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
    async remove(id) {
      const [gone] = await server().delete(releases, { where: { id } });
      return gone ?? null;
    },
  };
}

async function addRelease(scope: ServerScope, wish: Body): Promise<AddedRelease> {
  // As tags are written: v15.4.6-RC1.
  const version = typeof wish.version === 'string' ? wish.version.trim().toLowerCase().replace(/^v/, '') : wish.version;
  const reading = parseBody(fields, { ...wish, version }, 'create');
  assertValid(reading);
  const values = reading.values as Omit<ReleaseRow, 'id' | 'created_at' | 'updated_at'>;
  const { platform, channel } = values;
  if (channel === 'stable' && values.version.includes('-'))
    throw invalid({ channel: 'Channel must not be stable: this is a release candidate.' });
  const rows = await scope.rows(releases, { where: { platform, channel }, order: newestFirst });
  const same = rows.find((row) => row.version === values.version);
  if (same && (same.image_url !== values.image_url || same.dot_img_url !== values.dot_img_url))
    throw invalid({
      version: `Version is known already, with other addresses: release ${same.id}. Remove that one first.`,
    });
  if (same && same === rows[0]) return { id: same.id, version: same.version, outcome: 'known' };
  // Rows never change; the newest is the one that was made last.
  if (same) await scope.delete(releases, { where: { id: same.id } });
  const { id } = await scope.insert(releases, values);
  return { id, version: values.version, outcome: same ? 'again' : 'new' };
}
