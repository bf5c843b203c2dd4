import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { FixedContent } from '../engine/fixed-content.ts';
import { Type } from '../engine/json-schema.ts';
import type { PublicRoute } from '../engine/route.ts';
import type { ConsolePage } from './console-page.ts';
import { notFoundReply } from './fallback-routes.ts';
import { cachedForever } from './file-types.ts';

/** A file of the documentation of the API. Its URL contains a hash of its content, so browsers may cache it forever. */
export interface PageFile {
  /** `/pages/docs.1a2b3c4d5e6f.js`. */
  readonly address: string;
  readonly text: string;
  readonly type: string;
}

function pageFile(name: string, type: string): PageFile {
  const text = readFileSync(new URL(`./browser/${name}`, import.meta.url), 'utf8');
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { address: `/pages/${name.replace('.', `.${hash}.`)}`, text, type };
}

const script = (name: string): PageFile => pageFile(name, 'text/javascript; charset=utf-8');
const style = (name: string): PageFile => pageFile(name, 'text/css; charset=utf-8');

export const themeScript = script('theme.js');
export const docsScript = script('docs.js');
/** The scripts of the viewer in /docs in the order in which they run. */
export const viewerScripts = ['viewer-schemas.js', 'viewer-requests.js', 'viewer.js'].map(script);
/** The styles of the page, and of the viewer in it. The tokens are the console's. */
export const tokenStyle = style('tokens.css');
export const docsStyle = style('docs.css');
export const viewerStyle = style('viewer.css');
export const pageIcon = pageFile('icon.svg', 'image/svg+xml');

const contents = new Map(
  [themeScript, docsScript, ...viewerScripts, tokenStyle, docsStyle, viewerStyle, pageIcon].map(
    ({ address, text, type }) => [
      address,
      new FixedContent(text, type, {
        'cache-control': cachedForever,
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      }),
    ],
  ),
);

/** Scripts, styles and icons of the documentation. */
export const pageFilesRoute = (console: ConsolePage): PublicRoute => ({
  method: 'GET',
  path: '/pages/:file',
  tag: 'Pages',
  access: 'public',
  acceptsAnyVersion: true,
  addition: true,
  hidden: true,
  summary: 'A file that the documentation of the API needs',
  description: 'Scripts, styles and icons.',
  params: Type.Object({ file: Type.String() }),
  replies: { 200: 'binary', 304: 'empty', 404: 'html' },
  handle: (_scope, call) => contents.get(`/pages/${call.params.file}`)?.reply(call) ?? notFoundReply(console, call),
});
