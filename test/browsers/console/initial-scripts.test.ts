import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { suiteBrowser } from '../pages/browser.ts';
import { consoleServer, gardener, openConsole } from './garden-page.ts';

const folder = resolve(import.meta.dirname, '../../../dist/console');

/** In bytes, compressed with brotli. */
const maxSize = 200_000;

/** The size of a file as browsers get it. */
function sizeOf(path: string): number {
  const compressed = join(folder, `${path}.br`);
  return statSync(existsSync(compressed) ? compressed : join(folder, path)).size;
}

/** The scripts that a page loads before anything else, with their imports. */
function initialScripts(html: string): ReadonlySet<string> {
  const scripts = new Set<string>();
  const add = (path: string): void => {
    if (scripts.has(path)) return;
    scripts.add(path);
    const text = readFileSync(join(folder, path), 'utf8');
    for (const [, name] of text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) add(`assets/${name}`);
  };
  for (const [, path] of html.matchAll(/(?:src|href)="\/console\/(assets\/[\w.-]+\.js)"/g)) if (path) add(path);
  return scripts;
}

it('loads at most 200 KB of scripts for the map, all of them together', () => {
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  const scripts = [...initialScripts(html)];
  expect(scripts).toContainEqual(expect.stringMatching(/^assets\/map-page-/));
  // One after the other they would take longer.
  expect(scripts.filter((path) => !html.includes(path))).toEqual([]);
  expect(scripts.reduce((sum, path) => sum + sizeOf(path), 0)).toBeLessThanOrEqual(maxSize);
});

describe('the map of the console', () => {
  const open = suiteBrowser();
  const server = consoleServer();

  it('reads the points once, before its scripts are loaded', async () => {
    const ada = await gardener(server);
    await ada.call('POST', '/api/points', { pointer_type: 'Plant', name: 'Carrot', x: 100, y: 200, z: 0 });
    let release: () => void = () => undefined;
    const isRead = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reads = 0;
    const held = async (options?: BrowserContextOptions) => {
      const page = await open(options);
      await page.route('**/assets/index-*.js', async (route) => {
        await isRead;
        await route.continue();
      });
      await page.route('**/api/points', async (route) => {
        // Later reads get no response.
        if (++reads > 1) return;
        await route.continue();
        release();
      });
      return page;
    };
    const page = await openConsole(held, server, ada, '/map');
    await page.getByRole('button', { name: /Carrot/ }).waitFor({ state: 'attached' });
  });
});
