import { globalConfig } from '../accounts/global-config.ts';
import { timestamp } from '../core/clock.ts';
import { releases } from '../device/releases.ts';
import type { JobDefinition } from '../jobs/runner.ts';

const day = 86_400_000;
/** How long a release must have been out to count, in ms. [reference 14.3] */
const grace = 60 * day;

const key = 'FBOS_END_OF_LIFE_VERSION';

/** A version of three numbers; others are release candidates, or of no system that we know. */
const parts = (version: string): readonly number[] | null =>
  /^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(version) ? version.split('.').map(Number) : null;

/** Below 0: `a` is the older version. */
function compared(a: readonly number[], b: readonly number[]): number {
  for (const [index, number] of a.entries()) {
    const difference = number - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The second newest of the versions that are not older than `present`; null if that is none, or `present` itself. */
export function secondNewest(versions: readonly string[], present: string): string | null {
  const oldest = parts(present);
  if (!oldest) return null;
  const known = [...new Set(versions)]
    .flatMap((version) => {
      const numbers = parts(version);
      return numbers && compared(numbers, oldest) >= 0 ? [{ version, numbers }] : [];
    })
    .sort((a, b) => compared(b.numbers, a.numbers));
  const second = known[1]?.version ?? null;
  return second === present ? null : second;
}

/** The job that raises the version below which robots are told that they are out of date: to the second newest stable release of those that have been out for 60 days. [reference 14.3] */
export const endOfLifeVersion: JobDefinition = {
  kind: 'raise_end_of_life_version',
  interval: day,
  handle: (server) =>
    server.transaction(async (scope) => {
      const row = await scope.first(globalConfig, { where: { key } });
      if (!row) return;
      const created_at = { lt: timestamp(scope.clock.now() - grace) };
      const old = await scope.rows(releases, { where: { channel: 'stable', created_at } });
      const value = secondNewest(
        old.map(({ version }) => version),
        row.value,
      );
      // An operator may change it at the same moment.
      if (value !== null) await scope.update(globalConfig, { value }, { where: { id: row.id, value: row.value } });
    }),
};
