// Checks the lock files npm-shrinkwrap.json, of which the release contains the one of the root: each has the version of the
// package.json beside it, every package has an integrity hash, and packages with install scripts are known.
//   node scripts/check-lock.mjs [root]
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(process.argv[2] ?? join(import.meta.dirname, '..'));
const read = (...names) => JSON.parse(readFileSync(join(root, ...names), 'utf8'));
const violations = [];

/** Checks the lock file of a folder. Returns the number of its packages. */
function checkLock(folder) {
  const { packages, version: locked } = read(folder, 'npm-shrinkwrap.json');
  const { allowScripts = {}, version } = read(folder, 'package.json');
  const report = (file, sentence) => violations.push(`${join(folder, file)}: ${sentence}`);
  if (existsSync(join(root, folder, 'package-lock.json')))
    report('package-lock.json', 'npm-shrinkwrap.json is the lock file; remove this one');
  for (const each of [locked, packages[''].version])
    if (each !== version) report('npm-shrinkwrap.json', `the version is ${each}, not ${version} as in package.json`);
  for (const [path, { integrity, link, dev, hasInstallScript }] of Object.entries(packages)) {
    const name = path.replace(/^.*node_modules\//, '');
    if (path === '' || link) continue;
    if (!/^sha512-/.test(integrity ?? '')) report('npm-shrinkwrap.json', `${path} has no sha512 integrity`);
    if (hasInstallScript && !dev && !(name in allowScripts))
      report('package.json', `decide in allowScripts whether the install script of ${name} may run`);
  }
  return Object.keys(packages).length - 1;
}

/** The folders that scripts of package.json install the packages of. */
const folders = Object.values(read('package.json').scripts ?? {}).flatMap(
  (script) => /install-once\.mjs ([^&]+)/.exec(script)?.[1].trim().split(' ') ?? [],
);
const counts = ['.', ...new Set(folders)].map((folder) => `${checkLock(folder)} in ${folder}`);

for (const violation of violations) console.error(violation);
if (violations.length > 0) process.exit(1);
console.log(`Locked packages, each with an integrity hash: ${counts.join(', ')}`);
