import type { Gardens } from '../device/gardens.ts';
import type { DeviceOffer } from '../device/offer.ts';
import type { Foundation, Room } from '../foundation.ts';
import type { Compatibility } from './compatibility.ts';
import { cropRoutes } from './crop-routes.ts';
import type { CropSearch } from './crop-search.ts';
import { deleteAllRoute } from './farmware-envs.ts';
import { farmwareInstallationRoutes } from './farmware-installations.ts';
import { manifestJob } from './farmware-manifest.ts';
import { firstPartyFarmwareRoutes } from './first-party-farmwares.ts';
import type { GardenOffer } from './offer.ts';
import { createPeripheralRoute, peripherals } from './peripherals.ts';
import { pointGroupRoutes } from './point-group-routes.ts';
import { pointRoutes } from './point-routes.ts';
import { points } from './points.ts';
import { savedGardenRoutes } from './saved-garden-routes.ts';
import { lastAnalogReadings } from './sensor-readings.ts';
import { sensors } from './sensors.ts';
import { tools } from './tools.ts';
import { updateWebcamFeedRoutes } from './webcam-feeds.ts';

/** The settings and rooms that the garden depends on. */
export interface GardenDependencies {
  readonly compatibility: Compatibility;
  readonly device: DeviceOffer;
  readonly gardens: Gardens;
  readonly crops: () => Promise<CropSearch>;
}

/** Opens the garden: tools, sensors, farmware, and everything on the map. Its routes are the ones that resources do not declare. */
export const openGarden = (
  { fetch, queue, requestedFetches }: Foundation,
  { compatibility, device, gardens, crops }: GardenDependencies,
): Room & GardenOffer => ({
  peripherals,
  points,
  sensors,
  lastAnalogReadings,
  tools,
  routes: [
    createPeripheralRoute,
    ...updateWebcamFeedRoutes,
    deleteAllRoute,
    ...farmwareInstallationRoutes(queue, requestedFetches),
    ...firstPartyFarmwareRoutes,
    ...pointRoutes(compatibility, device.notify),
    ...pointGroupRoutes(),
    ...savedGardenRoutes(compatibility),
    ...cropRoutes(crops),
  ],
  jobs: [manifestJob({ fetch, isDemo: gardens.isDemo })],
});
