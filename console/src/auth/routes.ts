import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { publicRoute } from '../data/parent-routes.ts';
import { present, type Search, textOf, wordOf } from '../data/search.ts';
import type { PublicPath } from './public-paths.ts';

const getParentRoute = () => publicRoute;

/** A page whose address has no parameters. */
const page = <const P extends PublicPath>(path: P, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute, path, component });

const signInRoute = createRoute({
  getParentRoute,
  path: 'sign-in' satisfies PublicPath,
  /** `next`: the next page, an address of the console. `terms`: the user must agree to new terms of service. */
  validateSearch: (search: Search) =>
    present({ next: textOf(search.next), terms: search.terms === true ? true : undefined }),
  component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
});

const confirmedRoute = createRoute({
  getParentRoute,
  path: 'confirmed' satisfies PublicPath,
  /** `change`: another address of an account was confirmed, else the address of a new account. */
  validateSearch: (search: Search) => present({ kind: wordOf(search.kind, ['change']) }),
  component: lazyRouteComponent(() => import('./confirmed-page.tsx'), 'ConfirmedPage'),
});

const deadLinkRoute = createRoute({
  getParentRoute,
  path: 'dead-link' satisfies PublicPath,
  /** The address that the link confirms, and the reason for a failure. */
  validateSearch: (search: Search) =>
    present({ kind: wordOf(search.kind, ['account', 'change']), reason: wordOf(search.reason, ['used', 'taken']) }),
  component: lazyRouteComponent(() => import('./dead-link-page.tsx'), 'DeadLinkPage'),
});

const setUpRoute = createRoute({
  getParentRoute,
  path: 'set-up' satisfies PublicPath,
  /** `robot`: choose one of your own. `connect`: wait for it. */
  validateSearch: (search: Search) => present({ way: wordOf(search.way, ['robot', 'connect']) }),
  component: lazyRouteComponent(() => import('./set-up-page.tsx'), 'SetUpPage'),
});

export const authRoutes = [
  signInRoute,
  page(
    'sign-up',
    lazyRouteComponent(() => import('./sign-up-page.tsx'), 'SignUpPage'),
  ),
  page(
    'forgotten-password',
    lazyRouteComponent(() => import('./forgotten-password-page.tsx'), 'ForgottenPasswordPage'),
  ),
  page(
    'password-reset',
    lazyRouteComponent(() => import('./password-reset-page.tsx'), 'PasswordResetPage'),
  ),
  page(
    'take-back',
    lazyRouteComponent(() => import('./password-reset-page.tsx'), 'TakeBackPage'),
  ),
  confirmedRoute,
  deadLinkRoute,
  page(
    'invitation',
    lazyRouteComponent(() => import('./invitation-page.tsx'), 'InvitationPage'),
  ),
  page(
    'sign-out',
    lazyRouteComponent(() => import('./sign-out-page.tsx'), 'SignOutPage'),
  ),
  page(
    'demo',
    lazyRouteComponent(() => import('./demo-page.tsx'), 'DemoPage'),
  ),
  page(
    'robot-setup',
    lazyRouteComponent(() => import('./robot-setup-page.tsx'), 'RobotSetupPage'),
  ),
  page(
    'featured',
    lazyRouteComponent(() => import('./featured-page.tsx'), 'FeaturedPage'),
  ),
  setUpRoute,
] as const;
