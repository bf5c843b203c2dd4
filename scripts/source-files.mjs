import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** Returns functions that list and read the files of a tree, whose paths are relative to its root and have slashes. */
export const sourceFiles = (root) => ({
  /** Files below a folder, sorted; none if there is no such folder. */
  filesIn(folder) {
    const path = join(root, folder);
    if (!existsSync(path)) return [];
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
      .sort();
  },
  read: (file) => readFileSync(join(root, file), 'utf8'),
});
