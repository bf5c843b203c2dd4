import { resolve } from 'node:path';
import type { Plugin } from 'vite';

/** The start of every page, and the page that most people open. */
const pages = ['src/start.tsx', 'src/map/map-page.tsx'] as const;
/** It resumes the session, and sends the requests of the map. */
const requests = 'src/data/first-requests.ts';

/** The entry that is loaded before all others. */
export const firstEntry = resolve(import.meta.dirname, requests);
/** Whether a module is in its script: it, and what the start imports before the session is known. */
export const isFirst = (id: string): boolean =>
  id === firstEntry || /ui\/initial-(theme|language)\.ts$|core\/languages\.ts$|vite\/preload-helper/.test(id);
/** The start of every page. */
export const startFile = resolve(import.meta.dirname, pages[0]);

const lateStyles = 'document.head.appendChild';

const styleLink = /\s*<link rel="stylesheet"[^>]*>/g;

/** Has the browser send the first requests of the map and load its files with those of the start, instead of after them. */
export const mapPreload = (): Plugin => ({
  name: 'preload of the map',
  apply: 'build',
  // Styles that are loaded later have to come after those at the end of the page, which they override.
  transform: {
    filter: { id: /vite\/preload-helper/ },
    handler(code) {
      if (!code.includes(lateStyles)) throw new Error(`Vite no longer adds styles by ${lateStyles}`);
      return code.replace(lateStyles, 'document.body.appendChild');
    },
  },
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const styles = new Set<string>();
      const scripts = new Set<string>();
      const add = (fileName: string | undefined): void => {
        const chunk = bundle[fileName ?? ''];
        if (chunk?.type !== 'chunk' || scripts.has(chunk.fileName)) return;
        scripts.add(chunk.fileName);
        for (const style of chunk.viteMetadata?.importedCss ?? []) styles.add(style);
        for (const imported of chunk.imports) add(imported);
      };
      const fileOf = (module: string): string | undefined =>
        Object.values(bundle).find((chunk) => chunk.type === 'chunk' && chunk.facadeModuleId?.endsWith(module))
          ?.fileName;
      for (const page of pages) add(fileOf(page));
      const link = (rel: string, injectTo: 'head' | 'body') => (fileName: string) => ({
        tag: 'link',
        attrs: { rel, crossorigin: true, href: `/console/${fileName}` },
        injectTo,
      });
      const isMissing = (fileName: string): boolean => !html.includes(fileName);
      const [...ownStyles] = html.match(styleLink) ?? [];
      return {
        // Styles at the end of the page do not delay its first picture, but the scripts wait for them.
        html: html.replace(styleLink, '').replace('</body>', `${ownStyles.join('')}\n  </body>`),
        tags: [
          {
            tag: 'script',
            attrs: { type: 'module', async: true, crossorigin: true, src: `/console/${fileOf(requests)}` },
            injectTo: 'head-prepend' as const,
          },
          ...[...scripts].filter(isMissing).map(link('modulepreload', 'head')),
          ...[...styles].filter(isMissing).map(link('stylesheet', 'body')),
        ],
      };
    },
  },
});
