import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { publicRoute } from '../data/parent-routes.ts';
import { present, type Search, textOf } from '../data/search.ts';

export const signInRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: 'sign-in',
  /** `next`: where to go afterwards, an address of the console. */
  validateSearch: (search: Search) => present({ next: textOf(search.next) }),
  component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
});

export const accountRoutes = { public: [signInRoute], garden: [] } as const;
