import type { Foundation, Room } from '../foundation.ts';
import type { PageOptions } from './account-pages.ts';
import { pageRoutes } from './page-routes.ts';

/** Opens the pages for browsers. */
export const openPages = (_foundation: Foundation, options: PageOptions): Room => ({
  routes: pageRoutes(options),
  jobs: [],
});
