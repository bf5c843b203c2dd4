// Builds if dist is missing or older than the sources.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, stamp } from './build.mjs';

const root = resolve(import.meta.dirname, '..');

/** The files and folders of the build; removing a file changes only the time of its folder. */
function* inputs() {
  for (const file of ['package.json', 'scripts/build.mjs']) yield join(root, file);
  const source = join(root, 'src');
  yield source;
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true }))
    if (!entry.name.endsWith('.test.ts')) yield join(entry.parentPath, entry.name);
}

function isFresh() {
  if (!existsSync(stamp)) return false;
  const built = statSync(stamp).mtimeMs;
  for (const path of inputs()) if (statSync(path).mtimeMs > built) return false;
  return true;
}

// npm writes this file at the end of an installation.
if (!existsSync(join(root, 'node_modules/.package-lock.json'))) {
  console.error('Run npm ci first.');
  process.exit(1);
}
if (!isFresh()) {
  console.error('Building…');
  try {
    await build();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
