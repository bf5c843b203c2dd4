import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import Type from 'typebox';
import { notFound } from '../core/errors.ts';
import type { PublicRoute } from '../engine/route.ts';
import { Reply } from '../engine/route.ts';

/** A file of our own pages. Its address changes with its content, so browsers may keep it for good. */
export interface PageFile {
  /** `/pages/page.1a2b3c4d5e6f.js`. */
  readonly address: string;
  readonly text: string;
  readonly type: string;
}

/** Seconds: a year. */
const forGood = 31_536_000;

function pageFile(name: string, type: string): PageFile {
  const text = readFileSync(new URL(`./browser/${name}`, import.meta.url), 'utf8');
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { address: `/pages/${name.replace('.', `.${hash}.`)}`, text, type };
}

export const pageScript = pageFile('page.js', 'text/javascript; charset=utf-8');
export const pageStyle = pageFile('page.css', 'text/css; charset=utf-8');
export const pageIcon = pageFile('icon.svg', 'image/svg+xml');

const replies = new Map(
  [pageScript, pageStyle, pageIcon].map(({ address, text, type }) => [
    address,
    new Reply(text, type, 200, {
      'cache-control': `public, max-age=${forGood}, immutable`,
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    }),
  ]),
);

/** `/pages/…`: script, style and picture of our own pages. */
export const pageFilesRoute: PublicRoute = {
  method: 'GET',
  path: '/pages/:file',
  tag: 'pages',
  access: 'public',
  anyVersion: true,
  addition: true,
  hidden: true,
  summary: 'A file that pages for browsers need',
  params: Type.Object({ file: Type.String() }),
  replies: { 200: 'binary' },
  handle(_scope, call) {
    const reply = replies.get(`/pages/${call.params.file}`);
    if (!reply) throw notFound('File');
    return reply;
  },
};
