// Builds if dist is missing or older than the sources.
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from './build.mjs';
import { buildConsole, serverStamp as stamp } from './build-console.mjs';
import { newestTime } from './newest-time.mjs';

const root = resolve(import.meta.dirname, '..');

const isFresh = () =>
  existsSync(stamp) &&
  statSync(stamp).mtimeMs > newestTime(['package.json', 'scripts/build.mjs', 'src'].map((path) => join(root, path)));

// npm writes this file at the end of an installation.
if (!existsSync(join(root, 'node_modules/.package-lock.json'))) {
  console.error('Run npm ci first.');
  process.exit(1);
}
try {
  if (!isFresh()) {
    console.error('Building…');
    await build();
  }
  await buildConsole();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
