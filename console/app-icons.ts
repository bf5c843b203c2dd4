import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import sharp from 'sharp';
import type { Plugin } from 'vite';

/** The color of the icon to its edges, where the system cuts it out or shows no transparency. */
const ground = '#2b6a3b';

/** The pictures that the manifest and the page name, with their widths in pixels. */
const icons = [
  { fileName: 'icon-192.png', size: 192, isFilled: false },
  { fileName: 'icon-512.png', size: 512, isFilled: false },
  { fileName: 'icon-maskable-512.png', size: 512, isFilled: true },
  { fileName: 'icon-touch-180.png', size: 180, isFilled: true },
] as const;

/** Draws icon.svg as PNG files, for systems that install the console as an app. */
export const appIcons = (): Plugin => ({
  name: 'app icons',
  apply: 'build',
  async generateBundle() {
    const drawing = await readFile(resolve(import.meta.dirname, 'public/icon.svg'));
    for (const { fileName, size, isFilled } of icons) {
      // 72 dots an inch draw it at its own 32 pixels.
      const picture = sharp(drawing, { density: (72 * size) / 32 }).resize(size, size);
      const source = await (isFilled ? picture.flatten({ background: ground }) : picture).png().toBuffer();
      this.emitFile({ type: 'asset', fileName, source });
    }
  },
});
