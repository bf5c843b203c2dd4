import Type from 'typebox';
import { escapeHtml } from '../core/html.ts';
import { isLoopback } from '../core/loopback.ts';
import type { Call, PublicRoute, Reply, Route } from '../engine/route.ts';
import { emptyReply } from '../engine/route.ts';
import { forgottenPage, newPasswordPage, signInPage, signUpPage, termsPage } from './account-pages.ts';
import { fallbackRoutes, notFoundReply } from './fallback-routes.ts';
import { isBrowser, page } from './page.ts';
import type { PageOptions } from './page-facts.ts';
import { pageFileReply } from './page-files.ts';

/** Pages for browsers; other clients get an empty body. [decision 20] */
export function pageRoutes(facts: PageOptions): Route[] {
  const start = (call: Call): Reply => startPage(addressForRobots(call, facts));
  return [
    pageRoute('/', frontPage(facts)),
    pageRoute('/sign_in', signInPage(facts)),
    pageRoute('/sign_up', signUpPage(facts)),
    pageRoute('/forgotten_password', forgottenPage(facts)),
    pageRoute('/password_reset/:token', newPasswordPage),
    pageRoute('/tos_update', termsPage(facts)),
    pageRoute('/os', (call) => robotPage(addressForRobots(call, facts))),
    pageRoute('/featured', featuredPage),
    pageRoute('/logout', leavePage),
    pageRoute('/app', start),
    pageRoute('/app/*', start),
    pageFilesRoute,
    ...fallbackRoutes(notFoundReply),
  ];
}

/** A page that is the same for everybody, or made for one request. */
function pageRoute(path: string, shown: Reply | ((call: Call) => Reply)): PublicRoute {
  const parameter = /[:*](\w*)$/.exec(path);
  return {
    method: 'GET',
    path,
    tag: 'pages',
    access: 'public',
    acceptsAnyVersion: true,
    hidden: true,
    summary: 'A page for browsers',
    ...(parameter ? { params: Type.Object({ [parameter[1] || '*']: Type.String() }) } : {}),
    replies: { 200: 'html', 404: 'html' },
    handle(_scope, call) {
      // Files of a web app that is not here. [reference]
      if (path === '/app/*' && /\.\w+$/.test(call.params['*'] ?? '')) return notFoundReply(call);
      if (!isBrowser(call)) return emptyReply;
      return typeof shown === 'function' ? shown(call) : shown;
    },
  };
}

/** `/pages/…`: script, style and picture of our own pages. */
const pageFilesRoute: PublicRoute = {
  method: 'GET',
  path: '/pages/:file',
  tag: 'pages',
  access: 'public',
  acceptsAnyVersion: true,
  addition: true,
  hidden: true,
  summary: 'A file that pages for browsers need',
  params: Type.Object({ file: Type.String() }),
  replies: { 200: 'binary', 404: 'html' },
  handle: (_scope, call) => pageFileReply(call.params.file ?? '') ?? notFoundReply(call),
};

/** Where a robot finds this server: as the visitor does, unless that works on this machine only. */
function addressForRobots(call: Call, facts: PageOptions): string {
  const address = `${call.isSecure ? 'https' : 'http'}://${call.host}`;
  const { hostname } = new URL(address);
  const isHere =
    hostname === 'localhost' || hostname.startsWith('127.') || isLoopback(hostname.replace(/^\[|\]$/g, ''));
  return isHere ? facts.robotAddress() : address;
}

const frontPage = ({ signUp }: PageOptions): Reply =>
  page({
    title: 'Welcome',
    content: `<h1>The server of your garden robot</h1>
<p class="lead">Potager keeps what a robot knows about its garden (plants, tools, programs, photos and logs), and connects the robot with the people
and programs that look after it.</p>
<p class="actions when-in"><a class="button" href="/app">Go to my garden</a> <a class="button quiet" href="/logout">Sign out</a></p>
<p class="actions when-out"><a class="button" href="/sign_in">Sign in</a>${signUp === 'open' ? ' <a class="button quiet" href="/sign_up">Make an account</a>' : ''}</p>
<div class="cards">
<section class="card"><h2>You have a robot</h2><p>${signUp === 'open' ? 'Make an account' : 'Ask whoever runs this server for an account'}, then give the robot your e-mail address, your password and the address of this server.</p>
<p><a href="/os">How to set up a robot</a></p></section>
<section class="card"><h2>You write programs</h2><p>Everything that is kept here can be read and changed over HTTP, and what changes is announced over MQTT.</p>
<p><a href="/docs">The interface, to read and to try</a></p></section>
<section class="card"><h2>Your data is yours</h2><p>It lies on the machine of whoever runs this server, and you can download all of it whenever you like.</p></section>
</div>`,
  });

const serverAddress = (address: string): string =>
  `<code id="server">${escapeHtml(address)}</code> <button class="quiet copy" type="button" data-copy="server" hidden>Copy</button>`;

const startPage = (address: string): Reply =>
  page({
    title: 'My garden',
    does: 'start',
    content: `<div class="when-out"><h1>You are not signed in</h1><p><a class="button" href="/sign_in">Sign in</a></p></div>
<div class="when-in"><h1>Hello, <span id="who">gardener</span></h1>
<div class="cards two">
<section class="card"><h2>Your robot</h2>
<p class="state" id="robot-state" role="status">One moment …</p>
<dl><dt>Name</dt><dd id="robot-name">…</dd><dt>Software</dt><dd id="robot-version">…</dd><dt>Last seen</dt><dd id="robot-seen">…</dd></dl></section>
<section class="card"><h2>Connect a robot</h2>
<p>A new robot opens a wireless network of its own. Join it and type this into its page:</p>
<dl><dt>E-mail</dt><dd id="email"></dd><dt>Password</dt><dd>the one of your account here</dd><dt>Server</dt><dd>${serverAddress(address)}</dd></dl></section>
<section class="card"><h2>Your data</h2>
<p>Everything that is kept of you and your garden, in one file. It can be taken into another account again.</p>
<p><label class="tick"><input type="checkbox" id="with-photos"><span>With photos, as a ZIP file</span></label></p>
<p><button type="button" id="download">Download my data</button></p>
<p class="told" id="data-told" role="status"></p></section>
<section class="card"><h2>Look after the garden</h2>
<p>Programs and apps for this robot sign in at the same address, with the same e-mail address and password.</p>
<p><a href="/docs">The interface for programs</a></p></section>
</div></div>`,
  });

const robotPage = (address: string): Reply =>
  page({
    title: 'Set up a robot',
    content: `<div class="narrow"><h1>Set up a robot</h1>
<section class="card"><ol>
<li>The robot's computer needs its maker's operating system on its memory card.</li>
<li>When it starts for the first time it opens a wireless network of its own. Join that with a phone or a laptop; a page opens.</li>
<li>Type in the network of your home, the e-mail address and the password of your account here, and as the server ${serverAddress(address)}</li>
</ol></section>
<p>The robot has to reach this server on its own: on the same network, or over the internet if the address is a public one.</p></div>`,
  });

const featuredPage = page({
  title: 'Featured sequences',
  content: `<div class="narrow"><h1>Featured sequences</h1>
<section class="card"><p>Programs that others share are listed at <a href="/api/featured_sequences">/api/featured_sequences</a>, and apps for the robot show them under “Featured”.</p></section></div>`,
});

/** Ends the session and goes to the first page. */
export const leavePage = page({
  title: 'Signing out',
  isBare: true,
  content: '<div class="narrow"><h1>Signing out …</h1></div>',
  does: 'leave',
});
