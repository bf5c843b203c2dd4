import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { gardenRoute } from '../data/parent-routes.ts';
import { integerOf, present, type Search, textOf } from '../data/search.ts';

export const thingsRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'things',
  component: lazyRouteComponent(() => import('./things-page.tsx'), 'ThingsPage'),
});

export const kindRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'things/$kind',
  /** `id`: the chosen one; `new`: one is being made; `find`: what names contain. */
  validateSearch: (search: Search) =>
    present({ id: integerOf(search.id), new: search.new === true ? true : undefined, find: textOf(search.find) }),
  component: lazyRouteComponent(() => import('./kind-page.tsx'), 'KindPage'),
});

export const thingsRoutes = [thingsRoute, kindRoute] as const;
