import { escapeHtml } from '../core/html.ts';
import { isLoopback } from '../core/ip-addresses.ts';
import { Type } from '../engine/json-schema.ts';
import type { Call, PublicRoute, Reply, Route } from '../engine/route.ts';
import { emptyReply } from '../engine/route.ts';
import type { PageOptions } from './account-pages.ts';
import { forgottenPage, newPasswordPage, signInPage, signUpPage, takeBackPage, termsPage } from './account-pages.ts';
import { demoWebcamReply } from './demo-webcam.ts';
import { fallbackRoutes, notFoundReply } from './fallback-routes.ts';
import { isBrowser, page } from './page.ts';
import { pageFileReply } from './page-files.ts';

/** Pages for browsers; other clients get an empty body. [decision 20] */
export function pageRoutes(options: PageOptions): Route[] {
  const start = (call: Call): Reply => startPage(urlForRobots(call, options));
  return [
    pageRoute('/', frontPage(options)),
    pageRoute('/sign_in', signInPage(options)),
    pageRoute('/sign_up', signUpPage(options)),
    pageRoute('/forgotten_password', forgottenPage(options)),
    pageRoute('/password_reset/:token', newPasswordPage),
    pageRoute('/take_back/:token', takeBackPage),
    pageRoute('/tos_update', termsPage(options)),
    pageRoute('/os', (call) => robotPage(urlForRobots(call, options))),
    pageRoute('/featured', featuredPage),
    pageRoute('/logout', signOutPage),
    pageRoute('/app', start),
    pageRoute('/app/*', start),
    pageFilesRoute,
    ...fallbackRoutes((call, path) => demoWebcamReply(path) ?? notFoundReply(call)),
  ];
}

/** `content`: the page, or a function that renders it for a request. */
function pageRoute(path: string, content: Reply | ((call: Call) => Reply)): PublicRoute {
  const parameter = /[:*](\w*)$/.exec(path);
  return {
    method: 'GET',
    path,
    tag: 'pages',
    access: 'public',
    acceptsAnyVersion: true,
    summary: 'Open a page in a browser; other clients get an empty body',
    ...(parameter ? { params: Type.Object({ [parameter[1] || '*']: Type.String() }) } : {}),
    replies: { 200: 'html', 404: 'html' },
    handle(_scope, call) {
      // Files of a web app that is not installed. [rule W7]
      if (path === '/app/*' && /\.\w+$/.test(call.params['*'] ?? '')) return notFoundReply(call);
      if (!isBrowser(call)) return emptyReply;
      return typeof content === 'function' ? content(call) : content;
    },
  };
}

/** Script, style and icon of our own pages. */
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

/** The server URL for robots: that of the request, unless it is a loopback address. */
function urlForRobots(call: Call, options: PageOptions): string {
  const address = `${call.isSecure ? 'https' : 'http'}://${call.host}`;
  const { hostname } = new URL(address);
  const isLocal =
    hostname === 'localhost' || hostname.startsWith('127.') || isLoopback(hostname.replace(/^\[|\]$/g, ''));
  return isLocal ? options.robotAddress() : address;
}

const frontPage = ({ signUp }: PageOptions): Reply =>
  page({
    title: 'Welcome',
    content: `<h1>Your garden robot server</h1>
<p class="lead">Potager stores the data of your garden robot (plants, tools, sequences, photos and logs), and connects the robot with people
and apps.</p>
<p class="actions when-in"><a class="button" href="/app">My garden</a> <a class="button quiet" href="/logout">Sign out</a></p>
<p class="actions when-out"><a class="button" href="/sign_in">Sign in</a>${signUp === 'open' ? ' <a class="button quiet" href="/sign_up">Create account</a>' : ''}</p>
<div class="cards">
<section class="card"><h2>Connect a robot</h2><p>${signUp === 'open' ? 'Create an account' : 'Ask the operator of this server for an account'}, then enter your e-mail address, your password and the URL of this server on the robot.</p>
<p><a href="/os">How to set up a robot</a></p></section>
<section class="card"><h2>Develop apps</h2><p>All data can be read and changed over HTTP, and changes are published over MQTT.</p>
<p><a href="/docs">API documentation</a></p></section>
<section class="card"><h2>Your data is yours</h2><p>It is stored on this server only, and you can download all of it at any time.</p></section>
</div>`,
  });

const serverAddress = (address: string): string =>
  `<code id="server">${escapeHtml(address)}</code> <button class="quiet copy" type="button" data-copy="server" hidden>Copy</button>`;

const startPage = (address: string): Reply =>
  page({
    title: 'My garden',
    action: 'start',
    content: `<div class="when-out"><h1>You are not signed in</h1><p><a class="button" href="/sign_in">Sign in</a></p></div>
<div class="when-in"><h1>Hello, <span id="who">gardener</span></h1>
<div class="cards two">
<section class="card"><h2>Your robot</h2>
<p class="state" id="robot-state" role="status">Loading …</p>
<dl><dt>Name</dt><dd id="robot-name">…</dd><dt>Software</dt><dd id="robot-version">…</dd><dt>Last seen</dt><dd id="robot-seen">…</dd></dl></section>
<section class="card"><h2>Connect a robot</h2>
<p>A new robot opens its own Wi-Fi network. Join it and enter this on its setup page:</p>
<dl><dt>E-mail</dt><dd id="email"></dd><dt>Password</dt><dd>your password for this account</dd><dt>Server</dt><dd>${serverAddress(address)}</dd></dl></section>
<section class="card"><h2>Your data</h2>
<p>All data of your account and garden, in one file. It can be imported into another account.</p>
<p><label class="tick"><input type="checkbox" id="with-photos"><span>Include photos (ZIP file)</span></label></p>
<p><button type="button" id="download">Download</button></p>
<p class="message" id="data-message" role="status"></p></section>
<section class="card"><h2>Use apps</h2>
<p>Apps for this robot sign in at the same URL, with the same e-mail address and password.</p>
<p><a href="/docs">API documentation</a></p></section>
</div></div>`,
  });

const robotPage = (address: string): Reply =>
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
