import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { gardenRoute } from '../data/parent-routes.ts';
import { dateOf, integerOf, present, type Search, textOf, wordOf } from '../data/search.ts';

const scheduleRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'schedule',
  /** `date`: a day of the month or week that is shown; `event`: the chosen one; `new`: the day of a new event; `program`, `regimen`: its program or regimen. */
  validateSearch: (search: Search) =>
    present({
      view: wordOf(search.view, ['month', 'week', 'list']),
      date: dateOf(search.date),
      event: integerOf(search.event),
      new: dateOf(search.new),
      program: integerOf(search.program),
      regimen: integerOf(search.regimen),
    }),
  component: lazyRouteComponent(() => import('./schedule-page.tsx'), 'SchedulePage'),
});

const regimensRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'regimens',
  /** `id`: the chosen one. `sort`: the column that sorts them, `-runs` downward. */
  validateSearch: (search: Search) => present({ id: integerOf(search.id), sort: textOf(search.sort) }),
  component: lazyRouteComponent(() => import('./regimens-page.tsx'), 'RegimensPage'),
});

export const scheduleRoutes = [scheduleRoute, regimensRoute] as const;
