import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Plugin } from 'vite';
import { cropIcons } from './src/ui/crop-icons.ts';

const moduleId = 'virtual:crop-pictures';

/** The module of the pictures of crops: for each slug the address of a file that has the icon, of those of Fluent Emoji only the ones in use. */
export function cropPictures(): Plugin {
  const {
    icons,
    width = 32,
    height = 32,
  } = JSON.parse(
    readFileSync(createRequire(import.meta.url).resolve('@iconify-json/fluent-emoji-flat/icons.json'), 'utf8'),
  );
  const pictureOf = (icon: string): string =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width * 4}" height="${height * 4}" viewBox="0 0 ${width} ${height}">${icons[icon].body}</svg>`;
  let isServing = false;
  return {
    name: 'crop pictures',
    configResolved({ command }) {
      isServing = command === 'serve';
    },
    resolveId: (id) => (id === moduleId ? `\0${moduleId}` : undefined),
    load(id) {
      if (id !== `\0${moduleId}`) return;
      const addresses = new Map<string, string>();
      const entries = Object.entries(cropIcons).map(([slug, icon]) => {
        const address =
          addresses.get(icon) ??
          (isServing
            ? JSON.stringify(`data:image/svg+xml,${encodeURIComponent(pictureOf(icon))}`)
            : `import.meta.ROLLUP_FILE_URL_${this.emitFile({ type: 'asset', name: `${icon}.svg`, source: pictureOf(icon) })}`);
        addresses.set(icon, address);
        return `${JSON.stringify(slug)}: ${address}`;
      });
      return `export const cropPictures = {${entries.join(',\n')}};`;
    },
  };
}
