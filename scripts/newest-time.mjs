import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the time of the last change of files, or of anything in folders, in ms since the epoch. Removing a file changes the time of its
 * folder. Tests are left out.
 * @param {readonly string[]} paths
 * @returns {number}
 */
export function newestTime(paths) {
  let newest = 0;
  for (const path of paths) {
    const entry = statSync(path);
    newest = Math.max(newest, entry.mtimeMs);
    if (!entry.isDirectory()) continue;
    const inside = readdirSync(path).filter((name) => !name.endsWith('.test.ts'));
    newest = Math.max(newest, newestTime(inside.map((name) => join(path, name))));
  }
  return newest;
}
