import type { DeviceRoute } from '../engine/route.ts';
import type { Compatibility } from './compatibility.ts';
import { pointGroupRoutes } from './point-group-routes.ts';
import type { Notify } from './point-lifecycle.ts';
import { pointRoutes } from './point-routes.ts';
import { savedGardenRoutes } from './saved-garden-routes.ts';

/** What the routes of the map need from elsewhere. */
export interface MapServices {
  readonly compatibility: Compatibility;
  readonly notify: Notify;
}

/** The routes of what lies on the map: points, their groups, saved gardens and plant templates. */
export const mapRoutes = ({ compatibility, notify }: MapServices): DeviceRoute[] => [
  ...pointRoutes(compatibility, notify),
  ...pointGroupRoutes(),
  ...savedGardenRoutes(compatibility),
];
