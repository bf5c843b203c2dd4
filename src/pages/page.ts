import { createHash } from 'node:crypto';
import { escaped } from '../core/html.ts';
import { Reply } from '../engine/route.ts';
import { pageScript } from './page-script.ts';

const style = `:root{color-scheme:light dark;--ink:#1d2b20;--paper:#f6f7f2;--card:#fff;--line:#c9d1c6;--leaf:#2f6f3e;--bad:#a3281f}
@media (prefers-color-scheme:dark){:root{--ink:#e6ece4;--paper:#141a15;--card:#1d2620;--line:#3b4a3f;--leaf:#79c28a;--bad:#ff9c92}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
main{max-width:30rem;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.6rem;line-height:1.2}h2{font-size:1.15rem;margin:0 0 .5rem}
a{color:var(--leaf)}
section,form{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem;margin:1rem 0}
label{display:block;margin:.6rem 0}
input:not([type=checkbox]){display:block;width:100%;padding:.6rem;margin-top:.2rem;font:inherit;color:inherit;background:transparent;border:1px solid var(--line);border-radius:.4rem}
button{padding:.65rem 1.2rem;font:inherit;color:var(--card);background:var(--leaf);border:0;border-radius:.4rem;cursor:pointer}
:focus-visible{outline:3px solid var(--leaf);outline-offset:2px}
output{display:block;min-height:1.5em;margin-top:.6rem}output.bad{color:var(--bad)}
code{overflow-wrap:anywhere}
`;

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Only the page's own script and style run; it talks to this server alone. */
const policy = [
  "default-src 'none'",
  `script-src ${hashOf(pageScript)}`,
  `style-src ${hashOf(style)}`,
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  'report-uri /csp_reports',
].join('; ');

export interface Page {
  readonly title: string;
  /** HTML. */
  readonly content: string;
  readonly status?: number;
  /** What the script does when the page is there. */
  readonly onLoad?: 'keep' | 'forget' | 'token' | 'account';
  /** JSON that the script finds in `#session`. */
  readonly session?: object;
}

/** A page that needs nothing but itself. */
export function page({ title, content, status = 200, onLoad, session }: Page): Reply {
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
<link rel="icon" href="data:,">
<title>${escaped(title)} · Potager</title>
<style>${style}</style>
</head>
<body${onLoad ? ` data-on-load="${onLoad}"` : ''}>
<main>
<h1>${escaped(title)}</h1>
${content}
</main>
${data}<script>${pageScript}</script>
</body>
</html>
`;
  return new Reply(html, 'text/html; charset=utf-8', status, {
    'content-security-policy': policy,
    'cache-control': 'no-store',
    // Addresses of pages hold tokens.
    'referrer-policy': 'no-referrer',
  });
}

/** A page with one sentence. */
export const noticePage = (status: number, title: string, sentence: string): Reply =>
  page({ title, status, content: `<p>${escaped(sentence)}</p>\n<p><a href="/">To the first page</a></p>` });

/** Keeps a session in the browser and goes on to the web app. */
export const signedInPage = (session: object): Reply =>
  page({
    title: 'Your address is confirmed',
    content: '<p>You are signed in. If nothing happens, <a href="/app/designer/messages">go on here</a>.</p>',
    onLoad: 'keep',
    session,
  });
