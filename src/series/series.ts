import type { Room } from '../foundation.ts';
import { seriesCompaction } from './series-compaction.ts';
import { seriesRoutes } from './series-routes.ts';

/** Opens the series: sensor readings and telemetry over time. `days`: how long they are kept. */
export const openSeries = (_foundation: unknown, { days }: { readonly days: number }): Room => ({
  routes: seriesRoutes,
  jobs: [seriesCompaction(days)],
});
