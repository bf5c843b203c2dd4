// Writes the types of the API for the console, from the description of the built server, and those of browsers.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
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
mkdirSync(folder, { recursive: true });
const isSame = (() => {
  try {
    return readFileSync(copy, 'utf8') === document;
  } catch {
    return false;
  }
})();
if (!isSame) {
  const { apiTypes } = await import('./api-types.mjs');
  writeFileSync(join(folder, 'api.ts'), await apiTypes(JSON.parse(document)));
  writeFileSync(copy, document);
  // Types are in no bundle: the console, which was built a moment ago, is not built again for them.
  utimesSync(consoleStamp, new Date(), new Date());
}
writeFileSync(join(folder, 'browsers.d.ts'), browserTypes());
