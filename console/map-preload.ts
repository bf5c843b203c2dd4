import type { Plugin } from 'vite';

/** The page that most people open. */
const page = /[\\/]src[\\/]map[\\/]map-page\.tsx$/;

/** Has the browser load the files of the map with those of the start, instead of after them. */
export const mapPreload = (): Plugin => ({
  name: 'preload of the map',
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
      add(
        Object.values(bundle).find((chunk) => chunk.type === 'chunk' && page.test(chunk.facadeModuleId ?? ''))
          ?.fileName,
      );
      const link = (rel: string) => (fileName: string) => ({
        tag: 'link',
        attrs: { rel, crossorigin: true, href: `/console/${fileName}` },
        injectTo: 'head' as const,
      });
      const isMissing = (fileName: string): boolean => !html.includes(fileName);
      return [
        ...[...scripts].filter(isMissing).map(link('modulepreload')),
        ...[...styles].filter(isMissing).map(link('stylesheet')),
      ];
    },
  },
});
