// Checks npm-shrinkwrap.json, the lock file, which the release contains: it has the version of package.json, every package has an integrity hash, and those with install scripts are known.
//   node scripts/check-lock.mjs [root]
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(process.argv[2] ?? join(import.meta.dirname, '..'));
const read = (name) => JSON.parse(readFileSync(join(root, name), 'utf8'));
const { packages, version: locked } = read('npm-shrinkwrap.json');
const { allowScripts = {}, version } = read('package.json');

const violations = [];
if (existsSync(join(root, 'package-lock.json')))
  violations.push('package-lock.json: npm-shrinkwrap.json is the lock file; remove this one');
for (const each of [locked, packages[''].version])
  if (each !== version)
    violations.push(`npm-shrinkwrap.json: the version is ${each}, not ${version} as in package.json`);
for (const [path, { integrity, link, dev, hasInstallScript }] of Object.entries(packages)) {
  const name = path.replace(/^.*node_modules\//, '');
  if (path === '' || link) continue;
  if (!/^sha512-/.test(integrity ?? '')) violations.push(`npm-shrinkwrap.json: ${path} has no sha512 integrity`);
  if (hasInstallScript && !dev && !(name in allowScripts))
    violations.push(`package.json: decide in allowScripts whether the install script of ${name} may run`);
}

for (const violation of violations) console.error(violation);
if (violations.length > 0) process.exit(1);
console.log(`${Object.keys(packages).length - 1} locked packages, each with an integrity hash.`);
