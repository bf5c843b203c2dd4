import type { Where } from '../db/scope.ts';
import type { Point } from './points.ts';

/** Which points count: those on the map, archived ones, or both. */
export type Archive = Pick<Where<Point>, 'discarded_at'>;

/** On the map. */
export const kept = { discarded_at: null } as const satisfies Archive;

/** What the query parameter `filter` asks for; unknown words ask for everything. [Spec Points 1] */
export function archiveOf(filter: string): Archive {
  if (filter === 'kept') return kept;
  return filter === 'old' ? { discarded_at: { not: null } } : {};
}
