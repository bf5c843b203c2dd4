import Type from 'typebox';
import { Failure } from '../core/errors.ts';
import type { Call, HandlerResult, PublicRoute, Reply } from '../engine/route.ts';
import { isBrowser, noticePage } from './page.ts';

const nothingPage = noticePage(404, 'There is nothing here', 'This server has no page at this address.');

/** The answer where nothing is: a page for browsers. Throws 404 for everybody else. */
export function notFoundReply(call: Pick<Call, 'headers'>): Reply {
  if (isBrowser(call)) return nothingPage;
  throw new Failure('not_found', 'This address was not found.');
}

/** The first part of a path outside of the interface, whose unknown addresses have headers and answers of their own. */
const first = ':first(^(?!api$).+)';

/** Whatever is asked for outside of `/api` and has no route of its own. `answer` gets the decoded path, `images/a b.png`. */
export const fallbackRoutes = (
  answer: (call: Call, path: string) => Promise<HandlerResult> | HandlerResult,
): PublicRoute[] =>
  [`/${first}`, `/${first}/*`].map((path) => {
    const names = path.endsWith('*') ? ['first', '*'] : ['first'];
    return {
      method: 'GET',
      path,
      tag: 'pages',
      access: 'public',
      acceptsAnyVersion: true,
      hidden: true,
      summary: 'A page or file that has no route of its own',
      params: Type.Object(Object.fromEntries(names.map((name) => [name, Type.String()]))),
      replies: { 200: 'binary', 304: 'empty', 404: 'html' },
      handle: (_server, call) => answer(call, names.map((name) => call.params[name] ?? '').join('/')),
    };
  });
