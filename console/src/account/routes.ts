import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { gardenRoute } from '../data/parent-routes.ts';
import { integerOf, present, type Search, wordOf } from '../data/search.ts';
import { accountParts } from './account-parts.ts';

export const accountRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'account',
  /** `part`: the open part; `webhook`: id of the webhook whose deliveries are shown. */
  validateSearch: (search: Search) =>
    present({ part: wordOf(search.part, accountParts), webhook: integerOf(search.webhook) }),
  component: lazyRouteComponent(() => import('./account-page.tsx'), 'AccountPage'),
});

export const accountRoutes = [accountRoute] as const;
