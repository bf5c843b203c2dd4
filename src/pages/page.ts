import { escapeHtml } from '../core/html.ts';
import type { Call } from '../engine/route.ts';
import { Reply } from '../engine/route.ts';
import { pageIcon, pageScript, pageStyle } from './page-files.ts';

/** Only our own script and style run; the page talks to this server alone. */
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

/** Whether a client asks for something to look at. */
export const isBrowser = (call: Pick<Call, 'headers'>): boolean =>
  String(call.headers.accept ?? '').includes('text/html');

export interface Page {
  readonly title: string;
  /** HTML, from the first heading on. */
  readonly content: string;
  readonly status?: number;
  /** What the script does when the page is there. */
  readonly does?: 'keep' | 'leave' | 'reset' | 'terms' | 'start';
  /** JSON that the script finds in `#session`. */
  readonly session?: object;
  /** Without links to places that are not there, for instance because the vendor's web app stands in their way. */
  readonly isBare?: boolean;
}

const navigation = `<nav aria-label="Your account">
<a class="when-in" href="/app">My garden</a>
<a class="when-in" href="/logout">Sign out</a>
<a class="when-out" href="/sign_in">Sign in</a>
</nav>`;

/** A page that needs nothing but this server. */
export function page({ title, content, status = 200, does, session, isBare = false }: Page): Reply {
  // Data, not script: `<` cannot end the element early.
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
<script src="${pageScript.address}"></script>
</head>
<body${does ? ` data-page="${does}"` : ''}>
<a class="skip" href="#main">Skip to the content</a>
<header>
<a class="brand" href="/"><img src="${pageIcon.address}" alt="" width="32" height="32">Potager</a>
${isBare ? '' : navigation}
</header>
<main id="main">
${content}
<noscript><p class="told bad">This page needs JavaScript, which is switched off in your browser.</p></noscript>
</main>
<footer><a href="/docs">Interface for programs</a> <a href="/os">Set up a robot</a></footer>
${data}</body>
</html>
`;
  return new Reply(html, 'text/html; charset=utf-8', status, {
    'content-security-policy': policy,
    'cache-control': 'no-store',
    // Addresses of pages hold tokens.
    'referrer-policy': 'no-referrer',
  });
}

const button = (address: string, text: string, more = ''): string =>
  `<a class="button${more}" href="${address}">${text}</a>`;

/** A page with one sentence, and a way on from there. With 409 it is about something that was done before: no failure for whoever wanted it, so it is not called one. */
export function noticePage(status: number, title: string, sentence: string): Reply {
  const isDone = status === 409;
  const heading = isDone ? 'This was done already' : title;
  const waysOn = isDone
    ? button('/sign_in', 'Sign in', ' when-out') + button('/app', 'Go to my garden', ' when-in')
    : button('/', 'To the first page');
  return page({
    title: heading,
    status,
    isBare: true,
    content: `<div class="narrow"><h1>${escapeHtml(heading)}</h1>
<section class="card"><p>${escapeHtml(sentence)}</p>
<p class="actions">${waysOn}</p></section></div>`,
  });
}

/** Keeps a session in the browser and goes on to the web app. */
export const signedInPage = (session: object): Reply =>
  page({
    title: 'Your address is confirmed',
    isBare: true,
    content: `<div class="narrow"><h1>Your address is confirmed</h1>
<section class="card"><p>You are signed in. If nothing happens, <a href="/app/designer/messages">go on here</a>.</p></section></div>`,
    does: 'keep',
    session,
  });
