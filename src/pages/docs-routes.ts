import { FixedContent } from '../engine/fixed-content.ts';
import type { Origin, PublicRoute } from '../engine/route.ts';
import { requestOrigin } from '../engine/route.ts';
import type { PageFile } from './page-files.ts';
import { docsScript, docsStyle, pageIcon, themeScript, tokenStyle, viewerScripts, viewerStyle } from './page-files.ts';

/** The permissions of the viewer: forms and downloads besides scripts. Without allow-same-origin, its origin is opaque. [ADR 41] */
const sandbox = 'allow-scripts allow-forms allow-downloads';

/** The policy of the page around the frame. */
const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  'report-uri /csp_reports',
].join('; ');

const head = (title: string, styles: readonly PageFile[], scripts: readonly PageFile[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title} · Potager</title>
<link rel="icon" type="image/svg+xml" href="${pageIcon.address}">
${styles.map(({ address }) => `<link rel="stylesheet" href="${address}">`).join('\n')}
${scripts.map(({ address }) => `<script src="${address}"></script>`).join('\n')}
</head>`;

const docsPage = `${head('API documentation', [tokenStyle, docsStyle], [themeScript, docsScript])}
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<a class="brand" href="/console/"><img src="${pageIcon.address}" alt="" width="32" height="32">Potager</a>
</header>
<main id="main">
<noscript><p class="message error">This page needs JavaScript, which is disabled in your browser.</p></noscript>
<div class="bar"><h1>API documentation</h1>
<a href="/api/openapi.json">OpenAPI document</a>
<span class="when-out">To send requests with your account, <a href="/sign_in">sign in</a>.</span>
<div class="when-in"><button type="button" id="authorize" hidden>Use my account</button> <button type="button" id="revoke" class="quiet" hidden>Stop</button></div></div>
<p class="message" id="viewer-message" role="status"></p>
<iframe id="viewer" title="Operations of the API" sandbox="${sandbox}"></iframe>
</main>
</body>
</html>
`;

/** The policy of the frame, which is sandboxed even if it is opened by itself. WebKit takes `'self'` for its opaque origin, which matches nothing: the server is named, too. */
const viewerPolicy = (call: Origin): string =>
  [
    `sandbox ${sandbox}`,
    "default-src 'none'",
    ...['script', 'style', 'img', 'connect'].map((kind) => `${kind}-src 'self' ${requestOrigin(call)}`),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'report-uri /csp_reports',
  ].join('; ');

const viewerPage = `${head('Operations of the API', [tokenStyle, docsStyle, viewerStyle], [themeScript])}
<body class="viewer">
<div class="search"><input type="search" id="search" placeholder="Search operations" aria-label="Search operations" disabled></div>
<p id="no-match" role="status" hidden>No operation matches.</p>
<main>Loading …</main>
${viewerScripts.map(({ address }) => `<script src="${address}"></script>`).join('\n')}
</body>
</html>
`;

const type = 'text/html; charset=utf-8';
const docsContent = new FixedContent(docsPage, type, {
  'content-security-policy': docsPolicy,
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
});
const viewerContent = new FixedContent(viewerPage, type);

const docsRoute = (path: string, handle: PublicRoute['handle']): PublicRoute => ({
  access: 'public',
  method: 'GET',
  path,
  tag: 'Server',
  summary: 'Show the API documentation.',
  description: 'The page with this documentation.',
  replies: { 200: 'html', 304: 'empty' },
  acceptsAnyVersion: true,
  addition: true,
  hidden: true,
  handle,
});

/** `/docs` and the frame in it. [ADR 41, ADR 46] */
export const docsRoutes: readonly PublicRoute[] = [
  docsRoute('/docs', (_scope, call) => docsContent.reply(call)),
  docsRoute('/docs/viewer', (_scope, call) =>
    viewerContent.reply(call, { 'content-security-policy': viewerPolicy(call) }),
  ),
];
