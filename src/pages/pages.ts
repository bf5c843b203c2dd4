import type { Foundation, Room } from '../foundation.ts';
import type { PageOptions } from './account-pages.ts';
import { docsRoutes } from './docs-routes.ts';
import { pageRoutes } from './page-routes.ts';

/** Opens the pages for browsers, and the documentation of the API. */
export const openPages = (_foundation: Foundation, options: PageOptions): Room => ({
  routes: [...pageRoutes(options), ...docsRoutes],
  jobs: [],
});
