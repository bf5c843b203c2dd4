import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { gardenRoute } from '../data/parent-routes.ts';
import { integerOf, present, type Search, textOf, wordOf } from '../data/search.ts';
import { orders } from './folder-tree.ts';
import { allViews } from './panel-views.ts';

const programsRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'programs',
  /** `find`: text to search for. */
  validateSearch: (search: Search) =>
    present({
      find: textOf(search.find),
      order: wordOf(search.order, orders),
    }),
  component: lazyRouteComponent(() => import('./programs-page.tsx'), 'ProgramsPage'),
});

const sharedProgramsRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'programs/shared',
  /** `find`: text to search for. */
  validateSearch: (search: Search) => present({ find: textOf(search.find) }),
  component: lazyRouteComponent(() => import('./shared-page.tsx'), 'SharedPage'),
});

const programRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'programs/$id',
  /** `step`: the number of the open one. */
  validateSearch: (search: Search) => present({ step: integerOf(search.step), view: wordOf(search.view, allViews) }),
  component: lazyRouteComponent(() => import('./program-page.tsx'), 'ProgramPage'),
});

export const programRoutes = [programsRoute, sharedProgramsRoute, programRoute] as const;
