// Writes the types of the API for the console, from the description of the built server, and those of browsers.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { browserTypes } from './browser-types.mjs';
import './build-once.mjs';
import { consoleStamp } from './build-console.mjs';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'console/src/data/generated');
const document = execFileSync(process.execPath, [join(root, 'dist/main.js'), 'openapi'], {
  encoding: 'utf8',
  maxBuffer: 2 ** 26,
});
const copy = join(folder, 'openapi.json');
const library = join(folder, 'browsers.d.ts');
mkdirSync(folder, { recursive: true });

/** Whether a file has the content already. */
const isWritten = (path, content) => existsSync(path) && readFileSync(path, 'utf8') === content;

const isDescribed = isWritten(copy, document);
if (!isDescribed) {
  const { apiTypes } = await import('./api-types.mjs');
  writeFileSync(join(folder, 'api.ts'), await apiTypes(JSON.parse(document)));
  writeFileSync(copy, document);
}
const types = browserTypes();
const isTyped = isWritten(library, types);
if (!isTyped) writeFileSync(library, types);
// Types are in no bundle: the console, which was built a moment ago, is not built again for them.
if (!isDescribed || !isTyped) utimesSync(consoleStamp, new Date(), new Date());
