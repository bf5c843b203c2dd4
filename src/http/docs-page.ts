import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { PublicRoute } from '../engine/route.ts';
import { Reply } from '../engine/route.ts';

const { resolve } = createRequire(import.meta.url);

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Potager: the interface</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/viewer.css">
</head>
<body>
<div id="interface"><p>This page needs JavaScript. The same description as data: <a href="/api/openapi.json">/api/openapi.json</a>.</p></div>
<script src="/docs/viewer.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

// Without a validator address the viewer would send the document to a public service.
const start = `SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#interface',
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'none',
  tryItOutEnabled: true,
  requestSnippetsEnabled: false,
});
`;

/** A file of the page: its type, and its text or the package file that holds it. */
interface File {
  readonly path: string;
  readonly type: string;
  read(): Promise<string> | string;
}

const fromPackage = (name: string) => () => readFile(resolve(`swagger-ui-dist/${name}`), 'utf8');

const files: readonly File[] = [
  { path: '/docs', type: 'text/html; charset=utf-8', read: () => page },
  { path: '/docs/start.js', type: 'text/javascript; charset=utf-8', read: () => start },
  { path: '/docs/viewer.js', type: 'text/javascript; charset=utf-8', read: fromPackage('swagger-ui-bundle.js') },
  { path: '/docs/viewer.css', type: 'text/css; charset=utf-8', read: fromPackage('swagger-ui.css') },
];

function fileRoute({ path, type, read }: File): PublicRoute {
  let reply: Promise<Reply> | undefined;
  const headers = { 'content-security-policy': policy, 'cache-control': 'public, max-age=3600' };
  return {
    access: 'public',
    method: 'GET',
    path,
    tag: 'documentation',
    summary: 'A page for people that shows the description of this interface.',
    replies: { 200: path === '/docs' ? 'html' : 'text' },
    acceptsAnyVersion: true,
    addition: true,
    hidden: true,
    handle() {
      // Read when first asked for: most servers never show this page.
      reply ??= Promise.resolve(read()).then(
        (text) => new Reply(text, type, 200, headers),
        (error: unknown) => {
          reply = undefined;
          throw error;
        },
      );
      return reply;
    },
  };
}

/** `/docs` and the viewer's files, all served from this machine. */
export const docsPage: readonly PublicRoute[] = files.map(fileRoute);
