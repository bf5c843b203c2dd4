import { Type } from '../engine/json-schema.ts';
import type { PublicRoute } from '../engine/route.ts';
import { emptyReply } from '../engine/route.ts';
import type { ConsolePage } from './console-page.ts';
import { isBrowser } from './console-page.ts';
import { notFoundReply } from './fallback-routes.ts';
import { StaticFiles } from './static-files.ts';

/** The console and its files; without a build, its addresses have none. */
export async function consoleRoutes(console: ConsolePage): Promise<PublicRoute[]> {
  const files = console.isBuilt ? await StaticFiles.open(console.folder, () => ({})) : null;
  const route = (path: string, handle: PublicRoute['handle']): PublicRoute => ({
    method: 'GET',
    path,
    tag: 'Pages',
    access: 'public',
    acceptsAnyVersion: true,
    addition: true,
    summary: 'Open the console in a browser',
    description:
      'The garden in a browser. Every address below it is the same page, which shows what the address names.',
    ...(path.includes('*') ? { params: Type.Object({ '*': Type.String() }) } : {}),
    replies: { 200: path.includes('*') ? 'binary' : 'html', 304: 'empty', 404: 'html' },
    handle,
  });
  return [
    route('/console', (_scope, call) => (isBrowser(call) ? console.reply(call) : emptyReply)),
    route('/console/*', async (_scope, call) => {
      const path = call.params['*'] ?? '';
      // The file of the page has no nonce.
      if (path === '' || path === 'index.html' || !/\.\w+$/.test(path))
        return isBrowser(call) ? console.reply(call, 200, null, path) : emptyReply;
      return (await files?.reply(call, path)) ?? notFoundReply(console, call);
    }),
  ];
}
