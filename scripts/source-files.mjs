import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns functions that list and read the files of a tree, whose paths are relative to its root and have slashes. */
export const sourceFiles = (root) => {
  /** Files below a folder, without installed packages; none if there is no such folder. */
  const filesBelow = (folder) =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
          const path = `${folder}/${entry.name}`;
          if (entry.isFile()) return path;
          return entry.isDirectory() && entry.name !== 'node_modules' ? filesBelow(path) : [];
        })
      : [];
  return {
    filesIn: (folder) => filesBelow(folder).sort(),
    read: (file) => readFileSync(join(root, file), 'utf8'),
  };
};
