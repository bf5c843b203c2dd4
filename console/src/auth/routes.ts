import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { publicRoute } from '../data/parent-routes.ts';
import { present, type Search, textOf, wordOf } from '../data/search.ts';

const getParentRoute = () => publicRoute;

const signInRoute = createRoute({
  getParentRoute,
  path: 'sign-in',
  /** `next`: where to go afterwards, an address of the console. `terms`: the user must agree to new terms of service. */
  validateSearch: (search: Search) =>
    present({ next: textOf(search.next), terms: search.terms === true ? true : undefined }),
  component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
});

const signUpRoute = createRoute({
  getParentRoute,
  path: 'sign-up',
  component: lazyRouteComponent(() => import('./sign-up-page.tsx'), 'SignUpPage'),
});

const forgottenPasswordRoute = createRoute({
  getParentRoute,
  path: 'forgotten-password',
  component: lazyRouteComponent(() => import('./forgotten-password-page.tsx'), 'ForgottenPasswordPage'),
});

const passwordResetRoute = createRoute({
  getParentRoute,
  path: 'password-reset',
  component: lazyRouteComponent(() => import('./password-reset-page.tsx'), 'PasswordResetPage'),
});

const takeBackRoute = createRoute({
  getParentRoute,
  path: 'take-back',
  component: lazyRouteComponent(() => import('./password-reset-page.tsx'), 'TakeBackPage'),
});

const confirmedRoute = createRoute({
  getParentRoute,
  path: 'confirmed',
  /** `change`: another address of an account was confirmed, else the address of a new account. */
  validateSearch: (search: Search) => present({ kind: wordOf(search.kind, ['change']) }),
  component: lazyRouteComponent(() => import('./confirmed-page.tsx'), 'ConfirmedPage'),
});

const deadLinkRoute = createRoute({
  getParentRoute,
  path: 'dead-link',
  /** The address that the link confirms, and the reason for a failure. */
  validateSearch: (search: Search) =>
    present({ kind: wordOf(search.kind, ['account', 'change']), reason: wordOf(search.reason, ['used', 'taken']) }),
  component: lazyRouteComponent(() => import('./dead-link-page.tsx'), 'DeadLinkPage'),
});

const invitationRoute = createRoute({
  getParentRoute,
  path: 'invitation',
  component: lazyRouteComponent(() => import('./invitation-page.tsx'), 'InvitationPage'),
});

const signOutRoute = createRoute({
  getParentRoute,
  path: 'sign-out',
  component: lazyRouteComponent(() => import('./sign-out-page.tsx'), 'SignOutPage'),
});

const demoRoute = createRoute({
  getParentRoute,
  path: 'demo',
  component: lazyRouteComponent(() => import('./demo-page.tsx'), 'DemoPage'),
});

const robotSetupRoute = createRoute({
  getParentRoute,
  path: 'robot-setup',
  component: lazyRouteComponent(() => import('./robot-setup-page.tsx'), 'RobotSetupPage'),
});

const featuredRoute = createRoute({
  getParentRoute,
  path: 'featured',
  component: lazyRouteComponent(() => import('./featured-page.tsx'), 'FeaturedPage'),
});

const setUpRoute = createRoute({
  getParentRoute,
  path: 'set-up',
  /** `robot`: choose one of your own. `connect`: wait for it. */
  validateSearch: (search: Search) => present({ way: wordOf(search.way, ['robot', 'connect']) }),
  component: lazyRouteComponent(() => import('./set-up-page.tsx'), 'SetUpPage'),
});

export const authRoutes = [
  signInRoute,
  signUpRoute,
  forgottenPasswordRoute,
  passwordResetRoute,
  takeBackRoute,
  confirmedRoute,
  deadLinkRoute,
  invitationRoute,
  signOutRoute,
  demoRoute,
  robotSetupRoute,
  featuredRoute,
  setUpRoute,
] as const;
