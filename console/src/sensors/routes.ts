import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { gardenRoute } from '../data/parent-routes.ts';
import { integerOf, present, type Search, wordOf } from '../data/search.ts';
import { spanNames } from '../data/series.ts';

export const sensorsRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'sensors',
  /** `sensor`: the id of the one whose readings are shown. `span`: the time span of its chart. */
  validateSearch: (search: Search) =>
    present({ sensor: integerOf(search.sensor), span: wordOf(search.span, spanNames) }),
  component: lazyRouteComponent(() => import('./sensors-page.tsx'), 'SensorsPage'),
});
