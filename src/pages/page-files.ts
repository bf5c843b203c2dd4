import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Reply } from '../engine/route.ts';
import { cachedForever } from './file-types.ts';

/** A file of our own pages. Its URL contains a hash of its content, so browsers may cache it forever. */
export interface PageFile {
  /** `/pages/page.1a2b3c4d5e6f.js`. */
  readonly address: string;
  readonly text: string;
  readonly type: string;
}

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
      'cache-control': cachedForever,
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    }),
  ]),
);

/** Returns a file by its name: `page.1a2b3c4d5e6f.js`. */
export const pageFileReply = (name: string): Reply | null => replies.get(`/pages/${name}`) ?? null;
