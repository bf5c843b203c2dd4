import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { gardenRoute } from '../data/parent-routes.ts';
import { integerOf, present, type Search, textOf, wordOf } from '../data/search.ts';
import { serverParts } from './server-parts.ts';

export const serverRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'server',
  /** `part`: the open part; `find`: text to search for; `user`: id of the user whose limits are shown. */
  validateSearch: (search: Search) =>
    present({ part: wordOf(search.part, serverParts), find: textOf(search.find), user: integerOf(search.user) }),
  component: lazyRouteComponent(() => import('./server-page.tsx'), 'ServerPage'),
  staticData: {
    async parts() {
      const text = (await import('./text.ts')).serverText();
      return serverParts.map((part) => ({ label: text.parts[part], search: { part } }));
    },
  },
});
