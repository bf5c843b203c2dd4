import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { gardenRoute } from '../data/parent-routes.ts';
import { integerOf, present, type Search } from '../data/search.ts';

export const mapRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'map',
  staticData: { isFilling: true },
  /** `point`: the selected one. */
  validateSearch: (search: Search) => present({ point: integerOf(search.point) }),
  component: lazyRouteComponent(() => import('./map-page.tsx'), 'MapPage'),
});

export const mapRoutes = [mapRoute] as const;
