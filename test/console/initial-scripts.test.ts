import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const folder = resolve(import.meta.dirname, '../../dist/console');

/** In bytes, compressed with brotli. */
const maxSize = 200_000;

/** The size of a file as browsers get it. */
function sizeOf(path: string): number {
  const compressed = join(folder, `${path}.br`);
  return statSync(existsSync(compressed) ? compressed : join(folder, path)).size;
}

/** The scripts that a page loads before anything else, with those that they import. */
function initialScripts(html: string): ReadonlySet<string> {
  const scripts = new Set<string>();
  const add = (path: string): void => {
    if (scripts.has(path)) return;
    scripts.add(path);
    for (const [, name] of readFileSync(join(folder, path), 'utf8').matchAll(
      /(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g,
    ))
      add(`assets/${name}`);
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
