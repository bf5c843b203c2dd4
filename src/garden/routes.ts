import type { Route } from '../engine/route.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { Compatibility } from './compatibility.ts';
import { deleteAllRoute } from './farmware-envs.ts';
import { farmwareInstallationRoutes } from './farmware-installations.ts';
import { firstPartyFarmwareRoutes } from './first-party-farmwares.ts';
import { createPeripheralRoute } from './peripherals.ts';
import { pointGroupRoutes } from './point-group-routes.ts';
import type { Notify } from './point-lifecycle.ts';
import { pointRoutes } from './point-routes.ts';
import { savedGardenRoutes } from './saved-garden-routes.ts';
import { updateWebcamFeedRoutes } from './webcam-feeds.ts';

export interface GardenServices {
  readonly compatibility: Compatibility;
  readonly notify: Notify;
  readonly jobs: JobQueue;
}

/** Returns the routes of the garden that resources do not declare. */
export const gardenRoutes = ({ compatibility, notify, jobs }: GardenServices): Route[] => [
  createPeripheralRoute,
  ...updateWebcamFeedRoutes,
  deleteAllRoute,
  ...farmwareInstallationRoutes(jobs),
  ...firstPartyFarmwareRoutes,
  ...pointRoutes(compatibility, notify),
  ...pointGroupRoutes(),
  ...savedGardenRoutes(compatibility),
];
