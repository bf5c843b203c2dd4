// Lists the licenses of all packages that a server needs at run time, and their packages; NOTICE has those of pictures.
//   node scripts/licenses.mjs
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, '../npm-shrinkwrap.json'), 'utf8'));
const namesByLicense = new Map();
for (const [path, { dev, version, license = 'unknown' }] of Object.entries(packages)) {
  if (path === '' || dev) continue;
  const names = namesByLicense.get(license) ?? new Set();
  namesByLicense.set(license, names.add(`${path.replace(/^.*node_modules\//, '')}@${version}`));
}
for (const [license, names] of [...namesByLicense].sort(([a], [b]) => (a < b ? -1 : 1)))
  console.log(`${license} (${names.size}): ${[...names].sort().join(', ')}`);
console.log(
  `MIT, see NOTICE: pictures of @iconify-json/fluent-emoji-flat@${packages['node_modules/@iconify-json/fluent-emoji-flat'].version} in the console`,
);
