import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { FixedContent } from '../engine/fixed-content.ts';
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
/** The script of the pages for signed-in people. */
export const gardenScript = pageFile('garden.js', 'text/javascript; charset=utf-8');
/** The scripts of the viewer in /docs in the order in which they run, and its style. */
export const viewerScripts = ['viewer-schemas.js', 'viewer-requests.js', 'viewer.js'].map((name) =>
  pageFile(name, 'text/javascript; charset=utf-8'),
);
export const viewerStyle = pageFile('viewer.css', 'text/css; charset=utf-8');
export const pageStyle = pageFile('page.css', 'text/css; charset=utf-8');
export const pageIcon = pageFile('icon.svg', 'image/svg+xml');

const contents = new Map(
  [pageScript, gardenScript, ...viewerScripts, viewerStyle, pageStyle, pageIcon].map(({ address, text, type }) => [
    address,
    new FixedContent(text, type, {
      'cache-control': cachedForever,
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    }),
  ]),
);

/** Returns a file by its name: `page.1a2b3c4d5e6f.js`. */
export const pageFileContent = (name: string): FixedContent | null => contents.get(`/pages/${name}`) ?? null;
