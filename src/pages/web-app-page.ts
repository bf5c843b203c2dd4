import { escapeHtml } from '../core/html.ts';
import { Reply } from '../engine/route.ts';
import type { AppPage, Layout } from './web-app-layout.ts';
import { mainStyle } from './web-app-layout.ts';

/** Where a browser reaches this server. */
export interface AppAddresses {
  /** `//host:port`. */
  readonly iss: string;
}

/** Sources in a policy cannot be spelled with IPv6 addresses; `'self'` covers those that matter. */
const isSource = (source: string): boolean => !source.includes('[');

/** What the app fetches from elsewhere: release notes and farmware. [reference 1.11] */
const outside = ['https://api.github.com', 'https://raw.githubusercontent.com'];

/** Where the app's parts load further scripts from. [client web app] */
const scriptHost = 'https://cdnjs.cloudflare.com';

/**
 * What the vendor's web app needs: its scripts are inline and evaluated in part, it draws with workers and blobs, shows
 * pictures and cameras from anywhere, and styles and fonts come from outside hosts too. It was written for a policy that
 * allows all of this, any WebSocket, and by default whatever is encrypted; a narrower one would break parts of it that
 * nobody tries here. Plugins that policy shuts out with a sandbox, this one with `object-src`. [client web app]
 */
export function appPolicy({ iss }: AppAddresses): string {
  const connect = [`http:${iss}`, `https:${iss}`].filter(isSource);
  return [
    "default-src 'self' https:",
    `script-src 'self' 'unsafe-inline' 'unsafe-eval' blob: ${scriptHost}`,
    "worker-src 'self' blob:",
    "style-src 'self' 'unsafe-inline' https:",
    "font-src 'self' data: https:",
    'img-src * data: blob:',
    'media-src * data: blob:',
    'frame-src *',
    `connect-src ${["'self'", 'data:', 'blob:', 'ws:', 'wss:', ...connect, ...outside].join(' ')}`,
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'self'",
    'report-uri /csp_reports',
  ].join('; ');
}

/** JSON that may stand in a script: nothing in it ends the element or a line of old JavaScript. */
const scriptJson = (value: object): string =>
  JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

/** Where Font Awesome 4.7 comes from when the app's folder has no copy. Off the critical path: a garden without internet must not wait for it. */
const publicIcons = {
  address: 'https://maxcdn.bootstrapcdn.com/font-awesome/4.7.0/css/font-awesome.min.css',
  integrity: 'sha384-wvfXpqpZZVQGK6TAh5PVlGOfQNHSoD2xbE+QkPxCAFlNEevoEH3Sl0sibVcOQVnN',
};

/** What a page of the app is made of. */
export interface AppPageParts {
  readonly page: AppPage;
  readonly layout: Layout;
  /** Its own style, below the bundles; null: none. */
  readonly style: string | null;
  /** The address of a local copy of Font Awesome, or null. */
  readonly icons: string | null;
  /** What the app finds in `globalConfig`. */
  readonly config: object;
  readonly addresses: AppAddresses;
}

/** A page that hands everything to its bundle, its elements in the order that the app relies on. [client web app] */
export function appPage({ page, layout, style, icons, config, addresses }: AppPageParts): Reply {
  const at = (file: string): string => escapeHtml(`/${layout.bundles}/${file}`);
  const iconLink = icons
    ? `<link rel="stylesheet" href="${escapeHtml(icons)}">`
    : `<link rel="stylesheet" href="${publicIcons.address}" integrity="${publicIcons.integrity}" crossorigin="anonymous" media="print" onload="this.media='all'">`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>FarmBot</title>
<link rel="stylesheet" href="${at(mainStyle)}">
${style ? `<link rel="stylesheet" href="${at(style)}">\n` : ''}${iconLink}
<script>
window.globalConfig = ${scriptJson(config)};
window.process = {env: {NODE_ENV: "production"}};
window.logStore = {log(message, data, level) {}};
</script>
</head>
<body>
${page.hasRoot ? '<div id="root"></div>\n' : ''}<p class="initial-loading-text">Loading …</p>
<noscript>This app needs JavaScript.</noscript>
<script${layout.isModule ? ' type="module"' : ''} src="${at(page.bundle[layout.name])}"></script>
</body>
</html>
`;
  return new Reply(html, 'text/html; charset=utf-8', 200, {
    'content-security-policy': appPolicy(addresses),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  });
}
