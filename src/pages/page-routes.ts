import { escapeHtml } from '../core/html.ts';
import { isLocalUrl } from '../core/ip-addresses.ts';
import type { ServerScope } from '../db/scope.ts';
import { Type } from '../engine/json-schema.ts';
import type { Call, PublicRoute, Reply, Route } from '../engine/route.ts';
import { emptyReply } from '../engine/route.ts';
import type { PageOptions } from './account-pages.ts';
import { forgottenPage, newPasswordPage, signInPage, signUpPage, takeBackPage, termsPage } from './account-pages.ts';
import { demoWebcamReply } from './demo-webcam.ts';
import { fallbackRoutes, notFoundReply } from './fallback-routes.ts';
import { demoPage, frontPage } from './front-page.ts';
import { accountPage, importPage, seedPage, startPage } from './garden-pages.ts';
import { invitationPage } from './invitation-page.ts';
import { isBrowser, page } from './page.ts';
import { pageFileContent } from './page-files.ts';

/** Pages for browsers; other clients get an empty body. [decision 20] */
export function pageRoutes(options: PageOptions): Route[] {
  const start = (call: Call): Reply => startPage(serverAddress(urlForRobots(call, options)));
  return [
    pageRoute('/', async (call, server) => frontPage(options, await options.admission(server, call))),
    pageRoute('/sign_in', async (call, server) => signInPage(await options.admission(server, call))),
    pageRoute('/sign_up', async (call, server) => signUpPage(options, await options.admission(server, call))),
    pageRoute('/forgotten_password', forgottenPage(options)),
    pageRoute('/password_reset/:token', newPasswordPage),
    pageRoute('/take_back/:token', takeBackPage),
    pageRoute('/invitation/:token', async (call, server) => {
      const { token = '' } = call.params;
      return invitationPage(options, token, await options.invitation(server, token));
    }),
    pageRoute('/tos_update', termsPage(options)),
    pageRoute('/os', (call) => robotPage(urlForRobots(call, options))),
    pageRoute('/featured', featuredPage),
    pageRoute('/logout', signOutPage),
    ...['/demo', '/try_farmbot'].map((path) => ({ ...pageRoute(path, demoPage(options)), rateLimit: 'demo' as const })),
    pageRoute('/account', accountPage),
    pageRoute('/import', importPage),
    pageRoute('/seed', seedPage(options.robots)),
    pageRoute('/app', start),
    pageRoute('/app/*', start),
    pageFilesRoute,
    ...fallbackRoutes((call, path) => demoWebcamReply(path) ?? notFoundReply(call)),
  ];
}

type Rendered = (call: Call, server: ServerScope) => Reply | Promise<Reply>;

/** `content`: the page, or a function that renders it for a request. */
function pageRoute(path: string, content: Reply | Rendered): PublicRoute {
  const parameter = /[:*](\w*)$/.exec(path);
  return {
    method: 'GET',
    path,
    tag: 'Pages',
    access: 'public',
    acceptsAnyVersion: true,
    summary: 'Open a page in a browser; other clients get an empty body',
    description: 'A page for people. Clients that do not ask for `text/html` get an empty body.',
    ...(parameter ? { params: Type.Object({ [parameter[1] || '*']: Type.String() }) } : {}),
    replies: { 200: 'html', 404: 'html' },
    handle(server, call) {
      // Files of a web app that is not installed. [rule W7]
      if (path === '/app/*' && /\.\w+$/.test(call.params['*'] ?? '')) return notFoundReply(call);
      if (!isBrowser(call)) return emptyReply;
      return typeof content === 'function' ? content(call, server) : content;
    },
  };
}

/** Script, style and icon of our own pages. */
const pageFilesRoute: PublicRoute = {
  method: 'GET',
  path: '/pages/:file',
  tag: 'Pages',
  access: 'public',
  acceptsAnyVersion: true,
  addition: true,
  hidden: true,
  summary: 'A file that pages for browsers need',
  description: 'Scripts, styles and icons.',
  params: Type.Object({ file: Type.String() }),
  replies: { 200: 'binary', 304: 'empty', 404: 'html' },
  handle: (_scope, call) => pageFileContent(call.params.file ?? '')?.reply(call) ?? notFoundReply(call),
};

/** The server URL for robots: that of the request, unless only this machine can use it. Null: unknown. */
function urlForRobots(call: Call, options: PageOptions): string | null {
  // Without the default port.
  const { origin } = new URL(`${call.isSecure ? 'https' : 'http'}://${call.host}`);
  return isLocalUrl(origin) ? options.robotAddress() : origin;
}

/** The HTML of the URL for robots, with a button that copies it. */
const serverAddress = (address: string | null): string =>
  address === null
    ? '<span id="server">the address of the machine that runs this server, such as <code>http://192.168.1.20:3000</code>. Open this page under that address to see it here, or have the operator set <code>PUBLIC_URL</code>.</span>'
    : `<code id="server">${escapeHtml(address)}</code> <button class="quiet copy" type="button" data-copy="server" hidden>Copy</button> <span class="hint" id="server-copied" role="status"></span>`;

const robotPage = (address: string | null): Reply =>
  page({
    title: 'Set up a robot',
    content: `<div class="narrow"><h1>Set up a robot</h1>
<section class="card"><ol>
<li>Install the vendor's operating system on the robot's memory card.</li>
<li>On its first start the robot opens a Wi-Fi network. Join it with a phone or a laptop; a setup page opens.</li>
<li>Enter your home network, the e-mail address and password of your account, and the server URL ${serverAddress(address)}</li>
</ol></section>
<p>The robot must be able to reach this server: on the same network, or over the internet if the URL is public.</p></div>`,
  });

const featuredPage = page({
  title: 'Featured sequences',
  content: `<div class="narrow"><h1>Featured sequences</h1>
<section class="card"><p>Shared sequences are listed at <a href="/api/featured_sequences">/api/featured_sequences</a>, and apps show them under “Featured”.</p></section></div>`,
});

/** Ends the session and opens the home page. */
export const signOutPage = page({
  title: 'Signing out',
  isBare: true,
  content: '<div class="narrow"><h1>Signing out …</h1></div>',
  action: 'signOut',
});
