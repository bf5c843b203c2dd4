import { escapeHtml } from '../core/html.ts';
import type { Call } from '../engine/route.ts';
import { Reply } from '../engine/route.ts';
import type { PageFile } from './page-files.ts';
import { pageIcon, pageScript, pageStyle } from './page-files.ts';

/** Allows our own script and style only, and connections to this server only. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  'report-uri /csp_reports',
].join('; ');

/** Whether the client accepts HTML. */
export const isBrowser = (call: Pick<Call, 'headers'>): boolean =>
  String(call.headers.accept ?? '').includes('text/html');

export interface Page {
  readonly title: string;
  /** HTML, beginning with the first heading. */
  readonly content: string;
  readonly status?: number;
  /** What the script does on load. */
  readonly action?:
    | 'storeSession'
    | 'signOut'
    | 'reset'
    | 'terms'
    | 'invitation'
    | 'docs'
    | 'start'
    | 'account'
    | 'import'
    | 'seed';
  /** A script besides that of all pages. */
  readonly script?: PageFile;
  /** JSON for the script, in `#session`. */
  readonly session?: object;
  /** Without navigation, whose pages the vendor's web app may replace. */
  readonly isBare?: boolean;
  /** Embeds a page of this server. */
  readonly hasFrame?: boolean;
}

const navigation = `<nav aria-label="Your account">
<a class="when-in" href="/app">My garden</a>
<a class="when-in" href="/account">Account</a>
<a class="when-in" href="/logout">Sign out</a>
<a class="when-out" href="/sign_in">Sign in</a>
</nav>`;

/** Renders a page. */
export function page({ title, content, status = 200, action, script, session, ...options }: Page): Reply {
  const { isBare = false, hasFrame = false } = options;
  // `<` could end the element early.
  const data = session
    ? `<script type="application/json" id="session">${JSON.stringify(session).replaceAll('<', '\\u003c')}</script>\n`
    : '';
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)} · Potager</title>
<link rel="icon" type="image/svg+xml" href="${pageIcon.address}">
<link rel="stylesheet" href="${pageStyle.address}">
<script src="${pageScript.address}"></script>${script ? `\n<script src="${script.address}"></script>` : ''}
</head>
<body${action ? ` data-page="${action}"` : ''}>
<a class="skip" href="#main">Skip to content</a>
<header>
<a class="brand" href="/"><img src="${pageIcon.address}" alt="" width="32" height="32">Potager</a>
${isBare ? '' : navigation}
</header>
<main id="main">
<noscript><p class="message error">This page needs JavaScript, which is disabled in your browser.</p></noscript>
${content}
</main>
<footer><a href="/docs">API</a> <a href="/os">Set up a robot</a></footer>
${data}</body>
</html>
`;
  return new Reply(html, 'text/html; charset=utf-8', status, {
    'content-security-policy': hasFrame ? `${policy}; frame-src 'self'` : policy,
    'cache-control': 'no-store',
    // Page URLs may contain tokens.
    'referrer-policy': 'no-referrer',
  });
}

const button = (address: string, text: string, more = ''): string =>
  `<a class="button${more}" href="${address}">${text}</a>`;

/** A page with one message and a link. 409 means that the action was done before, which the page does not call an error. */
export function noticePage(status: number, title: string, message: string): Reply {
  const heading = status === 409 ? 'Already done' : title;
  const links =
    status === 409 || status < 400
      ? button('/sign_in', 'Sign in', ' when-out') + button('/app', 'My garden', ' when-in')
      : button('/', 'Home');
  return page({
    title: heading,
    status,
    isBare: true,
    content: `<div class="narrow"><h1>${escapeHtml(heading)}</h1>
<section class="card"><p>${escapeHtml(message)}</p>
<p class="actions">${links}</p></section></div>`,
  });
}

/** Stores a session in the browser and opens the web app. [rule W8] */
export const signedInPage = (session: object): Reply =>
  page({
    title: 'Your address is confirmed',
    isBare: true,
    content: `<div class="narrow"><h1>Your address is confirmed</h1>
<section class="card"><p>You are signed in. If nothing happens, <a href="/app/designer/messages">continue here</a>.</p></section></div>`,
    action: 'storeSession',
    session,
  });
