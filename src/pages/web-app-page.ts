import { escapeHtml } from '../core/html.ts';
import { Reply } from '../engine/route.ts';
import type { AppPage, Layout } from './web-app-layout.ts';
import { mainStyle } from './web-app-layout.ts';

export interface AppAddresses {
  /** `//host:port`. */
  readonly iss: string;
}

/** Policies cannot contain IPv6 addresses; `'self'` covers the server. */
const isSource = (source: string): boolean => !source.includes('[');

/** Hosts of release notes and farmware. [rule W4] */
const externalSources = ['https://api.github.com', 'https://raw.githubusercontent.com'];

/** Host of further scripts. [rule W4] */
const scriptHost = 'https://cdnjs.cloudflare.com';

/**
 * The content security policy of the vendor's web app. Like the vendor's own policy, it allows inline and evaluated
 * scripts, workers, blobs, images and cameras from anywhere, external styles and fonts, any WebSocket, and HTTPS by default.
 * Plugins are excluded with `object-src` instead of a sandbox. [rule W4]
 */
export function appPolicy({ iss }: AppAddresses, { connects }: Layout): string {
  const connect = [...[`http:${iss}`, `https:${iss}`].filter(isSource), ...externalSources, ...connects];
  return [
    "default-src 'self' https:",
    `script-src 'self' 'unsafe-inline' 'unsafe-eval' blob: ${scriptHost}`,
    "worker-src 'self' blob:",
    "style-src 'self' 'unsafe-inline' https:",
    "font-src 'self' data: https:",
    'img-src * data: blob:',
    'media-src * data: blob:',
    'frame-src *',
    `connect-src ${["'self'", 'data:', 'blob:', 'ws:', 'wss:', ...connect].join(' ')}`,
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'self'",
    'report-uri /csp_reports',
  ].join('; ');
}

/** JSON for a script element: without `<` and the line separators of old JavaScript. */
const scriptJson = (value: object): string =>
  JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

/** Font Awesome 4.7 when there is no local copy. It is loaded asynchronously, so that pages work without internet access. [rule W5] */
const publicIcons = {
  address: 'https://maxcdn.bootstrapcdn.com/font-awesome/4.7.0/css/font-awesome.min.css',
  integrity: 'sha384-wvfXpqpZZVQGK6TAh5PVlGOfQNHSoD2xbE+QkPxCAFlNEevoEH3Sl0sibVcOQVnN',
};

/** A link of a page to a file of the app. */
export interface Link {
  readonly rel: string;
  readonly file: string;
}

export interface AppPageParts {
  readonly page: AppPage;
  readonly layout: Layout;
  /** Its own stylesheet, below the bundles. */
  readonly style: string | null;
  /** The URL of a local copy of Font Awesome, or null. */
  readonly icons: string | null;
  /** To the manifest and icons of the build. */
  readonly links: readonly Link[];
  /** The value of `globalConfig`. */
  readonly config: object;
  readonly addresses: AppAddresses;
}

/** Renders a page of the app, with its elements in the order that the app needs. A bundle that renders into `#root` would leave the text about loading below it. [rule W3] */
export function appPage({ page, layout, style, icons, links, config, addresses }: AppPageParts): Reply {
  const url = (file: string): string => escapeHtml(`/${layout.bundles}/${file}`);
  const iconLink = icons
    ? `<link rel="stylesheet" href="${escapeHtml(icons)}">`
    : `<link rel="stylesheet" href="${publicIcons.address}" integrity="${publicIcons.integrity}" crossorigin="anonymous" media="print" onload="this.media='all'">`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>FarmBot</title>
${links.map(({ rel, file }) => `<link rel="${rel}" href="/${escapeHtml(file)}">\n`).join('')}<link rel="stylesheet" href="${url(mainStyle)}">
${style ? `<link rel="stylesheet" href="${url(style)}">\n` : ''}${iconLink}
<script>
window.globalConfig = ${scriptJson(config)};
window.process = {env: {NODE_ENV: "production"}};
window.logStore = {log(message, data, level) {}};
</script>
</head>
<body>
${page.hasRoot ? '<div id="root"></div>' : '<p class="initial-loading-text">Loading …</p>'}
<noscript>This app needs JavaScript.</noscript>
<script${layout.isModule ? ' type="module"' : ''} src="${url(page.bundle[layout.name])}"></script>
</body>
</html>
`;
  return new Reply(html, 'text/html; charset=utf-8', 200, {
    'content-security-policy': appPolicy(addresses, layout),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  });
}
