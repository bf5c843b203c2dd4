import type { Foundation, Room } from '../foundation.ts';
import type { PageOptions } from './account-pages.ts';
import { type ConsoleOptions, consoleRoutes } from './console.ts';
import { docsRoutes } from './docs-routes.ts';
import { pageRoutes } from './page-routes.ts';

/** Opens the pages for browsers, the console, and the documentation of the API. */
export const openPages = async (_foundation: Foundation, options: PageOptions & ConsoleOptions): Promise<Room> => ({
  routes: [...(await consoleRoutes(options)), ...pageRoutes(options), ...docsRoutes],
  jobs: [],
});
