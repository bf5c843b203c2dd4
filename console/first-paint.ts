import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Plugin } from 'vite';
import { publicPaths } from './src/auth/public-paths.ts';

const read = (name: string): string => readFileSync(resolve(import.meta.dirname, name), 'utf8');

/** Returns the custom properties of the first block after a selector. */
function propertiesOf(css: string, selector: string): ReadonlyMap<string, string> {
  const start = css.indexOf(`${selector} {`);
  const block = css.slice(start, css.indexOf('}', start));
  return new Map([...block.matchAll(/--([\w-]+): ([^;]+);/g)].map(([, name = '', value = '']) => [name, value]));
}

/** Declares the first values of the properties that a style uses. */
const declared = (css: string, values: ReadonlyMap<string, string>): string => {
  const used = [...values].filter(([name]) => css.includes(`var(--${name})`));
  return `:root { ${used.map(([name, value]) => `--first-${name}: ${value};`).join(' ')} }`;
};

/** Pages that have nothing of a garden: those without a session, the first one, which leads elsewhere, and unknown addresses. */
const bare = ['', ...publicPaths, 'not-found'];

/** Writes the styles of the first picture into the page itself, in the colors of both themes. */
export const firstPaint = (): Plugin => ({
  name: 'first paint',
  transformIndexHtml() {
    const tokens = read('src/ui/tokens.css');
    const css = read('src/ui/first-paint.css')
      .replace(/\/\*.*?\*\//gs, '')
      .replaceAll('[data-page="{{public}}"]', bare.map((name) => `[data-page="${name}"]`).join(', '));
    const [light, dark] = [':root', ':root[data-theme="dark"]'].map((selector) =>
      declared(css, propertiesOf(tokens, selector)),
    );
    // The file with the properties themselves is not there yet.
    const used = css.replace(/var\(--([\w-]+)\)/g, 'var(--$1, var(--first-$1))');
    const children = `${light} @media (prefers-color-scheme: dark) { ${dark} } ${used}`.replace(/\s+/g, ' ');
    return [{ tag: 'style', attrs: { nonce: '{{nonce}}' }, children, injectTo: 'head' }];
  },
});
