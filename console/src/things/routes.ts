import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { gardenRoute } from '../data/parent-routes.ts';
import { pointKinds } from '../data/point-kinds.ts';
import { integerOf, present, type Search, textOf, wordOf } from '../data/search.ts';

const thingsRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'things',
  component: lazyRouteComponent(() => import('./things-page.tsx'), 'ThingsPage'),
});

const kindRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'things/$kind',
  /** `id`: the chosen one; `new`: one is being made; `find`: a part of names; `sort`: the column that sorts them, `-pin` downward. */
  validateSearch: (search: Search) =>
    present({
      id: integerOf(search.id),
      new: search.new === true ? true : undefined,
      find: textOf(search.find),
      sort: textOf(search.sort),
    }),
  component: lazyRouteComponent(() => import('./kind-page.tsx'), 'KindPage'),
});

const placesRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'places',
  /** `kind`: plants where it is missing. `find`: a part of names. `sort`: the column that sorts them, `-age` downward. */
  validateSearch: (search: Search) =>
    present({ kind: wordOf(search.kind, pointKinds), find: textOf(search.find), sort: textOf(search.sort) }),
  component: lazyRouteComponent(() => import('./places-page.tsx'), 'PlacesPage'),
});

export const thingsRoutes = [thingsRoute, kindRoute, placesRoute] as const;
