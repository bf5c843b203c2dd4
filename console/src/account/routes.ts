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
  staticData: {
    async parts() {
      const text = (await import('./parts-text.ts')).partsText();
      return [
        ...accountParts.map((part) => ({ label: text.parts[part], search: { part } })),
        { label: text.changePassword, search: { part: 'profile' } },
        { label: text.invite, search: { part: 'people' } },
      ];
    },
  },
});
