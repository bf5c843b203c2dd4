import { addressNotFound } from '../core/errors.ts';
import { Type } from '../engine/json-schema.ts';
import type { Call, HandlerResult, PublicRoute, Reply } from '../engine/route.ts';
import type { ConsolePage } from './console-page.ts';
import { isBrowser } from './console-page.ts';

/** The reply for unknown paths: a page for browsers. Throws 404 for other clients. */
export function notFoundReply(console: ConsolePage, call: Call): Reply {
  if (isBrowser(call)) return console.reply(call, 404, { to: '/not-found' });
  throw addressNotFound();
}
/** The first segment of a path outside the API, whose unknown paths get other headers. */
const first = ':first(^(?!api$).+)';

/** The routes of all other paths outside `/api`. `reply` gets the decoded path, `images/a b.png`. */
export const fallbackRoutes = (
  reply: (call: Call, path: string) => Promise<HandlerResult> | HandlerResult,
): PublicRoute[] =>
  [`/${first}`, `/${first}/*`].map((path) => {
    const names = path.endsWith('*') ? ['first', '*'] : ['first'];
    return {
      method: 'GET',
      path,
      tag: 'Pages',
      access: 'public',
      acceptsAnyVersion: true,
      hidden: true,
      summary: 'Any other page or file',
      description: 'Files of the web app, and the page that says that nothing was found.',
      params: Type.Object(Object.fromEntries(names.map((name) => [name, Type.String()]))),
      replies: { 200: 'binary', 304: 'empty', 404: 'html' },
      handle: (_server, call) => reply(call, names.map((name) => call.params[name] ?? '').join('/')),
    };
  });
