import { lowSpaceMessage } from '../core/free-space.ts';
import type { Foundation, Room } from '../foundation.ts';
import type { LiveOffer } from '../live/offer.ts';
import { FigureRecorder } from './figures.ts';
import { figuresRoute } from './figures-route.ts';
import { HealthCheck } from './health-check.ts';
import type { MetricsAccess } from './health-routes.ts';
import { healthRoutes } from './health-routes.ts';
import { createMetrics } from './metrics.ts';
import { WriteProbe, writeRow, writeTemporaryFile } from './write-probe.ts';

/** The settings and rooms that health depends on. */
export interface HealthDependencies extends MetricsAccess {
  readonly live: LiveOffer;
  /** The folder of incoming uploads. */
  readonly uploadFolder: string;
  /** Whether metrics are collected and served. */
  readonly hasMetrics: boolean;
  /** The problem of the proxy in front of the server, a sentence; null: none is known. */
  readonly proxyProblem: () => string | null;
}

/** Opens `/health`, `/metrics` and the figures for administrators. */
export async function openHealth(foundation: Foundation, dependencies: HealthDependencies): Promise<Room> {
  const { server, clock, counters, logger, dataDir, freeSpace } = foundation;
  const { live, uploadFolder, hasMetrics, proxyProblem, metricsToken, trustsLocal } = dependencies;
  const broker = () => live.status();
  const probes = {
    database: new WriteProbe({ name: 'database', write: () => writeRow(server()), clock, log: logger }),
    photos: new WriteProbe({ name: 'photos', write: () => writeTemporaryFile(uploadFolder), clock, log: logger }),
  };
  const lowSpace = () => freeSpace.findLow([dataDir, uploadFolder]);
  const metrics = hasMetrics ? await createMetrics({ counters, broker, server, log: logger }) : null;
  const figures = new FigureRecorder({ clock, server, broker, log: logger });
  return {
    routes: [
      ...healthRoutes({
        health: new HealthCheck({ server, broker, probes, hasFreeSpace: () => lowSpace() === null, clock }),
        metrics,
        proxyProblem,
        metricsToken,
        trustsLocal,
      }),
      figuresRoute(figures),
    ],
    jobs: [],
    async start(http) {
      metrics?.instrument(http);
      await figures.start(http);
      const low = lowSpace();
      if (low) logger.warn(lowSpaceMessage(low.folder, low.space));
    },
    stop: () => figures.stop(),
  };
}
