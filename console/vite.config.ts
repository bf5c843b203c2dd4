import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { appIcons } from './app-icons.ts';
import { ariaLocales } from './aria-locales.ts';
import browsers from './browsers.json' with { type: 'json' };
import { firstPaint } from './first-paint.ts';
import { lucideIcons } from './lucide-icons.ts';
import { firstEntry, isFirst, mapPreload, startFile } from './map-preload.ts';

/** The Potager that `npm run dev:console` shows. */
const server = process.env.POTAGER_URL ?? 'http://localhost:3000';

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), ariaLocales(), lucideIcons(), appIcons(), firstPaint(), mapPreload()],
  // The server replaces it in each response.
  html: { cspNonce: '{{nonce}}' },
  build: {
    outDir: resolve(import.meta.dirname, '../dist/console'),
    emptyOutDir: true,
    // Styles, too.
    target: Object.entries(browsers).map(([name, version]) => `${name}${version}`),
    license: { fileName: 'licenses.md' },
    // Everything is a file of its own: the policy allows no data URLs for scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // A test limits what is sent of the initial file.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      // A slow machine is no fault of the sources.
      checks: { bundlerTimings: false },
      input: [resolve(import.meta.dirname, 'index.html'), firstEntry],
      output: {
        // Hashes that the server recognizes.
        hashCharacters: 'hex',
        codeSplitting: {
          groups: [
            { name: 'first-requests', test: isFirst, priority: 1 },
            // What every page needs is one file: fewer requests, and smaller than its parts.
            { name: 'initial', test: (id) => id === startFile },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/photos', '/direct_upload', '/health', '/placeholder_farmbot.jpg'].map((path) => [path, server]),
    ),
  },
});
