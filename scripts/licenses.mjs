// Lists the licenses of all packages that a server needs at run time or that are in the built console, and their packages;
// NOTICE has the licenses of pictures and icons.
//   node scripts/licenses.mjs
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledPackages } from './bundled-packages.mjs';

const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, '../npm-shrinkwrap.json'), 'utf8'));
const namesByLicense = new Map();
function add(name, { version, license = 'unknown' }) {
  namesByLicense.set(license, (namesByLicense.get(license) ?? new Set()).add(`${name}@${version}`));
}
for (const [path, locked] of Object.entries(packages))
  if (path !== '' && !locked.dev) add(path.replace(/^.*node_modules\//, ''), locked);
for (const { name, ...bundled } of bundledPackages()) add(name, bundled);
for (const [license, names] of [...namesByLicense].sort(([a], [b]) => (a < b ? -1 : 1)))
  console.log(`${license} (${names.size}): ${[...names].sort().join(', ')}`);
console.log('MIT, see NOTICE: pictures of Fluent Emoji in the console');
