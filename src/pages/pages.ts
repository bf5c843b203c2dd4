import type { Foundation, Room } from '../foundation.ts';
import type { ConsolePage } from './console-page.ts';
import { consoleRoutes } from './console-routes.ts';
import { demoWebcamReply } from './demo-webcam.ts';
import { docsRoutes } from './docs-routes.ts';
import { fallbackRoutes, notFoundReply } from './fallback-routes.ts';
import { pageFilesRoute } from './page-files.ts';
import { pageRedirects } from './page-redirects.ts';
import type { ServerFacts } from './server-route.ts';
import { serverRoute } from './server-route.ts';

/** Opens the console, the addresses that lead to it, and the documentation of the API. */
export const openPages = async (_foundation: Foundation, console: ConsolePage, facts: ServerFacts): Promise<Room> => ({
  routes: [
    serverRoute(facts),
    ...(await consoleRoutes(console)),
    ...pageRedirects(console),
    ...docsRoutes,
    pageFilesRoute(console),
    ...fallbackRoutes((call, path) => demoWebcamReply(path) ?? notFoundReply(console, call)),
  ],
  jobs: [],
});
