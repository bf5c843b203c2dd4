import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { gardenRoute } from '../data/parent-routes.ts';
import { present, type Search, textOf, wordOf } from '../data/search.ts';
import { spanNames } from '../data/series.ts';
import { steps } from './pad-steps.ts';

/** Sets the robot up. */
export const setupRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'robot/setup',
  component: lazyRouteComponent(() => import('./setup-page.tsx'), 'SetupPage'),
});

export const robotRoute = createRoute({
  getParentRoute: () => gardenRoute,
  path: 'robot',
  /** `step`: the distance of a press of the pad, in mm. `place`: fills in the target, as in `120,300`. `span`: the time span of the charts. */
  validateSearch: (search: Search) =>
    present({
      step: steps.find((step) => step === Number(search.step)),
      place: textOf(search.place),
      span: wordOf(search.span, spanNames),
    }),
  component: lazyRouteComponent(() => import('./robot-page.tsx'), 'RobotPage'),
});

export const robotRoutes = [robotRoute, setupRoute];
