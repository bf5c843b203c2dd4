import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The packages whose code is in the built console, by the file with their licenses that its build writes. */
export function bundledPackages() {
  const text = readFileSync(join(import.meta.dirname, '../dist/console/licenses.md'), 'utf8');
  return [...text.matchAll(/^## (\S+) - (\S+) \((.+)\)$/gm)].map(([, name, version, license]) => ({
    name,
    version,
    license,
  }));
}
