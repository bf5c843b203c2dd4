import type { DeviceScope } from '../db/scope.ts';
import type { Foundation, Room } from '../foundation.ts';
import type { Compatibility } from './compatibility.ts';
import type { CropCatalog } from './crop-catalog.ts';
import { cropRoutes } from './crop-routes.ts';
import { deleteAllRoute } from './farmware-envs.ts';
import { farmwareInstallationRoutes } from './farmware-installations.ts';
import { manifestJob } from './farmware-manifest.ts';
import { firstPartyFarmwareRoutes } from './first-party-farmwares.ts';
import { createPeripheralRoute } from './peripherals.ts';
import { pointGroupRoutes } from './point-group-routes.ts';
import type { Notify } from './point-lifecycle.ts';
import { pointRoutes } from './point-routes.ts';
import { savedGardenRoutes } from './saved-garden-routes.ts';
import { updateWebcamFeedRoutes } from './webcam-feeds.ts';

/** What the garden needs from settings and other rooms. */
export interface GardenDependencies {
  readonly compatibility: Compatibility;
  readonly notify: Notify;
  /** Whether the scope's device is that of a demo account. */
  readonly isDemo: (scope: DeviceScope) => Promise<boolean>;
  readonly crops: CropCatalog;
}

/** Opens the garden: tools, sensors, farmware, and everything on the map. Its routes are those that resources do not declare. */
export const openGarden = (
  { fetch, queue, requestedFetches }: Foundation,
  { compatibility, notify, isDemo, crops }: GardenDependencies,
): Room => ({
  routes: [
    createPeripheralRoute,
    ...updateWebcamFeedRoutes,
    deleteAllRoute,
    ...farmwareInstallationRoutes(queue, requestedFetches),
    ...firstPartyFarmwareRoutes,
    ...pointRoutes(compatibility, notify),
    ...pointGroupRoutes(),
    ...savedGardenRoutes(compatibility),
    ...cropRoutes(crops),
  ],
  jobs: [manifestJob({ fetch, isDemo })],
});
