// Builds if dist is missing or older than the sources.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, stamp } from './build.mjs';

const root = resolve(import.meta.dirname, '..');

/** The files and folders of the build; removing a file changes only the time of its folder. */
function* inputs() {
  for (const file of ['package.json', 'tsconfig.json', 'tsconfig.build.json']) yield join(root, file);
  const source = join(root, 'src');
  yield source;
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true }))
    if (!entry.name.endsWith('.test.ts')) yield join(entry.parentPath, entry.name);
}

function isFresh() {
  // An installation without sources cannot be built.
  if (!existsSync(join(root, 'src'))) return true;
  if (!existsSync(stamp)) return false;
  const built = statSync(stamp).mtimeMs;
  for (const path of inputs()) if (statSync(path).mtimeMs > built) return false;
  return true;
}

if (!isFresh()) {
  console.error('Building…');
  try {
    build();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
