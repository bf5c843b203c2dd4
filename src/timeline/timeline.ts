import type { Foundation, Room } from '../foundation.ts';
import type { CropSearch } from '../garden/crop-search.ts';
import { PointHistories } from './point-histories.ts';
import { timelineRoutes } from './timeline-routes.ts';

export interface TimelineDependencies {
  readonly crops: () => Promise<CropSearch>;
  /** Whether requests are limited. */
  readonly isLimited: boolean;
}

/** Opens the garden at any time: its past from the change log, its future from curves, crops and the schedule. */
export function openTimeline(
  { changes, clock, resourceRights: rights }: Foundation,
  { crops, isLimited }: TimelineDependencies,
): Room {
  const histories = new PointHistories(changes, async () => {
    const catalog = await crops();
    return (slug) => catalog.get(slug);
  });
  return { routes: timelineRoutes({ clock, rights, histories, crops, isLimited }), jobs: [] };
}
