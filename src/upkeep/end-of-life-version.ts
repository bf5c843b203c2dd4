import { globalConfig } from '../accounts/global-config.ts';
import { timestamp } from '../core/clock.ts';
import type { Version } from '../core/version-comparison.ts';
import { compareVersions, parseVersion } from '../core/version-comparison.ts';
import { releases } from '../device/releases.ts';
import type { JobDefinition } from '../jobs/runner.ts';

const day = 86_400_000;
/** Minimum age of a release to be counted, in ms. [rule T12] */
const minReleaseAge = 60 * day;

const key = 'FBOS_END_OF_LIFE_VERSION';

/** Parses a version of three numbers. Returns null for others, such as release candidates. */
const parseRelease = (text: string): Version | null => (/^\d+\.\d+\.\d+$/.test(text) ? parseVersion(text) : null);

/** Returns the second newest of the versions that are not older than `current`; null if there is none, or if it is `current`. */
export function secondNewest(versions: readonly string[], current: string): string | null {
  const oldest = parseRelease(current);
  if (!oldest) return null;
  const known = [...new Set(versions)]
    .flatMap((text) => {
      const version = parseRelease(text);
      return version && compareVersions(version, oldest) >= 0 ? [{ text, version }] : [];
    })
    .sort((a, b) => compareVersions(b.version, a.version));
  const second = known[1]?.text ?? null;
  return second === current ? null : second;
}

/** The daily job that raises the version below which robots are reported as outdated. [rule T12] */
export const endOfLifeVersion: JobDefinition = {
  kind: 'raise_end_of_life_version',
  interval: day,
  handle: (server) =>
    server.transaction(async (scope) => {
      const row = await scope.first(globalConfig, { where: { key } });
      if (!row) return;
      const created_at = { lt: timestamp(scope.clock.now() - minReleaseAge) };
      const old = await scope.rows(releases, { where: { channel: 'stable', created_at } });
      const value = secondNewest(
        old.map(({ version }) => version),
        row.value,
      );
      // An operator may be changing it at the same time.
      if (value !== null) await scope.update(globalConfig, { value }, { where: { id: row.id, value: row.value } });
    }),
};
