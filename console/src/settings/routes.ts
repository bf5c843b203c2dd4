import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { gardenRoute } from '../data/parent-routes.ts';
import { present, type Search, textOf, wordOf } from '../data/search.ts';
import { partNames } from '../data/setting-parts.ts';

export const settingsRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'settings',
  /** `part`: the open part; `find`: text in names and descriptions; `changed`: only settings that differ from their defaults. */
  validateSearch: (search: Search) =>
    present({
      part: wordOf(search.part, partNames),
      find: textOf(search.find),
      changed: search.changed === true ? true : undefined,
    }),
  component: lazyRouteComponent(() => import('./settings-page.tsx'), 'SettingsPage'),
  staticData: {
    async parts() {
      const text = (await import('./text.ts')).settingsText();
      return partNames.map((part) => ({ label: text.parts[part], search: { part } }));
    },
  },
});
