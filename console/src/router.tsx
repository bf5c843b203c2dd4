import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { accountRoute } from './account/routes.ts';
import { firstPage } from './auth/first-page.ts';
import { authRoutes } from './auth/routes.ts';
import { setNewTermsHandler } from './data/api.ts';
import { gardenRoute, publicRoute, rootRoute } from './data/parent-routes.ts';
import { getSession, onSession } from './data/session.ts';
import { historyRoute } from './history/routes.ts';
import { logsRoute } from './logs/routes.ts';
import { mapRoutes } from './map/routes.ts';
import { photosRoute } from './photos/routes.ts';
import { programRoutes } from './programs/routes.ts';
import { robotRoutes } from './robot/routes.ts';
import { scheduleRoutes } from './schedule/routes.ts';
import { sensorsRoute } from './sensors/routes.ts';
import { serverRoute } from './server/routes.ts';
import { settingsRoute } from './settings/routes.ts';
import { GardenFailure, GardenFrame, PublicFrame } from './shell/frame.tsx';
import { NotFound } from './shell/not-found.tsx';
import { PageFailure } from './shell/page-failure.tsx';
import { thingsRoutes } from './things/routes.ts';
import { Loading } from './ui/failure.tsx';

gardenRoute.update({ component: GardenFrame, errorComponent: GardenFailure });
publicRoute.update({ component: PublicFrame });

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  async beforeLoad() {
    throw redirect(await firstPage());
  },
});

/** THE list of pages. */
const routeTree = rootRoute.addChildren([
  homeRoute,
  publicRoute.addChildren([...authRoutes]),
  gardenRoute.addChildren([
    ...mapRoutes,
    ...robotRoutes,
    ...programRoutes,
    logsRoute,
    sensorsRoute,
    ...scheduleRoutes,
    photosRoute,
    historyRoute,
    ...thingsRoutes,
    settingsRoute,
    accountRoute,
    serverRoute,
  ]),
]);

let isOtherPage = false;

export const router = createRouter({
  routeTree,
  basepath: '/console',
  // Parameters that a page's `validateSearch` refuses would reach it all the same.
  search: { strict: true },
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  // A page that takes longer is shown before its data.
  defaultPendingMs: 500,
  defaultPendingMinMs: 0,
  defaultErrorComponent: PageFailure,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
  // Another page begins at its top; another tab, selection or filter of the same page stays where it is.
  scrollToTopSelectors: [() => (isOtherPage ? document.getElementById('main') : null)],
});

router.subscribe('onBeforeLoad', ({ pathChanged }) => {
  isOtherPage = pathChanged;
});

// When a session has ended, the sign-in is shown, and returns to the same page.
onSession(() => {
  if (!getSession()) void router.invalidate();
});

setNewTermsHandler(() => {
  const { pathname, href } = router.state.location;
  if (pathname !== '/sign-in') void router.navigate({ to: '/sign-in', search: { next: href, terms: true } });
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
