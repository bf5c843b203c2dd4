import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { PublicRoute } from '../engine/route.ts';
import { Reply } from '../engine/route.ts';

const { resolve } = createRequire(import.meta.url);

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
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
<title>Potager API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/viewer.css">
</head>
<body>
<div id="api"><p>This page needs JavaScript. The OpenAPI document: <a href="/api/openapi.json">/api/openapi.json</a>.</p></div>
<script src="/docs/viewer.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

// By default the viewer sends the document to a public validator.
const start = `SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#api',
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'none',
  tryItOutEnabled: true,
  requestSnippetsEnabled: false,
});
`;

/** A file of the page. */
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
    summary: 'Show the API documentation.',
    replies: { 200: path === '/docs' ? 'html' : 'text' },
    acceptsAnyVersion: true,
    addition: true,
    hidden: true,
    handle() {
      // Read on first use: most servers never show this page.
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

/** `/docs` and the files of its viewer. */
export const docsPage: readonly PublicRoute[] = files.map(fileRoute);
