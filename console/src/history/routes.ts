import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { historyNames } from '../data/generated/resources.ts';
import { gardenRoute } from '../data/parent-routes.ts';
import { dateOf, integerOf, present, type Search, wordOf } from '../data/search.ts';
import { actorKinds } from './actor-kinds.ts';

export const historyRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'history',
  /** `entry`: the chosen one; the others are filters. `from`, `to`: days, both included. */
  validateSearch: (search: Search) =>
    present({
      resource: wordOf(search.resource, historyNames),
      record: integerOf(search.record),
      actor: wordOf(search.actor, actorKinds) ?? integerOf(search.actor),
      from: dateOf(search.from),
      to: dateOf(search.to),
      entry: integerOf(search.entry),
    }),
  component: lazyRouteComponent(() => import('./history-page.tsx'), 'HistoryPage'),
});
