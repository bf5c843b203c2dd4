import { resourceRoutes } from '../engine/resource-routes.ts';
import type { Route } from '../engine/route.ts';
import type { JobQueue } from '../jobs/queue.ts';
import { curves } from './curves.ts';
import { deleteAllRoute, farmwareEnvs } from './farmware-envs.ts';
import { farmwareInstallationRoutes, farmwareInstallations } from './farmware-installations.ts';
import { firstPartyFarmwareRoutes } from './first-party-farmwares.ts';
import { folders } from './folders.ts';
import { createPeripheralRoute, peripherals } from './peripherals.ts';
import { pinBindings } from './pin-bindings.ts';
import { sceneObjects } from './scene-objects.ts';
import { sensorReadings } from './sensor-readings.ts';
import { sensors } from './sensors.ts';
import { tools } from './tools.ts';
import { webcamFeedRoutes } from './webcam-feeds.ts';

/** The routes of the garden's plain resources. */
export const plainGardenRoutes = (jobs: JobQueue): Route[] => [
  ...resourceRoutes(tools),
  ...resourceRoutes(sensors),
  ...resourceRoutes(sensorReadings),
  ...resourceRoutes(peripherals),
  createPeripheralRoute,
  ...resourceRoutes(pinBindings),
  ...webcamFeedRoutes,
  deleteAllRoute,
  ...resourceRoutes(farmwareEnvs),
  ...resourceRoutes(farmwareInstallations),
  ...farmwareInstallationRoutes(jobs),
  ...firstPartyFarmwareRoutes,
  ...resourceRoutes(curves),
  ...resourceRoutes(folders),
  ...resourceRoutes(sceneObjects),
];
