import type { ServerScope } from '../db/scope.ts';
import { platforms, releases } from './releases.ts';

/** For each platform the newest stable release as an image for a memory card, `rpi4_release_url` and `rpi4_release_tag`; null where there is none. The vendor's web app shows them on its download page. [reference 10] */
export async function latestImages(server: ServerScope): Promise<Record<string, string | null>> {
  const found: Record<string, string | null> = {};
  for (const platform of platforms) {
    // The newest by date, as robots are told.
    const release = await server.first(releases, {
      where: { platform, channel: 'stable' },
      order: [
        ['created_at', 'desc'],
        ['id', 'desc'],
      ],
    });
    found[`${platform}_release_url`] = release?.dot_img_url ?? null;
    found[`${platform}_release_tag`] = release?.version ?? null;
  }
  return found;
}
