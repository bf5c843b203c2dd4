import { createRootRoute, createRoute, redirect } from '@tanstack/react-router';
import { getSession } from './session.ts';

export const rootRoute = createRootRoute();

/** Parent of the pages that need no session. The router gives it its frame. */
export const publicRoute = createRoute({ getParentRoute: () => rootRoute, id: 'public' });

/** Parent of the pages of a garden: without a session they lead to the sign-in, and back. */
export const gardenRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'garden',
  beforeLoad({ location }) {
    if (!getSession()) throw redirect({ to: '/sign-in', search: { next: location.href } });
  },
});

/** A part of a page, which the search finds by its name. */
export interface PagePart {
  readonly label: string;
  /** The parameters of the page's address that open it. */
  readonly search: Readonly<Record<string, string>>;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Reads the parts of the page, in the language of the page. */
    readonly parts?: () => Promise<readonly PagePart[]>;
    /** The page fills the window: no scrolling around it. */
    readonly isFilling?: boolean;
  }
}
