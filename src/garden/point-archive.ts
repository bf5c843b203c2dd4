import type { Where } from '../db/scope.ts';
import type { Point } from './points.ts';

/** Which points count: those on the map, archived ones, or both. */
export type ArchiveFilter = Pick<Where<Point>, 'discarded_at'>;

/** On the map. */
export const notArchived = { discarded_at: null } as const satisfies ArchiveFilter;

/** What the query parameter `filter` asks for; unknown words ask for everything. [Spec Points 1] */
export function parseArchiveFilter(filter: string): ArchiveFilter {
  if (filter === 'kept') return notArchived;
  return filter === 'old' ? { discarded_at: { not: null } } : {};
}
